"""The share of each bin of a Pareto front in the plays, on a continuum of arms."""

from dataclasses import dataclass

import numpy as np

from mobandits.contracts.continuum import Scores
from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Shape
from mobandits.metrics.metric import BaseMetric, Sums
from mobandits.support.checks import integer
from mobandits.support.naming import wrong_value


@dataclass(frozen=True)
class BinRatio(BaseMetric):
    """The share of each bin of the Pareto front in the plays so far that lay in any bin.

    The component is the bin.
    Nothing is recorded before the first such play.

    Args:
        bins: how many there are, which is for the surface to say; six in pcz2018.

    Reference:
        pcz2018, appendix D, Figure 2 (ii).

    Example:
        >>> scores = Scores(np.zeros((3, 2)), np.zeros(3), np.zeros(3), np.array([0, -1, 1]))
        >>> BinRatio(bins=2).on_surface(scores).tolist()
        [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]
    """

    references = ("pcz2018",)

    bins: int = 6
    name = "bin_ratio"
    least = 0.0
    most = 1.0
    meaning = "the plays of each bin of the Pareto front"
    component = "bin"

    def __post_init__(self) -> None:
        """Check the parameter."""
        integer("BinRatio.bins", self.bins, at_least=1)

    def components(self, shape: Shape) -> int:
        """One per bin."""
        return self.bins

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """Finitely many arms have no bins.

        Raises:
            ValueError: always.
        """
        raise ValueError("BinRatio needs a continuum of arms with bins, such as TwoRidges()")

    def on_surface(self, scores: Scores) -> Array:
        """(rounds, bins) 1 for the bin that was played, 0 for the others.

        Raises:
            ValueError: where the surface has more bins.
        """
        highest = scores.bins.max()
        if highest >= self.bins:
            raise wrong_value(
                f"BinRatio.bins must be above every bin of the surface, {highest}", self.bins
            )

        # Off the front the bin is -1, which equals none of these.
        bins = np.arange(self.bins)
        played = scores.bins[:, None] == bins

        return np.asarray(played, np.float64)

    def accumulator(self, shape: Shape) -> Sums:
        """The counts before the first play: 0."""
        return Sums(self.bins, _shares)


def _shares(plays: Array, _rounds: int) -> Array:
    """(bins,) the share of each count in their sum; NaN, which is not recorded, where that is 0."""
    total = plays.sum()
    if not total:
        return np.full_like(plays, np.nan)

    return np.asarray(plays / total)
