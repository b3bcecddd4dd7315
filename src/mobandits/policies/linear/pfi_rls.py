"""PFI-RLS: Pareto front identification with ridge regression, a reconstruction of PFIwR.

PFIwR's estimator is not public, so ridge regression takes its place. Symbols::

    U              undecided arms
    P              accepted arms, believed to be on the Pareto front
    mu_i           estimated means of arm i, one per objective
    b_ij           half-width of the confidence interval around mu_i - mu_j
    m(i, j)        max(0, min_l (mu_j - mu_i)): by how much arm j dominates arm i
    M(i, j)        max_l (mu_i - mu_j): by how much arm j fails to dominate arm i
    eps            the tolerance

Arms that were dropped never return. So an arm's features must never change.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.assumptions import UNIT_BALL
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
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.estimators import Ridge, RidgeState
from mobandits.explorers.radii import SelfNormalised
from mobandits.numerics.dominance import nondominated
from mobandits.numerics.masks import count, everyone, leaders, pick, uniform
from mobandits.support.checks import number


@state_fields(
    undecided=Field(("arms",)),
    accepted=Field(("arms",)),
    explored=counts("one", whole=True),
)
class PfiState(NamedTuple):
    """The regression, and what was decided about each arm.

    Attributes:
        ridge: the regression's state.
        undecided: (arms,) U.
        accepted: (arms,) P, arms believed to be on the front.
        explored: (1,) exploration rounds so far.
    """

    ridge: RidgeState
    undecided: Mask
    accepted: Mask
    explored: Array


class PfiBeliefs(NamedTuple):
    """The set that is played from, (arms,), and 1 in an exploration round."""

    front: Mask
    exploring: float


class Pairs(NamedTuple):
    """The parts of b_ij, the half-width of a difference between two arms.

    Attributes:
        features: (arms, features) x_i.
        images: (arms, features) V^-1 x_i.
        radius: scale c1_t.
    """

    features: Array
    images: Array
    radius: float


@compiled
class PfiPolicy:
    """See `PfiRls`; the note of a choice is 1 in an exploration round."""

    ridge: Any
    radius: Any
    features: Floats
    scale: float
    tolerance: float

    def note_for(self, beliefs: PfiBeliefs, arm: int, probability: float, rng: Rng) -> float:
        """Whether it is an exploration round, whichever arm was chosen."""
        return beliefs.exploring

    def init(self) -> PfiState:
        """The state before the first round: every arm is undecided."""
        arms = len(self.features)
        ridge = self.ridge.init()
        accepted = np.zeros(arms, np.bool_)
        explored = np.zeros(1)

        return PfiState(ridge, everyone(arms), accepted, explored)

    def beliefs(self, state: PfiState, context: Array, arms: IntArray, rng: Rng) -> PfiBeliefs:
        """The widest arms while exploring, else the estimated front; both of U and P only."""
        remaining = np.zeros(len(arms), np.bool_)
        for a in range(len(arms)):
            arm = arms[a]
            remaining[a] = state.undecided[arm] or state.accepted[arm]

        # An application may offer only arms that were dropped, and one of them has to be played.
        if count(remaining) == 0:
            remaining = everyone(len(arms))

        # Forced exploration of 4 d ln(t + 1) rounds, with t counted from 1: it gives every
        # direction some data, which a uniform draw from a small front does not.
        rewards_seen = state.ridge.seen[0, 0]
        features = self.features.shape[1]
        allowance = math.ceil(4.0 * features * math.log(rewards_seen + 2.0))
        if state.explored[0] < allowance:
            widths = self.ridge.width(state.ridge, context, arms)
            # Rewards are whole, so one Gram matrix serves all objectives: one column of widths.
            widest = leaders(widths[:, 0], remaining)
            return PfiBeliefs(widest, 1.0)

        estimates = self.ridge.mean(state.ridge, context, arms)
        all_objectives = np.empty(0, np.int64)
        front = nondominated(estimates, all_objectives, remaining)

        return PfiBeliefs(front, 0.0)

    def draw(self, beliefs: PfiBeliefs, rng: Rng) -> Choice:
        """A uniform arm of the set that is played from."""
        arm = pick(beliefs.front, rng)
        # `update` counts exploration rounds, which only beliefs can tell from others.
        note = beliefs.exploring
        return Choice(arm, note)

    def probabilities(self, beliefs: PfiBeliefs) -> Array:
        """The probability of each arm: uniform on the set that is played from."""
        return uniform(beliefs.front)

    def update(
        self, state: PfiState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> PfiState:
        """The state after a reward: the regression learns, then arms are dropped and accepted."""
        ridge = self.ridge.update(state.ridge, x, arm, reward)
        state.explored[0] += note
        arms = np.arange(len(self.features))
        # The field is read-only, and estimators are compiled for arrays that can be written.
        features = self.features.copy()
        means = self.ridge.mean(ridge, features, arms)
        pairs = self.pairs(ridge)
        active = self.active(state, means, pairs)
        safe = self.safe(active, means, pairs)
        for j in range(len(arms)):
            # P2: arm j leaves the comparison only when no uncertain arm may still need it there.
            accept = safe[j]
            i = 0
            while accept and i < len(arms):
                if active[i] and not safe[i]:
                    margin = largest_difference(means, i, j) + self.tolerance
                    accept = margin > difference_width(pairs, i, j)

                i += 1

            state.accepted[j] |= accept
            state.undecided[j] = active[j] and not accept

        return PfiState(ridge, state.undecided, state.accepted, state.explored)

    def pairs(self, ridge: RidgeState) -> Pairs:
        """The parts of all b_ij; each pair is then d products, and few pairs are looked at."""
        arms, features = self.features.shape
        images = np.zeros((arms, features))
        # Copied once as rows, so that the innermost loop runs along memory.
        columns = ridge.inverse[0, 0].T.copy()
        for i in range(arms):
            for m in range(features):
                feature = self.features[i, m]
                for k in range(features):
                    images[i, k] += columns[m, k] * feature

        rewards_seen = ridge.seen[0, 0]
        radius = self.scale * self.radius.at(rewards_seen, 0.0)

        return Pairs(self.features, images, radius)

    def active(self, state: PfiState, means: Array, pairs: Pairs) -> Mask:
        """(arms,) A1: the undecided arms that no arm of U or P surely dominates."""
        active = state.undecided.copy()
        arms = len(active)
        leads = np.empty(len(means))
        columns = means.T.copy()
        for i in range(arms):
            if active[i]:
                least_leads(columns, i, leads)

            j = 0
            while active[i] and j < arms:
                # m(i, j) = 0 exceeds no half-width: most pairs need no b_ij at all.
                if leads[j] > 0.0 and (state.undecided[j] or state.accepted[j]):
                    active[i] = leads[j] <= difference_width(pairs, i, j)

                j += 1

        return active

    def safe(self, active: Mask, means: Array, pairs: Pairs) -> Mask:
        """(arms,) P1: the arms of A1 that are surely not dominated by another arm of A1."""
        safe = active.copy()
        arms = len(safe)
        for i in range(arms):
            j = 0
            while safe[i] and j < arms:
                if active[j] and j != i:
                    margin = largest_difference(means, i, j) + self.tolerance
                    safe[i] = margin >= difference_width(pairs, i, j)

                j += 1

        return safe


@kernel
def difference_width(pairs: Pairs, i: int, j: int) -> float:
    """The half-width b_ij = c1_t ||x_i - x_j||_{V^-1}."""
    features = pairs.features
    images = pairs.images
    count = features.shape[1]
    square = 0.0
    for k in range(count):
        difference = features[i, k] - features[j, k]
        image = images[i, k] - images[j, k]
        square += difference * image

    # Of equal arms the square is 0, and rounding may leave it just below.
    norm = math.sqrt(max(square, 0.0))

    return float(pairs.radius * norm)


@kernel
def largest_difference(means: Array, i: int, j: int) -> float:
    """The difference M(i, j) = max_l (means[i, l] - means[j, l])."""
    objectives = means.shape[1]
    largest = -math.inf
    for l in range(objectives):
        own = means[i, l]
        difference = own - means[j, l]
        largest = max(largest, difference)

    return largest


@kernel
def least_leads(means: Array, i: int, out: Array) -> None:
    """The leads out[j] = min_l (means[l, j] - means[l, i]) of all arms j over arm i.

    Means are (objectives, arms) here, so that the arms are the innermost loop.
    """
    arms = len(out)
    first = means[0, i]
    for j in range(arms):
        out[j] = means[0, j] - first

    # Objective by objective: the arms of one objective stand side by side in memory.
    for l in range(1, len(means)):
        own = means[l, i]
        for j in range(arms):
            difference = means[l, j] - own
            out[j] = min(out[j], difference)


@dataclass(frozen=True)
class PfiRls(Recipe):
    """Drop arms that are surely dominated, accept arms that surely are not, play from the rest.

    Of the arms that are left, the estimated Pareto front is played. A reconstruction: the estimator
    of PFIwR is not public, so this one has ridge regression in its place; label plots accordingly.
    With b_ij = scale c1_t ||x_i - x_j||_{V^-1}, m(i,j) = max(0, min_l (mu_j - mu_i)), M(i,j) =
    max_l (mu_i - mu_j), the undecided arms U and the accepted arms P, every round ends with::

        A1 = {i in U: m(i,j) <= b_ij for all j in U or P}
        P1 = {i in A1: M(i,j) + eps >= b_ij for all other j in A1}
        P2 = {j in P1: no i in A1 without P1 has M(i,j) + eps <= b_ij}
        U = A1 without P2;  P = P and P2

    In round t, while there were fewer than 4 d ln(t + 1) exploration rounds, the arm of U or P with
    the largest width is played; else a uniform arm of their estimated Pareto front. Arms that were
    dropped never return, so the arms' features must not change: other problems are refused. Rewards
    must be whole.

    Args:
        scale: multiplies the widths; with 1 nothing is accepted in thousands of rounds.
        tolerance: eps >= 0.
        penalty: ridge penalty.
        delta: failure probability, in (0, 1).
        noise: sub-Gaussian constant of the rewards.
        check: warn where features have norms above 1.

    Reference:
        kim2023 for the task; auer2016, Algorithm 1, for the sets.

    Example:
        >>> shape = Shape(arms=4, features=2, objectives=2, fixed_arms=np.eye(4, 2))
        >>> PfiRls(scale=0.2).bind(shape).radius.models
        2
    """

    references = ("kim2023", "auer2016")
    traits = Traits(
        context="linear, fixed arms",
        beliefs="definite",
        plays="arms that may still be on the front",
        log="exact, with zeros",
        part="no",
    )
    assumed = (UNIT_BALL,)

    scale: float = 1.0
    tolerance: float = 0.0
    penalty: float = 1.0
    delta: float = 0.01
    noise: float = 1.0
    check: bool = True

    accepts_partial = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        for name in ("scale", "penalty", "noise"):
            value = getattr(self, name)
            number(f"PfiRls.{name}", value, above=0.0)

        number("PfiRls.tolerance", self.tolerance, at_least=0.0)
        number("PfiRls.delta", self.delta, above=0.0, below=1.0)

    def bind(self, shape: Shape) -> PfiPolicy:
        """The policy for the arms' features, which must be fixed."""
        if shape.fixed_arms is None:
            raise ValueError(
                "PfiRls needs arms whose features never change (Shape.fixed_arms), got None"
            )

        # The union is over objectives only: all arms share one regression per objective.
        radius = SelfNormalised(
            features=shape.features,
            models=shape.objectives,
            delta=self.delta,
            noise=self.noise,
            penalty=self.penalty,
        )
        ridge = Ridge(shape.features, shape.objectives, self.penalty)

        return PfiPolicy(ridge, radius, shape.fixed_arms, self.scale, self.tolerance)
