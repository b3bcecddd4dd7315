"""Logistic rewards, fitted anew to the whole history in every round: the cost moglb2019 avoids."""

from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Evidence, IntArray
from mobandits.numerics.linalg import dot, invert

# Newton steps of one fit, at most; two or three are usual, as each fit starts at the one before.
STEPS = 25
CLOSE = 1e-8  # a fit ends with a Newton step that moves no parameter by more


class RefittedState(NamedTuple):
    """State of `Refitted`.

    Attributes:
        online: of the estimator whose widths are used, with theta replaced by the maximum
            likelihood estimate.
        features: (rounds, features) of the arms that were played so far, then zeros.
        rewards: (rounds, objectives) that they paid.
    """

    online: Any
    features: Array
    rewards: Array


@compiled
class Refitted:
    """Penalised maximum likelihood of logistic rewards, over all rounds, anew in every round.

    Newton's method, from the previous estimate on, solves for every objective::

        sum_s (y_s - mu(theta . x_s)) x_s = penalty theta

    Means, widths and evidence are read as from the online estimator, so
    that a policy differs from MOGLB-UCB in its estimates only. There is one model for all arms.

    Args:
        online: an `OnlineNewton` with logit links.
        penalty: of the squared norm of theta, which keeps estimates finite where rewards are
            separable.
        rounds: how many rewards there is room for.
        objectives: their number.
        length: of a feature row.

    Reference:
        Filippi, Cappé, Garivier and Szepesvári (2010), "Parametric bandits: the generalized linear
        case".

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MoglbUcb
        >>> shape = Shape(arms=2, features=2, objectives=1)
        >>> online = MoglbUcb(links="logit", scale=0.1).bind(shape).estimator
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
        """The state before any reward."""
        online = self.online.init()
        # Room for the whole history at once, so that its growth is no part of the measured cost.
        features = np.zeros((self.rounds, self.length))
        rewards = np.zeros((self.rounds, self.objectives))

        return RefittedState(online, features, rewards)

    def mean(self, state: RefittedState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) the linear predictors theta_l . x_a."""
        mean: Array = self.online.mean(state.online, context, arms)
        return mean

    def width(self, state: RefittedState, context: Array, arms: IntArray) -> Array:
        """(arms, 1) the widths of the online estimator."""
        width: Array = self.online.width(state.online, context, arms)
        return width

    def evidence(self, state: RefittedState, context: Array, arms: IntArray) -> Evidence:
        """The evidence of the online estimator."""
        evidence: Evidence = self.online.evidence(state.online, context, arms)
        return evidence

    def update(self, state: RefittedState, x: Array, arm: int, reward: Array) -> RefittedState:
        """The state with the reward kept, and all objectives fitted to everything that was kept."""
        seen = int(state.online.seen[0, 0])
        for i in range(len(x)):
            state.features[seen, i] = x[i]

        for l in range(len(reward)):
            state.rewards[seen, l] = reward[l]

        # The online step moves theta; a fit starts at the previous maximum instead, which is near
        # the next one.
        before = state.online.theta[0].copy()
        online = self.online.update(state.online, x, arm, reward)
        features = state.features[: seen + 1]
        for l in range(len(reward)):
            for i in range(len(x)):
                online.theta[0, l, i] = before[l, i]

            rewards = state.rewards[: seen + 1, l]
            self.fit(l, features, rewards, online.theta[0, l])

        return RefittedState(online, state.features, state.rewards)

    def fit(self, objective: int, features: Array, rewards: Array, theta: Array) -> None:
        """Fit one objective by Newton's method, in place.

        Args:
            objective: whose link is used.
            features: (rounds, features).
            rewards: (rounds,) of the objective.
            theta: (features,) where the method starts; it becomes the estimate.
        """
        d = len(theta)
        slope = np.empty(d)
        curvature = np.empty((d, d))
        inverse = np.empty((d, d))
        for _ in range(STEPS):
            # Of the penalty, whose slope is -penalty theta.
            for i in range(d):
                slope[i] = -self.penalty * theta[i]
                for j in range(d):
                    curvature[i, j] = self.penalty if i == j else 0.0

            # Of the likelihood of every round.
            for s in range(len(features)):
                predictor = dot(theta, features[s])
                mean = self.online.links.mean(objective, predictor)
                residual = rewards[s] - mean
                variance = mean * (1.0 - mean)  # the slope of the logit link
                for i in range(d):
                    slope[i] += residual * features[s, i]
                    # The lower half: `invert` reads no more.
                    for j in range(i + 1):
                        curvature[i, j] += variance * features[s, i] * features[s, j]

            invert(curvature, inverse)
            largest = 0.0
            for i in range(d):
                step = dot(inverse[i], slope)
                theta[i] += step
                largest = max(largest, abs(step))

            if largest <= CLOSE:
                break
