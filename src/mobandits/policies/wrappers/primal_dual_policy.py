"""The policy of `PrimalDual`: an optimistic policy whose costs have the prices of a dual player.

Symbols: b_j the cost per round that budget j allows, u_j a large cost of one round, T the rounds,
S_j the costs so far, n_j how many they are, g the reward, theta the weights of the dual player,
zeta what the budgets of one round can buy.
"""

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, Ints, compiled
from mobandits.contracts.notes import Note, NotesNothing
from mobandits.contracts.protocols import Array, Beliefs, Choice, IntArray, Rng
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.numerics.linalg import copy_into


@state_fields(
    spent=Field(("budgets",), account=True),
    observed=counts("objectives", whole=True)._replace(account=True),
    rows=Field(("explored", "features"), account=True),
    worth=Field(("one",), low=0.0, account=True),
    terms=Field(("terms",)),
)
class PrimalDualState(NamedTuple):
    """The inner policy's state, what was spent, and the contexts of the first rounds.

    There is no sum of two such states: zeta rests on the rounds that came first.

    Attributes:
        model: the state of the policy inside.
        spent: (budgets,) S.
        observed: (objectives,) the rewards observed; of an objective with budget j it is n_j.
        rows: (rounds that explore, features) the context rows of the arms played in them.
        worth: (1,) zeta.
        terms: the objectives, budgets and large costs, which never change: sums under other ones
            are not taken for these.
    """

    model: Any
    spent: Array
    observed: Array
    rows: Array
    worth: Array
    terms: Array


class PrimalDualBeliefs(NamedTuple):
    """The inner policy's beliefs, and what its order decides on.

    Attributes:
        beliefs: of the policy inside.
        mean: their means.
        charged: the same, less the price of costs.
        uniform: the positions that are played with equal probability; none: the order decides.
    """

    beliefs: Beliefs
    mean: Array
    charged: Beliefs
    uniform: IntArray


