"""Ridge regression of every objective: the state and the update that its two forms share."""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, Evidence, IntArray
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.numerics.linalg import cholesky, dot, invert, quadratic, shrink_inverse
from mobandits.numerics.masks import count

# Updates of one Gram matrix between two exact recomputations of its inverse. Every rank-one update
# adds its roundings. A recomputation costs about as much as d updates: next to nothing once in so
# many.
REFRESH = 1000


@state_fields(
    gram=Field(("arms", "grams", "features", "features"), positive_diagonal=True),
    inverse=Field(("arms", "grams", "features", "features")),
    moment=Field(("arms", "objectives", "features")),
    theta=Field(("arms", "objectives", "features")),
    seen=counts("arms", "grams"),
    volume=Field(("arms", "grams")),
)
class RidgeState(NamedTuple):
    """State of the ridge family.

    There is 1 slot where the arms share their parameters, else one per arm; 1 Gram matrix until a reward arrives in
    part, then one per objective.

    Attributes:
        gram: (slots, grams, features, features) V = penalty I + sum of x x'.
        inverse: its inverse, by rank-one updates, recomputed from V every 1000 of them.
        moment: (slots, objectives, features) Z = sum of reward x.
        theta: V^-1 Z, the estimate.
        seen: (slots, grams) rewards seen.
        volume: (slots, grams) log det V - log det V_1.
    """

    gram: Array
    inverse: Array
    moment: Array
    theta: Array
    seen: Array
    volume: Array

    def merged(self, other: "RidgeState", first: "RidgeState") -> "RidgeState":
        """Sums of Gram matrices and moments, and the estimates that follow from them.

        Both Gram matrices began with the penalty, which counts once.
        """
        return merged_ridges(self, other, first)


class LinearEstimator:
    """Base of `Ridge` and `DisjointRidge`, which add `mean`, `width` and `sample`.

    Update with reward r of the arm with features x (yadkori2011): V += x x', Z += r x,
    theta = V^-1 Z, through u = V^-1 x, q = x' u: theta += (r - theta . x) u / (1 + q),
    V^-1 -= u u' / (1 + q), log det V += log(1 + q).

    Rewards may come in part, NaN for what was not observed: one Gram matrix serves all objectives
    until the first such reward, from then on each objective has its own. Whatever the split and the
    order of the parts, the estimate is the one that the full rewards give.
    """

    features: int
    objectives: int
    slots: int
    penalty: float

    def init(self) -> RidgeState:
        """No reward seen: V = penalty I, theta = 0."""
        slots = self.slots
        d = self.features
        objectives = self.objectives
        gram = np.eye(d) * self.penalty
        inverse = np.eye(d) / self.penalty
        every = (slots, 1, d, d)

        # Not by `np.tile`, which lets no other thread compute while it fills these.
        return RidgeState(
            gram=np.broadcast_to(gram, every).copy(),
            inverse=np.broadcast_to(inverse, every).copy(),
            moment=np.zeros((slots, objectives, d)),
            theta=np.zeros((slots, objectives, d)),
            seen=np.zeros((slots, 1)),
            volume=np.zeros((slots, 1)),
        )

    def matrix_entries(self) -> int:
        """How many numbers the Gram matrices of all models have, before rewards come in part."""
        return self.slots * self.features**2

    def evidence(self, state: RidgeState, context: Array, arms: IntArray) -> Evidence:
        """Rewards seen and log det V - log det V_1, per slot and Gram matrix."""
        return Evidence(state.seen, state.volume)

    def update(self, state: RidgeState, x: Array, arm: int, reward: Array) -> RidgeState:
        """Learn one reward (objectives,), NaN where it was not observed."""
        state = split_grams(state, reward)
        s = arm if self.slots > 1 else 0
        grams = state.inverse.shape[1]
        u = np.empty(self.features)
        q = 0.0
        for l in range(self.objectives):
            observed = reward[l]
            if math.isnan(observed):
                continue

            # A Gram matrix that all objectives share learns the features once, with objective 0.
            # The others use its u and q, which are of the inverse before it did.
            has_own_gram = l == 0 or grams > 1
            if has_own_gram:
                q = quadratic(state.inverse[s, l], x, u)

            prediction = dot(x, state.theta[s, l])
            error = (observed - prediction) / (1.0 + q)
            for i in range(self.features):
                state.moment[s, l, i] += observed * x[i]
                state.theta[s, l, i] += error * u[i]

            if has_own_gram:
                absorb(state, s, l, x, u, q)

        # After all objectives: the estimates are recomputed from moments that hold this reward.
        for g in range(grams):
            if not math.isnan(reward[g]) and state.seen[s, g] % REFRESH == 0.0:
                recompute_estimates(state, s, g)

        return state


