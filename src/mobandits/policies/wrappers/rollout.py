"""Rollout: any policy for a share of the decisions, and a baseline for the others.

Symbols: p_a the probability of arm a in the inner policy, s the share, b_a that of the baseline.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, Ints, compiled
from mobandits.contracts.composition import forced_probabilities
from mobandits.contracts.protocols import (
    Array,
    IntArray,
    Recipe,
    Rng,
    Shape,
)
from mobandits.contracts.terms import ApplicationTerms
from mobandits.policies.wrappers.around import (
    AS_ITS_RECIPE,
    AroundRecipe,
    MixturePolicy,
    notes_probability,
    position_of,
)
from mobandits.policies.wrappers.own_terms import pairs_of, slot_of
from mobandits.support.checks import number
from mobandits.support.naming import quoted


class RolloutBeliefs(NamedTuple):
    """The inner policy's beliefs, and the law of the baseline.

    Attributes:
        beliefs: of the policy inside.
        baseline: (arms,) its probabilities; all 0 where none of its arms is eligible.
    """

    beliefs: Any
    baseline: Array


@compiled
class RolloutPolicy(MixturePolicy):
    """A mixture of a policy and a baseline: probabilities s p_a + (1 - s) b_a.

    Args:
        policy: the inner policy; its notes are those of the mixture.
        slots: (arms of the baseline,) their slots.
        weights: (arms of the baseline,) their probabilities where all of them are eligible.
        share: s, in [0, 1].
        notes_probability: whether the inner policy notes the probability of the arm, in whose place
            comes that of the mixture.

    Example:
        >>> import numpy as np
        >>> from mobandits.policies.baselines.single_arm import SingleArmPolicy
        >>> policy = RolloutPolicy(SingleArmPolicy(1), [0], [1.0], share=0.25)
        >>> rng = np.random.default_rng(0)
        >>> beliefs = policy.beliefs(policy.init(), np.zeros((1, 0)), np.arange(3), rng)
        >>> policy.probabilities(beliefs).tolist()
        [0.75, 0.25, 0.0]
    """

    policy: Any
    slots: Ints
    weights: Floats
    share: float
    notes_probability: bool = False

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> RolloutBeliefs:
        """The inner policy's beliefs, and the law of the baseline."""
        inner = self.policy.beliefs(state, context, arms, rng)
        return RolloutBeliefs(inner, self.baseline_law(arms))

    def baseline_law(self, arms: IntArray) -> Array:
        """(arms,) the baseline's probabilities among eligible arms; all 0 where it has none of them."""
        law = np.zeros(len(arms))
        total = 0.0
        for i in range(len(self.slots)):
            position = position_of(self.slots[i], arms)
            if position >= 0:
                law[position] = self.weights[i]
                total += self.weights[i]

        if total > 0.0:
            for a in range(len(law)):
                law[a] /= total

        return law

    def inner_beliefs(self, beliefs: RolloutBeliefs) -> Any:
        """The inner policy's beliefs."""
        return beliefs.beliefs

    def is_other(self, beliefs: RolloutBeliefs, rng: Rng) -> bool:
        """Whether this round is the baseline's, with probability 1 - s where it has an eligible arm."""
        # Without the baseline no coin is tossed: nothing depends on it.
        has_baseline = bool(beliefs.baseline.any())
        return has_baseline and rng.random() >= self.share

    def other_arm(self, beliefs: RolloutBeliefs, law: Array, rng: Rng) -> int:
        """An arm of the baseline, drawn where it has several."""
        baseline = beliefs.baseline
        places = np.flatnonzero(baseline)
        last = len(places) - 1
        if last == 0:
            return int(places[0])

        coin = rng.random()
        total = 0.0
        for i in range(last):
            total += baseline[places[i]]
            if coin < total:
                return int(places[i])

        return int(places[last])

    def probabilities(self, beliefs: RolloutBeliefs) -> Array:
        """The probability of each arm in the mixture, exactly."""
        inner = self.policy.probabilities(beliefs.beliefs)
        law = beliefs.baseline
        probabilities: Array = inner.copy()
        if law.any():
            for a in range(len(inner)):
                probabilities[a] = self.share * inner[a] + (1.0 - self.share) * law[a]

        return probabilities

    def forced(self, slots: IntArray) -> Array:
        """(arms,) the probabilities of arms that the inner policy would not play."""
        inner = forced_probabilities(self.policy, slots)
        law = self.baseline_law(slots)
        if not law.any():
            return inner

        forced: Array = self.share * inner + (1.0 - self.share) * law
        return forced


