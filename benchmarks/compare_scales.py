"""`scale="data"` against constants: regret on every built-in environment with contexts and finitely many arms.

`python benchmarks/compare_scales.py` plays for some minutes and writes the table into docs/choose.md. The constant is
tuned on trials of a seed of its own, so that it is not the luckiest of those on which all are compared.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import mobandits as mob
from mobandits.environments import (
    Bumps,
    DisplayAds,
    GeneralizedLinear,
    Linear,
    LlmRouting,
    MedicalDiagnosis,
    Multichannel,
    NetworkRouting,
    PeriodicBumps,
    Recommendation,
    TwoRidgesGrid,
)
from mobandits.metrics.regret import OrderRegret
from mobandits.orders import Weighted
from mobandits.policies import MolTs, MolUcb
from mobandits.statistics.quantiles import student_quantile

ROUNDS, TUNING_TRIALS, TRIALS = 2000, 10, 20
TUNING_SEED, SEED = 1, 2
CONSTANTS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
ENVIRONMENTS = {
    "`Linear`": Linear(),
    "`Linear`, fixed arms": Linear(20, 5, 3, fixed_arms=True),
    "`GeneralizedLinear`": GeneralizedLinear(),
    "`TwoRidgesGrid`": TwoRidgesGrid(),
    "`LlmRouting`": LlmRouting(),
    "`DisplayAds`": DisplayAds(),
    "`MedicalDiagnosis`": MedicalDiagnosis(),
    "`Multichannel`": Multichannel(),
    "`NetworkRouting`": NetworkRouting(),
    "`Recommendation`": Recommendation(),
    "`Bumps`": Bumps(),
    "`PeriodicBumps`": PeriodicBumps(),
}
PAGE = Path(__file__).parent.parent / "docs" / "choose.md"
START, END = "<!-- scales: benchmarks/compare_scales.py writes this table -->", "<!-- end -->"


@dataclass(frozen=True)
class WeightedRegret(OrderRegret):
    """How far the chosen arm's mean over the objectives is behind the largest."""

    objectives: int
    name = "weighted_regret"

    @property
    def order(self):
        """Equal weights."""
        return equal_weights(self.objectives)


def equal_weights(objectives):
    return Weighted([1.0 / objectives] * objectives)


class Family(NamedTuple):
    """A policy whose scale is compared, and the regret that it is judged by."""

    name: str
    recipe: object
    metric: object


def families(objectives):
    weights = equal_weights(objectives)
    return [
        Family("`MolUcb`, Pareto", lambda scale: MolUcb(scale=scale), "pareto_regret"),
        Family(
            "`MolUcb`, equal weights",
            lambda scale: MolUcb(scale=scale, order=weights),
            WeightedRegret(objectives),
        ),
        Family("`MolTs`", lambda scale: MolTs(scale=scale), "effective_pareto_regret"),
    ]


def regrets(environment, recipes, metric, trials, seed):
    """{name: (trials,) regret after all rounds}."""
    results = mob.simulate(
        recipes,
        environment,
        rounds=ROUNDS,
        trials=trials,
        seed=seed,
        metrics=[metric],
        record=1,
        workers=1,
    )
    table = results.table.filter(pl.col("component") == 0).sort("trial")
    return {name: table.filter(pl.col("policy") == name)["value"].to_numpy() for name in recipes}


def row(place, environment, family):
    """A row of the table, and -1, 0 or 1: whether the data's scale is surely better, neither, or worse."""
    candidates = {str(constant): family.recipe(constant) for constant in CONSTANTS}
    tuning = regrets(environment, candidates, family.metric, TUNING_TRIALS, TUNING_SEED)
    best = min(tuning, key=lambda name: tuning[name].mean())
    compared = {
        "tuned": family.recipe(float(best)),
        "0.3": family.recipe(0.3),
        "data": family.recipe("data"),
    }
    found = regrets(environment, compared, family.metric, TRIALS, SEED)
    mean = {name: values.mean() for name, values in found.items()}
    difference = found["data"] - found["tuned"]
    half = student_quantile(0.975, TRIALS - 1) * difference.std(ddof=1) / math.sqrt(TRIALS)
    low, high = difference.mean() - half, difference.mean() + half
    cells = [place, family.name, best, *(f"{mean[name]:.3g}" for name in ("tuned", "0.3", "data"))]
    verdict = int(low > 0.0) - int(high < 0.0)
    said = {-1: "better", 0: "", 1: "worse"}[verdict]
    cells.append(f"[{low:.3g}, {high:.3g}] {said}".rstrip())
    return "| " + " | ".join(cells) + " |", verdict


def main():
    header = (
        '| environment | policy | tuned constant | its regret | `scale=0.3` | `scale="data"` '
        "| data less tuned, 95 % |"
    )
    lines, verdicts = [header, "|---|---|---:|---:|---:|---:|---|"], []
    for place, environment in ENVIRONMENTS.items():
        shape = environment.problem(ROUNDS, np.random.default_rng(0)).shape
        for family in families(shape.objectives):
            line, verdict = row(place, environment, family)
            print(line, flush=True)
            lines.append(line)
            verdicts.append(verdict)
    counts = {verdict: verdicts.count(verdict) for verdict in (-1, 0, 1)}
    lines.append("")
    lines.append(
        f'Of {len(verdicts)} rows `scale="data"` is surely better than the tuned constant in '
        f"{counts[-1]}, surely worse in {counts[1]}, and not told apart in {counts[0]}."
    )
    page = PAGE.read_text()
    start = page.index(START) + len(START)
    end = page.index(END, start)
    PAGE.write_text(page[:start] + "\n" + "\n".join(lines) + "\n" + page[end:])


if __name__ == "__main__":
    main()
