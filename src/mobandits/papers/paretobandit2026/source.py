"""The prompts of an experiment, the published ones or files of a user's own, and rows of tables."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mobandits.papers.experiment import RunOptions
from mobandits.papers.paretobandit2026 import published
from mobandits.papers.paretobandit2026.routing import (
    THOUSAND,
    Outcomes,
    Routing,
    RoutingFiles,
    published_routing,
    routing_of_files,
)
from mobandits.support.naming import short_repr

TRIALS = published.SEEDS
PUBLISHED = "ParetoBandit, published"
QUALITY = "quality"
SPENDING = "spending"
ROUTER = (
    "The router is `Paced(MolEpsGreedy(epsilon=0, penalty=10), {'cost': budget})` with its defaults. "
    "It learns a log of the first file, where one of the models, drawn uniformly, answered each "
    "prompt. Then it routes the prompts of the second file in a random order and goes on learning. "
    "Every trial draws a log and an order."
)
OTHER_ROUTER = (
    "ParetoBandit itself is not run. Its published numbers are drawn beside: it had learned 8,374 "
    "prompts with the answers of all models, where the log here has one answer to each of 1,785 "
    "prompts. The 1,824 prompts of the second file are the same. So no sentence about the paper's "
    "router has a verdict here: asked of Paced, it is an extension."
)


class Source(NamedTuple):
    """Where the prompts of an experiment come from.

    Attributes:
        routing: makes the problem, once.
        name: for titles.
        settings: what else decides the rows, for manifests.
        is_published: whether they are the paper's.
        budgets: US dollars per 1,000 prompts.
        scenario_budgets: those of the scenarios.
        rounds: of the second file.
    """

    routing: Callable[[], Routing]
    name: str
    settings: Mapping[str, Any]
    is_published: bool
    budgets: tuple[float, ...]
    scenario_budgets: tuple[float, ...]
    rounds: int


def published_source() -> Source:
    """The published prompts, which are read when they are played."""
    return Source(
        routing=published_routing,
        name="1,824 prompts, three models",
        settings={},
        is_published=True,
        budgets=tuple(each.budget for each in published.BUDGETS),
        scenario_budgets=published.SCENARIO_BUDGETS,
        rounds=published.PROMPTS,
    )


def source_of_files(files: RoutingFiles) -> Source:
    """Two files of a user's own, which are read now.

    There are as many budgets as the paper has, from the mean cost of the cheapest model in the first
    file to that of the dearest, each the same multiple of the one before; scenarios have the third
    to the fifth.

    Raises:
        ValueError: where a file does not fit.
    """
    routing = routing_of_files(files)
    costs = THOUSAND * routing.first.dollars.mean(axis=0)
    least = max(float(costs[0]), float(costs[-1]) / published.COST_RANGE)
    grid = np.geomspace(least, float(costs[-1]), len(published.BUDGETS))
    budgets = tuple(float(f"{budget:.3g}") for budget in grid)
    count = len(routing.second.dollars)

    return Source(
        routing=lambda: routing,
        name=f"{count:,} prompts, {len(routing.models)} models",
        settings={
            "files": files.digests(),
            "judges": list(files.judges),
            "quality": short_repr(files.quality),
        },
        is_published=False,
        budgets=budgets,
        scenario_budgets=budgets[2:5],
        rounds=count,
    )


def stream(options: RunOptions, trial: int) -> np.random.Generator:
    """The stream of a trial, from which its log and its order are drawn."""
    return np.random.default_rng([options.seed, trial])


def about_router(source: Source) -> tuple[str, ...]:
    """What pages say of the router, and of the paper's where its numbers are beside."""
    return (ROUTER, OTHER_ROUTER) if source.is_published else (ROUTER,)


def money(budget: float) -> str:
    """A budget in words.

    Example:
        >>> money(0.3)
        '$0.3 per 1,000'
    """
    return f"${budget:g} per 1,000"


def rows_of(policy: str, metric: str, values: Sequence[float], rounds: int) -> pl.DataFrame:
    """The rows of a metric with a component per value, at the last round; tables hold no NaN.

    Example:
        >>> rows_of("a", "quality", [0.5, 0.75], 10).rows()
        [('a', 'quality', 0, 10, 0.5), ('a', 'quality', 1, 10, 0.75)]
    """
    count = len(values)
    columns = {
        "policy": [policy] * count,
        "metric": [metric] * count,
        "component": list(range(count)),
        "round": [rounds] * count,
        "value": [float(value) for value in values],
    }
    return pl.DataFrame(columns).filter(pl.col("value").is_not_nan())


def spent_share(outcomes: Sequence[Outcomes], budget: float) -> float:
    """What was spent in some parts of a stream, as a share of their budget."""
    dollars = np.concatenate([each.dollars for each in outcomes])
    return THOUSAND * float(dollars.mean()) / budget


def middle(models: int) -> int:
    """The position of the middle one of some models, the cheaper one of two.

    Example:
        >>> middle(3), middle(4), middle(5)
        (1, 1, 2)
    """
    return (models - 1) // 2
