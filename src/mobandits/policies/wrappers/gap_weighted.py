"""GapWeighted: a known, positive probability for every arm, by the inverse of its estimated gap.

Symbols: F the front of the estimated means, g_a the gap of arm a, gamma_t the sharpness of round t,
K the eligible arms, t the rewards so far.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.composition import composite
from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import (
    Array,
    Assumption,
    Beliefs,
    Choice,
    IntArray,
    Recipe,
    Rng,
    Shape,
)
from mobandits.contracts.states import counts, state_fields
from mobandits.estimators import Priced
from mobandits.explorers import Charged, Greedy
from mobandits.numerics.masks import pick_weighted
from mobandits.policies.wrappers.around import (
    AS_ITS_RECIPE,
    AroundPolicy,
    count_observed,
    present_round,
)
from mobandits.support.checks import number
from mobandits.support.naming import wrong_value


@state_fields(observed=counts("objectives"))
class GapWeightedState(NamedTuple):
    """The estimator's state, and (objectives,) the number of rewards observed of each objective."""

    estimator: Any
    observed: Array


class GapWeightedBeliefs(NamedTuple):
    """The estimated means as an order reads them, and gamma_t."""

    beliefs: Beliefs
    sharpness: float


@compiled
class GapWeightedPolicy(NotesNothing, AroundPolicy):
    """Inverse gap weighting of a `Composite`'s estimator under its order; its explorer is not used.

    Args:
        policy: the `Composite`.
        explorer: of the estimates that are compared, with costs at a price where there are budgets.
        objectives: of the problem.
        gamma: the factor of gamma_t.
        power: its exponent.
    """

    # The arms that are best play a part only: every arm has a probability of its own.
    PLAYS_ALL = True

    policy: Any
    explorer: Any
    objectives: int
    gamma: float
    power: float

    def init(self) -> GapWeightedState:
        """The state before the first round: nothing observed."""
        estimator = self.policy.estimator.init()
        # Counted here: not every estimator counts its rewards per objective.
        observed = np.zeros(self.objectives)
        return GapWeightedState(estimator, observed)

    def beliefs(
        self, state: GapWeightedState, context: Array, arms: IntArray, rng: Rng
    ) -> GapWeightedBeliefs:
        """The estimated means, and how sharply this round distinguishes them."""
        estimator = self.policy.estimator
        believed = self.explorer.beliefs(estimator, state.estimator, context, arms, rng)
        mean = believed.mean
        rounds = present_round(state.observed)
        sharpness = self.gamma * rounds**self.power
        # Intervals of length 0: the order compares the estimates themselves.
        estimates = Beliefs(mean, mean, mean)

        return GapWeightedBeliefs(estimates, sharpness)

    def inner_state(self, state: GapWeightedState) -> Any:
        """The field of the estimator, which the inner policy learns by."""
        return state.estimator

    def draw(self, beliefs: GapWeightedBeliefs, rng: Rng) -> Choice:
        """An arm by its probability."""
        probabilities = self.probabilities(beliefs)
        arm = pick_weighted(probabilities, rng)
        return Choice(arm, 0.0)

    def probabilities(self, beliefs: GapWeightedBeliefs) -> Array:
        """The probability of each arm."""
        means = beliefs.beliefs.mean
        arms = len(means)
        order = self.policy.order
        front = order.front(beliefs.beliefs)
        gaps = order.gaps(means)
        probabilities = np.zeros(arms)
        outside = 0.0
        front_size = 0
        for a in range(arms):
            if front[a]:
                front_size += 1
                continue

            # Digits come by priority: a later one matters only where all earlier ones are 0.
            gap = 0.0
            for digit in range(gaps.shape[1]):
                if gaps[a, digit] > 0.0:
                    gap = gaps[a, digit]
                    break

            probabilities[a] = 1.0 / (arms + beliefs.sharpness * gap)
            outside += probabilities[a]

        # What is left is shared by the front: at least 1/K each, since every other arm has at most
        # that.
        for a in range(arms):
            if front[a]:
                probabilities[a] = (1.0 - outside) / front_size

        return probabilities

    def update(
        self, state: GapWeightedState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> Any:
        """The state after a reward: the estimator learns, and the observed rewards are counted."""
        estimator = self.policy.estimator.update(state.estimator, x, arm, reward)
        count_observed(state.observed, reward)
        return GapWeightedState(estimator, state.observed)


@dataclass(frozen=True)
class GapWeighted(Recipe):
    """Any recipe's estimator and order, played by inverse gap weighting.

    Its log fits every later evaluation. With the front F of the estimated means and the gap g_a,
    the first positive digit of the order's gap of arm a:

        p_a = 1 / (K + gamma_t g_a)                       for a not in F,  gamma_t = gamma t^power
        p_a = (1 - sum of the p_b outside F) / |F|        for a in F

    K counts the eligible arms, and t is one more than the rewards so far. So p_a >= 1/K on the front, and
    p_a >= 1 / (K + gamma_t max g) elsewhere: every probability is known, exact and positive. With
    `Weighted` this is SquareCB, whose regret bound needs gamma_t of the order of sqrt(K t); for
    other orders the probabilities are sound and no bound is proven. Gaps are in the units of the
    rewards: with rewards about 1 apart, `gamma=10` plays an arm 0.1 behind about 1 / (K + sqrt(t))
    of the time.

    Args:
        recipe: such as `MolUcb()`, whose policy is a `Composite`; only its estimator and its order
            are used.
        gamma: the factor, positive.
        power: the exponent, in [0, 1].

    Raises:
        ValueError: where `recipe` is no recipe, or a number is out of range; on `bind`, where the
            recipe's policy is no `Composite`.

    Reference:
        Foster and Rakhlin, "Beyond UCB: optimal and efficient contextual bandits with regression
        oracles", ICML 2020, algorithm 1, for one objective; the extension to orders is ours.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> policy = GapWeighted(MolUcb()).bind(Shape(arms=4, features=2, objectives=2))
        >>> rng = np.random.default_rng(0)
        >>> beliefs = policy.beliefs(policy.init(), np.eye(4, 2), np.arange(4), rng)
        >>> policy.probabilities(beliefs).tolist()
        [0.25, 0.25, 0.25, 0.25]
    """

    references = ("foster2020",)
    traits = AS_ITS_RECIPE._replace(
        beliefs="definite",
        plays="every arm, the less often the further it is behind under the recipe's order",
        log="exact",
    )

    recipe: Recipe
    gamma: float = 10.0
    power: float = 0.5

    def __post_init__(self) -> None:
        """Check the parameters."""
        if not isinstance(self.recipe, Recipe):
            raise wrong_value("GapWeighted.recipe must be a recipe such as MolUcb()", self.recipe)

        number("GapWeighted.gamma", self.gamma, above=0.0)
        number("GapWeighted.power", self.power, at_least=0.0, at_most=1.0)
        # Whatever the estimator can learn from, this can: the counts are per objective.
        object.__setattr__(self, "accepts_partial", self.recipe.accepts_partial)

    def bind(self, shape: Shape) -> GapWeightedPolicy:
        """The recipe's estimator and order, with inverse gap weights in place of its explorer."""
        policy = self.recipe.bind(shape)
        if composite(policy) is not policy:
            name = type(self.recipe).__name__
            rule = "GapWeighted.recipe must bind to an estimator, an explorer and an order"
            raise ValueError(f"{rule}, got {name}")
        # Its own explorer says how far to explore, which the gaps do here.
        explorer: Any = Greedy()
        if isinstance(policy.estimator, Priced):
            explorer = Charged(explorer)

        return GapWeightedPolicy(policy, explorer, shape.objectives, self.gamma, self.power)

    def assumptions(self) -> tuple[Assumption, ...]:
        """The recipe's assumptions without which it makes no sense."""
        assumptions = self.recipe.assumptions()
        # The others are about the widths of intervals, which are not used here.
        needed = [assumption for assumption in assumptions if assumption.refuse]
        return tuple(needed)
