"""WithFloor: any policy, with a known least probability for eligible arms.

Symbols: p_a the probability of arm a in the inner policy, epsilon the share of uniform rounds, K the
eligible arms, s_a the least probability of arm a, t the round.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, Ints, compiled
from mobandits.contracts.composition import forced_probabilities
from mobandits.contracts.notes import Note, possible_notes
from mobandits.contracts.protocols import (
    Array,
    IntArray,
    Mask,
    Policy,
    Recipe,
    Rng,
    Shape,
)
from mobandits.contracts.states import counts, state_fields
from mobandits.contracts.terms import ApplicationTerms
from mobandits.policies.wrappers.around import (
    AS_ITS_RECIPE,
    AroundRecipe,
    MixturePolicy,
    count_observed,
    notes_probability,
    position_of,
    present_round,
)
from mobandits.policies.wrappers.own_terms import pairs_of, slot_of
from mobandits.support.checks import number
from mobandits.support.naming import quoted

DEFAULT_EPSILON = 0.05


@compiled
class Falling:
    """A share of uniform rounds that falls: epsilon_t = min(1, factor t^-power).

    A floor that falls more slowly than t^(-1/4) keeps the confidence sequences of Mixture Adaptive
    Design valid at any time, and narrowing, while its cost per round goes to 0.

    Args:
        factor: positive.
        power: in (0, 1/4).

    Reference:
        Liang and Bojinov, "An experimental design for anytime-valid causal inference on multi-armed
        bandits", 2024.

    Example:
        >>> falling = Falling(factor=0.5, power=0.2)
        >>> falling.at(1.0), falling.at(32.0), Falling(3.0, 0.2).at(32.0)
        (0.5, 0.25, 1.0)
    """

    factor: float
    power: float

    def __post_init__(self) -> None:
        """Check the parameters."""
        number("Falling.factor", self.factor, above=0.0)
        number("Falling.power", self.power, above=0.0, below=0.25)

    def at(self, t: float) -> float:
        """The share of uniform rounds in round t, which counts from 1."""
        decay: float = t**-self.power
        return min(1.0, self.factor * decay)


@compiled
class FloorPolicy(MixturePolicy):
    """A mixture of uniform play and a policy's: probabilities epsilon / K + (1 - epsilon) p_a.

    Args:
        policy: the inner policy; its notes are those of the mixture.
        epsilon: in [0, 1].
        notes_probability: whether the inner policy notes the probability of the arm, in whose place
            comes that of the mixture.

    Example:
        >>> import numpy as np
        >>> from mobandits.policies.baselines.single_arm import SingleArmPolicy
        >>> policy = FloorPolicy(SingleArmPolicy(1), 0.5)
        >>> rng = np.random.default_rng(0)
        >>> beliefs = policy.beliefs(policy.init(), np.zeros((1, 0)), np.arange(4), rng)
        >>> policy.probabilities(beliefs).tolist()
        [0.125, 0.625, 0.125, 0.125]
    """

    policy: Any
    epsilon: float
    notes_probability: bool = False

    PASSES_BELIEFS = True

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> Any:
        """The inner policy's beliefs."""
        return self.policy.beliefs(state, context, arms, rng)

    def is_other(self, beliefs: Any, rng: Rng) -> bool:
        """Whether this round is uniform, with probability epsilon."""
        is_uniform: bool = rng.random() < self.epsilon
        return is_uniform

    def other_arm(self, beliefs: Any, law: Array, rng: Rng) -> int:
        """A uniform arm."""
        # Beliefs are the inner policy's own type: only it knows how many arms they are about.
        return int(rng.random() * len(law))

    def probabilities(self, beliefs: Any) -> Array:
        """The probability of each arm in the mixture, exactly."""
        inner = self.policy.probabilities(beliefs)
        arms = len(inner)
        probabilities = np.empty(arms)
        uniform_part = self.epsilon / arms
        inner_share = 1.0 - self.epsilon
        for a in range(arms):
            probabilities[a] = uniform_part + inner_share * inner[a]

        return probabilities

    def forced(self, slots: IntArray) -> Array:
        """(arms,) the probabilities of arms that the inner policy would not play."""
        inner = forced_probabilities(self.policy, slots)
        forced: Array = self.epsilon / len(slots) + (1.0 - self.epsilon) * inner
        return forced


