"""The direct method: the predictions of a reward model."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mobandits.evaluation.case import EvaluationCase
from mobandits.evaluation.terms import Terms


@dataclass(frozen=True, kw_only=True)
class DirectMethod:
    """The mean over rounds of sum_a pi(a | x_i) q(x_i, a), with q a model of the rewards.

    All rounds count, whether their rewards were observed or not. The variance is small and the bias
    is the model's: the confidence region shows how much the contexts vary and not how wrong the
    model is, so it is not to be trusted alone, and a warning says so.

    Reference:
        Dudik, Langford and Li, Doubly robust policy evaluation and learning, ICML 2011, section 2.

    Example:
        >>> from mobandits.evaluation.reward_model import OwnPredictions
        >>> from mobandits.logs import Feedback
        >>> log = Feedback(np.ones((1, 1)), [0], [[0.5]], [0.5], ["a", "b"], ["q"])
        >>> own = OwnPredictions(np.array([[[0.5], [1.0]]]), log)
        >>> case = EvaluationCase(log, np.array([[0.5, 0.5]]), own)
        >>> DirectMethod().terms(case).numerator.tolist()
        [[0.75]]
    """

    name: ClassVar[str] = "dm"
    needs_model: ClassVar[bool] = True
    needs_propensities: ClassVar[bool] = False

    def terms(self, case: EvaluationCase) -> Terms:
        """a_il = q_l(x_i, pi) and b_il = 1."""
        # Also rounds without a reward: the model has a prediction for them.
        every_round = np.ones_like(case.expected)
        return Terms(case.expected, every_round)
