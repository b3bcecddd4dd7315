"""Switch-DR: doubly robust where weights are small, the model alone where they are large."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mobandits.evaluation.case import EvaluationCase
from mobandits.evaluation.doubly_robust import corrected
from mobandits.evaluation.terms import Terms
from mobandits.support.checks import number


@dataclass(frozen=True, kw_only=True)
class SwitchDr:
    """The mean of q(x_i, pi) + w_i (r_i - q(x_i, a_i)) 1[w_i <= threshold].

    Symbols as in `DoublyRobust`. What is switched off biases the estimate of objective l by at most
    E[w |r_l - q_l| 1[w > threshold]], whose estimate is `Estimate.bias_bound`. A round without a
    reward for an objective is left out for that objective.

    Args:
        threshold: the largest weight that is used.

    Raises:
        ValueError: where `threshold` is not above 0.

    Reference:
        Wang, Agarwal and Dudik, Optimal and adaptive off-policy evaluation in contextual bandits,
        ICML 2017, section 4.

    Example:
        >>> from mobandits.evaluation.reward_model import OwnPredictions
        >>> from mobandits.logs import Feedback
        >>> log = Feedback(np.ones((2, 1)), [0, 0], [[0.7], [0.7]], [0.5, 0.1], ["a", "b"], ["q"])
        >>> own = OwnPredictions(np.array([[[0.5], [1.0]]] * 2), log)
        >>> case = EvaluationCase(log, np.full((2, 2), 0.5), own)
        >>> SwitchDr(threshold=2.0).terms(case).numerator.round(4).tolist()
        [[0.95], [0.75]]
    """

    threshold: float = 10.0

    name: ClassVar[str] = "switch-dr"
    needs_model: ClassVar[bool] = True
    needs_propensities: ClassVar[bool] = True

    def __post_init__(self) -> None:
        number("SwitchDr.threshold", self.threshold, above=0.0)

    def terms(self, case: EvaluationCase) -> Terms:
        """a_il = q_l(x_i, pi) + (w_i (r_il - q_l(x_i, a_i)) or 0) and b_il = 1.

        Both are 0 where the reward is missing.
        """
        weights = case.weights[:, None]
        # Switched off and not clipped: where the weight is large, the model stands alone.
        used = np.where(weights <= self.threshold, weights, 0.0)

        return corrected(case, used, weights - used)
