"""The Pareto regret of PCZ and Contextual Zooming, and how evenly they play the front.

With what pcz2018 leaves open: the first ball, the width, and finitely many arms.
"""

from collections.abc import Mapping

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.policies import ContextualZooming, Pcz
from mobandits_papers.described import described
from mobandits_papers.numbers import (
    Part,
    Statistic,
    above,
    at_most,
    final_values,
    resampled_part,
)
from mobandits_papers.outcome import Outcome
from mobandits_papers.pcz2018.variants import Pinned

BINS = 6
# Bins are called almost equal where the largest share is at most this many times the smallest.
EVEN = 1.1
ZOOMING = "Contextual Zooming"


def bins_of(outcome: Outcome, row: str) -> Array:
    """(trials, bins) the shares at the last round."""
    shares = [final_values(outcome, row, "bin_ratio", i) for i in range(BINS)]
    return np.stack(shares, axis=1)


def largest_over_smallest(means: Array) -> Array:
    """The largest of some means over the smallest."""
    largest = means.max(axis=0)
    smallest = means.min(axis=0)
    return np.asarray(largest / smallest)


def difference_of_ranges(means: Array) -> Array:
    """The range of the second half of some means less that of the first half."""
    first = means[:BINS]
    second = means[BINS:]
    range_of_first = np.ptp(first, axis=0)
    range_of_second = np.ptp(second, axis=0)
    return np.asarray(range_of_second - range_of_first)


def even_parts(outcome: Outcome) -> list[Part]:
    """The evenness of PCZ's bins, by itself and beside that of Contextual Zooming's."""
    own = bins_of(outcome, "PCZ")
    # Both rows in one sample, so that a trial is drawn for both of them at once.
    both = np.concatenate([own, bins_of(outcome, ZOOMING)], axis=1)
    label = f"largest less smallest share, {ZOOMING} less PCZ"
    return [
        resampled_part(
            "PCZ, largest share over smallest", own, largest_over_smallest, at_most(EVEN)
        ),
        resampled_part(label, both, difference_of_ranges, above(0.0)),
    ]


# What "much more" may be read as: the paper does not say which bin it compares with.
RATIOS: Mapping[str, Statistic] = {
    "bin 1 over bin 2": lambda means: means[0] / means[1],
    "bin 1 over bin 6": lambda means: means[0] / means[5],
    "bin 1 over the mean of the others": lambda means: means[0] / means[1:].mean(axis=0),
}


def much_more_parts(outcome: Outcome) -> list[Part]:
    """The ratios of Contextual Zooming's first bin to its others."""
    shares = bins_of(outcome, ZOOMING)
    return [
        resampled_part(f"{ZOOMING}, {name}", shares, statistic)
        for name, statistic in RATIOS.items()
    ]


FIG2 = described(
    "pcz2018/fig2",
    parts={
        "pcz-bins-even": even_parts,
        "zooming-bin-1-much-more": much_more_parts,
    },
)

# The middle and a corner of the square of pairs: the paper leaves the first centre open.
CENTRES = ((0.5, 0.5), (0.0, 0.0))


def pinned_rows() -> dict[str, Pinned]:
    """PCZ and Contextual Zooming with the first ball at given centres.

    Example:
        >>> list(pinned_rows())[0]
        'PCZ, first ball at (0.5, 0.5)'
    """
    rows = {}
    for row, recipe in {"PCZ": Pcz(), ZOOMING: ContextualZooming()}.items():
        for x, y in CENTRES:
            name = f"{row}, first ball at ({x:g}, {y:g})"
            rows[name] = Pinned(recipe, (x, y))

    return rows


ABLATIONS = described("pcz2018/ablations", pinned=pinned_rows())
