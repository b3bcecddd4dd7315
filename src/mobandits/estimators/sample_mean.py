"""The mean of the rewards of each arm: no context."""

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

    def upgraded(self) -> "MeanState":
        """Sums, of a state in which `total` holds means."""
        return self._replace(total=self.total * self.seen)


@compiled
class SampleMean:
    """Mean reward per arm and objective; the width is 1 / sqrt(count), infinite before the first reward.

    Args:
        slots: number of arms.
        objectives: number of rewards.

    Example:
        >>> import numpy as np
        >>> estimator, arms = SampleMean(slots=2, objectives=1), np.arange(2)
        >>> state = estimator.update(estimator.init(), np.empty(0), 1, np.array([0.5]))
        >>> nothing = np.empty((1, 0))
        >>> estimator.mean(state, nothing, arms).tolist(), estimator.width(state, nothing, arms).tolist()
        ([[0.0], [0.5]], [[inf], [1.0]])
    """

    slots: int
    objectives: int

    def init(self) -> MeanState:
        """Nothing seen."""
        return MeanState(
            np.zeros((self.slots, self.objectives)), np.zeros((self.slots, self.objectives))
        )

    def mean(self, state: MeanState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) mean rewards, 0 before the first."""
        return averages(state.total, state.seen, arms)

    def width(self, state: MeanState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) 1 / sqrt(count)."""
        out = np.full((len(arms), self.objectives), math.inf)
        for a in range(len(arms)):
            for l in range(self.objectives):
                if state.seen[arms[a], l] > 0.0:
                    out[a, l] = 1.0 / math.sqrt(state.seen[arms[a], l])
        return out

    def evidence(self, state: MeanState, context: Array, arms: IntArray) -> Evidence:
        """(1, objectives) rewards of the eligible arms together; no volume."""
        total = np.zeros((1, self.objectives))
        for arm in arms:
            for l in range(self.objectives):
                total[0, l] += state.seen[arm, l]
        return Evidence(total, np.zeros((1, self.objectives)))

    def update(self, state: MeanState, x: Array, arm: int, reward: Array) -> MeanState:
        """Learn one reward (objectives,), NaN where it was not observed."""
        for l in range(self.objectives):
            if not math.isnan(reward[l]):
                state.seen[arm, l] += 1.0
                state.total[arm, l] += reward[l]
        return state
