"""What someone could have had who knew every answer beforehand: the upper reference of the demonstration."""

from collections.abc import Mapping

import numpy as np
import polars as pl

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
        Rows as `simulate` records them, of trial 0 and the last round: the metrics reward, dollars and plays. Of
        several equally good models the cheapest counts.
    """
    rounds = environment.max_rounds
    problem = environment.problem(
        rounds, np.random.default_rng(0)
    )  # the order of the prompts does not matter here
    rewards = problem.block(0, rounds, np.random.default_rng(0)).rewards
    dollars = problem.quantities(0, rounds)["dollars"]
    every = np.arange(rounds)
    rows: list[tuple[str, str, int, float]] = []
    for row, weight in weights.items():
        best = np.argmax(
            rewards @ np.array(weight), axis=1
        )  # the first of several, and models are sorted by price
        sums = {
            "reward": rewards[every, best].sum(axis=0),
            "dollars": dollars[every, best].sum(keepdims=True),
            "plays": np.bincount(best, minlength=len(environment.models)),
        }
        rows += [
            (row, metric, i, float(value))
            for metric, values in sums.items()
            for i, value in enumerate(values)
        ]
    table = pl.DataFrame(rows, ["policy", "metric", "component", "value"], orient="row")
    same = {
        "experiment": experiment,
        "environment": short_repr(environment),
        "trial": 0,
        "round": rounds,
    }
    filled = table.with_columns(pl.lit(value).alias(name) for name, value in same.items())
    return filled.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())
