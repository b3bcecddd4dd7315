"""The upper reference of the demonstration: what is possible where every answer is known before."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array
from mobandits.environments import LlmRouting
from mobandits.simulation.trial import SCHEMA
from mobandits.support.naming import short_repr


def hindsight(
    environment: LlmRouting, weights: Mapping[str, tuple[float, float]], experiment: str
) -> pl.DataFrame:
    """The best model for every single prompt, under several weights: computed, not played.

    Args:
        environment: which prompts.
        weights: {row name: (weight of quality, weight of cost)}.
        experiment: the first column.

    Returns:
        Rows as `simulate` records them, of trial 0 and the last round: the metrics reward, dollars
        and plays. Of several equally good models the cheapest counts.
    """
    rounds = environment.max_rounds
    # Any order of the prompts does: sums over all of them do not depend on it.
    rng = np.random.default_rng(0)
    problem = environment.problem(rounds, rng)
    block = problem.block(0, rounds, np.random.default_rng(0))
    dollars = problem.quantities(0, rounds)["dollars"]

    rows: list[tuple[str, str, int, float]] = []
    for row, weight in weights.items():
        sums = sums_of_best(block.rewards, dollars, weight)
        for metric, values in sums.items():
            for i, value in enumerate(values):
                rows.append((row, metric, i, float(value)))

    table = pl.DataFrame(rows, ["policy", "metric", "component", "value"], orient="row")

    return table.with_columns(
        experiment=pl.lit(experiment),
        environment=pl.lit(short_repr(environment)),
        trial=pl.lit(0),
        round=pl.lit(rounds),
    ).select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())


def sums_of_best(rewards: Array, dollars: Array, weight: tuple[float, float]) -> dict[str, Array]:
    """{metric: (components,) its sum over all prompts} where each prompt has its best model.

    Args:
        rewards: (rounds, models, 2) quality and thrift of every answer.
        dollars: (rounds, models) its price.
        weight: of quality and of cost.
    """
    rounds, models, _ = rewards.shape
    scores = rewards @ np.array(weight)
    # Models are sorted by price, and argmax takes the first of equals: the cheapest.
    best = np.argmax(scores, axis=1)
    every = np.arange(rounds)

    return {
        "reward": rewards[every, best].sum(axis=0),
        "dollars": dollars[every, best].sum(keepdims=True),
        "plays": np.bincount(best, minlength=models),
    }
