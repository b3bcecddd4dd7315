"""PreferenceUcb: one user's weights of the objectives are learned beside the rewards.

Symbols: r the rewards of a round, c the weights of the user, g = c . r the overall score, L the
rewards, rho_a the half-width of arm a, t the rounds so far.
"""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, IntArray, Mask, Recipe, Rng, Shape, Traits
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.estimators import SampleMean
from mobandits.estimators.sample_mean import MeanState
from mobandits.numerics.linalg import dot, quadratic, shrink_inverse
from mobandits.numerics.masks import count, everyone, leaders
from mobandits.policies.set_policy import SetPolicy
from mobandits.support.checks import choice, number


@state_fields(
    seen=counts("arms", "objectives"),
    total=Field(("arms", "objectives")),
    steps=counts("one"),
    moment=Field(("objectives",)),
    inverse=Field(("objectives", "objectives"), positive_diagonal=True),
)
class PreferenceState(NamedTuple):
    """The rewards seen so far, and what they say of the user.

    Attributes:
        seen: (arms, objectives) rewards seen.
        total: (arms, objectives) their sum.
        steps: (1,) rounds so far.
        moment: (objectives,) the sum of revealed weights; or of scores times rewards, weighed.
        inverse: (objectives, objectives) V^-1, of hidden weights; else the identity.
    """

    seen: Array
    total: Array
    steps: Array
    moment: Array
    inverse: Array


