"""What one would really do: learn from a log, then deploy with a budget.

The first file of prompts is the log: a model was drawn for every prompt, all with the same
probability, and the quality and the price of that one answer were seen. The second file comes after
it, and nothing is chosen on it.
"""

import itertools
from collections.abc import Callable, Hashable
from typing import NamedTuple

import numpy as np
import polars as pl

from mobandits.agent import Agent, Objective
from mobandits.contracts.protocols import Array, IntArray, Rng
from mobandits.demo.mixtures import Point, best_mixture, quality_between
from mobandits.environments import LlmRouting
from mobandits.environments.llm_routing import FIRST, PROMPTS, RoutingProblem
from mobandits.logs import Feedback
from mobandits.orders import Weighted
from mobandits.policies import MolEpsGreedy, Paced

BUDGETS = (0.1, 0.2, 0.335, 0.51)  # US dollars per 1,000 prompts
MODELS = LlmRouting.models
QUALITY = Objective("quality", low=0.0, high=1.0)
# Without a range: prices span four powers of ten, and a range of the dearest would drown the rest.
COST = Objective("cost", minimise=True, unit="USD")
QUALITY_ALONE = Weighted((1.0, 0.0))
# The log has tried every model on hundreds of prompts: the deployed policy need not explore.
LEARNER = MolEpsGreedy(epsilon=0.0, penalty=10.0)

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


class Prompts(NamedTuple):
    """A file of prompts, with the outcome of every answer.

    Attributes:
        contexts: (prompts, features).
        quality: (prompts, models).
        dollars: (prompts, models).
    """

    contexts: Array
    quality: Array
    dollars: Array

    def between(self, first: int, last: int | None) -> "Prompts":
        """The prompts from the first to before the last; None: to the end."""
        columns = [column[first:last] for column in self]
        return Prompts(*columns)

    def outcomes(self, chosen: Array) -> tuple[Array, Array]:
        """(prompts,) expected quality and dollars of (prompts or 1, models) probabilities."""
        quality = np.sum(chosen * self.quality, axis=1)
        dollars = np.sum(chosen * self.dollars, axis=1)
        return quality, dollars


def files_of(problem: RoutingProblem) -> tuple[Prompts, Prompts]:
    """The first and the second file of prompts."""
    contexts = problem.contexts[:, 0]
    quality = problem.rewards[:, :, 0]
    both = Prompts(contexts, quality, problem.dollars)

    return both.between(0, FIRST), both.between(FIRST, None)


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
    problem = LlmRouting().problem(PROMPTS, np.random.default_rng(seed))
    first, second = files_of(problem)
    if prompts is not None:
        first = first.between(0, prompts)
        second = second.between(0, prompts)

    tables = [_models(second)]
    for trial in range(trials):
        # Its own stream, so that a quick run's trials are the first ones of a full run.
        rng = np.random.default_rng([seed, trial])
        log = uniform_log(first, rng)
        order = rng.permutation(len(second.contexts))
        for budget in BUDGETS:
            arms = deploy(log, second, order, budget / 1000.0)
            chosen = np.eye(len(MODELS))[arms]
            tables.append(_rows(DEPLOYED, budget, trial, *second.outcomes(chosen)))

            shares = best_shares(log, budget / 1000.0)
            tables.append(_rows(MIXTURE, budget, trial, *second.outcomes(shares[None])))

        if progress is not None:
            progress(trial + 1, trials)

    return pl.concat(tables)


def uniform_log(prompts: Prompts, rng: Rng) -> Feedback:
    """A log of decisions that a uniform policy made, with what was seen of each."""
    count, models = prompts.quality.shape
    arms: IntArray = np.asarray(rng.integers(models, size=count))
    rows = np.arange(count)
    quality = prompts.quality[rows, arms]
    dollars = prompts.dollars[rows, arms]
    # All rewards of a log are maximised: costs are negated.
    rewards = np.stack([quality, -dollars], axis=1)
    propensities = np.full(count, 1.0 / models)

    return Feedback(prompts.contexts, arms, rewards, propensities, MODELS, (QUALITY, COST))


def deploy(log: Feedback, prompts: Prompts, order: IntArray, budget: float) -> IntArray:
    """(prompts,) the models that a policy chooses which has learned the log, and goes on learning.

    Args:
        log: what it learns first.
        prompts: what comes then.
        order: in which they come.
        budget: US dollars per prompt.
    """
    paced = Paced(LEARNER, {COST.name: budget}, horizon=len(order))
    features = log.contexts.shape[1]
    agent = Agent(paced, arms=MODELS, features=features, objectives=[QUALITY, COST])
    agent.preference = QUALITY_ALONE
    # It also finds the price of a dollar with which it begins.
    agent.learn_log(log)

    arms = np.empty(len(order), np.int64)
    position: dict[Hashable, int] = {model: i for i, model in enumerate(MODELS)}
    for prompt in order:
        decision = agent.decide(prompts.contexts[prompt])
        arm = position[decision.arm]
        seen = {
            QUALITY.name: prompts.quality[prompt, arm],
            COST.name: prompts.dollars[prompt, arm],
        }
        agent.learn(decision.id, seen)
        arms[prompt] = arm

    return arms


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
