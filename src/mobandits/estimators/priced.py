"""An estimator that also keeps prices of costs, which rise while more is spent than is allowed.

Symbols: b the cost per round that is allowed, T the rounds that it is for, n the costs seen, S their
sum, u the unit of costs, lambda the price of one unit, eta the step.
"""

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, Ints, compiled
from mobandits.contracts.protocols import Array, Evidence, IntArray, Rng
from mobandits.contracts.states import Field, counts, state_fields


@state_fields(
    price=Field(("budgets",), low=0.0),
    spent=Field(("budgets",)),
    settled=counts("budgets", whole=True),
    largest=Field(("budgets",), low=0.0),
)
class PricedState(NamedTuple):
    """The estimator's state, and the prices that its costs have led to.

    There is no sum of two such states: prices depend on the order in which costs came.

    Attributes:
        model: the state of the estimator inside.
        price: (budgets,) lambda, of one unit of cost.
        spent: (budgets,) S.
        settled: (budgets,) n.
        largest: (budgets,) the largest cost, in absolute value.
    """

    model: Any
    price: Array
    spent: Array
    settled: Array
    largest: Array


@compiled
class Priced:
    """An estimator with a price per budget, which a dual rule moves with every cost that it learns.

    The cost of a reward r is c = -(offset + slope r). With

        rest = (T b - S) / (T - n)         while n < T, else b; b without a horizon
        lambda <- min(u / b, max(0, lambda + eta (c - rest) / u))
        S <- S + c,  n <- n + 1

    So the rule aims at what is left of the budget, and not at b: what was spent while arms were
    unknown is saved later. Costs may come late and apart from other rewards; those that are waited
    for are neither in S nor in n.

    Args:
        model: the estimator inside.
        objectives: (budgets,) the objective of each.
        offsets: (budgets,) of costs.
        slopes: (budgets,) of costs, positive.
        allowed: (budgets,) b, positive.
        units: (budgets,) u, such as a large cost of one round; 0: the largest one so far.
        first: (budgets,) the prices in the beginning.
        horizon: T; 0: not known.
        step: eta.

    Reference:
        The primal-dual method for bandits with knapsacks (Agrawal and Devanur, "Linear contextual
        bandits with knapsacks", NIPS 2016), whose prices follow spending; this update is ours.

    Example:
        >>> from mobandits.estimators import SampleMean
        >>> priced = Priced(
        ...     SampleMean(slots=2, objectives=2), [1], [0.0], [1.0], [0.5], [1.0], [0.0], 10, 10.0
        ... )
        >>> state = priced.update(priced.init(), np.empty(0), 0, np.array([1.0, -0.6]))
        >>> state.price.round(6).tolist(), state.spent.tolist()
        ([1.0], [0.6])
        >>> state = priced.update(state, np.empty(0), 1, np.array([1.0, -0.45]))
        >>> state.price.round(6).tolist()  # rest = 4.4 / 9
        [0.611111]
    """

    model: Any
    objectives: Ints
    offsets: Floats
    slopes: Floats
    allowed: Floats
    units: Floats
    first: Floats
    horizon: int
    step: float

    ORDERED: ClassVar[bool] = True  # prices are clipped on the way
    BEGINS_ANEW: ClassVar[bool] = True  # a retuned agent keeps `model`, and has other budgets

    def init(self) -> PricedState:
        """Nothing spent, and nothing priced."""
        model = self.model.init()
        budgets = len(self.allowed)
        price = np.copy(self.first)
        spent = np.zeros(budgets)
        settled = np.zeros(budgets)
        largest = np.zeros(budgets)

        return PricedState(model, price, spent, settled, largest)

    def mean(self, state: PricedState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) the means of the estimator inside."""
        mean: Array = self.model.mean(state.model, context, arms)
        return mean

    def width(self, state: PricedState, context: Array, arms: IntArray) -> Array:
        """(arms, grams) its widths."""
        width: Array = self.model.width(state.model, context, arms)
        return width

    def sample(
        self,
        state: PricedState,
        context: Array,
        arms: IntArray,
        draws: int,
        radius: Array,
        rng: Rng,
    ) -> Array:
        """(arms, objectives) as it samples."""
        sample: Array = self.model.sample(state.model, context, arms, draws, radius, rng)
        return sample

    def evidence(self, state: PricedState, context: Array, arms: IntArray) -> Evidence:
        """Its evidence."""
        evidence: Evidence = self.model.evidence(state.model, context, arms)
        return evidence

    def deviations(self, state: PricedState) -> Array:
        """(slots, objectives) the standard deviations that it estimates, where it does."""
        deviations: Array = self.model.deviations(state.model)
        return deviations

    def sizes(self, state: PricedState) -> Array:
        """(objectives,) the root mean squares of rewards that it estimates, where it does."""
        sizes: Array = self.model.sizes(state.model)
        return sizes

    def update(self, state: PricedState, x: Array, arm: int, reward: Array) -> PricedState:
        """Learn one reward (objectives,), NaN where it was not observed, and its costs."""
        for j in range(len(self.allowed)):
            observed = reward[self.objectives[j]]
            if math.isnan(observed):
                continue

            cost = -(self.offsets[j] + self.slopes[j] * observed)
            self.charge(state, j, cost)

        model = self.model.update(state.model, x, arm, reward)

        return PricedState(model, state.price, state.spent, state.settled, state.largest)

    def rest(self, state: PricedState, j: int) -> float:
        """The cost per round that budget j has left."""
        allowed: float = self.allowed[j]
        left: float = self.horizon - state.settled[j]
        if left <= 0.0:
            return allowed

        budget = self.horizon * allowed
        unspent: float = budget - state.spent[j]

        return unspent / left

    def charge(self, state: PricedState, j: int, cost: float) -> None:
        """Learn one cost of budget j."""
        before = self.unit(state, j)
        state.largest[j] = max(state.largest[j], abs(cost))
        unit = self.unit(state, j)
        # A larger unit is the same price per dollar.
        if before > 0.0:
            state.price[j] *= unit / before
        if unit > 0.0:
            excess = (cost - self.rest(state, j)) / unit
            price = state.price[j] + self.step * excess
            ceiling = unit / self.allowed[j]
            state.price[j] = min(ceiling, max(0.0, price))

        state.spent[j] += cost
        state.settled[j] += 1.0

    def unit(self, state: PricedState, j: int) -> float:
        """The unit of costs of budget j; 0 before it is known."""
        unit: float = self.units[j]
        if unit > 0.0:
            return unit

        largest: float = state.largest[j]

        return largest
