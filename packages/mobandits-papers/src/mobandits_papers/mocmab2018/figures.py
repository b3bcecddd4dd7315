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
    SCALES,
    P,
    S,
    at_chosen_scales,
    at_every_scale,
    at_one_scale,
    beaten_by,
)

FIG1 = described("mocmab2018/fig1")

CHANNEL_GRIDS = dict.fromkeys((CD, CP, CS, P, S), tuple(SCALES))
CHANNEL_TARGETS = targets_of("mocmab2018/fig2")

FIG2 = described(
    "mocmab2018/fig2",
    parts={
        "unbeaten": at_chosen_scales(CHANNEL_GRIDS),
        "every-scale": at_every_scale(CHANNEL_GRIDS),
        "one-scale": at_one_scale(CHANNEL_GRIDS),
        "nearer-at-scale-1": nearer_at_one_scale(CHANNEL_TARGETS),
    },
    revise={
        "unbeaten": beaten_by(CHANNEL_GRIDS),
        "nearer-at-scale-1": distances(CHANNEL_TARGETS),
    },
)

# The paper's sentence is Figure 2's, which has the reading that is nearer to it.
FIG2_RATE = described("mocmab2018/fig2-rate")
