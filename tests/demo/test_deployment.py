"""Policies that learn from a log of the first file and are deployed on the second."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits.demo.deployed import budget_results, cells, mixture_for
from mobandits.demo.deployment import (
    BUDGETS,
    DEPLOYED,
    MIXTURE,
    MODELS,
    SCHEMA,
    best_shares,
    deployments,
)
from mobandits.demo.mixtures import best_mixture
from mobandits.logs import Feedback
from mobandits.papers.paretobandit2026.routing import Prompts, published_routing, uniform_log


def prompts(count, seed=0):
    """Prompts with one feature that tells where the middle model is worth its price."""
    rng = np.random.default_rng(seed)
    x = rng.choice([-1.0, 1.0], size=count)
    contexts = np.stack([x, np.ones(count)], axis=1)
    good = 0.5 + 0.4 * (x > 0)
    quality = np.stack([np.full(count, 0.5), good, good], axis=1)
    dollars = np.tile([0.0001, 0.0005, 0.01], (count, 1)) * rng.uniform(0.8, 1.2, (count, 1))
    return Prompts(contexts, quality[:, :, None], dollars)


def test_a_log_has_what_was_seen_of_the_model_that_was_drawn():
    given_prompts = prompts(300)
    routing = published_routing()._replace(first=given_prompts)
    log = uniform_log(routing, np.random.default_rng(1))
    for row, arm in enumerate(log.arms):
        assert log.rewards[row, 0] == given_prompts.quality[row, arm]
        assert log.rewards[row, 1] == -given_prompts.dollars[row, arm]
    assert np.bincount(log.arms).min() > 70
    assert np.allclose(log.propensities, 1 / 3)


@given(
    qualities=st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3),
    costs=st.lists(st.floats(0.001, 1.0), min_size=3, max_size=3, unique=True),
    budget=st.floats(0.0005, 1.5),
)
def test_shares_are_the_best_mixture_of_the_log(qualities, costs, budget):
    rewards = [[quality, -cost] for quality, cost in zip(qualities, costs, strict=True)]
    log = Feedback(np.ones((3, 1)), [0, 1, 2], rewards, [1 / 3] * 3, MODELS, ("quality", "cost"))
    shares = best_shares(log, budget)
    points = list(zip(costs, qualities, strict=True))
    assert shares.sum() == pytest.approx(1.0)
    assert shares @ qualities == pytest.approx(best_mixture(points, budget), abs=1e-12)
    if budget >= min(costs):
        assert shares @ costs <= budget * (1 + 1e-9)


def table_of(policy_quality, policy_dollars, model_rows):
    """A table of deployments with the same outcomes at every budget."""
    frames = []
    for model, (quality, dollars) in zip(MODELS, model_rows, strict=True):
        frames.append(rows(f"always {model}", None, 0, quality, dollars))
    for budget in BUDGETS:
        for trial, (quality, dollars) in enumerate(
            zip(policy_quality, policy_dollars, strict=True)
        ):
            frames.append(rows(DEPLOYED, budget, trial, quality, dollars))
            frames.append(rows(MIXTURE, budget, trial, quality, dollars))
    return pl.concat(frames)


def rows(policy, budget, trial, quality, dollars):
    return pl.DataFrame(
        {
            "policy": policy,
            "budget": budget,
            "trial": trial,
            "prompt": np.arange(len(quality)),
            "quality": quality,
            "dollars": dollars,
        }
    ).cast(SCHEMA)


def test_a_mixture_gains_nothing_over_the_mixture_for_the_same_money():
    rng = np.random.default_rng(3)
    cheap, dear = rng.random(200), rng.random(200) + 0.5
    models = [
        (cheap, np.full(200, 0.0001)),
        (dear, np.full(200, 0.0005)),
        (dear, np.full(200, 0.01)),
    ]
    half = [(cheap + dear) / 2] * 5
    table = table_of(half, [np.full(200, 0.0003)] * 5, models)
    for result in budget_results(table, 0):
        assert result.spent.mean == pytest.approx(0.3)
        assert result.gain.mean == pytest.approx(0.0, abs=1e-12)
        assert result.gain.low == pytest.approx(0.0, abs=1e-12)
        assert result.gain.high == pytest.approx(0.0, abs=1e-12)
        assert result.bound == pytest.approx(result.quality.mean)
    found = cells(table, DEPLOYED, BUDGETS[0])
    assert found.quality.shape == (5, 200)
    every = np.full(200, 1 / 200)
    always = [cells(table, f"always {model}", None) for model in MODELS]
    assert mixture_for(always, every, 0.3) == pytest.approx(half[0].mean())


def test_the_first_trials_of_more_are_the_same():
    few = deployments(1, seed=0, prompts=60)
    more = deployments(2, seed=0, prompts=60)
    assert few.equals(more.filter(pl.col("trial") < 1))
    assert set(few["policy"]) == {DEPLOYED, MIXTURE, *(f"always {model}" for model in MODELS)}
    spent = few.filter(pl.col("policy") == DEPLOYED).group_by("budget").agg(pl.len())
    assert spent["len"].to_list() == [60] * len(BUDGETS)
