"""An estimator that also keeps prices of costs, which rise while more is spent than is allowed.

Symbols: b the cost per round that is allowed, n the rounds that it is for, t the costs learned, S
their sum, u a large cost, lambda the price of one unit of cost, eta the rate.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, Ints, compiled
from mobandits.contracts.protocols import Array, IntArray, Rng
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.contracts.terms import MOST_FACTOR
from mobandits.estimators.around_regression import AroundRegression

RATE = 0.02  # eta: prices after a log depend little on it, from 0.005 to 0.05
MOST_EXCESS = 50.0  # one bill moves a price by at most a factor e
LEAST_REST = 0.05  # of b: a budget that is nearly used up moves prices no faster than that
INTEGRAL = 0.005  # what holds the long run without a horizon: without it, 6 % are overspent
FLOOR = 0.003  # the least worth of a large cost, in rewards: a price of 0 would stay 0
CEILING = 1e5  # the largest worth of a large cost, so that prices stay finite
CAUTION = 2.0  # an arm may cost so many times what is predicted
LEAD = 0.015  # of what is allowed so far: without a horizon so much more may be spent
BILLS = 20.0  # large costs: once a budget has allowed more, the lead of one of them shrinks


@state_fields(
    price=Field(("budgets",), low=0.0, account=True),
    spent=Field(("budgets",), account=True),
    settled=counts("budgets", whole=True)._replace(account=True),
    large=Field(("budgets",), low=0.0, account=True),
    cheapest=Field(("budgets",), low=0.0, account=True),
    largest=Field(("budgets",), low=0.0),
    factor=Field(("arms", "budgets"), low=1.0 / MOST_FACTOR, high=MOST_FACTOR),
)
class PricedState(NamedTuple):
    """The estimator's state, and the prices that its costs have led to.

    There is no sum of two such states: prices depend on the order in which costs came.

    Attributes:
        model: the state of the estimator inside.
        price: (budgets,) lambda, of one unit of cost.
        spent: (budgets,) S, of the policy's own decisions.
        settled: (budgets,) t, likewise.
        large: (budgets,) u of a log; 0: the largest cost so far stands for it.
        cheapest: (budgets,) the mean cost of a log's cheapest arm; 0: what is predicted of the
            cheapest one stands for it.
        largest: (budgets,) the largest cost so far, in absolute value.
        factor: (arms, budgets) by which announcements have changed what an arm costs; the model
            learns costs as they were before.
    """

    model: Any
    price: Array
    spent: Array
    settled: Array
    large: Array
    cheapest: Array
    largest: Array
    factor: Array


@compiled
class Priced(AroundRegression):
    """An estimator with a price per budget, which a dual rule moves with every cost that it learns.

    The cost of a reward r is c = -(offset + slope r). With each cost

        lambda <- max(.003 / u, lambda exp(eta g)),    eta = .02

    With a horizon the rule aims at what is left of the budget, so that what was overspent is saved
    later; without one, a term of the sum of what was overspent holds the long run:

        g = min(50, c / max(rest / (n - t), b / 20) - 1),    rest = max(0, n b - S)
        g = min(50, c / b - 1) + .005 (S - t b) / b

    S and t include this cost. An arm of predicted cost c^ is not played, unless it is the cheapest,

        with a horizon     where 2 c^ > n b - S - (n - t - 1) min(cheapest, b)
        without one        where c^ > b and S + c^ > A + max(.015 A, u min(1, 20 u / A)), t > 0

    with A = (t + 1) b, which is allowed so far, so that a price that was too low in the beginning,
    as after a short log, leaves little debt. A factor never leaves the right scale, so that there
    is no unit to choose but that of the floor: rewards are about 1 apart. Costs may come late and
    apart from other rewards; those that are waited for are neither in S nor in t.

    With `violation` the price is that of what was overspent, which needs a horizon n:

        Q <- max(0, Q + c - b),    lambda = Phi'(Q) = exp(Q / (b sqrt n)) / (b sqrt n)

    and no arm is left out, so that policies keep positive probabilities. Q is not kept, since

        lambda <- max(1 / (b sqrt n), lambda exp((c - b) / (b sqrt n)))

    is the same. So a round of cost b is worth 1 / sqrt n in rewards in the beginning, and e times
    as much with each b sqrt n that is overspent; a large cost is worth 100,000 at most.

    Where an arm's costs have changed by an announced factor f, the model learns c / f, and what it
    estimates is multiplied by f, so that nothing need be learned anew. S and the price follow what
    is paid.

    Args:
        model: the estimator inside.
        objectives: (budgets,) the objective of each.
        offsets: (budgets,) of costs.
        slopes: (budgets,) of costs, positive.
        allowed: (budgets,) b, positive.
        first: (budgets,) the prices in the beginning; 0: the floor, or what a log says.
        horizon: n; 0: not known, or without an end.
        arms: K, which announced factors are for; slots of cells times arms count through the arms.
        violation: whether prices are those of what was overspent.

    Reference:
        Exponential weights on the dual of a budget, one of the cases of Balseiro, Lu and Mirrokni,
        "The best of many worlds: dual mirror descent for online allocation problems", 2020; what is
        left, the integral term and the limits are ours. The price of what was overspent is that of
        Sarkar and Sinha, 2026, rebuilt from the abstract.

    Example:
        >>> from mobandits.estimators import SampleMean
        >>> model = SampleMean(slots=2, objectives=2)
        >>> priced = Priced(model, [1], [0.0], [1.0], [0.5], [2.0], 10)
        >>> state = priced.update(priced.init(), np.empty(0), 0, np.array([1.0, -0.6]))
        >>> state.spent.tolist(), state.settled.tolist()
        ([0.6], [1.0])
        >>> state.price.round(6).tolist()  # rest = 4.4 / 9
        [2.009112]
    """

    model: Any
    objectives: Ints
    offsets: Floats
    slopes: Floats
    allowed: Floats
    first: Floats
    horizon: int
    arms: int = 1
    violation: bool = False

    ORDERED = True  # prices are clipped on the way
    BEGINS_ANEW = True  # a retuned agent keeps `model`, and has other budgets

    def init(self) -> PricedState:
        """Nothing spent, and nothing priced."""
        model = self.model.init()
        budgets = len(self.allowed)
        price = np.copy(self.first)
        spent = np.zeros(budgets)
        settled = np.zeros(budgets)
        large = np.zeros(budgets)
        cheapest = np.zeros(budgets)
        largest = np.zeros(budgets)
        factor = np.ones((self.arms, budgets))

        return PricedState(model, price, spent, settled, large, cheapest, largest, factor)

    def mean(self, state: PricedState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) the means of the estimator inside, with costs as announced."""
        mean: Array = self.model.mean(state.model, context, arms)
        self.announce(state, arms, mean)
        return mean

    def width(self, state: PricedState, context: Array, arms: IntArray) -> Array:
        """(arms, grams) its widths; those of costs as announced where objectives have their own."""
        width: Array = self.model.width(state.model, context, arms)
        if width.shape[1] > 1:
            for j in range(len(self.allowed)):
                for a in range(len(arms)):
                    width[a, self.objectives[j]] *= state.factor[arms[a] % self.arms, j]

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
        """(arms, objectives) as it samples, with costs as announced."""
        sample: Array = self.model.sample(state.model, context, arms, draws, radius, rng)
        self.announce(state, arms, sample)
        return sample

    def update(self, state: PricedState, x: Array, arm: int, reward: Array) -> PricedState:
        """Learn one reward (objectives,), NaN where it was not observed, and its costs."""
        for j in range(len(self.allowed)):
            cost = self.cost(j, reward)
            if not math.isnan(cost):
                self.charge(state, j, cost)

        at_first = self.at_first(state, arm, reward)
        model = self.model.update(state.model, x, arm, at_first)

        return PricedState(
            model,
            state.price,
            state.spent,
            state.settled,
            state.large,
            state.cheapest,
            state.largest,
            state.factor,
        )

    def at_first(self, state: PricedState, arm: int, reward: Array) -> Array:
        """(objectives,) a reward of an arm as if its costs were those before all announcements."""
        at_first = np.copy(reward)
        for j in range(len(self.allowed)):
            factor = state.factor[arm % self.arms, j]
            # Else roundings would change rewards of arms whose costs never changed.
            if factor != 1.0:
                cost = self.cost(j, reward) / factor
                at_first[self.objectives[j]] = -(self.offsets[j] + cost) / self.slopes[j]

        return at_first

    def announce(self, state: PricedState, arms: IntArray, rewards: Array) -> None:
        """Turn rewards (arms, objectives) into those at the costs that were announced, in place."""
        for j in range(len(self.allowed)):
            for a in range(len(arms)):
                factor = state.factor[arms[a] % self.arms, j]
                if factor != 1.0:
                    cost = self.cost(j, rewards[a]) * factor
                    objective = self.objectives[j]
                    rewards[a, objective] = -(self.offsets[j] + cost) / self.slopes[j]

    def cost(self, j: int, reward: Array) -> float:
        """The cost of a reward (objectives,) in budget j, in its own unit."""
        cost: float = -(self.offsets[j] + self.slopes[j] * reward[self.objectives[j]])
        return cost

    def charge(self, state: PricedState, j: int, cost: float) -> None:
        """Learn one cost of budget j."""
        state.largest[j] = max(state.largest[j], abs(cost))
        state.spent[j] += cost
        state.settled[j] += 1.0
        before = self.price(state, j)
        if self.violation:
            above = cost / self.allowed[j] - 1.0
            step = above / math.sqrt(self.horizon)
            # Which leads from the least price to the largest one, and is no infinite factor.
            bounded_step = min(MOST_EXCESS, max(-MOST_EXCESS, step))
            state.price[j] = before * math.exp(bounded_step)
            return

        excess = self.excess(state, j, cost)
        # Also below: what was saved in a long time may not empty a price at once.
        bounded = min(MOST_EXCESS, max(-MOST_EXCESS, excess))
        state.price[j] = before * math.exp(RATE * bounded)

    def excess(self, state: PricedState, j: int, cost: float) -> float:
        """g, how far a cost was above what was allowed for it, in units of that."""
        allowed = self.allowed[j]
        settled = state.settled[j]
        left = self.horizon - settled
        if left > 0.0:
            rest = max(0.0, self.budget_left(state, j))
            aim = max(rest / left, LEAST_REST * allowed)
            above: float = min(MOST_EXCESS, cost / aim - 1.0)
            return above

        above = min(MOST_EXCESS, cost / allowed - 1.0)
        if self.horizon == 0:
            overspent = state.spent[j] - settled * allowed
            above += INTEGRAL * overspent / allowed

        return above

    def budget_left(self, state: PricedState, j: int) -> float:
        """What is left of budget j, which has a horizon; negative where it is overspent."""
        budget = self.horizon * self.allowed[j]
        left: float = budget - state.spent[j]
        return left

    def unit(self, state: PricedState, j: int) -> float:
        """u, a large cost of budget j; 0 before one is known."""
        large: float = state.large[j]
        if large > 0.0:
            return large

        largest: float = state.largest[j]

        return largest

    def price(self, state: PricedState, j: int) -> float:
        """The price of one unit of cost of budget j, within its limits."""
        price: float = state.price[j]
        unit = self.unit(state, j)
        if self.violation:
            # Not by a quotient of the limit, which of the smallest costs is infinite.
            if price * unit > CEILING:
                price = CEILING / unit

            least: float = 1.0 / (self.allowed[j] * math.sqrt(self.horizon))
            return max(least, price)

        if unit > 0.0:
            price = min(CEILING / unit, max(FLOOR / unit, price))

        return price

    def is_beyond(self, state: PricedState, j: int, cost: float, cheapest: float) -> bool:
        """Whether an arm costs too much for what is left of budget j, or was allowed so far.

        Args:
            state: now.
            j: the budget.
            cost: what the arm is predicted to cost, at least 0.
            cheapest: what the cheapest arm is.
        """
        # Who pays what was overspent is never barred: every arm keeps its probability.
        if self.violation:
            return False
        if self.horizon == 0:
            return self.is_ahead(state, j, cost)

        left = self.horizon - state.settled[j]
        if left < 1.0:
            return False

        # Every later round must find enough for the cheapest arm, or for its own share.
        share = cheapest
        if state.cheapest[j] > 0.0:
            share = state.cheapest[j]

        kept = (left - 1.0) * min(share, self.allowed[j])
        room = self.budget_left(state, j) - kept

        is_beyond: bool = CAUTION * cost > room

        return is_beyond

    def is_ahead(self, state: PricedState, j: int, cost: float) -> bool:
        """Whether an arm's cost would take a budget without a horizon too far ahead of its rounds."""
        rounds = state.settled[j]
        # Before the first bill, what a log says of the price is all there is.
        if rounds == 0.0 or cost <= self.allowed[j]:
            return False

        allowed = (rounds + 1.0) * self.allowed[j]
        unit = self.unit(state, j)
        part = min(1.0, BILLS * unit / allowed)
        lead = max(LEAD * allowed, part * unit)
        is_ahead: bool = state.spent[j] + cost > allowed + lead

        return is_ahead
