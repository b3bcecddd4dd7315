"""The experiments of guan2026: width-guided races beside P-UCB1.

The text of the paper's experiments was not at hand. Of every set-up we know a gap delta and a count
m; arms, laws of rewards, horizons and trials are ours.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from mobandits.contracts.protocols import Array, Recipe
from mobandits.environments import MultiArmed
from mobandits.policies import ParetoUcb1, SingleArm, WidthGuided
from mobandits_papers.described import described
from mobandits_papers.experiment import Experiment, Run
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

Means: TypeAlias = Sequence[Sequence[float]]

GUIDED = "WidthGuided"
BASELINE = "P-UCB1"
ONE_ARM = "one arm for ever"
ROWS: dict[str, Recipe] = {GUIDED: WidthGuided(), BASELINE: ParetoUcb1()}
REGRET = "pareto_regret"
TRIALS = 20
# (delta, m) of the published numbers.
SETTINGS = ((0.12, 1), (0.02, 12))
# The logarithm of the horizon is in every bound: a short one and a long one.
HORIZONS = (10_000, 100_000)

TWO_ARMS = ((0.7, 0.3), (0.3, 0.7))
OTHERS = 9  # dominated arms, where m counts objectives


def lower(arm: Sequence[float], gap: float) -> tuple[float, ...]:
    """The means of an arm that is dominated by another one, by the same gap in all objectives.

    Example:
        >>> lower((0.5, 0.75), 0.25)
        (0.25, 0.5)
    """
    return tuple(round(mean - gap, 10) for mean in arm)


def below_one(gap: float, m: int) -> Means:
    """Two arms on the front, and m arms below the second one; the first objective is easy.

    Example:
        >>> below_one(0.25, 1)
        [(0.7, 0.3), (0.3, 0.7), (0.05, 0.45)]
    """
    _, second = TWO_ARMS
    return [*TWO_ARMS, *[lower(second, gap)] * m]


def below_each(gap: float, m: int) -> Means:
    """Two arms on the front, and m arms below each of them; no objective is easy.

    Example:
        >>> len(below_each(0.02, 12))
        26
    """
    means: list[tuple[float, ...]] = list(TWO_ARMS)
    for arm in TWO_ARMS:
        means += [lower(arm, gap)] * m

    return means


def same_objectives(gap: float, m: int) -> Means:
    """One best arm and nine others, with the same means in each of m objectives.

    Example:
        >>> same_objectives(0.25, 2)[:2]
        [(0.5, 0.5), (0.25, 0.25)]
    """
    best = (0.5,) * m
    return [best, *[lower(best, gap)] * OTHERS]


READINGS = {
    "m arms below one": below_one,
    "m arms below each": below_each,
    "m objectives": same_objectives,
}


def played(name: str, means: Means, rounds: int) -> Run:
    """The two policies on arms (arms, objectives) that pay coins."""
    return Run(name, MultiArmed(means), ROWS, rounds, TRIALS, (REGRET,))


def settings(rounds: int) -> Experiment:
    """Both published settings under every reading, with one horizon."""
    runs = []
    for gap, m in SETTINGS:
        for reading, means in READINGS.items():
            run = played(f"{reading}, delta = {gap:g}, m = {m}", means(gap, m), rounds)
            runs.append(run)

    names = [run.name for run in runs]
    readings = len(READINGS)

    return described(
        f"guan2026/settings-{rounds}",
        runs,
        sections=["settings"],
        rounds=f"{rounds:,}",
        first=names[:readings],
        second=names[readings:],
        # The words of one reading are its runs in both settings.
        one=names[0::readings],
        each=names[1::readings],
        objectives=names[2::readings],
    )


# The first objective tells the best of ten arms by a gap of 0.3, every further one by 0.1.
OBJECTIVES = (2, 4, 8, 16)
ROUNDS = 20_000


def more_objectives(objectives: int) -> Means:
    """One best arm and nine others; only the first objective is easy.

    Example:
        >>> more_objectives(3)[:2]
        [(0.7, 0.7, 0.7), (0.4, 0.6, 0.6)]
    """
    hard = objectives - 1
    best = (0.7,) * objectives
    other = (0.4, *(0.6,) * hard)
    return [best, *[other] * OTHERS]


def growth_of(row: str, rule: Rule) -> Parts:
    """The Pareto regret with the most objectives over that with the fewest."""

    def parts(outcome: Outcome) -> list[Part]:
        runs = outcome.runs()
        most = final_values(outcome, row, REGRET, run=runs[-1])
        fewest = final_values(outcome, row, REGRET, run=runs[0])
        samples: Array = np.stack([most, fewest], axis=1)
        name = f"Pareto regret of {row}, {runs[-1]} over {runs[0]}"
        return [resampled_part(name, samples, ratio_of_means, rule)]

    return parts


# Two arms that please one objective, one that pleases both, and a dominated arm below each.
THREE_ARMS = ((0.8, 0.2), (0.6, 0.6), (0.2, 0.8))
BELOW = 0.1
LONG = 100_000


def one_arm() -> Experiment:
    """What Pareto regret does not see, and four other measures do or do not."""
    dominated = [lower(arm, BELOW) for arm in THREE_ARMS]
    environment = MultiArmed([*THREE_ARMS, *dominated])
    rows = {**ROWS, ONE_ARM: SingleArm(0)}
    metrics = (REGRET, "effective_pareto_regret", "max_min_regret", "front_recall", "play_entropy")
    run = Run("three arms on the front", environment, rows, LONG, TRIALS, metrics)

    return described("guan2026/one-arm", [run])


EXPERIMENTS = (
    *map(settings, HORIZONS),
    described(
        "guan2026/objectives",
        [played(f"{count} objectives", more_objectives(count), ROUNDS) for count in OBJECTIVES],
        {
            "no-growth": growth_of(GUIDED, at_most(1.1)),
            "baseline-grows": growth_of(BASELINE, above(1.0)),
        },
    ),
    one_arm(),
)