class FloorBeliefs(NamedTuple):
    """The inner policy's beliefs, and (arms,) the least probability of every eligible arm."""

    beliefs: Any
    least: Array


class LeastPolicy(MixturePolicy):
    """Base of mixtures with known least probabilities l_a: those of arms are l_a + (1 - sum l) p_a."""

    def inner_beliefs(self, beliefs: FloorBeliefs) -> Any:
        """The inner policy's beliefs."""
        return beliefs.beliefs

    def is_other(self, beliefs: FloorBeliefs, rng: Rng) -> bool:
        """Whether an arm is drawn by its least probability, which has the sum of them all."""
        is_other: bool = rng.random() < beliefs.least.sum()
        return is_other

    def other_arm(self, beliefs: FloorBeliefs, law: Array, rng: Rng) -> int:
        """An arm, drawn in proportion to the least probabilities."""
        least = beliefs.least
        rest = rng.random() * least.sum()
        drawn = 0
        for a in range(len(least)):
            if least[a] == 0.0:
                continue

            # What rounding leaves is the last of these arms'.
            drawn = a
            rest -= least[a]
            if rest < 0.0:
                break

        return drawn

    def probabilities(self, beliefs: FloorBeliefs) -> Array:
        """The probability of each arm in the mixture, exactly."""
        inner = self.policy.probabilities(beliefs.beliefs)
        least = beliefs.least
        # Rounded, a sum of shares may be above 1.
        inner_share = max(0.0, 1.0 - least.sum())
        probabilities = np.empty(len(inner))
        for a in range(len(inner)):
            probabilities[a] = least[a] + inner_share * inner[a]

        return probabilities


@state_fields(observed=counts("objectives"))
class FallingFloorState(NamedTuple):
    """The inner policy's state, and (objectives,) the number of rewards observed of each objective."""

    policy: Any
    observed: Array


@compiled
class FallingFloorPolicy(LeastPolicy):
    """The mixture of `FloorPolicy` with epsilon_t, which falls with the rewards so far.

    Args:
        policy: the inner policy; its notes are those of the mixture.
        falling: epsilon_t.
        objectives: of the problem.
        notes_probability: as in `FloorPolicy`.

    Example:
        >>> import numpy as np
        >>> from mobandits.policies.baselines.single_arm import SingleArmPolicy
        >>> policy = FallingFloorPolicy(SingleArmPolicy(1), Falling(0.5, 0.2), objectives=1)
        >>> rng = np.random.default_rng(0)
        >>> state = policy.init()
        >>> for _ in range(31):
        ...     state = policy.update(state, np.empty(0), 1, 0.0, np.ones(1), rng)
        >>> beliefs = policy.beliefs(state, np.zeros((1, 0)), np.arange(4), rng)
        >>> policy.probabilities(beliefs).tolist()  # epsilon_32 = 1/4
        [0.0625, 0.8125, 0.0625, 0.0625]
    """

    # A floor that moves is no probability that is known whatever was learned: the arms that the
    # recipe would play are those with the largest one.
    PLAYS_ALL = True

    policy: Any
    falling: Any
    objectives: int
    notes_probability: bool = False

    def init(self) -> FallingFloorState:
        """The inner policy's first state, and no reward."""
        inner = self.policy.init()
        return FallingFloorState(inner, np.zeros(self.objectives))

    def beliefs(
        self, state: FallingFloorState, context: Array, arms: IntArray, rng: Rng
    ) -> FloorBeliefs:
        """The inner policy's beliefs, and the floor of this round."""
        inner = self.policy.beliefs(state.policy, context, arms, rng)
        epsilon = self.falling.at(present_round(state.observed))
        count = len(arms)
        least = np.full(count, epsilon / count)

        return FloorBeliefs(inner, least)

    def inner_state(self, state: FallingFloorState) -> Any:
        """The field of the inner policy."""
        return state.policy

    def possible_notes(self, state: FallingFloorState, note: Note) -> Mask:
        """(decisions,) as the inner policy."""
        return possible_notes(self.policy, state.policy, note)

    def forced(self, slots: IntArray) -> Array:
        """(arms,) the least probabilities in any round: those of the first one or of the limit."""
        inner = forced_probabilities(self.policy, slots)
        forced: Array = np.minimum(inner, 1.0 / len(slots))
        return forced

    def update(
        self, state: FallingFloorState, x: Array, arm: int, note: Note, reward: Array, rng: Rng
    ) -> FallingFloorState:
        """The inner policy's state after a reward, which is counted."""
        inner = self.policy.update(state.policy, x, arm, note, reward, rng)
        count_observed(state.observed, reward)
        return FallingFloorState(inner, state.observed)


