"""The experiments of guan2026: width-guided races beside P-UCB1.

The text of the paper's experiments was not at hand. Of every set-up we know a gap delta and a count
m; arms, laws of rewards, horizons and trials are ours.
"""

import numpy as np

from mobandits_papers.described import described
from mobandits_papers.numbers import (
    Part,
    Parts,
    Rule,
    above,
    at_most,
    final_values,
    ratio_of_means,
    resampled_part,
)
from mobandits_papers.outcome import Outcome


def growth_of(row: str, rule: Rule) -> Parts:
    """The Pareto regret with the most objectives over that with the fewest."""

    def parts(outcome: Outcome) -> list[Part]:
        fewest, *_, most = outcome.runs()
        regrets = [final_values(outcome, row, "pareto_regret", run=run) for run in (most, fewest)]
        samples = np.stack(regrets, axis=1)
        name = f"Pareto regret of {row}, {most} over {fewest}"
        return [resampled_part(name, samples, ratio_of_means, rule)]

    return parts


EXPERIMENTS = (
    described("guan2026/settings-10000", sections=["settings-10000", "settings"]),
    described("guan2026/settings-100000", sections=["settings-100000", "settings"]),
    described(
        "guan2026/objectives",
        parts={
            "no-growth": growth_of("WidthGuided", at_most(1.1)),
            "baseline-grows": growth_of("P-UCB1", above(1.0)),
        },
    ),
    described("guan2026/one-arm"),
)
