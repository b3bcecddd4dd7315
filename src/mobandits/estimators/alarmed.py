"""Ridge regression of arms that forget when their rewards drift from what was predicted of them."""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.estimators.around_regression import AroundRegression
from mobandits.estimators.linear import RidgeState, log_volume, recompute_estimates
from mobandits.numerics.linalg import dot

SLACK = 0.5  # k: shifts of more than twice as many deviations are found soonest
THRESHOLD = 12.0  # h: of rewards that do not drift, one in 36,000 or fewer alarms
MOST = 3.0  # deviations that one reward counts for, at most
RATE = 0.01  # at which the deviation of rewards follows them
FEWEST = 20.0  # rewards before an alarm, and 10 penalties: the first predictions are drawn to 0
KEPT = 5.0  # rewards that an arm has left after an alarm


@state_fields(
    above=Field(("arms", "objectives"), low=0.0),
    below=Field(("arms", "objectives"), low=0.0),
    variance=Field(("arms", "objectives"), low=0.0),
    known=counts("arms", "objectives"),
)
class AlarmedState(NamedTuple):
    """The regression's state, and how far rewards have drifted of late.

    Attributes:
        model: the state of the regression.
        above: (slots, objectives) the sum of deviations above what was predicted.
        below: (slots, objectives) likewise, below.
        variance: (slots, objectives) of what rewards deviate by.
        known: (slots, objectives) rewards since the last alarm, and those it has left.
    """

    model: RidgeState
    above: Array
    below: Array
    variance: Array
    known: Array


@compiled
class Alarmed(AroundRegression):
    """`Ridge` or `DisjointRidge` in which a model whose rewards drift forgets what it learned.

    Two sums per model and objective (Page, 1954) follow z, the residual in standard deviations, at
    most 3 in absolute value:

        above <- max(0, above + z - 1/2),    below <- max(0, below - z - 1/2)

    Where one of them exceeds 12, the model keeps 5 rewards' worth of what it knows,
    S <- 5 S / n and Z <- 5 Z / n with n its rewards, and the sums begin anew. So it follows its next
    rewards, while other models forget nothing. Without drift, one reward in 36,000 alarms where
    nine of ten rewards are 1 and the others 0; fewer where rewards are normal or exponential. A shift
    of 1.5 deviations is found after 12 rewards.

    Args:
        model: `Ridge` or `DisjointRidge`.

    Reference:
        E. S. Page, "Continuous inspection schemes", Biometrika 41, 1954, for the sums. That a model
        fades at an alarm, and the constants, are ours.

    Example:
        >>> from mobandits.estimators import DisjointRidge
        >>> alarmed = Alarmed(DisjointRidge(features=1, objectives=1, slots=2))
        >>> state, x = alarmed.init(), np.array([1.0])
        >>> for reward in [0.9, 1.1] * 100 + [0.0] * 20:
        ...     state = alarmed.update(state, x, 0, np.array([reward]))
        >>> bool(alarmed.mean(state, x[None], np.array([0]))[0, 0] < 0.4)  # of all rewards: 0.9
        True
    """

    model: Any

    FORGETS = True

    def init(self) -> AlarmedState:
        """No reward seen."""
        model = self.model.init()
        slots, objectives, _ = model.theta.shape
        above = np.zeros((slots, objectives))
        below = np.zeros((slots, objectives))
        variance = np.zeros((slots, objectives))
        known = np.zeros((slots, objectives))

        return AlarmedState(model, above, below, variance, known)

    def update(self, state: AlarmedState, x: Array, arm: int, reward: Array) -> AlarmedState:
        """Learn one reward (objectives,), NaN where it was not observed."""
        s = arm if self.model.slots > 1 else 0
        has_drifted = False
        for l in range(len(reward)):
            if not math.isnan(reward[l]):
                residual = reward[l] - dot(x, state.model.theta[s, l])
                has_drifted |= self.follow(state, s, l, residual)

        model = self.model.update(state.model, x, arm, reward)
        if has_drifted:
            self.fade(model, s)
            state.above[s] = 0.0
            state.below[s] = 0.0
            state.known[s] = KEPT

        return AlarmedState(model, state.above, state.below, state.variance, state.known)

    def follow(self, state: AlarmedState, s: int, l: int, residual: float) -> bool:
        """Add a residual to the sums of a model; whether they alarm."""
        known = state.known[s, l]
        square = residual * residual
        variance = state.variance[s, l]
        # The mean of the first squares, and later of the last 1 / RATE or so.
        rate = max(RATE, 1.0 / (known + 1.0))
        state.known[s, l] = known + 1.0
        state.variance[s, l] = variance + rate * (square - variance)
        if known < FEWEST + 10.0 * self.model.penalty or variance <= 0.0:
            return False

        deviations = residual / math.sqrt(variance)
        z = min(MOST, max(-MOST, deviations))
        above = max(0.0, state.above[s, l] + z - SLACK)
        below = max(0.0, state.below[s, l] - z - SLACK)
        state.above[s, l] = above
        state.below[s, l] = below

        alarms: bool = above > THRESHOLD or below > THRESHOLD

        return alarms

    def fade(self, model: RidgeState, s: int) -> None:
        """Let a model keep few rewards' worth of what it knows."""
        objectives, d = model.theta.shape[1:]
        grams = model.inverse.shape[1]
        penalty = self.model.penalty
        for g in range(grams):
            seen = model.seen[s, g]
            if seen <= KEPT:
                continue

            share = KEPT / seen
            gram = model.gram[s, g]
            for i in range(d):
                for j in range(d):
                    gram[i, j] *= share

                # The penalty is not forgotten.
                gram[i, i] += (1.0 - share) * penalty

            for l in range(objectives):
                if l == g or grams == 1:
                    for i in range(d):
                        model.moment[s, l, i] *= share

            model.seen[s, g] = KEPT
            recompute_estimates(model, s, g)
            model.volume[s, g] = log_volume(gram, penalty)
