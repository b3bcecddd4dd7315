"""Figures 1 and 2 of mocmab2018: MOC-MAB against UCB1 policies with and without context."""

from mobandits_papers.described import described
from mobandits_papers.mocmab2018.common_scale import (
    distances,
    nearer_at_one_scale,
    targets_of,
)
from mobandits_papers.mocmab2018.shared import (
    CD,
    CP,
    CS,
    MOC,
    PARTS,
    SCALES,
    P,
    S,
    at_chosen_scales,
    at_every_scale,
    at_one_scale,
    beaten_by,
    in_order,
)
from mobandits_papers.numbers import Part, final_pair, ratio_of_means, resampled_part
from mobandits_papers.outcome import Outcome


def cd_ratios(outcome: Outcome) -> list[Part]:
    """How many times as large a regret is as another, where the paper calls one better.

    In the dominant objective it is MOC-MAB's over CD-UCB1's, in the other one the reverse.
    """
    ratios = []
    for i, (row, other) in enumerate(((MOC, CD), (CD, MOC))):
        # The paper's words give no number, so that no rule decides.
        ratio = resampled_part(
            f"{row} over {other}, {PARTS[i]}",
            final_pair(outcome, row, other, "objective_regret", i),
            ratio_of_means,
        )
        ratios.append(ratio)

    return ratios


FIG1 = described("mocmab2018/fig1", parts={"cd-ratios": cd_ratios})

CHANNEL_GRIDS = dict.fromkeys((CD, CP, CS, P, S), tuple(SCALES))
# Per cent by which the paper has MOC-MAB above each row.
CHANNEL_DOMINANT = {CP: 8.21, CS: 10.59, P: 21.33, S: 82.94, CD: -8.52}
CHANNEL_OTHER = {CD: 13.66}
CHANNEL_TARGETS = targets_of(CHANNEL_DOMINANT, CHANNEL_OTHER)
# The order that the percentages in the dominant objective imply.
CHANNEL_ORDER = ((CD,), (MOC,), (CP,), (CS,), (P,), (S,))

FIG2 = described(
    "mocmab2018/fig2",
    parts={
        "unbeaten": at_chosen_scales(CHANNEL_GRIDS),
        "every-scale": at_every_scale(CHANNEL_GRIDS),
        "one-scale": at_one_scale(CHANNEL_GRIDS),
        "dominant-order": in_order(CHANNEL_ORDER),
        "nearer-at-scale-1": nearer_at_one_scale(CHANNEL_TARGETS),
    },
    revise={
        "unbeaten": beaten_by(CHANNEL_GRIDS),
        "nearer-at-scale-1": distances(CHANNEL_TARGETS),
    },
)

FIG2_RATE = described(
    "mocmab2018/fig2-rate",
    # The paper's sentence is Figure 2's, which has the reading that is nearer to it.
    parts={"dominant-order": in_order(CHANNEL_ORDER)},
)
