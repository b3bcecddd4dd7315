"""Play of one recipe in the environments of a suite, and what is kept of every trial."""

import hashlib
import json
import statistics
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from mobandits.compiling.compiled import loop_for
from mobandits.contracts.protocols import Recipe
from mobandits.errors import MissingExtraError
from mobandits.policies import RandomChoice
from mobandits.simulation.blocks import horizon_limit, merged_blocks
from mobandits.simulation.learner import Learner
from mobandits.simulation.plan import Plan, prepare
from mobandits.simulation.play import play
from mobandits.simulation.run import RoundCounter
from mobandits.simulation.streams import POLICY, ROUNDS, stream
from mobandits.simulation.surface_trial import is_continuum, merged_surface_blocks, players_of
from mobandits.simulation.threads import Threads
from mobandits.simulation.trial import play_trial, trial_problem
from mobandits.support.naming import quoted
from mobandits.support.progress import ProgressCallback

if TYPE_CHECKING:
    from mobandits.suite.definition import Setting

OWN = "entry"
UNIFORM = "uniform"
REGRET = "regret"
DIGEST = "digest"
RECORDED = 10  # points of a trial that its digest covers

# What was played in one environment: its trials, or why there are none.
Played = dict[str, Any]
Trial = dict[str, Any]


def play_setting(
    setting: "Setting",
    recipe: Recipe,
    seeds: Sequence[int],
    threads: Threads,
    progress: ProgressCallback | None = None,
) -> Played:
    """Play a recipe and uniform play in an environment, a trial per seed.

    Args:
        setting: the environment.
        recipe: the entry's.
        seeds: of the trials, which the recipe never sees.
        threads: that play the trials.
        progress: called with the rounds played and those of all trials.

    Returns:
        `trials`, a dictionary per seed as of `trial_values`; or `absent`, why the environment is not
        there; or `reason`, why the recipe cannot play it, which scores 0.
    """
    try:
        plan_of(setting, {UNIFORM: RandomChoice()})
    except (MissingExtraError, ValueError) as error:
        return {"absent": str(error)}

    tables: dict[int, pl.DataFrame] = {}
    try:
        plan = plan_of(setting, {OWN: setting.prepared(recipe), UNIFORM: RandomChoice()})
        after_rounds = RoundCounter(setting.rounds, len(seeds), len(seeds), progress)

        def after_block(rounds: int) -> None:
            threads.check()
            after_rounds(rounds)

        def play_one(number: int) -> None:
            setup = plan.setup._replace(seed=seeds[number])
            tables[number] = play_trial(setup, 0, after_block)

        threads.each(play_one, range(len(seeds)))
    except ValueError as error:
        # Some rules, such as a range of rewards, are broken only later than in the first round.
        return {"reason": str(error).removeprefix(f"policy {quoted(OWN)}: ")}

    names = [metric.name for metric in setting.metrics]
    return {"trials": [trial_values(tables[i], names) for i in range(len(seeds))]}


def plan_of(setting: "Setting", policies: dict[str, Recipe]) -> Plan:
    """A plan to play these policies in an environment.

    Raises:
        ValueError: where one of them cannot.
        MissingExtraError: where the environment needs what is not installed.
    """
    return prepare(
        policies,
        setting.environment,
        rounds=setting.rounds,
        metrics=setting.metrics,
        record=RECORDED,
        experiment=setting.name,
    )


def trial_values(table: pl.DataFrame, metrics: Sequence[str]) -> Trial:
    """What is kept of a trial: regrets of the entry and of uniform play, other metrics, a digest.

    Values are those of the last round, sums over the digits of an order's gap. Entropy on a front
    that was never played is None.

    Args:
        table: of the trial.
        metrics: their names; the first one is the regret.

    Example:
        >>> rows = {"policy": ["entry", "uniform"], "value": [1.0, 4.0]}
        >>> table = pl.DataFrame({**rows, "metric": "pareto_regret", "round": 10})
        >>> kept = trial_values(table, ["pareto_regret"])
        >>> kept["regret"], kept["uniform"]
        (1.0, 4.0)
    """
    is_last = pl.col("round") == pl.col("round").max()
    digits = table.filter(is_last).group_by("policy", "metric", maintain_order=True)
    sums = digits.agg(pl.col("value").sum())
    values = {(policy, metric): value for policy, metric, value in sums.iter_rows()}
    regret, *others = metrics
    kept = {REGRET: values[OWN, regret], UNIFORM: values[UNIFORM, regret]}
    for metric in others:
        kept[metric] = values.get((OWN, metric))

    kept[DIGEST] = digest_of(table["value"].to_list())

    return kept


def digest_of(values: list[float]) -> str:
    """SHA-256 of recorded values, as the shortest texts that stand for them."""
    # Not of bytes: those of a NaN are not the same on every machine.
    text = json.dumps(values)
    return hashlib.sha256(text.encode()).hexdigest()


def nanoseconds(setting: "Setting", recipe: Recipe, seed: int) -> float:
    """Median time of a round of the recipe alone, without drawing and measuring, on one thread.

    Args:
        setting: that the recipe can play, and was compiled for.
        recipe: the entry's.
        seed: of the trial.
    """
    own = setting.prepared(recipe)
    plan = plan_of(setting, {OWN: own})
    setup = plan.setup._replace(seed=seed)
    problem: Any = trial_problem(setup, 0)
    limit = horizon_limit(setup.environment, problem)
    rng = stream(seed, 0, ROUNDS)
    own_rng = stream(seed, 0, POLICY)
    blocks: Iterable[tuple[int, Any]]
    if is_continuum(problem):
        play_block = players_of(setup, 0, problem)[OWN].play
        surfaces = merged_surface_blocks(problem, setup.rounds, limit, rng)
        blocks = ((len(block.contexts), block) for block in surfaces)
    else:
        # Unlike a trial's, this loop waits for the compiler.
        learner = Learner(OWN, own, problem.shape, lambda policy: loop_for(play, policy), own_rng)
        arms = np.arange(problem.shape.arms)
        chosen = np.empty(setup.rounds, np.int64)

        def play_block(block: Any) -> Any:
            learner.play(block, arms, chosen[: len(block.rewards)], None)

        merged = merged_blocks(problem, setup.rounds, limit, rng)
        blocks = ((len(block.rewards), block) for _, block in merged)

    times = []
    for rounds, block in blocks:
        start = time.perf_counter_ns()
        play_block(block)
        elapsed = time.perf_counter_ns() - start
        times.append(elapsed / rounds)

    # The first block may have waited.
    return statistics.median(times)
