"""One trial: every policy plays the same blocks of the same problem, and metrics are measured."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mobandits.compiling.compiled import Compiled
from mobandits.contracts.continuum import SurfaceEnvironment, SurfaceProblem
from mobandits.contracts.protocols import Array, Block, Environment, Metric, Problem, Recipe
from mobandits.simulation.blocks import horizon_limit, merged_blocks
from mobandits.simulation.players import Played, player
from mobandits.simulation.preference_sweep import PreferenceSweep
from mobandits.simulation.record import Recorder, recorder
from mobandits.simulation.streams import INSTANCE, ROUNDS, stream
from mobandits.simulation.surface_trial import is_continuum, play_on_surface
from mobandits.simulation.truth import BlockGroundTruth
from mobandits.support.naming import short_repr

SCHEMA = {
    "experiment": pl.String,
    "environment": pl.String,
    "policy": pl.String,
    "trial": pl.Int64,
    "round": pl.Int64,
    "metric": pl.String,
    "component": pl.Int64,
    "value": pl.Float64,
}


class Setup(NamedTuple):
    """The arguments of a trial; `simulate` explains the fields."""

    experiment: str
    environment: Environment | SurfaceEnvironment
    policies: Mapping[str, Recipe | PreferenceSweep]
    rounds: int
    seed: int
    metrics: Sequence[Metric]
    points: Sequence[int]
    compiled: Compiled


def play_trial(setup: Setup, trial: int, after_block: Callable[[int], None]) -> pl.DataFrame:
    """Every recorded value of one trial.

    Args:
        setup: what to play.
        trial: its number, from 0.
        after_block: called with the number of rounds just played; it may raise to stop.
    """
    problem: Any = trial_problem(setup, trial)
    play = play_on_surface if is_continuum(problem) else play_arms
    recorders = play(setup, trial, problem, after_block)
    values = {key: recorder.values() for key, recorder in recorders.items()}

    return _table(setup, trial, values)


def play_arms(
    setup: Setup, trial: int, problem: Problem, after_block: Callable[[int], None]
) -> dict[tuple[str, str], Recorder]:
    """What was measured of one trial with finitely many arms, by row and metric.

    The arguments are those of `play_trial`.
    """
    players = [
        player(row, recipe, problem.shape, setup.seed, trial, setup.compiled)
        for row, recipe in setup.policies.items()
    ]
    arms = np.arange(problem.shape.arms)
    with_fronts = any(metric.needs_fronts for metric in setup.metrics)
    limit = horizon_limit(setup.environment, problem)
    rng = stream(setup.seed, trial, ROUNDS)
    recorders: dict[tuple[str, str], Recorder] = {}

    def measure(truth: BlockGroundTruth, played: Played) -> None:
        for metric in setup.metrics:
            key = (played.row, metric.name)
            if key not in recorders:
                recorders[key] = recorder(metric, setup.points, problem.shape)

            values = metric.per_round(truth, played.chosen, played.fronts)
            recorders[key].add(values)

    # Block after block for all policies, and not policy after policy: every block is drawn once,
    # and none is kept.
    truth = None
    for first, block in merged_blocks(problem, setup.rounds, limit, rng):
        truth = truth_of(problem, first, block, truth)
        for each in players:
            for played in each.play(block, arms, with_fronts=with_fronts):
                measure(truth, played)

        after_block(len(block.rewards))

    return recorders


def trial_problem(setup: Setup, trial: int) -> Problem | SurfaceProblem:
    """The trial's instance of the environment."""
    # Another stream than that of the rounds: how a problem is drawn does not change its rewards.
    rng = stream(setup.seed, trial, INSTANCE)
    return setup.environment.problem(setup.rounds, rng)


def truth_of(
    problem: Problem, first: int, block: Block, before: BlockGroundTruth | None = None
) -> BlockGroundTruth:
    """The truth about a block, with the problem's quantities where it offers any."""
    quantities = getattr(problem, "quantities", None)
    if quantities is None:
        return BlockGroundTruth(block, before=before)

    rounds = len(block.rewards)

    return BlockGroundTruth(block, lambda: quantities(first, rounds), before)


def _table(setup: Setup, trial: int, values: Mapping[tuple[str, str], Array]) -> pl.DataFrame:
    """The table of a trial, from (points, components) of recorded values by row and metric."""
    # One frame for all of them: a frame each, joined, takes longer than small trials do.
    arrays = list(values.values())
    rows = pl.Series([row for row, _ in values])
    metrics = pl.Series([metric for _, metric in values])
    which = np.repeat(np.arange(len(arrays)), [array.size for array in arrays])
    rounds = [np.repeat(setup.points, array.shape[1]) for array in arrays]
    components = [np.tile(np.arange(array.shape[1]), len(array)) for array in arrays]
    environment = short_repr(setup.environment)
    columns = {
        "experiment": pl.repeat(setup.experiment, len(which), eager=True),
        "environment": pl.repeat(environment, len(which), eager=True),
        "policy": rows.gather(which),
        "trial": np.full(len(which), trial),
        "round": np.concatenate(rounds),
        "metric": metrics.gather(which),
        "component": np.concatenate(components),
        "value": np.concatenate([array.ravel() for array in arrays]),
    }

    # A metric says NaN where there is nothing to record.
    return pl.DataFrame(columns, schema=SCHEMA).filter(pl.col("value").is_not_nan())