@dataclass(frozen=True)
class Rollout(AroundRecipe):
    """Any recipe for a share of the decisions; a baseline for the others, an arm or a mixture of arms.

    With p the probabilities of the recipe's policy and b those of the baseline, arm a is played with

        s p_a + (1 - s) b_a

    where b is 1 for the arm `baseline`, or the shares of `mixture` among the eligible ones of its
    arms. So a new policy can be introduced step by step: at s = 0.1 it decides for a tenth. It
    learns from all rounds, also from those of the baseline, and every propensity is that of the
    mixture, so that the log values both sides. Where no arm of the baseline is eligible the policy
    decides alone. `Agent.retune` goes on with another share and with what was learned.

    Probabilities are exact where the recipe's are, and estimated where it draws beliefs. Beliefs,
    learning and saved state are those of the recipe. `Rollout(WithFloor(recipe, 0.05), ...)` explores
    in the share alone, `WithFloor(Rollout(...), 0.05)` in all rounds.

    Args:
        recipe: such as `MolUcb(scale=0.3)`, or its class for its defaults.
        baseline: the arm: its name in an agent, which cannot remove it; in simulations its number.
        share: s, of the rounds in which the recipe decides, in [0, 1].
        mixture: {arm: its share}, positive, in place of `baseline`; shares are divided by their
            sum.

    Raises:
        ValueError: where `recipe` is no recipe, the share is out of range, or neither or both of
            `baseline` and `mixture` are given; on `bind`, where there is no such arm, or the
            policy's notes belong to arms, and it does not say what it would note of any arm.

    Example:
        >>> import numpy as np
        >>> from mobandits.policies import MolUcb
        >>> recipe = Rollout(MolUcb(scale=0.3), baseline=0, share=0.25)
        >>> policy = recipe.bind(Shape(arms=2, features=1, objectives=1))
        >>> rng = np.random.default_rng(0)
        >>> beliefs = policy.beliefs(policy.init(), np.array([[0.5], [1.0]]), np.arange(2), rng)
        >>> policy.probabilities(beliefs).tolist()
        [0.75, 0.25]
    """

    references = ("mobandits",)
    traits = AS_ITS_RECIPE._replace(plays="its recipe in a share of the rounds, else a baseline")
    ARM_FIELDS = ("baseline",)
    ARM_SHARES_FIELDS = ("mixture",)

    recipe: Recipe
    baseline: Any = None
    share: float = 0.1
    mixture: Mapping[Any, Any] | tuple[Any, ...] | None = None
    terms: ApplicationTerms | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the parameters; a class becomes a recipe, a dictionary a tuple of pairs."""
        self.take_recipe()
        if (self.baseline is None) == (self.mixture is None):
            given = "neither" if self.mixture is None else "both"
            raise ValueError(f"Rollout must have either baseline or mixture, got {given}")
        if self.mixture is not None:
            shares = pairs_of(self.mixture, "Rollout.mixture")
            for arm, share in shares:
                number(f"Rollout.mixture[{quoted(arm)}]", share, above=0.0)

            object.__setattr__(self, "mixture", shares)

        number("Rollout.share", self.share, at_least=0.0, at_most=1.0)

    def around(self, policy: Any, shape: Shape) -> RolloutPolicy:
        """The recipe's policy, mixed with the baseline."""
        where = "Rollout.baseline"
        shares: tuple[tuple[Hashable, float], ...] = ((self.baseline, 1.0),)
        if self.mixture is not None:
            where = "Rollout.mixture"
            shares = tuple(self.mixture)

        total = sum(share for _, share in shares)
        slots = [slot_of(self.terms, arm, shape.arms, where) for arm, _ in shares]
        weights = [share / total for _, share in shares]
        notes = notes_probability(policy, "Rollout.recipe")

        return RolloutPolicy(policy, slots, weights, float(self.share), notes)
