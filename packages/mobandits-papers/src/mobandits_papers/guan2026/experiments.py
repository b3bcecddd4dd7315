"""The experiments of guan2026: width-guided races beside P-UCB1.

The text of the paper's experiments was not at hand. Of every set-up we know a gap delta and a count
m; arms, laws of rewards, horizons and trials are ours.
"""

from mobandits_papers.described import described

EXPERIMENTS = (
    described("guan2026/settings-10000", sections=["settings-10000", "settings"]),
    described("guan2026/settings-100000", sections=["settings-100000", "settings"]),
    described("guan2026/objectives"),
    described("guan2026/one-arm"),
)