@compiled
class SharesPolicy(LeastPolicy):
    """A policy with least probabilities of some arms: s_a + (1 - sum of the eligible s) p_a.

    Args:
        policy: the inner policy; its notes are those of the mixture.
        slots: (arms with a share,) their slots.
        shares: (arms with a share,) s, of the sum 1 at most.
        notes_probability: as in `FloorPolicy`.

    Example:
        >>> import numpy as np
        >>> from mobandits.policies.baselines.single_arm import SingleArmPolicy
        >>> policy = SharesPolicy(SingleArmPolicy(1), [0, 3], [0.25, 0.5])
        >>> rng = np.random.default_rng(0)
        >>> for arms in (np.arange(4), np.arange(3)):
        ...     beliefs = policy.beliefs(policy.init(), np.zeros((1, 0)), arms, rng)
        ...     policy.probabilities(beliefs).tolist()
        [0.25, 0.25, 0.0, 0.5]
        [0.25, 0.75, 0.0]
    """

    policy: Any
    slots: Ints
    shares: Floats
    notes_probability: bool = False

    def least(self, arms: IntArray) -> Array:
        """(arms,) the least probability of every eligible arm."""
        least = np.zeros(len(arms))
        for i in range(len(self.slots)):
            position = position_of(self.slots[i], arms)
            if position >= 0:
                least[position] = self.shares[i]

        return least

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> FloorBeliefs:
        """The inner policy's beliefs, and the least probabilities."""
        inner = self.policy.beliefs(state, context, arms, rng)
        return FloorBeliefs(inner, self.least(arms))

    def forced(self, slots: IntArray) -> Array:
        """(arms,) the probabilities of arms that the inner policy would not play."""
        inner = forced_probabilities(self.policy, slots)
        least = self.least(slots)
        inner_share = max(0.0, 1.0 - least.sum())
        forced: Array = least + inner_share * inner
        return forced


