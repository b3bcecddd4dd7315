"""The rates of Theorems 1 and 2 of moslb2024, beside how fast the regrets of runs grow."""

import numpy as np
import polars as pl

from mobandits.figures.formatting import component_name
from mobandits_papers.described import described
from mobandits_papers.experiment import Computed, RunOptions
from mobandits_papers.growth_of_regret import (
    grow_with,
    over_runs,
)
from mobandits_papers.moslb2024 import theory
from mobandits_papers.numbers import Parts
from mobandits_papers.rates import HORIZONS, SAID, bound_rows, rates

# About equal steps on a logarithmic axis.
LENGTHS = (1000, 3000, 10_000, 30_000)
FEATURES = 5
ARMS = 5 * FEATURES
OBJECTIVES = 5
DELTA = 0.05
POWER = 2.0 / 3.0
NEAR = 0.02  # what constants beside a logarithm may still change in a slope from `LATE` on
LOGARITHMS = 2  # one in gamma_T^2, and one beside it
BOUNDS = "Theorems 1 and 2"
PC = "MOSLB-PC"
PL = "MOSLB-PL"


def row(policy: str, rounds: int) -> str:
    """The name of a policy at one horizon: runs that share a problem need rows of their own.

    Example:
        >>> row("MOSLB-PC", 1000)
        'MOSLB-PC, T = 1000'
    """
    return f"{policy}, T = {rounds}"


def bounds(trial: int, options: RunOptions) -> pl.DataFrame:  # noqa: ARG001 - nothing is random
    """The bounds of both theorems, each with the epsilon of its horizon."""
    chains = []
    levels = []
    for T in HORIZONS.astype(np.int64).tolist():
        width = theory.chain_width(FEATURES, ARMS, T)
        chain_bound = theory.chain_regret_bound(T, ARMS, FEATURES, OBJECTIVES, DELTA, width)
        chains.append(float(chain_bound))
        width = theory.level_width(FEATURES, T)
        level_bound = theory.level_regret_bound(T, FEATURES, OBJECTIVES, DELTA, width)
        levels.append(float(level_bound))

    curves = {
        "Theorem 1": np.array(chains),
        "Theorem 2": np.array(levels),
    }

    return bound_rows(curves)


def exponent_of(policy: str, metric: str) -> Parts:
    """The exponent of a policy's regret in the first digit over the horizons."""
    # A run and its only row have one name.
    names = [row(policy, rounds) for rounds in LENGTHS]
    runs = dict(zip(names, names, strict=True))
    label = f"exponent of T, {policy}, {component_name(metric)} 1"
    return grow_with(POWER, {label: over_runs(runs, metric)})


BOTH = dict.fromkeys(("Theorem 1", "Theorem 2"), POWER)
RATE = described(
    "moslb2024/rate",
    [Computed(BOUNDS, bounds, settings=SAID)],
    {
        "bounds": rates(BOTH, run=BOUNDS, logarithms=LOGARITHMS, near=NEAR),
        "chains": exponent_of(PC, "chain_regret"),
        "levels": exponent_of(PL, "level_regret"),
    },
    lengths=[{"T": rounds} for rounds in LENGTHS],
)
