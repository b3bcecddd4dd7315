"""The rate of Theorem 2 of moglb2019, beside how fast the regret of runs grows."""

import polars as pl

from mobandits_papers.described import described
from mobandits_papers.experiment import Computed, RunOptions
from mobandits_papers.growth_of_regret import grow_with, within_run
from mobandits_papers.moglb2019 import theory
from mobandits_papers.moglb2019.figures import LINKS
from mobandits_papers.numbers import Parts
from mobandits_papers.rates import HORIZONS, SAID, bound_rows, rates

FEATURES = (5, 10, 15)
DELTA = 0.01  # as in the examples of `theory`; the power of T does not depend on it
POWER = 0.5
NEAR = 0.02  # what constants beside a logarithm may still change in a slope from `LATE` on
TUNED = "MOGLB-UCB, c = 0.01"
THEORY = "MOGLB-UCB, theory width"
RUN = "d = 5"
BOUND = "Theorem 2"


def bounds(trial: int, options: RunOptions) -> pl.DataFrame:  # noqa: ARG001 - nothing is random
    """The bound of Theorem 2 with the paper's links, for its numbers of features."""
    assumed = theory.constants(LINKS)
    objectives = len(LINKS)
    curves = {}
    for d in FEATURES:
        curve = theory.regret_bound(HORIZONS, d, assumed, objectives, DELTA)
        curves[f"d = {d}"] = curve

    return bound_rows(curves)


def exponent_of(row: str) -> Parts:
    """The exponent of a row's regret within the run."""
    read = within_run(RUN, row, "pareto_regret")
    return grow_with(POWER, {f"exponent of T, {row}": read})


RATE = described(
    "moglb2019/rate",
    [Computed(BOUND, bounds, settings=SAID)],
    {
        "bound": rates({f"d = {d}": POWER for d in FEATURES}, run=BOUND, near=NEAR),
        "tuned": exponent_of(TUNED),
        "theory-width": exponent_of(THEORY),
    },
)
