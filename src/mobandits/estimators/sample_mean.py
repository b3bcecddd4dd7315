"""The mean of the rewards of each arm, for problems without context."""

import math
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Evidence, IntArray
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.numerics.averages import averages


@state_fields(seen=counts("arms", "objectives"), total=Field(("arms", "objectives")))
class MeanState(NamedTuple):
    """Counts are per objective, so that rewards may come in part.

    Attributes:
        seen: (slots, objectives) rewards seen.
        total: (slots, objectives) their sum.
    """

    seen: Array
    total: Array

    def merged(self, other: "MeanState", first: "MeanState") -> "MeanState":
        """All counts and sums; both began at 0."""
        return MeanState(self.seen + other.seen, self.total + other.total)


@compiled
class SampleMean:
    """The estimator of mean rewards per arm and objective.

    The width is 1 / sqrt(count), infinite before the first reward.

    Args:
        slots: number of arms.
        objectives: number of rewards.

    Example:
        >>> import numpy as np
        >>> estimator, arms = SampleMean(slots=2, objectives=1), np.arange(2)
        >>> state = estimator.update(estimator.init(), np.empty(0), 1, np.array([0.5]))
        >>> nothing = np.empty((1, 0))
        >>> estimator.mean(state, nothing, arms).tolist()
        [[0.0], [0.5]]
        >>> estimator.width(state, nothing, arms).tolist()
        [[inf], [1.0]]
    """

    slots: int
    objectives: int

    def init(self) -> MeanState:
        """Nothing seen."""
        shape = (self.slots, self.objectives)
        seen = np.zeros(shape)
        total = np.zeros(shape)
        return MeanState(seen, total)

    def mean(self, state: MeanState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) mean rewards, 0 before the first."""
        return averages(state.total, state.seen, arms)

    def width(self, state: MeanState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) 1 / sqrt(count)."""
        # Infinite, so that orders that are optimistic play every arm once.
        out = np.full((len(arms), self.objectives), math.inf)
        for a in range(len(arms)):
            arm = arms[a]
            for l in range(self.objectives):
                seen = state.seen[arm, l]
                if seen > 0.0:
                    out[a, l] = 1.0 / math.sqrt(seen)

        return out

    def evidence(self, state: MeanState, context: Array, arms: IntArray) -> Evidence:
        """(1, objectives) rewards of the eligible arms together; no volume."""
        # The n of UCB1's index is the number of plays of the eligible arms, not the round: they are
        # the same where all arms are always eligible.
        total = np.zeros((1, self.objectives))
        for arm in arms:
            for l in range(self.objectives):
                seen = state.seen[arm, l]
                total[0, l] += seen

        no_volume = np.zeros((1, self.objectives))

        return Evidence(total, no_volume)

    def update(self, state: MeanState, x: Array, arm: int, reward: Array) -> MeanState:
        """Learn one reward (objectives,), NaN where it was not observed."""
        # Sums, and no running mean, whose last bit would depend on the order of the rewards.
        for l in range(self.objectives):
            observed = reward[l]
            if not math.isnan(observed):
                state.seen[arm, l] += 1.0
                state.total[arm, l] += observed

        return state
