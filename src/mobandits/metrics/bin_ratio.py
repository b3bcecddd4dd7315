"""How evenly the bins of a Pareto front are played, on a continuum of arms."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mobandits.contracts.continuum import Scores
from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Shape
from mobandits.support.checks import integer
from mobandits.support.naming import quoted


@dataclass(frozen=True)
class BinRatio:
    """The share of every bin of the Pareto front in the plays so far that lay in any; the component is the bin.

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

    bins: int = 6
    name: ClassVar[str] = "bin_ratio"
    cumulative: ClassVar[bool] = True
    needs_fronts: ClassVar[bool] = False

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
        """(rounds, bins) 1 for the bin that was played, if any.

        Raises:
            ValueError: where the surface has more bins.
        """
        if (highest := scores.bins.max()) >= self.bins:
            raise ValueError(
                f"BinRatio.bins must be above every bin of the surface, {highest}, got {quoted(self.bins)}"
            )
        return np.asarray(scores.bins[:, None] == np.arange(self.bins), np.float64)

    def accumulator(self, shape: Shape) -> "Ratios":
        """No plays yet."""
        return Ratios(self.bins)


class Ratios:
    """Counts, and the share of each in their sum; NaN where that is 0."""

    def __init__(self, bins: int) -> None:
        self._plays = np.zeros(bins)

    def add(self, values: Array) -> None:
        """More rounds, (rounds, bins)."""
        self._plays += values.sum(axis=0)

    def value(self) -> Array:
        """(bins,) so far."""
        plays = self._plays.sum()
        if not plays:
            return np.full_like(self._plays, np.nan)
        ratios: Array = self._plays / plays
        return ratios
