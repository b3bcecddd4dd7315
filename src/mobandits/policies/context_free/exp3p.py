"""EXP3.P on one of the objectives: for rewards that an adversary chooses, without context.

Symbols: G_a the estimated gains of arm a, p_a its probability, beta the bonus, eta the rate, gamma
the share of uniform play, K the arms, T the horizon.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.assumptions import UNIT_REWARDS
from mobandits.contracts.protocols import (
    Array,
    Choice,
    IntArray,
    Mask,
    Recipe,
    Rng,
    Shape,
    Traits,
)
from mobandits.contracts.states import Field, state_fields
from mobandits.numerics.masks import pick_weighted
from mobandits.support.checks import integer
from mobandits.support.naming import wrong_value


@state_fields(
    gains=Field(("arms",)),
    objective=Field(("one",), low=-1.0, whole=True, below_objectives=True),
)
class Exp3PState(NamedTuple):
    """The estimated gains, and the objective that they are gains in.

    Attributes:
        gains: (arms,) estimated total gains G.
        objective: (1,) the one that counts; -1 while it has not been drawn.
    """

    gains: Array
    objective: Array


class Exp3PNote(NamedTuple):
    """The probability with which the arm was drawn."""

    probability: float


@compiled
class Exp3PPolicy:
    """See `Exp3P`; beliefs are probabilities."""

    arms: int
    objectives: int
    objective: int
    bonus: float
    rate: float
    mixing: float

    NOTES_PROBABILITY = True

    def note(self) -> Exp3PNote:
        """A note like those of `draw`."""
        return Exp3PNote(1.0)

    def possible_notes(self, state: Exp3PState, note: Exp3PNote) -> Mask:
        """(decisions,) positive probabilities."""
        probability: Array = np.asarray(note.probability)
        # `update` divides by it: a 0 in a file would make a gain infinite.
        is_positive = probability > 0.0
        possible: Mask = is_positive & (probability <= 1.0)

        return possible

    def note_for(self, beliefs: Array, arm: int, probability: float, rng: Rng) -> Exp3PNote:
        """The probability with which the arm was chosen: gains are divided by that one."""
        return Exp3PNote(probability)

    def init(self) -> Exp3PState:
        """The state before the first round: no gains."""
        gains = np.zeros(self.arms)
        # An array of one: a state's fields are arrays that `update` may change.
        objective = np.full(1, float(self.objective))
        return Exp3PState(gains, objective)

    def beliefs(self, state: Exp3PState, context: Array, arms: IntArray, rng: Rng) -> Array:
        """(arms,) the probabilities (1 - gamma) softmax(eta G) + gamma / arms."""
        count = len(arms)
        largest_gain = -math.inf
        total = 0.0
        probabilities = np.empty(count)
        # Gains are shifted by the largest one: exponents are at most 0 and cannot overflow.
        for arm in arms:
            largest_gain = max(largest_gain, state.gains[arm])

        for a in range(count):
            gain = state.gains[arms[a]] - largest_gain
            exponent = self.rate * gain
            weight = math.exp(exponent)
            probabilities[a] = weight
            total += weight

        # Every arm keeps gamma / K: the division by p_a in `update` stays bounded.
        uniform_part = self.mixing / count
        for a in range(count):
            softmax_part = (1.0 - self.mixing) * probabilities[a] / total
            probabilities[a] = softmax_part + uniform_part

        return probabilities

    def draw(self, beliefs: Array, rng: Rng) -> Choice:
        """An arm with these probabilities."""
        arm = pick_weighted(beliefs, rng)
        note = Exp3PNote(beliefs[arm])
        return Choice(arm, note)

    def probabilities(self, beliefs: Array) -> Array:
        """The probability of each arm: the beliefs themselves."""
        return beliefs.copy()

    def update(
        self, state: Exp3PState, x: Array, arm: int, note: Exp3PNote, reward: Array, rng: Rng
    ) -> Exp3PState:
        """The state after a reward: every arm gains beta / p_a, the one that was played r / p more.

        Here p is the probability with which the arm was drawn, which the note holds.
        """
        # Drawn at the first reward, not in `init`, which has no random stream.
        if state.objective[0] < 0.0:
            drawn = int(rng.random() * self.objectives)
            state.objective[0] = float(drawn)

        objective = int(state.objective[0])
        if not 0 <= objective < self.objectives:
            raise IndexError("objective must be one of the problem's")

        context = x.reshape(1, len(x))
        arms = np.arange(self.arms)
        probabilities = self.beliefs(state, context, arms, rng)
        for a in range(self.arms):
            state.gains[a] += self.bonus / probabilities[a]

        # A late reward is divided by the probability of its own round: the estimate is unbiased.
        state.gains[arm] += reward[objective] / note.probability

        return state


@dataclass(frozen=True)
class Exp3P(Recipe):
    """Exponential weights on one objective: Pareto regret of order sqrt(T K) against any rewards.

    The Pareto regret is never more than the regret in any single objective, so an algorithm for one
    inherits its bound, also against an adversary. It is unfair by construction: it does not look at
    the other objectives. With gains G::

        p_a = (1 - gamma) exp(eta G_a) / sum_b exp(eta G_b) + gamma / K
        G_a += (r 1[a played] + beta) / p_a

    with beta = sqrt(ln K / (T K)), eta = 0.95 beta, gamma = min(0.5, 1.05 sqrt(K ln K / T)).
    Context is ignored. With rewards that come late, the bonus beta / p_a uses the probabilities of
    the moment.

    Args:
        objective: the one that counts, from 0; None: drawn once, at the first reward.
        check: warn where rewards leave [0, 1].

    Reference:
        xu2023 for the reduction; Auer, Cesa-Bianchi, Freund and Schapire, "The nonstochastic
        multiarmed bandit problem", 2002, section 6, with the constants of Bubeck and Cesa-Bianchi,
        "Regret analysis of stochastic and nonstochastic multi-armed bandit problems", 2012,
        Theorem 3.2.

    Example:
        >>> shape = Shape(arms=4, features=0, objectives=2, rounds=10_000)
        >>> policy = Exp3P(objective=1).bind(shape)
        >>> round(policy.bonus, 4), round(policy.mixing, 4)
        (0.0059, 0.0247)
    """

    references = ("xu2023", "auer2002exp3", "bubeck2012")
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="exponential weights on one objective",
        log="exact",
        horizon="yes",
        part="no",
    )
    assumed = (UNIT_REWARDS,)

    objective: int | None = 0
    check: bool = True

    accepts_partial = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        objective = self.objective
        if objective is not None:
            integer("Exp3P.objective", objective, at_least=0)

    def bind(self, shape: Shape) -> Exp3PPolicy:
        """The policy, with the constants that depend on arms and horizon."""
        if shape.rounds is None:
            raise ValueError("Exp3P must know the number of rounds; Doubling(Exp3P()) need not")
        if self.objective is not None and self.objective >= shape.objectives:
            raise wrong_value(
                f"Exp3P.objective must be below the number of objectives, {shape.objectives}",
                self.objective,
            )

        # The constants of Bubeck and Cesa-Bianchi, Theorem 3.2; the theorem needs gamma <= 1/2.
        arms = shape.arms
        log_arms = math.log(arms)
        bonus = math.sqrt(log_arms / (shape.rounds * arms))
        mixing = 1.05 * math.sqrt(arms * log_arms / shape.rounds)
        # A state holds numbers only: -1 stands for an objective that is still to be drawn.
        objective = -1 if self.objective is None else self.objective

        return Exp3PPolicy(
            arms=arms,
            objectives=shape.objectives,
            objective=objective,
            bonus=bonus,
            rate=0.95 * bonus,
            mixing=min(0.5, mixing),
        )
