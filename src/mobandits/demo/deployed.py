"""What deployed policies spent and delivered, beside mixtures of models for the same money."""

from typing import NamedTuple

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array
from mobandits.demo.deployment import BUDGETS, DEPLOYED, MIXTURE, MODELS
from mobandits.demo.mixtures import best_mixture
from mobandits.statistics.crossed import Statistic, crossed_interval

DRAWS = 1000
THOUSAND = 1000.0


class Band(NamedTuple):
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float


class Deployed(NamedTuple):
    """One budget's results on the second file of prompts.

    Attributes:
        budget: US dollars per 1,000 prompts.
        spent: of them, mean over trials.
        most: spent in the trial that spent most.
        quality: of the deployed policy.
        mixture_spent: US dollars per 1,000 prompts of the mixture that was chosen on the log.
        mixture: its quality.
        bound: the quality of the mixture that is the best in hindsight for what was spent.
        gain: quality less `bound`.
    """

    budget: float
    spent: Band
    most: float
    quality: Band
    mixture_spent: float
    mixture: Band
    bound: float
    gain: Band


class OutcomeTables(NamedTuple):
    """(trials, prompts) quality and US dollars per 1,000 prompts of one policy."""

    quality: Array
    dollars: Array


def budget_results(table: pl.DataFrame, seed: int) -> list[Deployed]:
    """The results of every budget.

    Args:
        table: from `deployments`.
        seed: of the bootstrap.
    """
    models = [cells(table, f"always {model}", None) for model in MODELS]
    results = []
    for budget in BUDGETS:
        policy = cells(table, DEPLOYED, budget)
        mixture = cells(table, MIXTURE, budget)
        results.append(_result(budget, policy, mixture, models, seed))

    return results


def cells(table: pl.DataFrame, policy: str, budget: float | None) -> OutcomeTables:
    """The outcomes of one policy, trial by trial and prompt by prompt."""
    of_policy = pl.col("policy") == policy
    of_budget = pl.col("budget").eq_missing(pl.lit(budget, pl.Float64))
    rows = table.filter(of_policy & of_budget).sort("trial", "prompt")
    trials = rows["trial"].n_unique()
    quality = rows["quality"].to_numpy().reshape(trials, -1)
    dollars = rows["dollars"].to_numpy().reshape(trials, -1)

    return OutcomeTables(quality, THOUSAND * dollars)


def mixture_for(models: list[OutcomeTables], over_prompts: Array, dollars: float) -> float:
    """The best quality of a mixture of models for so many dollars, on weighted prompts."""
    points = []
    for model in models:
        cost = float(model.dollars[0] @ over_prompts)
        quality = float(model.quality[0] @ over_prompts)
        points.append((cost, quality))

    return best_mixture(points, dollars)


def _result(
    budget: float,
    policy: OutcomeTables,
    mixture: OutcomeTables,
    models: list[OutcomeTables],
    seed: int,
) -> Deployed:
    trials, prompts = policy.quality.shape

    def gain(over_trials: Array, over_prompts: Array) -> float:
        quality = over_trials @ policy.quality @ over_prompts
        dollars = over_trials @ policy.dollars @ over_prompts
        # The same prompts decide what mixtures cost and deliver: their luck cancels.
        return float(quality) - mixture_for(models, over_prompts, float(dollars))

    spent = _band(_mean_of(policy.dollars), trials, prompts, seed)
    every_prompt = _even(prompts)

    return Deployed(
        budget=budget,
        spent=spent,
        most=float(policy.dollars.mean(axis=1).max()),
        quality=_band(_mean_of(policy.quality), trials, prompts, seed),
        mixture_spent=float(mixture.dollars.mean()),
        mixture=_band(_mean_of(mixture.quality), trials, prompts, seed),
        bound=mixture_for(models, every_prompt, spent.mean),
        gain=_band(gain, trials, prompts, seed),
    )


def _mean_of(table: Array) -> Statistic:
    """The weighted mean of a table (trials, prompts)."""

    def mean(over_trials: Array, over_prompts: Array) -> float:
        return float(over_trials @ table @ over_prompts)

    return mean


def _band(statistic: Statistic, trials: int, prompts: int, seed: int) -> Band:
    # The same resamples for every statistic, so that their intervals fit together.
    rng = np.random.default_rng(seed)
    low, high = crossed_interval(statistic, trials, prompts, rng, DRAWS)
    value = statistic(_even(trials), _even(prompts))

    return Band(value, low, high)


def _even(count: int) -> Array:
    """Equal weights with sum 1."""
    return np.full(count, 1.0 / count)
