"""What the figures of mocmab2018 share: its six policies with their scales, and kinds of claims."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mobandits.contracts.protocols import Recipe
from mobandits.figures.formatting import join_words
from mobandits.papers.claim_parts import (
    Parts,
    above,
    below,
    final_pair,
    percent_above,
    resampled_part,
)
from mobandits.papers.claims import Claim, Kind, Outcome, Part, difference, final, percentage
from mobandits.papers.experiment import Plot, Tuned
from mobandits.policies import CdUcb1, CpUcb1, CsUcb1, MocMab, ParetoUcb1, ScalarizedUcb1

MOC = "MOC-MAB"
CP = "CP-UCB1"
CS = "CS-UCB1"
CD = "CD-UCB1"
P = "P-UCB1"
S = "S-UCB1"
# The factors by which the paper scales down the uncertainty, section VII.
SCALES = {"1": 1.0, **{f"1/{k}": 1.0 / k for k in (5, 10, 15, 20, 25, 30)}}
PARTS = ("dominant objective", "other objective")

EACH = 0.975  # of the interval of either objective: both of two hold together in 95 % at least

Grids = Mapping[str, Sequence[str]]

CHOSEN = (
    "The paper scales every policy's confidence width by 1, 1/5, 1/10, 1/15, 1/20, 1/25 or 1/30 "
    "and shows the optimal scale of each experiment. It does not say what is optimal, nor whether "
    "all policies share one scale. Because it argues with the dominant objective alone, each "
    "policy here has its own scale, the best in the dominant objective on trials of another seed."
)


def rows(
    metric: str, *, highest: bool, beta: float = 1.0, grids: Grids | None = None
) -> dict[str, Recipe | Tuned]:
    """The paper's six policies, each with its scale to choose by the dominant objective.

    Args:
        metric: what is best.
        highest: whether more is better.
        beta: MOC-MAB's.
        grids: {row: the scales to choose from}; rows that are not named have all.
    """
    makers: dict[str, Callable[[float], Recipe]] = {
        MOC: lambda scale: MocMab(scale=scale, beta=beta),
        CP: lambda scale: CpUcb1(scale=scale),
        CS: lambda scale: CsUcb1(scale=scale),
        CD: lambda scale: CdUcb1(scale=scale),
        P: lambda scale: ParetoUcb1(scale=scale),
        S: lambda scale: ScalarizedUcb1(scale=scale),
    }
    # Recipes are made scale by scale, because each scale is a row of the table of its own.
    named_grids = grids or {}
    tuned: dict[str, Recipe | Tuned] = {}
    for row, make in makers.items():
        scales = named_grids.get(row, SCALES)
        grid = {f"scale = {scale}": make(SCALES[scale]) for scale in scales}
        tuned[row] = Tuned(grid, metric, 0, highest)

    return tuned


def in_order(
    id: str,  # noqa: A002 - as in claims.json
    claim: str,
    metric: str,
    order: Sequence[Sequence[str]],
    *,
    component: int = 0,
    differs: str = "",
    note: str = "",
    kind: Kind = "paper",
) -> Claim:
    """A claim on groups of rows, from the highest to the lowest mean.

    Every row of a group is above every row of the next group.
    """

    def parts(outcome: Outcome) -> list[Part]:
        run = outcome.runs()[0]
        # Neighbouring groups imply all others, and a test of each pair would fail more often.
        neighbours = itertools.pairwise(order)
        return [
            difference(outcome, run, metric, low, high, component, final, several=False)
            for above, below in neighbours
            for high in above
            for low in below
        ]

    groups = [" and ".join(group) for group in order]
    ranking = " > ".join(groups)

    return Claim(
        id,
        claim,
        f"{ranking}, from its percentages",
        "each neighbour: the 95 % bootstrap interval of the difference of means is above 0",
        parts,
        differs,
        note,
        kind,
    )


UNBEATEN = (
    "each: in one objective the 97.5 % bootstrap interval of MOC-MAB's lead, in per cent, is above "
    "0; objectives are tested one by one, and the better one is shown"
)
SENTENCE = "no algorithm beats MOC-MAB in both objectives"


def scaled(row: str, scale: str) -> str:
    """The name of a row at one of its scales, chosen or not.

    Example:
        >>> scaled("CD-UCB1", "1/10")
        'CD-UCB1, scale = 1/10'
    """
    return f"{row}, scale = {scale}"


@dataclass(frozen=True)
class Unbeaten(Claim):
    """A claim that no row beats MOC-MAB, whose note names the scales that do.

    Args:
        metric: of which more is better.
        grids: {other row: the scales that were played}.
    """

    metric: str = "reward"
    grids: Grids = field(default_factory=dict)

    def judge(self, outcome: Outcome) -> dict[str, Any]:
        """The claim's entry in claims.json."""
        # Which scales are ahead follows from the data, so that the note is written here.
        entry = super().judge(outcome)
        sentences = [self.note, self.other_scales(outcome)]
        note = " ".join(filter(None, sentences))
        return entry | {"note": note}

    def other_scales(self, outcome: Outcome) -> str:
        """A sentence on the scales that beat MOC-MAB in both objectives."""
        if not all(part.interval for part in self.parts(outcome)):
            return ""  # too few trials for an interval

        better = []
        for row, scales in self.grids.items():
            beating = [scale for scale in scales if beats(outcome, self.metric, scaled(row, scale))]
            if beating:
                better.append(f"{row} at {join_words(beating)}")

        if not better:
            nothing = "No scale of the other algorithms' grids is clearly ahead of it"
            return f"{nothing} in both objectives."

        start = "Of the other algorithms' grids, these scales beat it in both objectives"

        return f"{start}: {'; '.join(better)}."


