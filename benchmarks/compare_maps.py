"""Feature maps against linear rewards: held-out gains on a uniform log, and regret of `MolUcb` with and without.

`python benchmarks/compare_maps.py` plays for about three minutes and writes the table into docs/measurements.md.
Maps are fitted on a log of a seed of its own. Nothing is tuned: the scale is the data's, kinds have their defaults.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import mobandits as mob
from mobandits.environments import Bumps, Linear, LlmRouting, MedicalDiagnosis, PeriodicBumps
from mobandits.features import Crosses, fit
from mobandits.features.examples import has_constant
from mobandits.logs import Feedback
from mobandits.metrics.regret import OrderRegret
from mobandits.orders import Weighted
from mobandits.policies import Features, MolUcb
from mobandits.statistics.quantiles import student_quantile

LOGGED, ROUNDS, TRIALS = 1500, 2000, 10
LOG_SEED, SEED = 1, 2
LARGEST = 300  # features of phi: more would take minutes per row
KINDS = ("crosses", "bins", "clusters", "fourier", "net", "trees")
ENVIRONMENTS = {
    "`Bumps`": Bumps(),
    "`PeriodicBumps`": PeriodicBumps(clock=True),
    "`MedicalDiagnosis`": MedicalDiagnosis(),
    "`LlmRouting`": LlmRouting(),
    "`Linear`": Linear(),
}
WORDS = {-1: "better", 0: "", 1: "worse"}
PAGE = Path(__file__).parent.parent / "docs" / "measurements.md"
START, END = "<!-- maps: benchmarks/compare_maps.py writes this table -->", "<!-- end -->"


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


def verdict(mine, other):
    """The 95 % interval of a difference in paired trials, and -1 (surely less), 0 or 1 (surely more)."""
    difference = mine - other
    error = difference.std(ddof=1) / math.sqrt(len(difference))
    half = student_quantile(0.975, len(difference) - 1) * error
    low, high = difference.mean() - half, difference.mean() + half
    return low, high, int(low > 0.0) - int(high < 0.0)


class Fitted(NamedTuple):
    """A map of an environment, and a recipe on it."""

    kind: str
    gains: tuple
    size: int
    recipe: object


def uniform_log(environment):
    """Rounds in which every arm had the same chance."""
    rng = np.random.default_rng(LOG_SEED)
    problem = environment.problem(LOGGED, rng)
    block = problem.block(0, LOGGED, rng)
    _, arms, objectives = block.rewards.shape
    played = rng.integers(0, arms, LOGGED)
    rewards = block.rewards[np.arange(LOGGED), played]
    contexts = block.contexts[:, 0] if block.contexts.shape[1] == 1 else block.contexts
    propensities = np.full(LOGGED, 1.0 / arms)
    return Feedback(
        contexts, played, rewards, propensities, list(range(arms)), list(range(objectives))
    )


def linear_recipe(log, order):
    """`MolUcb` with a constant: where contexts have none, the map of degree 1 adds it."""
    recipe = MolUcb(scale="data", order=order)
    if has_constant(log.contexts.reshape(-1, log.contexts.shape[-1])):
        return recipe
    return Features(Crosses(1, constant=True), recipe)


def fitted_maps(log, order):
    for kind in KINDS:
        found = fit(log, kind)
        size = found.map.bind(log.contexts.shape[-1]).size
        yield Fitted(
            kind, found.gains, size, Features(found.map, MolUcb(scale="data", order=order))
        )


def regrets(environment, recipes, objectives):
    """{name: (trials,) regret after all rounds}."""
    results = mob.simulate(
        recipes,
        environment,
        rounds=ROUNDS,
        trials=TRIALS,
        seed=SEED,
        metrics=[WeightedRegret(objectives)],
        record=1,
        workers=1,
    )
    table = results.table.filter(pl.col("component") == 0).sort("trial")
    return {name: table.filter(pl.col("policy") == name)["value"].to_numpy() for name in recipes}


def gain_text(gains):
    """The smallest and the largest gain of the objectives, and how many are sure."""
    estimates = [gain.estimate for gain in gains]
    text = f"{min(estimates):+.3f} to {max(estimates):+.3f}"
    sure = sum(gain.is_sure for gain in gains)
    return f"{text}; sure in {sure} of {len(gains)}"


def rows(place, environment):
    log = uniform_log(environment)
    objectives = log.rewards.shape[1]
    order = equal_weights(objectives)
    maps = list(fitted_maps(log, order))
    recipes = {"linear": linear_recipe(log, order)}
    recipes |= {one.kind: one.recipe for one in maps if one.size <= LARGEST}
    found = regrets(environment, recipes, objectives)
    linear = found["linear"]
    for one in maps:
        cells = [place, f'"{one.kind}"', str(one.size), gain_text(one.gains)]
        cells.append(f"{linear.mean():.3g}")
        if one.kind not in found:
            yield [*cells, "", "not played: too many features"]
            continue
        low, high, sign = verdict(found[one.kind], linear)
        cells.append(f"{found[one.kind].mean():.3g}")
        yield [*cells, f"[{low:.3g}, {high:.3g}] {WORDS[sign]}".rstrip()]


def summary(table):
    """A line per answer of the log: what became of the regret there."""
    played = [cells for cells in table if cells[5]]
    answers = {"a sure gain in every objective": [], "in some objectives": [], "in none": []}
    for cells in played:
        sure, objectives = re.search(r"sure in (\d+) of (\d+)", cells[3]).groups()
        answer = "in some objectives"
        if sure in ("0", objectives):
            answer = "in none" if sure == "0" else "a sure gain in every objective"
        answers[answer].append(cells[6].rpartition("]")[2].strip())
    yield f"Of {len(played)} maps that were played, with"
    yield ""
    for answer, verdicts in answers.items():
        better, worse = verdicts.count("better"), verdicts.count("worse")
        other = len(verdicts) - better - worse
        yield (
            f"- {answer}: {better} significantly better than linear, {worse} significantly worse, "
            f"{other} no significant difference"
        )


def main():
    header = ["environment", "map", "features of phi", "held-out gain, over objectives"]
    header += ["regret, linear", "regret, map", "map less linear, 95 %"]
    lines, table = ["| " + " | ".join(header) + " |", "|---|---|---:|---|---:|---:|---|"], []
    for place, environment in ENVIRONMENTS.items():
        for cells in rows(place, environment):
            table.append(cells)
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    lines += ["", *summary(table)]
    page = PAGE.read_text()
    start = page.index(START) + len(START)
    end = page.index(END, start)
    PAGE.write_text(page[:start] + "\n" + "\n".join(lines) + "\n" + page[end:])


if __name__ == "__main__":
    main()
