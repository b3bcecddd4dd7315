"""Entries of MOB-LLM that are made of a log and a budget, and not of a recipe alone."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, Recipe, Shape
from mobandits.logs import Feedback
from mobandits.numerics.budgeted_mixture import best_near_budgets
from mobandits.orders import Weighted
from mobandits.policies import Features, MolEpsGreedy, Paced
from mobandits.policies.wrappers.first_prices import priced_state
from mobandits.suite.prompts import Prompts
from mobandits.support.checks import choice

QUALITY_ALONE = Weighted([1.0, 0.0])
RIDGE = MolEpsGreedy(epsilon=0.0, penalty=10.0, intercept=30.0, order=QUALITY_ALONE)
OF_LOG = "mixture of the log"
IN_HINDSIGHT = "mixture in hindsight"
ONE_PRICE = "ridge, one price"
CLUSTERS = "clusters"
KINDS = (OF_LOG, IN_HINDSIGHT, ONE_PRICE, CLUSTERS)


@dataclass(frozen=True)
class Reference(Recipe):
    """A baseline of MOB-LLM.

    Args:
        kind: the best mixture of models, by the log or in hindsight; a ridge regression per model,
            with the price of cost that the log tells, which stays; or the same regression on 100
            clusters of prompts.

    Raises:
        ValueError: where there is no such kind; on `bind`, because no policy is known without a log.
    """

    kind: str

    def __post_init__(self) -> None:
        """Check the kind."""
        choice("reference", self.kind, KINDS)

    def bind(self, shape: Shape) -> Any:
        """Refuse: a log and a budget must be known.

        Raises:
            ValueError: always.
        """
        raise ValueError(f"{self.kind} must be played in MOB-LLM, which has logs and budgets")

    def made(self, prompts: Prompts, log: Feedback, allowed: float) -> Recipe | Array:
        """The recipe, or the (models,) shares of a mixture, for a log and a budget.

        Args:
            prompts: the table.
            log: of its first rows.
            allowed: cost per prompt.
        """
        if self.kind == IN_HINDSIGHT:
            return mixture_of(*prompts.means, allowed)
        if self.kind == OF_LOG:
            arms = range(len(prompts.models))
            means = np.array([log.rewards[log.arms == arm].mean(axis=0) for arm in arms])
            return mixture_of(means[:, 0], -means[:, 1], allowed)
        if self.kind == ONE_PRICE:
            price = price_of(prompts, log, allowed)
            return replace(RIDGE, order=Weighted([1.0, price]))

        return Features(prompts.clusters, RIDGE)


def mixture_of(quality: Array, cost: Array, allowed: float) -> Array:
    """(models,) the shares of the best mixture within a budget, or of the cheapest model."""
    return best_near_budgets(quality, cost[:, None], [allowed]).weights


def price_of(prompts: Prompts, log: Feedback, allowed: float) -> float:
    """The price of cost at which the ridge regressions of a log spend the budget, by that log."""
    # Only here: agents import much.
    from mobandits.agent import Agent  # noqa: PLC0415

    paced = Paced(RIDGE, {"cost": allowed})
    features = prompts.contexts.shape[1]
    agent: Agent[Any] = Agent(
        paced, arms=prompts.models, features=features, objectives=prompts.objectives
    )
    agent.learn_log(log)

    return float(priced_state(agent.core.bound.state()).price[0])