@dataclass(frozen=True)
class WithFloor(AroundRecipe):
    """Any recipe, mixed with other play: eligible arms keep a known least probability.

    With p the probabilities of the recipe's policy and K the eligible arms, arm a is played with

        (1 - epsilon) p_a + epsilon / K                   by default, epsilon = 0.05
        (1 - epsilon_t) p_a + epsilon_t / K               with `epsilon=Falling(c, power)`
        (1 - sum of the eligible s) p_a + s_a             with `shares={a: s_a}`

    so that a log can value any other policy, with weights of at most K / epsilon. The price is
    epsilon of the rounds. Probabilities are exact where the recipe's are, which is where its beliefs
    are definite, and are estimated where it draws beliefs: such an estimate keeps the floor too.
    Scores and learning are those of the recipe; wrappers nest in any order, as in
    `Forgetting(WithFloor(MolUcb(scale=0.3)), 0.99)`.

    A falling floor is epsilon_t = min(1, c t^-power), and t is one more than the rewards so far, of
    the objective that has most of them: also those of a log that was learned. While rewards are
    late the floor is higher than by the number of decisions, never lower.

    Shares of arms are for some arms that must stay in the log, or be played so often by contract:
    an arm without one may have the probability 0. What an arm has that is not eligible is the
    recipe's.

    Args:
        recipe: such as `MolUcb(scale=0.3)`, or its class for its defaults.
        epsilon: the share of uniform rounds, in (0, 1], or a `Falling`; None: 0.05, or none at all
            with `shares`.
        shares: {arm: its least probability}, positive and at most 1 in sum, in place of `epsilon`.
            Arms have their names in an agent, which cannot remove or rename them, and their
            numbers in a simulation.

    Raises:
        ValueError: where `recipe` is no recipe, epsilon or a share is out of range, or both are
            given; on `bind`, where there is no such arm, or the policy's notes belong to arms, and
            it does not say what it would note of any arm.

    Reference:
        The mixture is that of epsilon-greedy, and of Langford and Zhang, "The epoch-greedy algorithm
        for contextual multi-armed bandits", 2007; the falling floor is that of Liang and Bojinov,
        2024.

    Example:
        >>> import numpy as np
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=2, features=1, objectives=1)
        >>> rng = np.random.default_rng(0)
        >>> for floor in ({"epsilon": 0.2}, {"shares": {1: 0.3}}):
        ...     policy = WithFloor(MolUcb(scale=0.3), **floor).bind(shape)
        ...     rows = np.array([[1.0], [0.5]])
        ...     beliefs = policy.beliefs(policy.init(), rows, np.arange(2), rng)
        ...     policy.probabilities(beliefs).tolist()
        [0.9, 0.1]
        [0.7, 0.3]
    """

    references = ("langford2007", "liang2024")
    traits = AS_ITS_RECIPE._replace(
        plays="its recipe, sometimes any arm", log="as its recipe, without zeros"
    )
    ARM_SHARES_FIELDS = ("shares",)

    recipe: Recipe
    epsilon: float | Falling | None = None
    shares: Mapping[Any, Any] | tuple[Any, ...] | None = None
    terms: ApplicationTerms | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the parameters; a class becomes a recipe, a dictionary a tuple of pairs."""
        self.take_recipe()
        if self.shares is not None:
            if self.epsilon is not None:
                raise ValueError(
                    "WithFloor must have either epsilon or shares, got "
                    f"{quoted(self.epsilon)} and {quoted(self.shares)}"
                )

            object.__setattr__(self, "shares", _checked_shares(self.shares))
            return

        if self.epsilon is None:
            object.__setattr__(self, "epsilon", DEFAULT_EPSILON)
        if not isinstance(self.epsilon, Falling):
            number("WithFloor.epsilon", self.epsilon, above=0.0, at_most=1.0)

    def around(self, policy: Any, shape: Shape) -> Policy:
        """The recipe's policy, with the floor."""
        notes = notes_probability(policy, "WithFloor.recipe")
        if self.shares is not None:
            where = "WithFloor.shares"
            slots = [slot_of(self.terms, arm, shape.arms, where) for arm, _ in self.shares]
            shares = [share for _, share in self.shares]
            return SharesPolicy(policy, slots, shares, notes)

        epsilon: Any = self.epsilon
        if isinstance(epsilon, Falling):
            return FallingFloorPolicy(policy, epsilon, shape.objectives, notes)

        return FloorPolicy(policy, epsilon, notes)


def _checked_shares(given: Any) -> tuple[tuple[Any, float], ...]:
    """Least probabilities as pairs of an arm and a number.

    Raises:
        ValueError: where one is not positive, or their sum is above 1.
    """
    shares = pairs_of(given, "WithFloor.shares")
    for arm, share in shares:
        number(f"WithFloor.shares[{quoted(arm)}]", share, above=0.0)

    total = math.fsum(share for _, share in shares)
    number("WithFloor.shares, in sum,", total, at_most=1.0)

    return shares