@compiled
class PrimalDualPolicy(NotesNothing):
    """An inner policy's choice at the prices zeta theta_j / b_j of costs; see `PrimalDual`.

    Args:
        policy: the policy inside: an estimator, an explorer and an order.
        objectives: (budgets,) the objective of each.
        offsets: (budgets,) of costs -(offset + slope r).
        slopes: (budgets,) of costs, positive.
        allowed: (budgets,) b, positive.
        large: (budgets,) u, positive.
        weights: (objectives,) of the reward g, which add up to 1 over objectives without a budget.
        reward: the largest g of a round.
        horizon: T.
        rate: of the dual player.
        explored: the rounds that explore.
        trials: (prices,) the prices that zeta is sought among.
        own_rows: whether arms have rows of their own, and one model for all.
        arms: how many there are.
        features: the length of a context row.
    """

    policy: Any
    objectives: Ints
    offsets: Floats
    slopes: Floats
    allowed: Floats
    large: Floats
    weights: Floats
    reward: float
    horizon: int
    rate: float
    explored: int
    trials: Floats
    own_rows: bool
    arms: int
    features: int

    PASSES_BELIEFS: ClassVar[bool] = True
    EASES_LIMITS: ClassVar[bool] = True  # where a budget is used up
    ORDERED: ClassVar[bool] = True  # zeta rests on the first rounds
    BEGINS_ANEW: ClassVar[bool] = True  # a retuned agent keeps `model`, and has other budgets

    def init(self) -> PrimalDualState:
        """Nothing spent; zeta is the largest reward, which no budget can exceed."""
        model = self.policy.init()
        budgets = len(self.allowed)
        spent = np.zeros(budgets)
        observed = np.zeros(len(self.weights))
        rows = np.zeros((self.explored, self.features))
        worth = np.full(1, self.reward)

        return PrimalDualState(model, spent, observed, rows, worth, self.terms())

    def terms(self) -> Array:
        """The objectives, budgets and large costs, one after the other."""
        budgets = len(self.allowed)
        terms = np.empty(3 * budgets)
        for j in range(budgets):
            first = 3 * j
            terms[first] = self.objectives[j]
            terms[first + 1] = self.allowed[j]
            terms[first + 2] = self.large[j]

        return terms

    def bounds(
        self, explorer: Any, state: PrimalDualState, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """The inner policy's."""
        bounds: Beliefs = self.policy.bounds(explorer, state.model, context, arms, rng)
        return bounds

    def eases(self, state: PrimalDualState, context: Array, arms: IntArray, rng: Rng) -> bool:
        """Whether a budget is used up, so that the cheapest arms are left."""
        return self.is_used_up(state)

    def is_used_up(self, state: PrimalDualState) -> bool:
        """Whether nothing is left of a budget."""
        used_up = False
        for j in range(len(self.allowed)):
            used_up |= state.spent[j] >= self.horizon * self.allowed[j]

        return used_up

    def beliefs(
        self, state: PrimalDualState, context: Array, arms: IntArray, rng: Rng
    ) -> PrimalDualBeliefs:
        """The inner policy's, charged, and which arms are played whatever the order says."""
        believed = self.policy.beliefs(state.model, context, arms, rng)
        charged = self.charged(state, believed)
        settled = state.observed[self.objectives[0]]
        uniform = np.empty(0, np.int64)
        if self.is_used_up(state):
            estimator = self.policy.estimator
            mean = estimator.mean(state.model, context, arms)
            uniform = self.cheapest(state, mean)
        elif settled < self.explored:
            uniform = np.arange(len(arms))

        return PrimalDualBeliefs(believed, believed.mean, charged, uniform)

    def charged(self, state: PrimalDualState, believed: Beliefs) -> Beliefs:
        """The beliefs, less the price of the optimistic costs of each arm."""
        count, objectives = believed.mean.shape
        prices = self.prices(state)
        mean = np.empty((count, objectives))
        low = np.empty((count, objectives))
        high = np.empty((count, objectives))
        for a in range(count):
            charge = 0.0
            for j in range(len(prices)):
                cost = self.cost(j, believed.high[a])
                # An arm about which nothing is known may cost nothing. Nothing is paid to arms.
                if cost > 0.0:
                    charge += prices[j] * cost

            for l in range(objectives):
                shift = 0.0 if self.has_budget(l) else charge
                mean[a, l] = believed.mean[a, l] - shift
                low[a, l] = believed.low[a, l] - shift
                high[a, l] = believed.high[a, l] - shift

        return Beliefs(mean, low, high)

    def prices(self, state: PrimalDualState) -> Array:
        """(budgets,) zeta theta_j / b_j, of a unit of each cost."""
        budgets = len(self.allowed)
        exponents = np.empty(budgets)
        largest = 0.0  # that of the weight which no budget has
        tightest = self.tightest()
        for j in range(budgets):
            settled = state.observed[self.objectives[j]]
            excess = state.spent[j] - settled * self.allowed[j]
            exponents[j] = self.rate * excess * tightest / self.allowed[j]
            largest = max(largest, exponents[j])

        # Less the largest exponent, since powers may be too large for a number.
        total = math.exp(-largest)
        for j in range(budgets):
            exponents[j] = math.exp(exponents[j] - largest)
            total += exponents[j]

        prices = np.empty(budgets)
        for j in range(budgets):
            theta = exponents[j] / total
            prices[j] = state.worth[0] * theta / self.allowed[j]

        return prices

    def tightest(self) -> float:
        """The smallest b_j / u_j: the budget of one round in large costs."""
        tightest = math.inf
        for j in range(len(self.allowed)):
            tightest = min(tightest, self.allowed[j] / self.large[j])

        return tightest

    def cost(self, j: int, rewards: Array) -> float:
        """The cost of rewards (objectives,) in budget j, in its own unit."""
        reward = rewards[self.objectives[j]]
        cost: float = -(self.offsets[j] + self.slopes[j] * reward)
        return cost

    def has_budget(self, objective: int) -> bool:
        """Whether an objective has a budget: costs are not charged for themselves."""
        has_budget = False
        for j in range(len(self.objectives)):
            has_budget |= self.objectives[j] == objective

        return has_budget

    def cheapest(self, state: PrimalDualState, mean: Array) -> IntArray:
        """The positions of the arms with the least estimated cost in what is used up.

        Where several budgets are used up, an arm's cost is the largest share of one of them.
        """
        count = len(mean)
        shares = np.full(count, -math.inf)
        least = math.inf
        for a in range(count):
            for j in range(len(self.allowed)):
                if state.spent[j] >= self.horizon * self.allowed[j]:
                    share = self.cost(j, mean[a]) / self.allowed[j]
                    shares[a] = max(shares[a], share)

            least = min(least, shares[a])

        size = 0
        for a in range(count):
            if shares[a] == least:
                size += 1

        places = np.empty(size, np.int64)
        filled = 0
        for a in range(count):
            if shares[a] == least:
                places[filled] = a
                filled += 1

        return places

    def draw(self, beliefs: PrimalDualBeliefs, rng: Rng) -> Choice:
        """A uniform arm while arms are explored or a budget is used up, else the inner choice."""
        count = len(beliefs.uniform)
        if count > 0:
            place = int(rng.random() * count)
            arm = int(beliefs.uniform[place])
            return Choice(arm, 0.0)

        choice = self.policy.draw(beliefs.charged, rng)
        return Choice(choice.arm, 0.0)

    def probabilities(self, beliefs: PrimalDualBeliefs) -> Array:
        """The probability of each arm, exactly."""
        count = len(beliefs.uniform)
        if count == 0:
            probabilities: Array = self.policy.probabilities(beliefs.charged)
            return probabilities

        uniform = np.zeros(len(beliefs.mean))
        for i in range(count):
            uniform[beliefs.uniform[i]] = 1.0 / count

        return uniform

    def update(
        self, state: PrimalDualState, x: Array, arm: int, note: Note, reward: Array, rng: Rng
    ) -> PrimalDualState:
        """The state after a reward (objectives,), NaN where it was not observed, and its costs."""
        first = self.objectives[0]
        has_first = not math.isnan(reward[first])
        seen = int(state.observed[first])
        if has_first and seen < self.explored:
            copy_into(state.rows[seen], x)

        for j in range(len(self.allowed)):
            if not math.isnan(reward[self.objectives[j]]):
                state.spent[j] += self.cost(j, reward)

        most = 0.0
        for l in range(len(reward)):
            if not math.isnan(reward[l]):
                state.observed[l] += 1.0

            most = max(most, state.observed[l])

        model = self.policy.update(state.model, x, arm, note, reward, rng)
        # With the last cost of these rounds, and again with what else comes of them: so that a
        # reward in parts leads to what the full one does.
        is_complete = state.observed[first] == self.explored
        if is_complete and (has_first or most <= self.explored):
            state.worth[0] = self.estimated_worth(model, state.rows)

        return PrimalDualState(
            model, state.spent, state.observed, state.rows, state.worth, state.terms
        )

    def estimated_worth(self, model: Any, rows: Array) -> float:
        """zeta: twice the estimated bound on what the budgets of one round buy, within limits."""
        least = self.reward
        budgets = len(self.allowed)
        for price in self.trials:
            bound = price * budgets + self.best_value(model, rows, price)
            least = min(least, bound)

        # Twice, since it is estimated: a price that can not rise as far as it must is worse than
        # one that can rise too far.
        twice = 2.0 * least
        floor = self.reward * min(1.0, self.tightest())

        return min(self.reward, max(floor, twice))

    def best_value(self, model: Any, rows: Array, price: float) -> float:
        """The mean over rounds of the largest value of an arm, costs at a price."""
        if self.own_rows:
            # Of a round only the row of one arm is known, the arms being alike but for their rows:
            # the best of these rows stands for the best of the arms.
            every_row = np.arange(len(rows))
            means = self.policy.estimator.mean(model, rows, every_row)
            return self.largest_value(means, price)

        every_arm = np.arange(self.arms)
        row = np.empty((1, self.features))
        total = 0.0
        for i in range(len(rows)):
            copy_into(row[0], rows[i])
            means = self.policy.estimator.mean(model, row, every_arm)
            total += self.largest_value(means, price)

        return total / len(rows)

    def largest_value(self, means: Array, price: float) -> float:
        """The largest g - price sum_j c_j / b_j, of rows of estimated means."""
        largest = -math.inf
        for a in range(len(means)):
            value = 0.0
            for l in range(len(self.weights)):
                value += self.weights[l] * means[a, l]

            for j in range(len(self.allowed)):
                cost = max(0.0, self.cost(j, means[a]))
                value -= price * cost / self.allowed[j]

            largest = max(largest, value)

        return largest
