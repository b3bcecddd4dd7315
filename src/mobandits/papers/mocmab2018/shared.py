"""What the figures of mocmab2018 share: its six policies with their scales, and the forms of its claims."""

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from mobandits.contracts.protocols import Recipe
from mobandits.papers.claims import (
    Claim,
    Outcome,
    Part,
    difference,
    final,
    percentage,
    resample,
)
from mobandits.papers.experiment import Plot, Tuned
from mobandits.policies import CdUcb1, CpUcb1, CsUcb1, MocMab, ParetoUcb1, ScalarizedUcb1

MOC, CP, CS, CD, P, S = "MOC-MAB", "CP-UCB1", "CS-UCB1", "CD-UCB1", "P-UCB1", "S-UCB1"
SCALES = {"1": 1.0, **{f"1/{k}": 1.0 / k for k in (5, 10, 15, 20, 25, 30)}}
PARTS = ("dominant objective", "other objective")

EACH = 0.975  # of the interval of either objective: both of two hold together in 95 % at least

Grids = Mapping[str, Sequence[str]]

CHOSEN = (
    "The paper scales every policy's confidence width by 1, 1/5, 1/10, 1/15, 1/20, 1/25 or 1/30 and shows the "
    "optimal scale of each experiment. It does not say what is optimal, nor whether all policies share one scale. "
    "Because it argues with the dominant objective alone, each policy here has its own scale, the best in the "
    "dominant objective on trials of another seed."
)


def rows(metric: str, *, highest: bool, beta: float = 1.0, grids: Grids | None = None) -> dict[str, Recipe | Tuned]:
    """The paper's six policies, each with its scale to choose by the dominant objective.

    Args:
        metric: what is best.
        highest: whether more is better.
        beta: MOC-MAB's.
        grids: {row: the scales to choose from}; rows that are not named have all.
    """
    built: dict[str, Callable[[float], Recipe]] = {
        MOC: lambda scale: MocMab(scale=scale, beta=beta),
        CP: lambda scale: CpUcb1(scale=scale),
        CS: lambda scale: CsUcb1(scale=scale),
        CD: lambda scale: CdUcb1(scale=scale),
        P: lambda scale: ParetoUcb1(scale=scale),
        S: lambda scale: ScalarizedUcb1(scale=scale),
    }
    return {
        row: Tuned({f"scale = {one}": make(SCALES[one]) for one in (grids or {}).get(row, SCALES)}, metric, 0, highest)
        for row, make in built.items()
    }


def in_order(
    id: str,  # noqa: A002 - as in claims.json
    claim: str,
    metric: str,
    order: Sequence[Sequence[str]],
    *,
    component: int = 0,
    differs: str = "",
    note: str = "",
) -> Claim:
    """Rows from the highest to the lowest mean: every row of a group is above every row of the next group."""

    def parts(outcome: Outcome) -> list[Part]:
        run = outcome.runs()[0]
        return [
            difference(outcome, run, metric, low, high, component, final, several=False)
            for above, below in itertools.pairwise(order)
            for high in above
            for low in below
        ]

    said = " > ".join(" and ".join(group) for group in order)
    rule = "each neighbour: the 95 % bootstrap interval of the difference of means is above 0"
    return Claim(id, claim, said, rule, parts, differs, note)


def unbeaten(
    id: str,  # noqa: A002 - as in claims.json
    metric: str,
    others: Sequence[str],
    differs: str = "",
    note: str = "",
) -> Claim:
    """Against every other row, MOC-MAB is ahead in one objective at least."""

    def parts(outcome: Outcome) -> list[Part]:
        return [_lead(outcome, metric, other) for other in others]

    rule = (
        "each: in one objective the 97.5 % bootstrap interval of its lead, in per cent, is above 0; objectives are "
        "tested one by one, and the better one is shown"
    )
    said = "no algorithm beats MOC-MAB in both objectives"
    return Claim(id, f"{said[0].upper()}{said[1:]}", said, rule, parts, differs, note)


def _lead(outcome: Outcome, metric: str, other: str) -> Part:
    found = []
    for i, said in enumerate(PARTS):
        curves = [outcome.curves(outcome.runs()[0], row, metric, i) for row in (MOC, other)]
        samples = np.stack([final(*curve) for curve in curves], axis=1)
        value, ends = resample(samples, lambda means: 100.0 * (means[0] / means[1] - 1.0), EACH)
        lead = f"lead of {MOC} over {other}, {said}, %"
        found.append(Part(lead, value, ends, ends and ends[0] > 0.0, len(samples)))
    return max(found, key=lambda one: one.interval[0] if one.interval else one.measured)


def percentages(
    name: str,
    targets: Mapping[str, float],
    component: int,
    differs: str,
    *,
    note: str = "",
    rule: str = "none: the set-up is not fully specified",
) -> tuple[Claim, ...]:
    """By how much MOC-MAB's total reward is above those of other rows, beside the paper's numbers."""
    return tuple(
        percentage(
            f"{name}/{'dominant' if component == 0 else 'other'}-vs-{row.partition('-')[0].lower()}",
            f"{MOC}'s total reward in the {PARTS[component]}, against {row}'s",
            "reward",
            MOC,
            row,
            target,
            component=component,
            differs=differs,
            note=note,
            rule=rule,
        )
        for row, target in targets.items()
    )


def reward_plot(caption: str) -> Plot:
    """Total rewards in both objectives."""
    return Plot("reward", "reward", caption, parts=PARTS, vertical="total mean reward")


def every(*several: Callable[[Outcome], Sequence[Part]]) -> Callable[[Outcome], list[Part]]:
    """All parts of several."""
    return lambda outcome: [part for parts in several for part in parts(outcome)]
