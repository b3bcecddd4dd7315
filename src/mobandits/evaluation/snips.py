"""Self-normalised inverse propensity scoring."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mobandits.evaluation.case import EvaluationCase
from mobandits.evaluation.clipping import Clipping
from mobandits.evaluation.terms import Terms, observed, ratio_of_sums


@dataclass(frozen=True, kw_only=True)
class Snips(Clipping):
    """sum w_i r_i / sum w_i, with w_i = pi(a_i | x_i) / p_i: a weighted mean of the rewards.

    Symbols as in `Ips`. Never outside the range of the rewards, and unmoved by a constant added to
    them; its bias vanishes like 1 / rounds. A round without a reward for an objective is left out
    for that objective, in both sums.

    Args:
        clip: the largest weight; larger ones are cut to it. That moves the limit of objective l's
            estimate V_l by at most E[(w - clip)^+ |r_l - V_l|], whose estimate is
            `Estimate.bias_bound`. None does not clip.

    Raises:
        ValueError: where `clip` is not above 0.

    Reference:
        Swaminathan and Joachims, The self-normalized estimator for counterfactual learning, NeurIPS
        2015.

    Example:
        >>> from mobandits.logs import Feedback
        >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.25], ["a", "b"], ["q"])
        >>> case = EvaluationCase(log, np.full((2, 2), 0.5))
        >>> ratio_of_sums(Snips().terms(case)).round(4).tolist()
        [0.8333]
    """

    name: ClassVar[str] = "snips"
    needs_model: ClassVar[bool] = False

    def terms(self, case: EvaluationCase) -> Terms:
        """a_il = w_i r_il and b_il = w_i, both 0 where the reward is missing."""
        rewards, seen = observed(case.rewards)
        weights, cut = self.weights(case)
        numerator = weights * rewards
        denominator = weights * seen
        terms = Terms(numerator, denominator)
        if cut is None:
            return terms

        # Against the estimate: a weighted mean of equal rewards loses nothing by clipping.
        errors = np.abs(rewards - ratio_of_sums(terms))
        lost = cut * seen * errors

        return Terms(numerator, denominator, lost)
