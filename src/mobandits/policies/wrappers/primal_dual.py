"""PrimalDual: budgets by the primal-dual algorithm for linear bandits with knapsacks.

Symbols: those of `primal_dual_policy`, and J the number of budgets, epsilon the rate.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mobandits.contracts.composition import composite
from mobandits.contracts.protocols import Array, Assumption, Recipe, Shape, Stage, Traits
from mobandits.contracts.states import declares
from mobandits.contracts.terms import ApplicationTerms
from mobandits.orders import Weighted
from mobandits.policies.wrappers.budget_terms import cost_lines
from mobandits.policies.wrappers.intervals import interval_explorer
from mobandits.policies.wrappers.own_terms import as_recipe, pairs_of
from mobandits.policies.wrappers.primal_dual_policy import PrimalDualPolicy
from mobandits.support.checks import integer, number
from mobandits.support.naming import quoted


@dataclass(frozen=True)
class PrimalDual(Recipe):
    """A recipe with a weighted order, within budgets for a known number of rounds: linCBwK.

    The first ceil(sqrt(T)) rounds are played uniformly. Then the recipe's order decides on what it
    believes of an arm's reward in every objective without a budget, less

        sum_j lambda_j max(0, optimistic cost of the arm in j),    lambda_j = zeta theta_j / b_j

    A dual player, who gains from what is overspent, sets theta by multiplicative weights over the J
    budgets and nothing:

        theta_j = w_j / (1 + sum_i w_i),    w_j = exp(epsilon beta sum_t (c_j(t) - b_j) / b_j)

    with beta = min_j b_j / u_j, so that no term is far from [-1, 1], and epsilon =
    sqrt(ln(J + 1) / T). Costs count when they are learned, also late. zeta = Z beta is what stands
    for the paper's Z: at least the reward per round that the budgets can buy, OPT / T, and not much
    more. By weak duality OPT / T is for every price z at most

        J z + mean over rounds of max_a (g(a) - z sum_j c_j(a) / b_j),    g = sum_l w_l r_l / W

    with the order's weights w, and W the sum of those without a budget. Its least value over z =
    R, R/2, R/4, ... down to R beta, for the contexts of the first rounds and the means that were
    estimated in them, is doubled and kept within [R beta, R]. (Where arms have rows of their own,
    the best row seen stands for the best arm of a round.)

    Once a budget is used up, the algorithm stops. Here the arms with the least estimated cost in
    it are left, as those of `Within` that break a limit least, and an agent's decision has
    `all_break` set. An order that should look at quality alone says so: `Weighted([1, 0])`.

    The bound, of order (OPT / B + 1) sqrt(T) with B = T beta, asks for B above sqrt(T): prices
    begin in the middle of their range, and need about 1 / epsilon large costs to move by a factor
    e. Where a budget holds fewer of them, most of it is left over in the end; `rate=1` spends it,
    without a proof (docs/how-to/budgets.md has both beside `Paced`).

    Args:
        recipe: such as `MolUcb(scale=0.3, order=Weighted([1.0, 0.0]))`: an estimator, an explorer
            and a `Weighted` order.
        budgets: {objective: cost per round that is allowed}, b, positive. In an agent by name, of
            objectives that are minimised, in their unit. In a simulation by number: a reward of
            -0.001 is a cost of 0.001.
        largest: {objective: u}, a large cost of one round, of every budget.
        horizon: T, the rounds that the budgets are for; None: the problem's.
        reward: R, the largest g of a round, as the recipe learns it: 1 for an objective with a
            range in an agent. Rewards should be at least 0.
        rate: epsilon; None: the theory's.

    Raises:
        ValueError: where a parameter does not fit; on `bind`, where the recipe is no estimator,
            explorer and `Weighted` order, the horizon is not known, an objective is not there, or
            not minimised, or none with a weight is without a budget.

    Reference:
        Agrawal and Devanur, "Linear contextual bandits with knapsacks", NIPS 2016. Only its
        abstract was at hand: the update, how Z is estimated, and what is played once a budget is
        used up are rebuilt.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> quality = MolUcb(scale=0.3, order=Weighted([1.0, 0.0]))
        >>> recipe = PrimalDual(quality, {1: 0.25}, largest={1: 1.0}, horizon=10_000)
        >>> policy = recipe.bind(Shape(arms=3, features=2, objectives=2, shared=True))
        >>> policy.explored, round(policy.rate, 6), policy.trials.tolist()
        (100, 0.008326, [1.0, 0.5, 0.25])
        >>> policy.prices(policy.init()).tolist()
        [2.0]
    """

    references: ClassVar[tuple[str, ...]] = ("agrawal2016",)
    traits: ClassVar[Traits] = Traits(
        context="as its recipe",
        beliefs="as its recipe",
        plays="any arm at first, then its recipe, with costs at a price",
        log="as its recipe",
        horizon="yes",
        part="as its recipe",
    )

    recipe: Recipe
    budgets: Mapping[Any, Any] | tuple[Any, ...]
    largest: Mapping[Any, Any] | tuple[Any, ...]
    horizon: int | None = None
    reward: float = 1.0
    rate: float | None = None
    terms: ApplicationTerms | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the parameters; a class becomes a recipe, dictionaries tuples of pairs."""
        recipe = as_recipe(self.recipe, "PrimalDual.recipe")
        budgets = pairs_of(self.budgets, "PrimalDual.budgets")
        for objective, allowed in budgets:
            number(f"PrimalDual.budgets[{quoted(objective)}]", allowed, above=0.0)

        largest = pairs_of(self.largest, "PrimalDual.largest")
        for objective, large in largest:
            number(f"PrimalDual.largest[{quoted(objective)}]", large, above=0.0)

        with_budget = {objective for objective, _ in budgets}
        if {objective for objective, _ in largest} != with_budget:
            rule = "PrimalDual.largest must have the objectives of PrimalDual.budgets"
            raise ValueError(f"{rule}, got {quoted(dict(largest))}")

        if self.horizon is not None:
            integer("PrimalDual.horizon", self.horizon, at_least=1)
        number("PrimalDual.reward", self.reward, above=0.0)
        if self.rate is not None:
            number("PrimalDual.rate", self.rate, above=0.0)

        object.__setattr__(self, "recipe", recipe)
        object.__setattr__(self, "budgets", budgets)
        object.__setattr__(self, "largest", largest)
        object.__setattr__(self, "accepts_partial", recipe.accepts_partial)

    def bind(self, shape: Shape) -> PrimalDualPolicy:
        """The recipe's policy, with the dual player."""
        policy = self.recipe.bind(_without_tables(shape))
        return self._priced(policy, shape)

    def stages(self, shape: Shape) -> Iterator[Stage]:
        """The recipe's stages, each with a dual player of its own."""
        for stage in self.recipe.stages(_without_tables(shape)):
            # A stage starts from scratch: what was spent before it is not counted.
            rounds = shape.rounds if stage.rounds is None else stage.rounds
            priced = self._priced(stage.policy, shape.replaced(rounds=rounds))
            yield Stage(priced, stage.rounds)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Those of the recipe."""
        return self.recipe.assumptions()

    def _priced(self, policy: Any, shape: Shape) -> PrimalDualPolicy:
        _require_parts(policy)
        names = [objective for objective, _ in self.budgets]
        lines = cost_lines(self.terms, names, shape.objectives, "PrimalDual.budgets")
        objectives = [line.objective for line in lines]
        large = dict(self.largest)
        allowed = [each for _, each in self.budgets]
        tightest = min(each / large[objective] for objective, each in self.budgets)
        horizon = shape.rounds if self.horizon is None else self.horizon
        if horizon is None:
            raise ValueError("PrimalDual.horizon must be known, got None")

        rate = self.rate
        if rate is None:
            rate = math.sqrt(math.log(len(lines) + 1) / horizon)

        # A bound over arms needs the rows of one round: with one model they are what tells arms
        # apart, with one per arm all share the row.
        own_rows = shape.features > 0 and not shape.shared

        return PrimalDualPolicy(
            policy,
            objectives=objectives,
            offsets=[line.offset for line in lines],
            slopes=[line.slope for line in lines],
            allowed=allowed,
            large=[large[objective] for objective, _ in self.budgets],
            weights=_weights_of(policy.order, objectives),
            reward=self.reward,
            horizon=horizon,
            rate=rate,
            explored=math.ceil(math.sqrt(horizon)),
            trials=_trial_prices(self.reward, tightest),
            own_rows=own_rows,
            arms=shape.arms,
            features=shape.features,
        )


def _without_tables(shape: Shape) -> Shape:
    # Rows of the first rounds are compared as rows, and not as arms of a table.
    return shape.replaced(fixed_arms=None)


def _require_parts(policy: Any) -> None:
    """Refuse a policy that is no estimator, explorer of all objectives and `Weighted` order.

    Raises:
        ValueError: naming what it is.
    """
    interval_explorer(policy, "PrimalDual.recipe")
    name = type(policy).__name__
    if composite(policy) is not policy:
        rule = "PrimalDual.recipe must bind to an estimator, an explorer and an order"
        raise ValueError(f"{rule}; wrappers go around PrimalDual, got {name}")
    if declares(policy, "BEGINS_ANEW"):
        raise ValueError("PrimalDual.recipe must have no budgets of its own: give one all budgets")
    if getattr(policy.explorer, "ONE_COLUMN", False) or hasattr(policy.estimator, "links"):
        rule = "PrimalDual.recipe must believe in the mean rewards of every objective"
        raise ValueError(f"{rule}, got {quoted(policy.explorer)}")
    if not isinstance(policy.order, Weighted):
        rule = "PrimalDual.recipe must have an order such as Weighted([1, 0])"
        raise ValueError(f"{rule}, got {quoted(policy.order)}")


def _weights_of(order: Weighted, objectives: list[int]) -> Array:
    """(objectives,) the weights of the reward that a charge is taken from."""
    weights = order.weights
    charged = np.delete(weights, objectives).sum()
    if charged <= 0.0:
        rule = "PrimalDual.budgets must leave an objective with a weight without a budget"
        raise ValueError(f"{rule}, got {quoted(objectives)} and the weights {weights.tolist()}")

    reward: Array = weights / charged

    return reward


def _trial_prices(reward: float, tightest: float) -> list[float]:
    """The prices reward / 2^k down to reward times the tightest budget, which may be above 1."""
    halvings = max(0, math.ceil(-math.log2(tightest)))
    return [reward / 2.0**k for k in range(halvings + 1)]
