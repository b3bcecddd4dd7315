"""PFI-RLS: Pareto front identification with ridge regression, a reconstruction of PFIwR for arms that stay."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.assumptions import UNIT_BALL, assumed
from mobandits.contracts.protocols import (
    Array,
    Assumption,
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
    """What is remembered.

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
    """What doubts about differences between arms are made of.

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

    def init(self) -> PfiState:
        """Nothing decided."""
        n = len(self.features)
        return PfiState(self.ridge.init(), everyone(n), np.zeros(n, np.bool_), np.zeros(1))

    def beliefs(self, state: PfiState, context: Array, arms: IntArray, rng: Rng) -> PfiBeliefs:
        """The arm that is known least, or the estimated front, of the arms that are left."""
        left = np.zeros(len(arms), np.bool_)
        for a in range(len(arms)):
            left[a] = state.undecided[arms[a]] or state.accepted[arms[a]]
        if count(left) == 0:
            left = everyone(len(arms))
        seen = state.ridge.seen[0, 0]
        d = self.features.shape[1]
        if state.explored[0] < math.ceil(4.0 * d * math.log(seen + 2.0)):
            widths = self.ridge.width(state.ridge, context, arms)
            return PfiBeliefs(leaders(widths[:, 0], left), 1.0)
        estimates = self.ridge.mean(state.ridge, context, arms)
        return PfiBeliefs(nondominated(estimates, np.empty(0, np.int64), left), 0.0)

    def draw(self, beliefs: PfiBeliefs, rng: Rng) -> Choice:
        """A uniform arm of the set."""
        return Choice(pick(beliefs.front, rng), beliefs.exploring)

    def probabilities(self, beliefs: PfiBeliefs) -> Array:
        """Uniform on the set."""
        return uniform(beliefs.front)

    def update(
        self, state: PfiState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> PfiState:
        """Learn, then drop and accept arms."""
        ridge = self.ridge.update(state.ridge, x, arm, reward)
        state.explored[0] += note
        arms = np.arange(len(self.features))
        means = self.ridge.mean(ridge, self.features.copy(), arms)
        pairs = self.pairs(ridge)
        active = self.active(state, means, pairs)
        safe = self.safe(active, means, pairs)
        for j in range(len(arms)):
            take = safe[j]
            i = 0
            while take and i < len(arms):
                if active[i] and not safe[i]:
                    take = lead(means, i, j) + self.tolerance > doubt(pairs, i, j)
                i += 1
            state.accepted[j] |= take
            state.undecided[j] = active[j] and not take
        return PfiState(ridge, state.undecided, state.accepted, state.explored)

    def pairs(self, ridge: RidgeState) -> Pairs:
        """What the doubt about a pair is made of, at d products: few of all pairs are asked for."""
        n, d = self.features.shape
        images = np.zeros((n, d))
        columns = ridge.inverse[0, 0].T.copy()
        for i in range(n):
            for m in range(d):
                for k in range(d):
                    images[i, k] += columns[m, k] * self.features[i, m]
        return Pairs(self.features, images, self.scale * self.radius.at(ridge.seen[0, 0], 0.0))

    def active(self, state: PfiState, means: Array, pairs: Pairs) -> Mask:
        """A1: undecided arms that nobody who is left surely dominates."""
        out = state.undecided.copy()
        ahead = np.empty(len(means))
        columns = means.T.copy()
        for i in range(len(out)):
            if out[i]:
                least_leads(columns, i, ahead)
            j = 0
            while out[i] and j < len(out):
                if ahead[j] > 0.0 and (state.undecided[j] or state.accepted[j]):
                    out[i] = ahead[j] <= doubt(pairs, i, j)
                j += 1
        return out

    def safe(self, active: Mask, means: Array, pairs: Pairs) -> Mask:
        """P1: active arms that are surely not dominated by an active arm."""
        out = active.copy()
        for i in range(len(out)):
            j = 0
            while out[i] and j < len(out):
                if active[j] and j != i:
                    out[i] = lead(means, i, j) + self.tolerance >= doubt(pairs, i, j)
                j += 1
        return out


@kernel
def doubt(pairs: Pairs, i: int, j: int) -> float:
    """b_ij = c1_t ||x_i - x_j||_{V^-1}."""
    square = 0.0
    for k in range(pairs.features.shape[1]):
        square += (pairs.features[i, k] - pairs.features[j, k]) * (
            pairs.images[i, k] - pairs.images[j, k]
        )
    return float(pairs.radius * math.sqrt(max(square, 0.0)))


@kernel
def lead(means: Array, i: int, j: int) -> float:
    """max_l (means[i, l] - means[j, l])."""
    out = -math.inf
    for l in range(means.shape[1]):
        out = max(out, means[i, l] - means[j, l])
    return out


@kernel
def least_leads(means: Array, i: int, out: Array) -> None:
    """out[j] = min_l (means[l, j] - means[l, i]), from means (objectives, arms): all arms j at once."""
    for j in range(len(out)):
        out[j] = means[0, j] - means[0, i]
    for l in range(1, len(means)):
        mine = means[l, i]
        for j in range(len(out)):
            out[j] = min(out[j], means[l, j] - mine)


@dataclass(frozen=True)
class PfiRls(Recipe):
    """Drop arms that are surely dominated, accept arms that surely are not, and play the estimated front of the rest.

    A reconstruction: the estimator of PFIwR is not public, so this one has ridge regression in its place; label plots
    accordingly. With b_ij = scale c1_t ||x_i - x_j||_{V^-1}, m(i,j) = max(0, min_l (mu_j - mu_i)), M(i,j) =
    max_l (mu_i - mu_j), the undecided arms U and the accepted arms P, every round ends with::

        A1 = {i in U: m(i,j) <= b_ij for all j in U or P}
        P1 = {i in A1: M(i,j) + eps >= b_ij for all other j in A1}
        P2 = {j in P1: no i in A1 without P1 has M(i,j) + eps <= b_ij}
        U = A1 without P2;  P = P and P2

    In round t, while there were fewer than 4 d ln(t + 1) exploration rounds, the arm of U or P with the largest width
    is played; else a uniform arm of their estimated Pareto front. Arms that were dropped never return, so the arms'
    features must not change: other problems are refused. Rewards must be whole.

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

    traits: ClassVar[Traits] = Traits(
        context="linear, fixed arms",
        beliefs="definite",
        plays="arms that may still be on the front",
        part="no",
    )

    scale: float = 1.0
    tolerance: float = 0.0
    penalty: float = 1.0
    delta: float = 0.01
    noise: float = 1.0
    check: bool = True

    accepts_partial: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        for name in ("scale", "penalty", "noise"):
            number(f"PfiRls.{name}", getattr(self, name), above=0.0)
        number("PfiRls.tolerance", self.tolerance, at_least=0.0)
        number("PfiRls.delta", self.delta, above=0.0, below=1.0)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Norms of at most 1."""
        return assumed(self, UNIT_BALL)

    def bind(self, shape: Shape) -> PfiPolicy:
        """Keep the arms' features."""
        if shape.fixed_arms is None:
            raise ValueError(
                "PfiRls needs arms whose features never change (Shape.fixed_arms), got None"
            )
        radius = SelfNormalised(
            shape.features, shape.objectives, self.delta, self.noise, self.penalty
        )
        ridge = Ridge(shape.features, shape.objectives, self.penalty)
        return PfiPolicy(ridge, radius, shape.fixed_arms, self.scale, self.tolerance)
