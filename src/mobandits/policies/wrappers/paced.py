"""Paced: any policy with budgets, by prices of costs that follow what was spent.

Symbols: b the cost per round that is allowed, lambda the price of one unit of cost, u a large cost,
n the rounds of the budget, t the costs learned, eta the rate.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from typing import Any, Literal

from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.protocols import (
    LoggedRounds,
    Policy,
    Recipe,
    Shape,
)
from mobandits.contracts.states import declares
from mobandits.contracts.terms import ApplicationTerms, CostFactors
from mobandits.estimators import Priced
from mobandits.explorers import Charged
from mobandits.policies.wrappers.around import (
    AS_ITS_RECIPE,
    AroundRecipe,
    interval_explorer,
    require_own_beliefs,
)
from mobandits.policies.wrappers.first_prices import first_prices, priced_state
from mobandits.policies.wrappers.gap_weighted import GapWeightedPolicy
from mobandits.policies.wrappers.own_terms import cost_lines, line_fields, pairs_of
from mobandits.support.checks import choice, integer, number
from mobandits.support.naming import quoted, wrong_value


@dataclass(frozen=True)
class Paced(AroundRecipe):
    """Any recipe with budgets per round: costs have prices, which its order's other rewards pay.

    Every budget j has a price lambda_j > 0. From what the recipe believes of an arm's reward in
    every objective without a budget, Paced takes

        sum_j lambda_j max(0, estimated cost of the arm in j)

    and the recipe's order decides on the rest, so that draws and exact probabilities stay what they
    are. A model that has learned fewer than 20 costs is charged the optimistic end of its interval,
    where the recipe has intervals. With every cost c that is learned, also late,

        lambda_j <- max(.003 / u_j, lambda_j exp(.02 g))

    where g says how far c was above what is left per round, with a horizon, or above b_j and what
    was overspent before, without one (`estimators.Priced` has it in full). With a horizon, an arm
    is no longer played once twice its estimated cost would leave too little for later rounds. Without
    one, an arm that costs more than b_j waits where it would take what was spent above what the
    rounds so far allow by more than 1.5 %, and by more than a large cost, or a part of one once a
    budget has allowed twenty. The cheapest arm may always be played.

    **The first price is found on a log.** When an agent learns one by `learn_log`, or is retuned to
    Paced with one at hand, it looks for the price at which what it would play spends the budget: by
    doubly robust estimates of five folds, each by a model of the others. What a log teaches uses up
    neither horizon nor budget. From nothing, prices begin at their floor, so that the dear arms are
    played as often as the budget allows until prices have risen.

    An order that should look at quality alone says so, such as `Pareto(on=[0])` or
    `Weighted([1, 0])`: costs keep their place in the beliefs. Rewards that are paid with should be
    about 1 apart, as those of an objective with a range are: a large cost is always worth .003.
    Costs with budgets need no range, whose worst end is far above a small cost.

    **`price="violation"`** prices what was overspent, over a known horizon of n rounds:

        Q <- max(0, Q + c - b),    lambda = Phi'(Q) = exp(Q / (b sqrt n)) / (b sqrt n)

    Around `GapWeighted` every arm keeps a known, positive probability, since no arm is barred. A
    price is in rewards, as they are learned, per unit of cost: what a round may spend, b, is worth
    1 / sqrt n of them in the beginning, and e times as much with each b sqrt n that is overspent.
    So rewards should be about 1 apart here too. Where b is worth L rewards at the price that keeps
    the budget, about b sqrt(n) ln(L sqrt n) is overspent in the end. Where L is below 1 / sqrt n,
    the least price is too high already, and a part of the budget is left over.

    A new price list is announced by `Agent.reprice(arm, factor)`: what is predicted of the arm's cost
    changes at once, and nothing is learned anew.

    In an agent set the preference before `learn_log`: the first price is that of the order.
    docs/how-to/budgets.md says when to take Paced, and when `PrimalDual`.

    Args:
        recipe: after a log such as `DriftAlarm(MolEpsGreedy(epsilon=0, penalty=10, intercept=30))`, or
            `MolUcb(scale=0.3, order=Weighted([1.0, 0.0]))`; it needs estimates per arm and
            objective.
        budgets: {objective: cost per round that is allowed}, positive. In an agent by name, of
            objectives that are minimised, in their unit. In a simulation by number: a reward of
            -0.001 is a cost of 0.001.
        horizon: the rounds that the budgets are for; None: the problem's, where it is known.
        start: {objective: price}, the first price of one unit of cost in what the recipe learns of
            other rewards, such as quality per dollar; None: that of the log.
        price: "left": by what is left of the budget, as above; or "violation".
        step: withdrawn.
        largest: withdrawn.

    Raises:
        ValueError: where a parameter does not fit; on `bind`, where the recipe has no estimates per
            arm and objective, an objective is not there, or not minimised, or all have budgets, or
            the horizon is not known with `price="violation"`.

    Reference:
        Balseiro, Lu and Mirrokni, "The best of many worlds: dual mirror descent for online
        allocation problems", 2020, for prices that are multiplied (only its abstract was at hand);
        Agrawal and Devanur, "Linear contextual bandits with knapsacks", NIPS 2016, for prices in
        bandits. What is left, the first price and the limits are ours; no bound is proven for them.
        Sarkar and Sinha, "A simple reduction scheme for constrained contextual bandits with
        adversarial contexts via regression", 2026, for "violation", rebuilt from its abstract.

    Example:
        >>> from mobandits.orders import Weighted
        >>> from mobandits.policies import MolUcb
        >>> recipe = Paced(MolUcb(scale=0.3, order=Weighted([1.0, 0.0])), {1: 0.001}, horizon=3000)
        >>> policy = recipe.bind(Shape(arms=3, features=2, objectives=2))
        >>> policy.explorer
        Charged(explorer=Ucb(radius=Constant(value=0.3)))
    """

    references = ("balseiro2020", "agrawal2016", "sarkar2026")
    traits = AS_ITS_RECIPE._replace(plays="its recipe, with costs at a price")

    recipe: Recipe
    budgets: Mapping[Any, Any] | tuple[Any, ...]
    horizon: int | None = None
    start: Mapping[Any, Any] | tuple[Any, ...] | None = None
    price: Literal["left", "violation"] = "left"
    terms: ApplicationTerms | None = field(default=None, init=False, repr=False, compare=False)
    step: InitVar[Any] = None
    largest: InitVar[Mapping[Any, Any] | None] = None

    def __post_init__(self, step: Any, largest: Any) -> None:
        """Check the parameters; a class becomes a recipe, dictionaries tuples of pairs."""
        for name, value in (("step", step), ("largest", largest)):
            if value is not None:
                raise wrong_value(
                    f"Paced.{name} must be left out: prices are multiplied, and need no unit", value
                )

        self.take_recipe()
        budgets = pairs_of(self.budgets, "Paced.budgets")
        for objective, allowed in budgets:
            number(f"Paced.budgets[{quoted(objective)}]", allowed, above=0.0)
        if self.horizon is not None:
            integer("Paced.horizon", self.horizon, at_least=1)
        choice("Paced.price", self.price, ("left", "violation"))

        object.__setattr__(self, "budgets", budgets)
        if self.start is not None:
            object.__setattr__(self, "start", self._checked_start())

    def _checked_start(self) -> tuple[Any, ...]:
        start = pairs_of(self.start, "Paced.start")
        with_budget = {objective for objective, _ in self.budgets}
        for objective, price in start:
            number(f"Paced.start[{quoted(objective)}]", price, above=0.0)
            if objective not in with_budget:
                raise wrong_value("Paced.start must be of objectives with a budget", objective)

        return start

    def first_prices(
        self, policy: Policy, rounds: LoggedRounds, state: Any | None = None
    ) -> Any | None:
        """What a log says of the prices, to begin with; see `contracts.terms.first_prices`."""
        return first_prices(policy, rounds, state)

    def cost_factors(self, policy: Policy, state: Any) -> CostFactors:
        """The announced factors of costs; see `contracts.terms.cost_factors`."""
        objectives = tuple(composite(policy).estimator.objectives.tolist())
        priced = priced_state(state)
        return CostFactors(objectives, priced.factor, priced.cheapest)

    def around(self, policy: Any, shape: Shape) -> Policy:
        """The recipe's policy, with prices of its own: what was spent before is not counted."""
        # It refuses what has no estimates of several objectives.
        interval_explorer(policy, "Paced.recipe")
        weighs_gaps = isinstance(policy, GapWeightedPolicy)
        if not weighs_gaps:
            require_own_beliefs(policy, "Paced.recipe")

        inner = composite(policy)
        if declares(policy, "BEGINS_ANEW"):
            raise ValueError("Paced.recipe must not be paced itself: give one all budgets")

        names = [objective for objective, _ in self.budgets]
        lines = cost_lines(self.terms, names, shape.objectives, "Paced.budgets")
        horizon = shape.rounds if self.horizon is None else self.horizon
        is_violation = self.price == "violation"
        if is_violation and not horizon:
            raise ValueError(f'Paced.horizon must be known with price="violation", got {horizon}')

        prices = dict(self.start or ())
        estimator = Priced(
            inner.estimator,
            **line_fields(lines),
            allowed=[allowed for _, allowed in self.budgets],
            first=[prices.get(objective, 0.0) for objective, _ in self.budgets],
            horizon=horizon or 0,
            arms=shape.arms,
            violation=is_violation,
        )
        explorer = _charged(inner.explorer)
        priced: Any = exchanged(policy, estimator=estimator, explorer=explorer)
        if weighs_gaps:
            # It compares estimates of its own, which are charged in their turn.
            compared = Charged(priced.explorer)
            priced = dataclasses.replace(priced, explorer=compared)

        paced: Policy = priced
        return paced


def _charged(explorer: Any) -> Any:
    """An explorer, charged where its beliefs are about several objectives."""
    if getattr(explorer, "ONE_COLUMN", False):
        inner = _charged(explorer.explorer)
        return dataclasses.replace(explorer, explorer=inner)
    return Charged(explorer)