def unbeaten(
    id: str,  # noqa: A002 - as in claims.json
    metric: str,
    grids: Grids,
    differs: str = "",
    note: str = "",
    kind: Kind = "paper",
) -> Claim:
    """A claim that MOC-MAB is ahead of every other row in one objective at least.

    All rows have their chosen scales.

    Args:
        id: of the claim.
        metric: of which more is better.
        grids: {other row: its scales}.
        differs: as in `Claim`.
        note: as in `Claim`; a sentence on all scales follows.
        kind: as in `Claim`.
    """

    def parts(outcome: Outcome) -> list[Part]:
        # The rows' own names: at the scales that were chosen for them.
        return [clearer_lead(outcome, metric, MOC, other) for other in grids]

    claim = (
        "No algorithm beats MOC-MAB in both objectives, each at the scale of its grid that is best "
        "for it in the dominant objective"
    )
    return Unbeaten(
        id,
        claim,
        SENTENCE,
        UNBEATEN,
        parts,
        differs,
        note,
        kind,
        metric=metric,
        grids=grids,
    )


def every_scale(
    id: str,  # noqa: A002 - as in claims.json
    metric: str,
    grids: Grids,
    note: str = "",
) -> Claim:
    """A claim that MOC-MAB is ahead of all rows, at all of their scales, in one objective."""

    def parts(outcome: Outcome) -> list[Part]:
        # MOC-MAB at its chosen scale, against rivals that may take their best after the fact.
        rivals = []
        for other, scales in grids.items():
            rivals += [scaled(other, scale) for scale in scales]
        return [clearer_lead(outcome, metric, MOC, rival) for rival in rivals]

    return Claim(
        id,
        "No algorithm, at any scale of its grid, beats MOC-MAB at its chosen scale in both "
        "objectives",
        "not in the paper, which shows one scale of each",
        UNBEATEN,
        parts,
        note=note,
        kind="ours",
    )


def one_scale(
    id: str,  # noqa: A002 - as in claims.json
    metric: str,
    grids: Grids,
    note: str = "",
) -> Claim:
    """A claim that MOC-MAB is ahead in one objective at least where all rows have one scale."""

    def parts(outcome: Outcome) -> list[Part]:
        leads = []
        for other, scales in grids.items():
            for scale in scales:
                row = scaled(MOC, scale)
                rival = scaled(other, scale)
                leads.append(clearer_lead(outcome, metric, row, rival))

        return leads

    return Claim(
        id,
        "With one scale for all algorithms, whichever it is, none beats MOC-MAB in both objectives",
        "not in the paper, which may mean one scale for all of them and shows one",
        UNBEATEN,
        parts,
        note=note,
        kind="ours",
    )


def leads_by_objective(outcome: Outcome, metric: str, row: str, other: str) -> list[Part]:
    """By how many per cent a row is above another one, in either objective."""
    leads = []
    for i, objective in enumerate(PARTS):
        lead = resampled_part(
            f"lead of {row} over {other}, {objective}, %",
            final_pair(outcome, row, other, metric, i),
            percent_above,
            above(0.0),
            confidence=EACH,
        )
        leads.append(lead)

    return leads


def clearness(lead: Part) -> float:
    """How clear a lead is: the lower end of its interval, or its value where there is none."""
    if lead.interval:
        low, _ = lead.interval
        return low
    return lead.measured


def clearer_lead(outcome: Outcome, metric: str, row: str, other: str) -> Part:
    """The lead in the objective in which it is clearer."""
    # One objective is enough not to be beaten in both; looking at both is paid for by `EACH`.
    leads = leads_by_objective(outcome, metric, row, other)
    return max(leads, key=clearness)


def beats(outcome: Outcome, metric: str, other: str) -> bool:
    """Whether another row is clearly above MOC-MAB, at its chosen scale, in both objectives."""
    for lead in leads_by_objective(outcome, metric, MOC, other):
        if lead.interval is None:
            return False

        clearly_behind = below(0.0)
        if not clearly_behind(lead.interval):
            return False

    return True


def percentages(
    name: str,
    targets: Mapping[str, float],
    component: int,
    differs: str,
    *,
    note: str = "",
    kind: Kind = "paper",
    rule: str = "none: the set-up is not fully specified",
) -> tuple[Claim, ...]:
    """Claims on how far MOC-MAB's total reward is above those of other rows, with targets in %."""
    objective = "dominant" if component == 0 else "other"
    claims = []
    for row, target in targets.items():
        short, _, _ = row.partition("-")
        claim = percentage(
            f"{name}/{objective}-vs-{short.lower()}",
            f"{MOC}'s total reward in the {PARTS[component]}, against {row}'s",
            "reward",
            MOC,
            row,
            target,
            component=component,
            differs=differs,
            note=note,
            kind=kind,
            rule=rule,
        )
        claims.append(claim)

    return tuple(claims)


def reward_plot(caption: str) -> Plot:
    """The plot of total rewards in both objectives."""
    return Plot(
        "reward",
        "reward",
        caption,
        parts=PARTS,
        vertical="total mean reward",
    )


def joint_parts(*several: Parts) -> Parts:
    """The function that gives all parts of several such functions."""

    def parts(outcome: Outcome) -> list[Part]:
        joint = []
        for parts_of_one in several:
            joint += parts_of_one(outcome)
        return joint

    return parts
