"""Inverse propensity scoring."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mobandits.evaluation.case import EvaluationCase
from mobandits.evaluation.clipping import Clipping
from mobandits.evaluation.terms import Terms, observed


@dataclass(frozen=True, kw_only=True)
class Ips(Clipping):
    """The mean of w_i r_i, with w_i = pi(a_i | x_i) / p_i.

    ============= ==================================================
    symbol        here
    ============= ==================================================
    pi(a_i | x_i) the target's probability of the arm that was played
    p_i           `Feedback.propensities`
    r_i           `Feedback.rewards`, one column per objective
    ============= ==================================================

    Unbiased where the propensities are right and none is 0 where pi is not. Its variance grows with
    the weights. A round without a reward for an objective is left out for that objective.

    Args:
        clip: the largest weight; larger ones are cut to it. That moves the estimate of objective l
            by at most E[(w - clip)^+ |r_l|], whose estimate is `Estimate.bias_bound`. None does not
            clip.

    Raises:
        ValueError: where `clip` is not above 0.

    Reference:
        Horvitz and Thompson, JASA 47, 1952; Strehl, Langford, Li and Kakade, NeurIPS 2010, for
        bandit logs. Clipping: Ionides, J. Comput. Graph. Statist. 17, 2008.

    Example:
        >>> from mobandits.logs import Feedback
        >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.25], ["a", "b"], ["q"])
        >>> Ips().terms(EvaluationCase(log, np.full((2, 2), 0.5))).numerator.ravel().tolist()
        [0.5, 2.0]
    """

    name: ClassVar[str] = "ips"
    needs_model: ClassVar[bool] = False

    def terms(self, case: EvaluationCase) -> Terms:
        """a_il = w_i r_il and b_il = 1, both 0 where the reward is missing."""
        rewards, seen = observed(case.rewards)
        weights, cut = self.weights(case)
        numerator = weights * rewards  # missing rewards are 0 here
        lost = None
        if cut is not None:
            lost = cut * np.abs(rewards)

        return Terms(numerator, seen, lost, weights)
