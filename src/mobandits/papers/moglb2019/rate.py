"""The rate of Theorem 2 of moglb2019, beside how fast the regret of runs grows."""

import polars as pl

from mobandits.papers.claims import Claim
from mobandits.papers.experiment import Computed, Experiment, Plot, Run, RunOptions
from mobandits.papers.growth_of_regret import ALLOWED, grows_with, rate_claim, within_run
from mobandits.papers.moglb2019 import theory
from mobandits.papers.moglb2019.figures import LINKS, problem
from mobandits.papers.rates import HORIZONS, LATE, SAID, bound_rows, rates
from mobandits.policies import MoglbUcb

HORIZON = 30_000
TRIALS = 10
FEATURES = (5, 10, 15)
DELTA = 0.01  # as in the examples of `theory`; the power of T does not depend on it
POWER = 0.5
NEAR = 0.02  # what constants beside a logarithm may still change in a slope from `LATE` on
TUNED = "MOGLB-UCB, c = 0.01"
THEORY = "MOGLB-UCB, theory width"
# The smallest problem of Figure 1, where an estimate settles soonest.
RUN = "d = 5"
BOUND = "Theorem 2"
ABOUT = (
    "Theorem 2 bounds the Pareto regret by a constant times d sqrt(T) and logarithms, which the "
    "paper compares with the T^(1 - 1/(2 + d_p)) of PCZ. Here is the power of T in the bound, and "
    "the exponent of the mean regret of runs, from the last nine tenths of 30,000 rounds: with the "
    "width that most panels of Figure 1 choose, and with the theory's. A bound says what a regret "
    "cannot exceed, not how it grows: at this horizon it lies far above what is possible, so that "
    "the theory's width still explores, and its regret is almost linear."
)


def bounds(trial: int, options: RunOptions) -> pl.DataFrame:  # noqa: ARG001 - nothing is random
    """The bound of Theorem 2 with the paper's links, for its numbers of features."""
    assumed = theory.constants(LINKS)
    objectives = len(LINKS)
    curves = {}
    for d in FEATURES:
        curve = theory.regret_bound(HORIZONS, d, assumed, objectives, DELTA)
        curves[f"d = {d}"] = curve

    return bound_rows(curves)


def exponent_claim(what: str, width: str, row: str, differs: str = "") -> Claim:
    """The claim on the exponent of a row's regret within the run."""
    regrets = within_run(RUN, row, "pareto_regret")
    exponent = grows_with(f"exponent of T, {row}", regrets, POWER + ALLOWED)
    return rate_claim(
        f"moglb2019/rate/{what}",
        f"With {width}, the regret grows no faster than the bound",
        POWER,
        "T^(1/2)",
        [exponent],
        differs=differs,
    )


RATE = Experiment(
    "moglb2019/rate",
    "The rate of Theorem 2, and how fast the regret of MOGLB-UCB grows",
    "moglb2019, Theorem 2 and its remark",
    (ABOUT,),
    [
        Run(
            RUN,
            problem(5),
            {TUNED: MoglbUcb(LINKS, scale=0.01), THEORY: MoglbUcb(LINKS, scale="theory")},
            HORIZON,
            TRIALS,
            ("pareto_regret",),
            record=10,
        ),
        Computed(BOUND, bounds, settings=SAID),
    ],
    [
        Plot(
            "regret",
            "pareto_regret",
            "Pareto regret over 30,000 rounds, on logarithmic axes.",
            runs=[RUN],
            logarithmic=True,
        ),
        Plot(
            "bounds",
            "regret_bound",
            "The bounds over the horizon.",
            runs=[BOUND],
            vertical="bound on the regret",
            logarithmic=True,
        ),
    ],
    (
        Claim(
            "moglb2019/rate/bound",
            "The bound of Theorem 2 grows with the square root of T, up to logarithms",
            "T^(1/2)",
            f"each: the slope from T = {LATE:g} on, a logarithm divided out, is within {NEAR:g} of "
            "the power",
            rates([f"d = {d}" for d in FEATURES], [POWER] * len(FEATURES), run=BOUND, near=NEAR),
            kind="check",
        ),
        exponent_claim("tuned", "a tuned width", TUNED),
        exponent_claim(
            "theory-width",
            "the theory's width",
            THEORY,
            "The bound is far above the regret at this horizon, so that it does not limit its "
            "growth yet.",
        ),
    ),
)
