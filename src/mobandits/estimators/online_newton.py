"""Generalized linear rewards, learned by one online Newton step per reward, at constant cost."""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Evidence, IntArray, Rng
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.estimators.linear import REFRESH, absorb
from mobandits.numerics.ball import project_onto_ball
from mobandits.numerics.linalg import dot, invert, quadratic


@state_fields(
    gram=Field(("arms", "one", "features", "features"), positive_diagonal=True),
    inverse=Field(("arms", "one", "features", "features")),
    theta=Field(("arms", "objectives", "features")),
    seen=counts("arms", "one"),
    volume=Field(("arms", "one")),
)
class NewtonState(NamedTuple):
    """State of the online Newton step: 1 slot where the arms share their parameters, else one per arm.

    Attributes:
        gram: (slots, 1, features, features) Z = penalty I + (kappa / 2) sum of x x'; objectives share it.
        inverse: its inverse, by rank-one updates, recomputed from Z every 1000 of them.
        theta: (slots, objectives, features) the estimates.
        seen: (slots, 1) rewards seen.
        volume: (slots, 1) log det Z - log det Z_1.
    """

    gram: Array
    inverse: Array
    theta: Array
    seen: Array
    volume: Array


@compiled
class OnlineNewton:
    """The estimator of rewards with mean mu_l(theta_l . x), which keeps no past rewards.

    A reward y of the arm with features x moves Z by (kappa / 2) x x' and then every objective by a
    Newton step on its logistic-like loss, theta_l += (y_l - mu_l(theta_l . x)) Z^-1 x, projected
    onto ||theta_l|| <= D in the norm of Z. `mean` is the linear predictor theta_l . x: links are
    increasing, so orders that compare objective by objective need no more (`explorers.Linked` turns
    predictors into mean rewards).

    Args:
        model: `Ridge` or `DisjointRidge`, which says what the arms share and reads the estimates;
            its penalty is lambda, Z starts at lambda I.
        links: the increasing functions mu_l, from `numerics.links.combined_links`.
        curvature: kappa > 0, a lower bound of every mu_l' on [-bound, bound].
        bound: D > 0, an upper bound of every ||theta_l||.

    Reference:
        moglb2019, Algorithm 1, lines 5 to 7, and formula (1).

    Example:
        >>> from mobandits.estimators import Ridge
        >>> from mobandits.numerics.links import Logit, Shared
        >>> ridge = Ridge(features=2, objectives=1)
        >>> newton = OnlineNewton(ridge, Shared(Logit()), curvature=0.2, bound=1.0)
        >>> state = newton.update(newton.init(), np.array([1.0, 0.0]), 0, np.array([1.0]))
        >>> newton.mean(state, np.eye(2), np.arange(2)).round(3).tolist()
        [[0.455], [0.0]]
    """

    model: Any
    links: Any
    curvature: float
    bound: float

    def init(self) -> NewtonState:
        """No reward seen: Z = penalty I, theta = 0."""
        ridge = self.model.init()
        return NewtonState(
            ridge.gram,
            ridge.inverse,
            ridge.theta,
            ridge.seen,
            ridge.volume,
        )

    def mean(self, state: NewtonState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) the linear predictors theta_l . x_a."""
        mean: Array = self.model.mean(state, context, arms)
        return mean

    def width(self, state: NewtonState, context: Array, arms: IntArray) -> Array:
        """(arms, 1) sqrt(x_a' Z^-1 x_a), infinite before the first reward."""
        width: Array = self.model.width(state, context, arms)
        has_own_slots = len(state.seen) > 1
        for a in range(len(arms)):
            slot = arms[a] if has_own_slots else 0
            # Until a reward is seen, every arm must be on the front.
            if state.seen[slot, 0] == 0.0:
                width[a, 0] = math.inf

        return width

    def sample(
        self,
        state: NewtonState,
        context: Array,
        arms: IntArray,
        draws: int,
        radius: Array,
        rng: Rng,
    ) -> Array:
        """(arms, objectives) the largest of `draws` predictors x_a . N(theta_l, radius^2 Z^-1)."""
        sample: Array = self.model.sample(state, context, arms, draws, radius, rng)
        return sample

    def evidence(self, state: NewtonState, context: Array, arms: IntArray) -> Evidence:
        """Rewards seen and log det Z - log det Z_1, per slot."""
        return Evidence(state.seen, state.volume)

    def update(self, state: NewtonState, x: Array, arm: int, reward: Array) -> NewtonState:
        """Learn one whole reward (objectives,)."""
        d = len(x)
        s = arm if len(state.seen) > 1 else 0
        # Z gains (kappa / 2) x x', which is v v' with v = sqrt(kappa / 2) x.
        root = math.sqrt(0.5 * self.curvature)
        v = np.empty(d)
        u = np.empty(d)
        for i in range(d):
            v[i] = root * x[i]

        q = quadratic(state.inverse[s, 0], v, u)
        absorb(state, s, 0, v, u, q)
        # The new Z^-1 x is u / step: no product with the new inverse is needed.
        step = root * (1.0 + q)
        for l in range(len(reward)):
            theta = state.theta[s, l]
            predictor = dot(theta, x)
            error = reward[l] - self.links.mean(l, predictor)
            for i in range(d):
                theta[i] += error * u[i] / step

            project_onto_ball(state.gram[s, 0], theta, self.bound)

        # There is no moment to recompute the estimates from: only the inverse is made exact again.
        if state.seen[s, 0] % REFRESH == 0.0:
            invert(state.gram[s, 0], state.inverse[s, 0])

        return state
