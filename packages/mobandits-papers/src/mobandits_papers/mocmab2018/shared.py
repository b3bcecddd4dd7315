"""What the figures of mocmab2018 share: the names of its policies, scales, and kinds of claims."""

from collections.abc import Mapping, Sequence

from mobandits.figures.formatting import join_words
from mobandits_papers.claims import Revise, noted
from mobandits_papers.described import texts_of
from mobandits_papers.numbers import (
    Part,
    Parts,
    above,
    below,
    final_pair,
    percent_above,
    resampled_part,
)
from mobandits_papers.outcome import Outcome

MOC = "MOC-MAB"
CP = "CP-UCB1"
CS = "CS-UCB1"
CD = "CD-UCB1"
P = "P-UCB1"
S = "S-UCB1"
# The factors by which the paper scales down the uncertainty, section VII.
SCALES: Mapping[str, float] = texts_of("mocmab2018")["words"]["scales"]
PARTS = ("dominant objective", "other objective")

EACH = 0.975  # of the interval of either objective: both of two hold together in 95 % at least

Grids = Mapping[str, Sequence[str]]


def scaled(row: str, scale: str) -> str:
    """The name of a row at one of its scales, chosen or not.

    Example:
        >>> scaled("CD-UCB1", "1/10")
        'CD-UCB1, scale = 1/10'
    """
    return f"{row}, scale = {scale}"


def unbeaten(pairs: Sequence[tuple[str, str]]) -> Parts:
    """The lead of the first row of every pair over the second, where it is clearer."""

    def parts(outcome: Outcome) -> list[Part]:
        return [clearer_lead(outcome, row, other) for row, other in pairs]

    return parts


def at_chosen_scales(grids: Grids) -> Parts:
    """MOC-MAB against all other rows, each at the scale that was chosen for it."""
    return unbeaten([(MOC, other) for other in grids])


def at_every_scale(grids: Grids) -> Parts:
    """MOC-MAB at its chosen scale, against rivals that may take their best after the fact."""
    rivals = [scaled(other, scale) for other, scales in grids.items() for scale in scales]
    return unbeaten([(MOC, rival) for rival in rivals])


def at_one_scale(grids: Grids) -> Parts:
    """MOC-MAB against all other rows, where all have one scale."""
    pairs = []
    for other, scales in grids.items():
        pairs += [(scaled(MOC, scale), scaled(other, scale)) for scale in scales]

    return unbeaten(pairs)


def beaten_by(grids: Grids) -> Revise:
    """A sentence on the scales of other rows that beat MOC-MAB in both objectives.

    Args:
        grids: {other row: the scales that were played}.
    """

    def sentence(outcome: Outcome) -> str:
        # Which scales are ahead follows from the data, so that the sentence is written here.
        if not all(part.interval for part in at_chosen_scales(grids)(outcome)):
            return ""  # too few trials for an interval

        better = []
        for row, scales in grids.items():
            beating = [scale for scale in scales if beats(outcome, scaled(row, scale))]
            if beating:
                better.append(f"{row} at {join_words(beating)}")

        if not better:
            nothing = "No scale of the other algorithms' grids is clearly ahead of it"
            return f"{nothing} in both objectives."

        start = "Of the other algorithms' grids, these scales beat it in both objectives"

        return f"{start}: {'; '.join(better)}."

    return noted(sentence)


def leads_by_objective(outcome: Outcome, row: str, other: str) -> list[Part]:
    """By how many per cent a row is above another one, in either objective."""
    return [
        resampled_part(
            f"lead of {row} over {other}, {objective}, %",
            final_pair(outcome, row, other, "reward", i),
            percent_above,
            above(0.0),
            confidence=EACH,
        )
        for i, objective in enumerate(PARTS)
    ]


def clearness(lead: Part) -> float:
    """How clear a lead is: the lower end of its interval, or its value where there is none."""
    if lead.interval:
        low, _ = lead.interval
        return low
    return lead.measured


def clearer_lead(outcome: Outcome, row: str, other: str) -> Part:
    """The lead in the objective in which it is clearer."""
    # One objective is enough not to be beaten in both; looking at both is paid for by `EACH`.
    leads = leads_by_objective(outcome, row, other)
    return max(leads, key=clearness)


def beats(outcome: Outcome, other: str) -> bool:
    """Whether another row is clearly above MOC-MAB, at its chosen scale, in both objectives."""
    clearly_behind = below(0.0)
    for lead in leads_by_objective(outcome, MOC, other):
        if lead.interval is None or not clearly_behind(lead.interval):
            return False

    return True
