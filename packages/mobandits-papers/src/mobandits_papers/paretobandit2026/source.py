"""The prompts of an experiment, the published ones or files of a user's own, and rows of tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array
from mobandits.support.naming import short_repr
from mobandits_papers.experiment import Compute, Computed, Experiment, RunOptions
from mobandits_papers.numbers import Part, by_value, final_values, mean_part
from mobandits_papers.outcome import Outcome
from mobandits_papers.paretobandit2026 import published
from mobandits_papers.paretobandit2026.routing import (
    THOUSAND,
    Outcomes,
    Routing,
    RoutingFiles,
    published_routing,
    routing_of_files,
)
from mobandits_papers.rows import rows_of

TRIALS = published.SEEDS
MOST_SPENT = 1.01  # of a budget, in the mean
ROUNDED = 0.0005  # half a unit of the last digit that the paper prints
PUBLISHED = "ParetoBandit, published"
QUALITY = "quality"
SPENDING = "spending"


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

    def sections(self, *names: str) -> list[str]:
        """The tables of texts, after that on the router and, beside its numbers, on the paper's."""
        beside = ["other-router"] if self.is_published else []
        return ["router", *beside, *names]

    def part(
        self,
        name: str,
        compute: Compute,
        settings: Mapping[str, Any],
        metrics: Sequence[str] = (),
    ) -> Computed:
        """A part that plays these prompts.

        Args:
            name: of the part.
            compute: makes the rows of a trial.
            settings: what decides the rows beside the prompts.
            metrics: as of `Computed`.
        """
        return Computed(
            name,
            compute,
            trials=TRIALS,
            settings={**settings, **self.settings},
            scale={"rounds": self.rounds, "trials": TRIALS},
            metrics=metrics,
        )


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


def on_source(experiment: Experiment, source: Source, on_any: Sequence[str]) -> Experiment:
    """The experiment with the claims on a source: all on the paper's own, some on a user's files.

    Args:
        experiment: with all claims.
        source: of its prompts.
        on_any: the claims that do not rest on the published prompts.
    """
    if source.is_published:
        return experiment

    claims = [each for each in experiment.claims if each.what in on_any]
    return replace(experiment, claims=claims)


def money(budget: float) -> str:
    """A budget in words.

    Example:
        >>> money(0.3)
        '$0.3 per 1,000'
    """
    return f"${budget:g} per 1,000"


def spent_share(outcomes: Sequence[Outcomes], budget: float) -> float:
    """What was spent in some parts of a stream, as a share of their budget."""
    dollars = np.concatenate([each.dollars for each in outcomes])
    return THOUSAND * float(dollars.mean()) / budget


def outcome_rows(
    row: str, quality: Sequence[float], spending: Sequence[float], rounds: int
) -> list[pl.DataFrame]:
    """The rows of what a router came to, a component per budget or part of a stream."""
    return [rows_of(row, QUALITY, quality, rounds), rows_of(row, SPENDING, spending, rounds)]


def reached(outcome: Outcome, row: str, metric: str, component: int, budget: float) -> Array:
    """(trials,) the values of a row in the run of a budget."""
    run = money(budget)
    return final_values(outcome, row, metric, component, run)


def overspending(name: str, values: Array) -> Part:
    """The mean of what was spent, which may be at most 1.004 of the budget."""
    part = mean_part(name, values)
    return by_value(part, holds=part.measured <= published.MOST_OVERSPENT)


def middle(models: int) -> int:
    """The position of the middle one of some models, the cheaper one of two.

    Example:
        >>> middle(3), middle(4), middle(5)
        (1, 1, 2)
    """
    return (models - 1) // 2
