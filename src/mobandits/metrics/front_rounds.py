"""The number of plays of the true front."""

from dataclasses import dataclass, field

import numpy as np

from mobandits.contracts.continuum import Scores
from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Order
from mobandits.metrics.metric import BaseMetric
from mobandits.orders import Pareto


@dataclass(frozen=True)
class FrontRounds(BaseMetric):
    """The number of rounds whose arm was on the true front.

    Divided by the rounds it is how often the front was played.
    On a continuum of arms the front is what lies in any of the surface's bins.

    Args:
        order: whose front it is, where arms are finitely many.

    Reference:
        pcz2018, appendix D; moglb2019, section 4.

    Example:
        >>> scores = Scores(np.zeros((3, 2)), np.zeros(3), np.zeros(3), np.array([0, -1, 1]))
        >>> FrontRounds().on_surface(scores).ravel().tolist()
        [1.0, 0.0, 1.0]
    """

    references = ("pcz2018", "moglb2019")

    order: Order = field(default_factory=Pareto)
    name = "front_rounds"
    better = "larger"
    least = 0.0
    meaning = "the rounds whose arm was on the Pareto front"

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, 1) 1 where the chosen arm was on the front."""
        front = truth.front(self.order)
        # One row serves all rounds where the means stay.
        rows = np.arange(len(chosen)) if len(front) > 1 else 0
        played = front[rows, chosen]

        return np.asarray(played[:, None], np.float64)

    def on_surface(self, scores: Scores) -> Array:
        """(rounds, 1) 1 where the point was in a bin of the front."""
        on_front = scores.bins[:, None] >= 0  # the bin is -1 off the front
        return np.asarray(on_front, np.float64)
