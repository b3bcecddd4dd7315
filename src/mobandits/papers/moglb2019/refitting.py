"""Generalized linear rewards, fitted anew to the whole history in every round: the cost that moglb2019 avoids."""

from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Evidence, IntArray
from mobandits.numerics.linalg import dot, invert

STEPS = 25  # Newton steps of one fit, at most; two or three are usual, as each fit starts at the one before
CLOSE = 1e-8  # a fit ends with a Newton step that moves no parameter by more


class RefittedState(NamedTuple):
    """State of `Refitted`.

    Attributes: online: of the estimator whose widths are used, with theta replaced by the maximum
        likelihood estimate. features: (rounds, features) of the arms that were played so far, then
        zeros. rewards: (rounds, objectives) that they paid.
    """

    online: Any
    features: Array
    rewards: Array


@compiled
class Refitted:
    """Logistic rewards by penalised maximum likelihood over all rounds so far, computed anew in every round.

    Newton's method, from the previous estimate on, solves for every objective::

        sum_s (y_s - mu(theta . x_s)) x_s = penalty theta

    Means, widths and evidence are read as from the online estimator, so
    that a policy differs from MOGLB-UCB in its estimates only. There is one model for all arms.

    Args: online: an `OnlineNewton` with logit links. penalty: of the squared norm of theta, which
        keeps estimates finite where rewards are separable. rounds: how many rewards there is room
        for. objectives: their number. length: of a feature row.

    Reference: Filippi, Cappé, Garivier and Szepesvári (2010), "Parametric bandits: the generalized
        linear case".

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MoglbUcb
        >>> online = MoglbUcb(links="logit", scale=0.1).bind(Shape(arms=2, features=2, objectives=1)).estimator
        >>> refitted = Refitted(online, penalty=1.0, rounds=10, objectives=1, length=2)
        >>> state = refitted.update(refitted.init(), np.array([1.0, 0.0]), 0, np.array([1.0]))
        >>> state.online.theta.round(3).tolist()  # theta = 1 - mu(theta)
        [[[0.401, 0.0]]]
    """

    online: Any
    penalty: float
    rounds: int
    objectives: int
    length: int

    def init(self) -> RefittedState:
        """No reward seen."""
        return RefittedState(
            self.online.init(),
            np.zeros((self.rounds, self.length)),
            np.zeros((self.rounds, self.objectives)),
        )

    def mean(self, state: RefittedState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) the linear predictors theta_l . x_a."""
        mean: Array = self.online.mean(state.online, context, arms)
        return mean

    def width(self, state: RefittedState, context: Array, arms: IntArray) -> Array:
        """(arms, 1) as the online estimator's."""
        width: Array = self.online.width(state.online, context, arms)
        return width

    def evidence(self, state: RefittedState, context: Array, arms: IntArray) -> Evidence:
        """As the online estimator's."""
        evidence: Evidence = self.online.evidence(state.online, context, arms)
        return evidence

    def update(self, state: RefittedState, x: Array, arm: int, reward: Array) -> RefittedState:
        """Keep the reward, and fit all objectives to everything that was kept."""
        seen = int(state.online.seen[0, 0])
        for i in range(len(x)):
            state.features[seen, i] = x[i]
        for l in range(len(reward)):
            state.rewards[seen, l] = reward[l]
        before = state.online.theta[0].copy()
        online = self.online.update(state.online, x, arm, reward)
        for l in range(len(reward)):
            for i in range(len(x)):
                online.theta[0, l, i] = before[l, i]
            self.fit(
                l, state.features[: seen + 1], state.rewards[: seen + 1, l], online.theta[0, l]
            )
        return RefittedState(online, state.features, state.rewards)

    def fit(self, objective: int, features: Array, rewards: Array, theta: Array) -> None:
        """Newton's method for one objective; `theta` (features,) is where it starts, and becomes the estimate."""
        d = len(theta)
        slope = np.empty(d)
        curvature = np.empty((d, d))
        inverse = np.empty((d, d))
        for _ in range(STEPS):
            for i in range(d):
                slope[i] = -self.penalty * theta[i]
                for j in range(d):
                    curvature[i, j] = self.penalty if i == j else 0.0
            for s in range(len(features)):
                mean = self.online.links.mean(objective, dot(theta, features[s]))
                for i in range(d):
                    slope[i] += (rewards[s] - mean) * features[s, i]
                    for j in range(i + 1):
                        curvature[i, j] += mean * (1.0 - mean) * features[s, i] * features[s, j]
            invert(curvature, inverse)
            largest = 0.0
            for i in range(d):
                step = dot(inverse[i], slope)
                theta[i] += step
                largest = max(largest, abs(step))
            if largest <= CLOSE:
                break
