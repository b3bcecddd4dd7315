"""Paced: any policy with budgets, by prices of costs that follow what was spent.

Symbols: b the cost per round that is allowed, lambda the price of a cost, u the unit of costs, eta
the step.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.protocols import Assumption, Policy, Recipe, Shape, Stage, Traits
from mobandits.contracts.states import declares
from mobandits.contracts.terms import ApplicationTerms
from mobandits.estimators import Priced
from mobandits.explorers import Charged
from mobandits.policies.wrappers.budget_terms import cost_lines
from mobandits.policies.wrappers.intervals import interval_explorer, require_own_beliefs
from mobandits.policies.wrappers.own_terms import as_recipe, pairs_of
from mobandits.support.checks import integer, number
from mobandits.support.naming import quoted


@dataclass(frozen=True)
class Paced(Recipe):
    """Any recipe with budgets per round: costs have prices, which its order's other rewards pay.

    Every budget j has a price lambda_j >= 0. From what the recipe believes of an arm's reward in
    every objective without a budget, Paced takes

        sum_j lambda_j max(0, optimistic cost of the arm in j) / u_j

    and the recipe's order decides on the rest, so that draws and exact probabilities stay what they
    are. With every cost c that is learned, also late,

        lambda_j <- min(u_j / b_j, max(0, lambda_j + eta (c - rest_j) / u_j))

    where rest_j is what is left of the budget over the rounds that are left, with a horizon, and
    b_j without one. An order that should look at quality alone says so, such as `Pareto(on=[0])` or
    `Weighted([1, 0])`: costs keep their place in the beliefs.

    Budgets are kept in the long run and not in every moment: while arms are learned, more is spent
    than is allowed, twice as much and more in a tight budget. An agent's `budgets` are hard.

    Args:
        recipe: such as `MolUcb(scale=0.3, order=Weighted([1.0, 0.0]))`; it needs estimates per arm
            and objective.
        budgets: {objective: cost per round that is allowed}, positive. In an agent by name, of
            objectives that are minimised, in their unit. In a simulation by number: a reward of
            -0.001 is a cost of 0.001.
        horizon: the rounds that the budgets are for; None: the problem's, where it is known.
        step: eta, positive, in rewards per unit of cost. A large one needs a horizon: a price that
            jumps between its ends makes up for nothing that was overspent.
        largest: {objective: u}, a large cost of one round, such as the 99 % quantile of a log;
            None: the largest cost so far. Where that grows, lambda is scaled with it, so that the
            price per unit of cost stays what it was.
        start: {objective: price}, the first price of one unit of cost in what the recipe learns of
            other rewards, such as quality per dollar; it needs `largest`. None: 0.

    Raises:
        ValueError: where a parameter does not fit; on `bind`, where the recipe has no estimates per
            arm and objective, an objective is not there, or not minimised, or all have budgets.

    Reference:
        Agrawal and Devanur, "Linear contextual bandits with knapsacks", NIPS 2016, for prices that
        follow spending; the update is ours, chosen on prompts (docs/how-to/budgets.md), and no
        bound is proven for it.

    Example:
        >>> from mobandits.orders import Weighted
        >>> from mobandits.policies import MolUcb
        >>> recipe = Paced(MolUcb(scale=0.3, order=Weighted([1.0, 0.0])), {1: 0.001}, horizon=3000)
        >>> policy = recipe.bind(Shape(arms=3, features=2, objectives=2))
        >>> policy.explorer
        Charged(explorer=Ucb(radius=Constant(value=0.3)))
    """

    references: ClassVar[tuple[str, ...]] = ("agrawal2016",)
    traits: ClassVar[Traits] = Traits(
        context="as its recipe",
        beliefs="as its recipe",
        plays="its recipe, with costs at a price",
        log="as its recipe",
        part="as its recipe",
    )

    recipe: Recipe
    budgets: Mapping[Any, Any] | tuple[Any, ...]
    horizon: int | None = None
    step: float = 10.0
    largest: Mapping[Any, Any] | tuple[Any, ...] | None = None
    start: Mapping[Any, Any] | tuple[Any, ...] | None = None
    terms: ApplicationTerms | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the parameters; a class becomes a recipe, dictionaries tuples of pairs."""
        recipe = as_recipe(self.recipe, "Paced.recipe")
        budgets = pairs_of(self.budgets, "Paced.budgets")
        for objective, allowed in budgets:
            number(f"Paced.budgets[{quoted(objective)}]", allowed, above=0.0)
        if self.horizon is not None:
            integer("Paced.horizon", self.horizon, at_least=1)

        number("Paced.step", self.step, above=0.0)
        if self.largest is not None:
            largest = pairs_of(self.largest, "Paced.largest")
            with_budget = {objective for objective, _ in budgets}
            for objective, unit in largest:
                number(f"Paced.largest[{quoted(objective)}]", unit, above=0.0)
                if objective not in with_budget:
                    rule = "Paced.largest must be of objectives with a budget"
                    raise ValueError(f"{rule}, got {quoted(objective)}")

            object.__setattr__(self, "largest", largest)
        if self.start is not None:
            object.__setattr__(self, "start", self._checked_start())

        object.__setattr__(self, "recipe", recipe)
        object.__setattr__(self, "budgets", budgets)
        object.__setattr__(self, "accepts_partial", recipe.accepts_partial)

    def _checked_start(self) -> tuple[Any, ...]:
        start = pairs_of(self.start, "Paced.start")
        units = dict(self.largest or ())
        for objective, price in start:
            number(f"Paced.start[{quoted(objective)}]", price, at_least=0.0)
            # Prices are kept per large cost: without it the first price has no unit.
            if objective not in units:
                rule = "Paced.start must be of objectives that Paced.largest has"
                raise ValueError(f"{rule}, got {quoted(objective)}")

        return start

    def bind(self, shape: Shape) -> Policy:
        """The recipe's policy, with prices."""
        policy = self.recipe.bind(shape)
        return self._priced(policy, shape)

    def stages(self, shape: Shape) -> Iterator[Stage]:
        """The recipe's stages, each with prices of its own."""
        for stage in self.recipe.stages(shape):
            # A stage starts from scratch: what was spent before it is not counted.
            rounds = shape.rounds if stage.rounds is None else stage.rounds
            priced = self._priced(stage.policy, shape.replaced(rounds=rounds))
            yield Stage(priced, stage.rounds)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Those of the recipe."""
        return self.recipe.assumptions()

    def _priced(self, policy: Any, shape: Shape) -> Policy:
        # It refuses what has no estimates of several objectives.
        interval_explorer(policy, "Paced.recipe")
        require_own_beliefs(policy, "Paced.recipe")
        inner = composite(policy)
        if declares(policy, "BEGINS_ANEW"):
            raise ValueError("Paced.recipe must not be paced itself: give one all budgets")

        names = [objective for objective, _ in self.budgets]
        lines = cost_lines(self.terms, names, shape.objectives, "Paced.budgets")
        horizon = shape.rounds if self.horizon is None else self.horizon
        units = dict(self.largest or ())
        prices = dict(self.start or ())
        estimator = Priced(
            inner.estimator,
            objectives=[line.objective for line in lines],
            offsets=[line.offset for line in lines],
            slopes=[line.slope for line in lines],
            allowed=[allowed for _, allowed in self.budgets],
            units=[units.get(objective, 0.0) for objective, _ in self.budgets],
            first=[
                units.get(objective, 0.0) * prices.get(objective, 0.0)
                for objective, _ in self.budgets
            ],
            horizon=horizon or 0,
            step=self.step,
        )
        explorer = _charged(inner.explorer)
        priced: Policy = exchanged(policy, estimator=estimator, explorer=explorer)

        return priced


def _charged(explorer: Any) -> Any:
    """An explorer, charged where its beliefs are about several objectives."""
    if getattr(explorer, "ONE_COLUMN", False):
        inner = _charged(explorer.explorer)
        return dataclasses.replace(explorer, explorer=inner)
    return Charged(explorer)