@kernel
def absorb(state: Any, s: int, g: int, x: Array, u: Array, q: float) -> None:
    """Add x x' to one Gram matrix of a `RidgeState` or its like, where u = V^-1 x and q = x' u."""
    features = len(x)
    for i in range(features):
        for j in range(features):
            product = x[i] * x[j]
            state.gram[s, g, i, j] += product

    # det (V + x x') = det V (1 + q)
    shrink_inverse(state.inverse[s, g], u, q)
    state.seen[s, g] += 1.0
    state.volume[s, g] += math.log1p(q)


@kernel
def recompute_estimates(state: RidgeState, s: int, g: int) -> None:
    """Recompute one inverse from its Gram matrix, and the estimates that rest on it."""
    # Rank-one updates drift; Gram matrices and moments are sums, and do not.
    grams = state.inverse.shape[1]
    objectives = state.theta.shape[1]
    inverse = state.inverse[s, g]
    invert(state.gram[s, g], inverse)
    for l in range(objectives):
        if l == g or grams == 1:
            moment = state.moment[s, l]
            quadratic(inverse, moment, state.theta[s, l])


@kernel
def log_volume(gram: Array, penalty: float) -> float:
    """Log det V - log det V_1 of one Gram matrix, from scratch."""
    features = len(gram)
    root = np.zeros((features, features))
    cholesky(gram, root)
    # log det V = 2 sum log root_ii, and log det V_1 = d log penalty.
    volume = -features * math.log(penalty)
    for i in range(features):
        volume += 2.0 * math.log(root[i, i])

    return volume


@kernel
def split_grams(state: RidgeState, reward: Array) -> RidgeState:
    """The same state, with one Gram matrix per objective from the first reward in part on."""
    # Not from the start: one matrix for all objectives is a fraction of the work.
    slots, grams, d, _ = state.inverse.shape
    missing = count(np.isnan(reward))
    objectives = len(reward)
    if grams > 1 or missing in (0, objectives):
        return state

    models = (slots, objectives)
    matrices = (slots, objectives, d, d)
    gram = np.empty(matrices)
    inverse = np.empty(matrices)
    seen = np.empty(models)
    volume = np.empty(models)
    # Until now every objective has seen the same features, so all start from copies of one matrix.
    for s in range(slots):
        for l in range(objectives):
            seen[s, l] = state.seen[s, 0]
            volume[s, l] = state.volume[s, 0]
            for i in range(d):
                for j in range(d):
                    gram[s, l, i, j] = state.gram[s, 0, i, j]
                    inverse[s, l, i, j] = state.inverse[s, 0, i, j]

    return RidgeState(gram, inverse, state.moment, state.theta, seen, volume)


def merged_ridges(one: RidgeState, other: RidgeState, first: RidgeState) -> RidgeState:
    """The state after what led to either state, which both began as `first`."""
    objectives = one.theta.shape[1]
    if one.inverse.shape[1] != other.inverse.shape[1]:
        # One of them has had a reward in part: the other is split as by a first such reward.
        partial = np.full(objectives, np.nan)
        partial[0] = 0.0
        one = split_grams(one, partial)
        other = split_grams(other, partial)

    gram = one.gram + other.gram - first.gram
    volume = np.linalg.slogdet(gram)[1] - np.linalg.slogdet(first.gram)[1]
    merged = RidgeState(
        gram=gram,
        inverse=np.empty(gram.shape),
        moment=one.moment + other.moment,
        theta=one.theta.copy(),
        seen=one.seen + other.seen,
        volume=volume,
    )
    for s in range(gram.shape[0]):
        for g in range(gram.shape[1]):
            recompute_estimates(merged, s, g)

    return merged
