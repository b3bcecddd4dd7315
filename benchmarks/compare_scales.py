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
FIXED = ("0.3", "1.0")
WORDS = {-1: "better", 0: "", 1: "worse"}
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


def verdict(mine, other):
    """The 95 % interval of a difference in paired trials, and -1 (surely less), 0 or 1 (surely more)."""
    difference = mine - other
    error = difference.std(ddof=1) / math.sqrt(len(difference))
    half = student_quantile(0.975, len(difference) - 1) * error
    low, high = difference.mean() - half, difference.mean() + half
    return low, high, int(low > 0.0) - int(high < 0.0)


def row(place, environment, family):
    """A row of the table, and the verdicts against the tuned constant and two fixed ones."""
    candidates = {str(constant): family.recipe(constant) for constant in CONSTANTS}
    tuning = regrets(environment, candidates, family.metric, TUNING_TRIALS, TUNING_SEED)
    best = min(tuning, key=lambda name: tuning[name].mean())
    compared = {name: family.recipe(float(name)) for name in FIXED}
    compared |= {"tuned": family.recipe(float(best)), "data": family.recipe("data")}
    found = regrets(environment, compared, family.metric, TRIALS, SEED)
    cells = [place, family.name, best]
    cells += [f"{found[name].mean():.3g}" for name in ("tuned", *FIXED, "data")]
    verdicts = {name: verdict(found["data"], found[name])[2] for name in ("tuned", *FIXED)}
    low, high, _ = verdict(found["data"], found["tuned"])
    cells.append(f"[{low:.3g}, {high:.3g}] {WORDS[verdicts['tuned']]}".rstrip())
    return "| " + " | ".join(cells) + " |", verdicts


def main():
    fixed = " | ".join(f"`scale={name}`" for name in FIXED)
    header = (
        f'| environment | policy | tuned constant | its regret | {fixed} | `scale="data"` '
        "| data less tuned, 95 % |"
    )
    lines, verdicts = [header, "|---|---|---:|---:|---:|---:|---:|---|"], []
    for place, environment in ENVIRONMENTS.items():
        shape = environment.problem(ROUNDS, np.random.default_rng(0)).shape
        for family in families(shape.objectives):
            line, said = row(place, environment, family)
            print(line, flush=True)
            lines.append(line)
            verdicts.append(said)
    lines += ["", f'Of {len(verdicts)} rows `scale="data"` is', ""]
    for name in ("tuned", *FIXED):
        counts = [sum(said[name] == sign for said in verdicts) for sign in (-1, 1, 0)]
        rival = "the constant tuned on that row" if name == "tuned" else f"`scale={name}`"
        lines.append(
            f"- against {rival}: surely better in {counts[0]}, surely worse in {counts[1]}, not "
            f"told apart in {counts[2]}"
        )
    page = PAGE.read_text()
    start = page.index(START) + len(START)
    end = page.index(END, start)
    PAGE.write_text(page[:start] + "\n" + "\n".join(lines) + "\n" + page[end:])


if __name__ == "__main__":
    main()
