"""Doubly robust: a reward model, corrected where rewards were seen."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.case import EvaluationCase
from mobandits.evaluation.clipping import Clipping
from mobandits.evaluation.terms import Terms, observed


@dataclass(frozen=True, kw_only=True)
class DoublyRobust(Clipping):
    """The mean of q(x_i, pi) + w_i (r_i - q(x_i, a_i)).

    ============= ==================================================
    symbol        here
    ============= ==================================================
    q(x, a)       the model's prediction of the reward
    q(x, pi)      sum_a pi(a | x) q(x, a)
    w_i           pi(a_i | x_i) / p_i, as in `Ips`
    ============= ==================================================

    Unbiased where the propensities are right, whatever the model, provided that the model did not
    see round i: `compare` fits it on other folds. The better the model, the smaller the variance. A
    round without a reward for an objective is left out for that objective.

    Args:
        clip: the largest weight; larger ones are cut to it. That moves the estimate of objective l
            by at most E[(w - clip)^+ |r_l - q_l|], whose estimate is `Estimate.bias_bound`. None
            does not clip.

    Raises:
        ValueError: where `clip` is not above 0.

    Reference:
        Dudik, Langford and Li, Doubly robust policy evaluation and learning, ICML 2011.
        Cross-fitting: Chernozhukov et al., Econometrics Journal 21, 2018. Clipping is the
        pessimistic shrinkage of Su et al., ICML 2020.

    Example:
        >>> from mobandits.evaluation.reward_model import OwnPredictions
        >>> from mobandits.logs import Feedback
        >>> log = Feedback(np.ones((1, 1)), [0], [[0.7]], [0.25], ["a", "b"], ["q"])
        >>> own = OwnPredictions(np.array([[[0.5], [1.0]]]), log)
        >>> case = EvaluationCase(log, np.array([[0.5, 0.5]]), own)
        >>> DoublyRobust().terms(case).numerator.round(4).tolist()
        [[1.15]]
    """

    name: ClassVar[str] = "dr"
    needs_model: ClassVar[bool] = True

    def terms(self, case: EvaluationCase) -> Terms:
        """a_il = q_l(x_i, pi) + w_i (r_il - q_l(x_i, a_i)) and b_il = 1.

        Both are 0 where the reward is missing.
        """
        return corrected(case, *self.weights(case))


def corrected(case: EvaluationCase, weights: Array, left_out: Array | None) -> Terms:
    """The terms of a model whose errors are corrected.

    Args:
        case: with a model.
        weights: (rounds, 1) of the errors.
        left_out: (rounds, 1) how much the true weights are larger; None: they are not.
    """
    rewards, seen = observed(case.rewards)
    errors = seen * (rewards - case.logged)
    correction = weights * errors
    # A round without a reward is left out whole, prediction and all, as the denominator is.
    numerator = seen * case.expected + correction
    lost = None
    if left_out is not None:
        lost = left_out * np.abs(errors)

    return Terms(numerator, seen, lost)
