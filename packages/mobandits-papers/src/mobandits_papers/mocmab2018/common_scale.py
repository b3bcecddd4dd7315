"""The percentages of Figure 2 of mocmab2018 where all algorithms have one scale.

The paper shows "the optimal scale factor for each experiment", which may be one for all of them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.figures.formatting import join_words
from mobandits_papers.claims import Revise, noted
from mobandits_papers.described import joined, tables_of
from mobandits_papers.mocmab2018.shared import MOC, SCALES, scaled
from mobandits_papers.numbers import Part, Parts, above, final_pair, percent_above, resampled_part
from mobandits_papers.outcome import Outcome

SCALE = "1"


class Target(NamedTuple):
    """One of the paper's percentages.

    Attributes:
        row: that MOC-MAB is compared with.
        component: of the reward.
        percent: by which the paper has MOC-MAB above the row.
    """

    row: str
    component: int
    percent: float


def targets_of(experiment: str) -> list[Target]:
    """The paper's percentages in the claims of an experiment.

    Example:
        >>> targets_of("mocmab2018/fig2")[-1]
        Target(row='CD-UCB1', component=1, percent=13.66)
    """
    claims = joined(tables_of(experiment, [], {}), "claims")
    return [
        Target(claim["of"], claim.get("component", 0), claim["percent"])
        for claim in claims
        if "percent" in claim
    ]


def pairs_of(outcome: Outcome, targets: Sequence[Target], scale: str | None) -> Array:
    """(trials, 2 targets) the rewards of MOC-MAB and of a row, target by target.

    Both are at a scale; None: those chosen for each.
    """
    pairs = []
    for target in targets:
        rows = (MOC, target.row)
        if scale is not None:
            rows = (scaled(MOC, scale), scaled(target.row, scale))

        pairs.append(final_pair(outcome, *rows, "reward", target.component))

    return np.concatenate(pairs, axis=1)


def points_off(means: Array, targets: Sequence[Target]) -> Array:
    """The distances to the paper's percentages, added up, (2 targets, n) to (n,).

    Example:
        >>> points_off(np.array([[3.0], [2.0]]), [Target("CP-UCB1", 0, 40.0)])
        array([10.])
    """
    leads = percent_above(np.stack([means[::2], means[1::2]]))
    percents = np.array([target.percent for target in targets])
    distances = np.abs(leads - percents[:, None])
    return np.asarray(distances.sum(axis=0))


def points_off_at(outcome: Outcome, targets: Sequence[Target], scale: str | None) -> float:
    """The points that the percentages are off at one scale; None: at the chosen ones."""
    means = pairs_of(outcome, targets, scale).mean(axis=0)
    (off,) = points_off(means[:, None], targets)
    return float(off)


def distances(targets: Sequence[Target]) -> Revise:
    """A sentence with the distances at the chosen scales and at each common one."""

    def sentence(outcome: Outcome) -> str:
        chosen = points_off_at(outcome, targets, None)
        each = [f"{points_off_at(outcome, targets, scale):.0f} at {scale}" for scale in SCALES]
        return (
            f"Added up, the percentages are {chosen:.0f} points off with chosen scales, and with "
            f"one scale for all {join_words(each)}."
        )

    return noted(sentence)


def nearer_at_one_scale(targets: Sequence[Target]) -> Parts:
    """The points by which one scale for all rows is nearer to the paper's percentages."""
    pairs = 2 * len(targets)

    def saved(means: Array) -> Array:
        chosen = points_off(means[:pairs], targets)
        shared = points_off(means[pairs:], targets)
        return np.asarray(chosen - shared)

    def parts(outcome: Outcome) -> list[Part]:
        both = [pairs_of(outcome, targets, scale) for scale in (None, SCALE)]
        samples = np.concatenate(both, axis=1)
        name = f"points off with chosen scales less those with {SCALE} for all, added up"
        return [resampled_part(name, samples, saved, above(0.0))]

    return parts
