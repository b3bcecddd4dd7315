"""What one would really do: learn from a log, then deploy with a budget.

The first file of prompts is the log: a model was drawn for every prompt, all with the same
probability, and the quality and the price of that one answer were seen. The second file comes after
it, and nothing is chosen on it.
"""

import itertools
from collections.abc import Callable

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array
from mobandits.demo.mixtures import Point, best_mixture, quality_between
from mobandits.environments import LlmRouting
from mobandits.logs import Feedback
from mobandits.papers.paretobandit2026.routing import (
    Prompts,
    play,
    published_routing,
    router,
    uniform_log,
)

BUDGETS = (0.1, 0.2, 0.335, 0.51)  # US dollars per 1,000 prompts
MODELS = LlmRouting.models

SCHEMA = {
    "policy": pl.String,
    "budget": pl.Float64,
    "trial": pl.Int64,
    "prompt": pl.Int64,
    "quality": pl.Float64,
    "dollars": pl.Float64,
}
DEPLOYED = "deployed"
MIXTURE = "mixture"

Progress = Callable[[int, int], None]


def deployments(
    trials: int, seed: int, progress: Progress | None = None, prompts: int | None = None
) -> pl.DataFrame:
    """Every trial draws a log of the first file and an order of the second one.

    Args:
        trials: how many logs.
        seed: of all draws.
        progress: called with the trials that are done and how many there will be.
        prompts: of each file, the first so many; None: all.

    Returns:
        A row per policy, budget, trial and prompt of the second file: `policy` ("deployed",
        "mixture" for the best static mixture of the log, whose outcomes are expected ones, or
        "always <model>", in trial 0 and without a budget), `budget` in US dollars per 1,000
        prompts, `quality` and `dollars` of the answer.
    """
    routing = published_routing()
    if prompts is not None:
        first_prompts = routing.first.between(0, prompts)
        second_prompts = routing.second.between(0, prompts)
        routing = routing._replace(first=first_prompts, second=second_prompts)

    second = routing.second
    tables = [_models(second)]
    for trial in range(trials):
        # Its own stream, so that a quick run's trials are the first ones of a full run.
        rng = np.random.default_rng([seed, trial])
        log = uniform_log(routing, rng)
        order = rng.permutation(len(second.contexts))
        for budget in BUDGETS:
            agent = router(routing, log, budget / 1000.0, horizon=len(order))
            arms = np.empty(len(order), np.int64)
            arms[order] = play(agent, routing, second, order).arms
            chosen = np.eye(len(MODELS))[arms]
            tables.append(_rows(DEPLOYED, budget, trial, *second.outcomes(chosen)))

            shares = best_shares(log, budget / 1000.0)
            tables.append(_rows(MIXTURE, budget, trial, *second.outcomes(shares[None])))

        if progress is not None:
            progress(trial + 1, trials)

    return pl.concat(tables)


def best_shares(log: Feedback, budget: float) -> Array:
    """(models,) how often to play each for the best quality within a budget, by the log's means."""
    points: list[Point] = []
    for arm in range(len(MODELS)):
        of_arm = log.rewards[log.arms == arm]
        quality, minus_dollars = of_arm.mean(axis=0)
        points.append((float(-minus_dollars), float(quality)))

    shares = np.zeros(len(MODELS))
    best = best_mixture(points, budget)
    cheapest, _ = min(points)
    for arm, (cost, quality) in enumerate(points):
        # One model alone may be the best; below the cheapest model, that one is all there is.
        is_affordable = cost <= max(budget, cheapest)
        if is_affordable and quality == best:
            shares[arm] = 1.0
            return shares

    return _shares_of_pair(points, budget, best)


def _shares_of_pair(points: list[Point], budget: float, best: float) -> Array:
    """The shares of the two models whose mixture has this quality."""
    shares = np.zeros(len(points))
    for cheap, dear in itertools.permutations(range(len(points)), 2):
        least, _ = points[cheap]
        most, _ = points[dear]
        if not least <= budget < most:
            continue

        # As `best_mixture` computes it, and so equal to the last bit.
        if quality_between(points[cheap], points[dear], budget) == best:
            share = (budget - least) / (most - least)
            shares[cheap] = 1.0 - share
            shares[dear] = share

    return shares


def _models(prompts: Prompts) -> pl.DataFrame:
    """The rows of the models by themselves."""
    tables = []
    for arm, model in enumerate(MODELS):
        quality = prompts.quality[:, arm]
        dollars = prompts.dollars[:, arm]
        tables.append(_rows(f"always {model}", None, 0, quality, dollars))

    return pl.concat(tables)


def _rows(
    policy: str, budget: float | None, trial: int, quality: Array, dollars: Array
) -> pl.DataFrame:
    columns = {
        "policy": policy,
        "budget": budget,
        "trial": trial,
        "prompt": np.arange(len(quality)),
        "quality": quality,
        "dollars": dollars,
    }
    return pl.DataFrame(columns).cast(SCHEMA)  # type: ignore[arg-type]
