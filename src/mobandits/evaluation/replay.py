"""Replay: a mean over the rounds in which the target plays the arm that was played."""

from dataclasses import dataclass
from typing import ClassVar

from mobandits.evaluation.case import EvaluationCase
from mobandits.evaluation.terms import Terms, observed


@dataclass(frozen=True, kw_only=True)
class Replay:
    """The mean reward over the rounds in which the target plays the arm that was played.

    A target that draws its arm keeps round i with probability pi(a_i | x_i); no coin is tossed, the
    estimate is the mean over all of them::

        sum_i pi(a_i | x_i) r_i / sum_i pi(a_i | x_i)

    It looks at no propensity, and is right only where every arm was equally likely in every round;
    elsewhere it is biased towards what the logging policy liked, and a warning says so. A round
    without a reward for an objective is left out for that objective. `replay` evaluates a recipe
    while it learns.

    Reference:
        Li, Chu, Langford and Wang, Unbiased offline evaluation of contextual-bandit-based news
        article recommendation algorithms, WSDM 2011, Algorithm 2.

    Example:
        >>> import numpy as np
        >>> from mobandits.evaluation.terms import ratio_of_sums
        >>> from mobandits.logs import Feedback
        >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.5], ["a", "b"], ["q"])
        >>> case = EvaluationCase(log, np.array([[1.0, 0.0], [1.0, 0.0]]))
        >>> ratio_of_sums(Replay().terms(case)).tolist()
        [0.5]
    """

    name: ClassVar[str] = "replay"
    needs_model: ClassVar[bool] = False
    needs_propensities: ClassVar[bool] = False

    def terms(self, case: EvaluationCase) -> Terms:
        """a_il = pi(a_i | x_i) r_il and b_il = pi(a_i | x_i), 0 where the reward is missing."""
        rewards, seen = observed(case.rewards)
        # A probability in place of a draw: that leaves out the noise of the draws.
        played = case.played[:, None]
        numerator = played * rewards
        denominator = played * seen

        return Terms(numerator, denominator)
