"""The rates of Theorems 1 and 2 of moslb2024, beside how fast the regrets of runs grow."""

import numpy as np
import polars as pl

from mobandits.metrics import ChainRegret, LevelRegret
from mobandits.papers.claims import Claim
from mobandits.papers.experiment import Computed, Experiment, Plot, Run, RunOptions
from mobandits.papers.growth_of_regret import (
    ALLOWED,
    grows_with,
    numbered_component,
    over_runs,
    rate_claim,
)
from mobandits.papers.moslb2024 import theory
from mobandits.papers.moslb2024.figures import CHAINS, TWO_LEVELS, linear
from mobandits.papers.rates import HORIZONS, LATE, SAID, bound_rows, rates
from mobandits.policies import MoslbPc, MoslbPl

# About equal steps on a logarithmic axis.
LENGTHS = (1000, 3000, 10_000, 30_000)
TRIALS = 20
FEATURES = 5
ALPHA = 0.03
ARMS = 5 * FEATURES
OBJECTIVES = 5
DELTA = 0.05
POWER = 2.0 / 3.0
NEAR = 0.02  # what constants beside a logarithm may still change in a slope from `LATE` on
LOGARITHMS = 2  # one in gamma_T^2, and one beside it
BOUNDS = "Theorems 1 and 2"
PC = "MOSLB-PC"
PL = "MOSLB-PL"
ABOUT = (
    "With epsilon = d^(2/3) (K T)^(-1/3) for chains and d^(2/3) T^(-1/3) for levels, every digit "
    "of the regret is bounded by a constant times T^(2/3) and logarithms. Here is the power of T "
    "in these bounds, and the exponent of the mean regret of runs of 1,000, 3,000, 10,000 and "
    "30,000 rounds, each with an epsilon of its own: the authors' 5 d^(2/3) T^(-1/3), which falls "
    "with the same power of T, on the problems of Figures 3 and 4 with five features and alpha = "
    "0.03. Chains are measured by the exact gap. The theorems are sound for first digits only, so "
    "that the others are reported. With alpha = 1, which the theorems are about, the intervals of "
    "MOSLB-PC do not part within 30,000 rounds, and its regret is linear."
)


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


def chains_run(rounds: int) -> Run:
    """The run of MOSLB-PC at one horizon."""
    name = row(PC, rounds)
    rows = {name: MoslbPc(CHAINS, alpha=ALPHA)}
    # Rounded, as the problems of Figure 3 are.
    environment = linear(FEATURES, OBJECTIVES, decimals=2)
    metrics = (ChainRegret(CHAINS),)

    return Run(name, environment, rows, rounds, TRIALS, metrics, record=3)


def levels_run(rounds: int) -> Run:
    """The run of MOSLB-PL at one horizon."""
    name = row(PL, rounds)
    rows = {name: MoslbPl(TWO_LEVELS, alpha=ALPHA)}
    environment = linear(FEATURES, OBJECTIVES)
    metrics = (LevelRegret(TWO_LEVELS),)

    return Run(name, environment, rows, rounds, TRIALS, metrics, record=3)


def growth_claim(
    what: str,
    policy: str,
    metric: str,
    components: tuple[int, ...],
    *,
    judged: bool,
) -> Claim:
    """The claim on the exponents of a policy's digits over the horizons."""
    # A run and its only row have one name.
    names = [row(policy, rounds) for rounds in LENGTHS]
    runs = dict(zip(names, names, strict=True))
    most = POWER + ALLOWED if judged else None
    exponents = []
    for i in components:
        label = f"exponent of T, {policy}, {numbered_component(metric, i)}"
        regrets = over_runs(runs, metric, i)
        exponents.append(grows_with(label, regrets, most))

    first = "in the first digit" if judged else "in the digits after the first"

    return rate_claim(
        f"moslb2024/rate/{what}",
        f"{policy}'s regret grows no faster than the bound, {first}",
        POWER,
        "T^(2/3)",
        exponents,
        judged=judged,
    )


RATE = Experiment(
    "moslb2024/rate",
    "The rates of Theorems 1 and 2, and how fast the regrets grow",
    "moslb2024, Theorems 1 and 2 and their remarks",
    (ABOUT,),
    [
        *(chains_run(rounds) for rounds in LENGTHS),
        *(levels_run(rounds) for rounds in LENGTHS),
        Computed(BOUNDS, bounds, settings=SAID),
    ],
    [
        Plot(
            "bounds",
            "regret_bound",
            "The bounds over the horizon.",
            runs=[BOUNDS],
            vertical="bound on the regret",
            logarithmic=True,
        )
    ],
    (
        Claim(
            "moslb2024/rate/bounds",
            "The bounds of Theorems 1 and 2 grow with the power 2/3 of T, up to logarithms",
            "T^(2/3)",
            f"each: the slope from T = {LATE:g} on, two logarithms divided out, is within {NEAR:g} "
            "of the power",
            rates(
                ["Theorem 1", "Theorem 2"],
                [POWER] * 2,
                run=BOUNDS,
                logarithms=LOGARITHMS,
                near=NEAR,
            ),
            kind="check",
        ),
        growth_claim("chains", PC, "chain_regret", (0,), judged=True),
        growth_claim("chains-later-digits", PC, "chain_regret", (1, 2), judged=False),
        growth_claim("levels", PL, "level_regret", (0,), judged=True),
        growth_claim("levels-later", PL, "level_regret", (1,), judged=False),
    ),
)
