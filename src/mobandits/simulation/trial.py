"""One trial: every policy plays the same blocks of the same problem, and metrics read what happened."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mobandits.compiling.compiled import Compiled
from mobandits.contracts.continuum import SurfaceEnvironment, SurfaceProblem
from mobandits.contracts.protocols import Array, Block, Environment, Metric, Problem, Recipe
from mobandits.simulation.blocks import horizon_limit, merged_blocks
from mobandits.simulation.players import player
from mobandits.simulation.preference_sweep import PreferenceSweep
from mobandits.simulation.record import AccumulatorRecorder, MetricRecorder, recorder
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
    """What a trial needs to know; `simulate` explains the fields."""

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
    return _table(setup, trial, {key: kept.values() for key, kept in recorders.items()})


def play_arms(
    setup: Setup, trial: int, problem: Problem, after_block: Callable[[int], None]
) -> dict[tuple[str, str], MetricRecorder | AccumulatorRecorder]:
    """What was measured of one trial with finitely many arms, by row and metric; arguments as in `play_trial`."""
    players = [
        player(row, recipe, problem.shape, setup.seed, trial, setup.compiled)
        for row, recipe in setup.policies.items()
    ]
    arms = np.arange(problem.shape.arms)
    with_fronts = any(metric.needs_fronts for metric in setup.metrics)
    recorders: dict[tuple[str, str], MetricRecorder | AccumulatorRecorder] = {}
    truth = None
    for first, block in merged_blocks(
        problem,
        setup.rounds,
        horizon_limit(setup.environment, problem),
        stream(setup.seed, trial, ROUNDS),
    ):
        truth = truth_of(problem, first, block, truth)
        for played in (
            played for one in players for played in one.play(block, arms, with_fronts=with_fronts)
        ):
            for metric in setup.metrics:
                key = played.row, metric.name
                if key not in recorders:
                    recorders[key] = recorder(metric, setup.points, problem.shape)
                recorders[key].add(metric.per_round(truth, played.chosen, played.fronts))
        after_block(len(block.rewards))
    return recorders


def trial_problem(setup: Setup, trial: int) -> Problem | SurfaceProblem:
    """The trial's instance of the environment."""
    return setup.environment.problem(setup.rounds, stream(setup.seed, trial, INSTANCE))


def truth_of(
    problem: Problem, first: int, block: Block, before: BlockGroundTruth | None = None
) -> BlockGroundTruth:
    """The truth about a block, with the problem's quantities where it offers any."""
    load = getattr(problem, "quantities", None)
    return BlockGroundTruth(
        block, (lambda: load(first, len(block.rewards))) if load else dict, before
    )


def _table(setup: Setup, trial: int, kept: Mapping[tuple[str, str], Array]) -> pl.DataFrame:
    """One frame for all (points, components) of values that were kept, by row and metric: a frame each is dear."""
    rows, metrics = zip(*kept, strict=True)
    which = np.repeat(np.arange(len(kept)), [values.size for values in kept.values()])
    columns = {
        "experiment": pl.repeat(setup.experiment, len(which), eager=True),
        "environment": pl.repeat(short_repr(setup.environment), len(which), eager=True),
        "policy": pl.Series(rows).gather(which),
        "trial": np.full(len(which), trial),
        "round": np.concatenate(
            [np.repeat(setup.points, values.shape[1]) for values in kept.values()]
        ),
        "metric": pl.Series(metrics).gather(which),
        "component": np.concatenate(
            [np.tile(np.arange(values.shape[1]), len(values)) for values in kept.values()]
        ),
        "value": np.concatenate([values.ravel() for values in kept.values()]),
    }
    return pl.DataFrame(columns, schema=SCHEMA).filter(pl.col("value").is_not_nan())
