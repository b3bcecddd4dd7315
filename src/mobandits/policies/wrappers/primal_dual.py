"""PrimalDual: budgets by the primal-dual algorithm for linear bandits with knapsacks.

Symbols: J the number of budgets, b_j the cost per round that budget j allows, u_j a large cost of one
round, T the rounds, S_j the costs so far, n_j how many they are, g the reward, epsilon the rate,
theta the weights of the dual player, zeta what the budgets of one round buy.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, Ints, compiled
from mobandits.contracts.composition import composite
from mobandits.contracts.notes import Note, NotesNothing
from mobandits.contracts.protocols import (
    Array,
    Beliefs,
    Choice,
    IntArray,
    Recipe,
    Rng,
    Shape,
)
from mobandits.contracts.states import Field, counts, declares, state_fields
from mobandits.contracts.terms import ApplicationTerms
from mobandits.numerics.linalg import copy_into
from mobandits.orders import Weighted
from mobandits.policies.wrappers.around import (
    AS_ITS_RECIPE,
    AroundPolicy,
    AroundRecipe,
    interval_explorer,
    least_places,
)
from mobandits.policies.wrappers.budget_worth import estimated_worth, reward_weights, trial_prices
from mobandits.policies.wrappers.own_terms import cost_lines, line_fields, pairs_of
from mobandits.support.checks import integer, number
from mobandits.support.naming import quoted, wrong_value


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
        terms: what tells sums under other objectives, budgets and large costs from these.
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
        uniform: the positions played with equal probability; none: the order decides.
    """

    beliefs: Beliefs
    mean: Array
    charged: Beliefs
    uniform: IntArray


@compiled
class PrimalDualPolicy(NotesNothing, AroundPolicy):
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

    PASSES_BELIEFS = True
    EASES_LIMITS = True  # where a budget is used up
    ORDERED = True  # zeta rests on the first rounds
    BEGINS_ANEW = True  # a retuned agent keeps `model`, and has other budgets

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

    def inner_state(self, state: PrimalDualState) -> Any:
        """The field of the inner policy."""
        return state.model

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
        for a in range(count):
            for j in range(len(self.allowed)):
                if state.spent[j] >= self.horizon * self.allowed[j]:
                    share = self.cost(j, mean[a]) / self.allowed[j]
                    shares[a] = max(shares[a], share)

        return least_places(shares)

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
            state.worth[0] = estimated_worth(self, model, state.rows)

        return PrimalDualState(
            model, state.spent, state.observed, state.rows, state.worth, state.terms
        )


@dataclass(frozen=True)
class PrimalDual(AroundRecipe):
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

    references = ("agrawal2016",)
    traits = AS_ITS_RECIPE._replace(
        plays="any arm at first, then its recipe, with costs at a price", horizon="yes"
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
        self.take_recipe()
        budgets = pairs_of(self.budgets, "PrimalDual.budgets")
        for objective, allowed in budgets:
            number(f"PrimalDual.budgets[{quoted(objective)}]", allowed, above=0.0)

        largest = pairs_of(self.largest, "PrimalDual.largest")
        for objective, large in largest:
            number(f"PrimalDual.largest[{quoted(objective)}]", large, above=0.0)

        with_budget = {objective for objective, _ in budgets}
        if {objective for objective, _ in largest} != with_budget:
            raise wrong_value(
                "PrimalDual.largest must have the objectives of PrimalDual.budgets", dict(largest)
            )

        if self.horizon is not None:
            integer("PrimalDual.horizon", self.horizon, at_least=1)
        number("PrimalDual.reward", self.reward, above=0.0)
        if self.rate is not None:
            number("PrimalDual.rate", self.rate, above=0.0)

        object.__setattr__(self, "budgets", budgets)
        object.__setattr__(self, "largest", largest)

    def inner_shape(self, shape: Shape) -> Shape:
        """The problem without tables: rows of the first rounds are compared as rows."""
        return shape.replaced(fixed_arms=None)

    def around(self, policy: Any, shape: Shape) -> PrimalDualPolicy:
        """The recipe's policy, with a dual player of its own: what was spent before is not counted."""
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
            **line_fields(lines),
            allowed=allowed,
            large=[large[objective] for objective, _ in self.budgets],
            weights=reward_weights(policy.order, objectives),
            reward=self.reward,
            horizon=horizon,
            rate=rate,
            explored=math.ceil(math.sqrt(horizon)),
            trials=trial_prices(self.reward, tightest),
            own_rows=own_rows,
            arms=shape.arms,
            features=shape.features,
        )


def _require_parts(policy: Any) -> None:
    """Refuse a policy that is no estimator, explorer of all objectives and `Weighted` order.

    Raises:
        ValueError: naming what it is.
    """
    interval_explorer(policy, "PrimalDual.recipe")
    if composite(policy) is not policy:
        rule = "PrimalDual.recipe must bind to an estimator, an explorer and an order"
        raise ValueError(f"{rule}; wrappers go around PrimalDual, got {type(policy).__name__}")
    if declares(policy, "BEGINS_ANEW"):
        raise ValueError("PrimalDual.recipe must have no budgets of its own: give one all budgets")
    if getattr(policy.explorer, "ONE_COLUMN", False) or hasattr(policy.estimator, "links"):
        raise wrong_value(
            "PrimalDual.recipe must believe in the mean rewards of every objective", policy.explorer
        )
    if not isinstance(policy.order, Weighted):
        raise wrong_value(
            "PrimalDual.recipe must have an order such as Weighted([1, 0])", policy.order
        )