@compiled
class PreferencePolicy(SetPolicy):
    """See `PreferenceUcb`; beliefs are the arms with the largest score, (arms,).

    Args:
        means: of all objectives.
        rewards: L, how many of them are rewards; what follows tells of the user.
        hidden: whether the weights are learned from overall scores.
        scale: of half-widths.
        beta: of the half-width of the learned weights.
        omega: the weight of a round in the regression.
        delta: failure probability of the half-widths.
    """

    means: SampleMean
    rewards: int
    hidden: bool
    scale: float
    beta: float
    omega: float
    delta: float

    def init(self) -> PreferenceState:
        """The state before the first round: no rewards, and nothing known of the user."""
        means = self.means.init()
        objectives = means.seen.shape[1]
        inverse = np.zeros((objectives, objectives))
        for l in range(objectives):
            inverse[l, l] = 1.0

        return PreferenceState(means.seen, means.total, np.zeros(1), np.zeros(objectives), inverse)

    def weights(self, state: PreferenceState) -> Array:
        """(L,) the estimated weights of the user."""
        out = np.empty(self.rewards)
        for l in range(self.rewards):
            if self.hidden:
                row = state.inverse[l, : self.rewards]
                out[l] = dot(row, state.moment[: self.rewards])
            else:
                out[l] = state.moment[l] / state.steps[0]

        return out

    def beliefs(self, state: PreferenceState, context: Array, arms: IntArray, rng: Rng) -> Mask:
        """(arms,) arms without a reward if there are any, else those with the largest score."""
        fresh = np.zeros(len(arms), np.bool_)
        for a in range(len(arms)):
            # Rewards are whole: every objective has been seen as often as the first one.
            fresh[a] = state.seen[arms[a], 0] == 0.0
        if count(fresh) > 0:
            return fresh

        learned = MeanState(state.seen, state.total)
        no_context = np.empty((1, 0))
        mean = self.means.mean(learned, no_context, arms)
        width = self.means.width(learned, no_context, arms)
        weights = self.weights(state)
        length = 0.0
        for l in range(self.rewards):
            length += abs(weights[l])

        factor = self.scale * math.sqrt(math.log((state.steps[0] + 1.0) / self.delta))
        scores = np.empty(len(arms))
        high = np.empty(self.rewards)
        image = np.empty(self.rewards)
        for a in range(len(arms)):
            rho = factor * width[a, 0]
            scores[a] = dot(weights, mean[a, : self.rewards]) + rho * length
            if self.hidden:
                for l in range(self.rewards):
                    high[l] = mean[a, l] + rho

                inverse = state.inverse[: self.rewards, : self.rewards]
                scores[a] += self.beta * math.sqrt(quadratic(inverse, high, image))

        return leaders(scores, everyone(len(arms)))

    def update(
        self, state: PreferenceState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> PreferenceState:
        """The state after a reward vector, and what it says of the user."""
        learned = MeanState(state.seen, state.total)
        self.means.update(learned, x, arm, reward)
        state.steps[0] += 1.0
        if not self.hidden:
            for l in range(self.rewards):
                state.moment[l] += reward[self.rewards + l]

            return state

        score = reward[self.rewards]
        square = dot(reward[: self.rewards], reward[: self.rewards])
        # Rewards of 0 say nothing of the weights.
        if square == 0.0:
            return state

        root = math.sqrt(self.omega / square)
        direction = np.zeros(len(reward))
        for l in range(self.rewards):
            direction[l] = root * reward[l]
            state.moment[l] += root * root * score * reward[l]

        image = np.empty(len(reward))
        norm = quadratic(state.inverse, direction, image)
        shrink_inverse(state.inverse, image, norm)

        return state


@dataclass(frozen=True)
class PreferenceUcb(Recipe):
    """Learn what one user wants beside what arms pay, and play the best arm of that user.

    The reward vector of a round says both. With `kind="user"` its second half are the user's
    weights of the first half, which may differ from round to round around their mean; with
    `kind="hidden"` its last entry is one overall score g of the others, such as a rating. Each arm
    is played once; then the arm is played with the largest::

        user:    c . r_a + rho_a |c|_1                               c the mean of the weights
        hidden:  c . r_a + rho_a |c|_1 + beta |r_a + rho_a 1|        in V^-1

        rho_a = scale sqrt(ln((t + 1) / delta) / N_a)
        c = V^-1 sum (omega / |r|^2) g r           V = 1 + sum (omega / |r|^2) r r'

    where r_a are mean rewards of arm a and N_a its rounds. Rounds with large rewards count as much
    as others in V, whose noise in g grows with them. Context is ignored, and rewards must be whole.
    An agent states the weights or the score as objectives of their own, without a range.

    Args:
        kind: "user": weights are revealed after each round; "hidden": an overall score is.
        scale: of half-widths; 1 is the theory's.
        beta: of the half-width of hidden weights.
        omega: the weight of a round in their regression.
        delta: failure probability of half-widths, in (0, 1).

    Raises:
        ValueError: where a parameter does not fit; on `bind`, where objectives cannot be divided
            into rewards and what tells of the user.

    Reference:
        cao2026. Rebuilt from notes of it: beta, which grows slowly there, is a constant here, and
        half-widths have the absolute values of weights.

    Example:
        >>> policy = PreferenceUcb("user").bind(Shape(arms=3, features=0, objectives=4))
        >>> policy.rewards
        2
    """

    references = ("cao2026",)
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="the largest optimistic score under one user's learned weights",
        log="1 in most rounds",
        part="no",
    )

    kind: Literal["user", "hidden"] = "user"
    scale: float = 1.0
    beta: float = 1.0
    omega: float = 1.0
    delta: float = 0.1

    accepts_partial = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        choice("PreferenceUcb.kind", self.kind, ("user", "hidden"))
        number("PreferenceUcb.scale", self.scale, at_least=0.0)
        number("PreferenceUcb.beta", self.beta, at_least=0.0)
        number("PreferenceUcb.omega", self.omega, above=0.0)
        number("PreferenceUcb.delta", self.delta, above=0.0, below=1.0)

    def bind(self, shape: Shape) -> PreferencePolicy:
        """The policy, which knows where rewards end."""
        hidden = self.kind == "hidden"
        objectives = shape.objectives
        if hidden:
            rewards = objectives - 1
            rule = "at least two objectives, of which the last is the score"
        else:
            is_even = objectives % 2 == 0
            rewards = objectives // 2 if is_even else 0
            rule = "an even number of objectives, rewards and then their weights"
        if rewards < 1:
            raise ValueError(f"PreferenceUcb must have {rule}, got {objectives}")

        means = SampleMean(shape.arms, objectives)

        return PreferencePolicy(
            means, rewards, hidden, self.scale, self.beta, self.omega, self.delta
        )
