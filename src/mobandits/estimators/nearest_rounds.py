"""A regression with a correction by the rounds whose contexts were nearest."""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, IntArray, Rng
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.estimators.around_regression import AroundRegression

PULL = 10.0  # rounds without a residual, which draw a correction by few neighbours towards 0


@state_fields(
    contexts=Field(("arms", "features", "rounds")),
    rewards=Field(("arms", "objectives", "rounds"), finite=False),
    taken=counts("arms", whole=True),
)
class NearestRoundsState(NamedTuple):
    """The regression's state, and the newest rounds of every model.

    Attributes:
        model: the state of the regression.
        contexts: (slots, features, memory) of rounds; the newest takes the place of the oldest.
        rewards: (slots, objectives, memory) of the same rounds, infinite where not observed.
        taken: (slots,) rounds seen so far.
    """

    model: Any
    contexts: Array
    rewards: Array
    taken: Array


@compiled
class NearestRounds(AroundRegression):
    """A regression whose means are corrected by the residuals of the nearest rounds.

    With N the rounds i of a model whose contexts x_i are the nearest to x, at most `count` of its
    newest `memory` ones, and m(x) what the regression predicts,

        mean(x) = m(x) + sum_{i in N} (r_i - m(x_i)) / (|N| + 10)

    Residuals are of the regression as it is now. A reward that comes in parts is one round.
    Distances are Euclidean; of rounds that are as far, the one that was stored first in the arrays
    is nearer. Where the regression has forgotten, and has s rewards left, only the newest ceil(s)
    rounds count. Widths, and the spread of samples, are the regression's own.

    With a large penalty m is 0, or the mean of an arm where there is an intercept, and the estimate
    is that of the nearest neighbours, drawn a little towards m.

    Args:
        model: `Ridge` or `DisjointRidge`, or one of these in `Discounted`, `Alarmed` or `Scaled`.
        features: length d of a context, or of a feature row.
        objectives: number of rewards L.
        slots: number of models: one for all arms, or one each.
        count: of neighbours, at most.
        memory: rounds per model.

    Reference:
        Ours: residuals of a linear fit, smoothed by nearest neighbours (Stone, "Consistent
        nonparametric regression", 1977).

    Example:
        >>> from mobandits.estimators import Ridge
        >>> near = NearestRounds(Ridge(features=1, objectives=1), 1, 1, 1, count=1, memory=10)
        >>> state, arm = near.init(), np.array([0])
        >>> for x in (-1.0, 1.0):  # |x|, which no line follows
        ...     state = near.update(state, np.array([x]), 0, np.array([1.1]))
        >>> near.mean(state, np.array([[0.9]]), arm).round(3).tolist()  # 1.1 / 11
        [[0.1]]
    """

    model: Any
    features: int
    objectives: int
    slots: int
    count: int = 30
    memory: int = 500

    ORDERED = True  # the newest rounds are kept

    def init(self) -> NearestRoundsState:
        """No reward seen."""
        model = self.model.init()
        contexts = np.zeros((self.slots, self.features, self.memory))
        rewards = np.zeros((self.slots, self.objectives, self.memory))
        taken = np.zeros(self.slots)

        return NearestRoundsState(model, contexts, rewards, taken)

    def mean(self, state: NearestRoundsState, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) the regression's means, corrected."""
        mean: Array = self.model.mean(state.model, context, arms)
        self.correct(state, context, arms, mean)
        return mean

    def sample(
        self,
        state: NearestRoundsState,
        context: Array,
        arms: IntArray,
        draws: int,
        radius: Array,
        rng: Rng,
    ) -> Array:
        """(arms, objectives) as the regression samples, with the same corrections."""
        sample: Array = self.model.sample(state.model, context, arms, draws, radius, rng)
        self.correct(state, context, arms, sample)
        return sample

    def update(self, state: NearestRoundsState, x: Array, arm: int, reward: Array) -> Any:
        """Learn one reward (objectives,), NaN where it was not observed."""
        s = arm if self.slots > 1 else 0
        if not np.isnan(reward).all():
            self.keep(state, s, x, reward)

        model = self.model.update(state.model, x, arm, reward)

        return NearestRoundsState(model, state.contexts, state.rewards, state.taken)

    def keep(self, state: NearestRoundsState, s: int, x: Array, reward: Array) -> None:
        """Put a reward among the rounds of a model, in place."""
        place = self.place_for(state, s, x, reward)
        if place < 0:
            place = int(state.taken[s]) % self.memory
            state.taken[s] += 1.0
            state.contexts[s, :, place] = x
            # Not observed, so far: states hold no NaN.
            state.rewards[s, :, place] = math.inf

        for l in range(self.objectives):
            if not math.isnan(reward[l]):
                state.rewards[s, l, place] = reward[l]

    def place_for(self, state: NearestRoundsState, s: int, x: Array, reward: Array) -> int:
        """The place of the round that waits for this part of its reward; -1: it is a new round.

        It is the newest round of the model with the same context, of which nothing that comes now
        was observed.
        """
        if not np.isnan(reward).any():
            return -1

        taken = int(state.taken[s])
        filled = min(taken, self.memory)
        for back in range(filled):
            place = (taken - 1 - back) % self.memory
            is_its = True
            for l in range(self.objectives):
                if not math.isnan(reward[l]) and math.isfinite(state.rewards[s, l, place]):
                    is_its = False

            if is_its and (state.contexts[s, :, place] == x).all():
                return place

        return -1

    def correct(
        self, state: NearestRoundsState, context: Array, arms: IntArray, values: Array
    ) -> None:
        """Add the corrections to values (arms, objectives), in place."""
        seen = self.model.evidence(state.model, context, arms).seen
        for a in range(len(arms)):
            s = arms[a] if self.slots > 1 else 0
            row = a if len(context) > 1 else 0
            left = math.ceil(np.max(seen[s]))
            places = self.nearest(state, s, context[row], left)
            if len(places) == 0:
                continue

            # (neighbours, features): rows of their own, of the same arm.
            contexts = np.ascontiguousarray(state.contexts[s][:, places].T)
            repeated = np.full(len(places), arms[a])
            predicted = self.model.mean(state.model, contexts, repeated)
            for l in range(self.objectives):
                total = 0.0
                observed = 0.0
                for i in range(len(places)):
                    reward = state.rewards[s, l, places[i]]
                    if math.isfinite(reward):
                        total += reward - predicted[i, l]
                        observed += 1.0

                values[a, l] += total / (observed + PULL)

    def nearest(self, state: NearestRoundsState, s: int, x: Array, left: int) -> IntArray:
        """The places of the nearest rounds of a model, among the newest `left`."""
        taken = int(state.taken[s])
        filled = min(taken, self.memory)
        newest = min(left, filled)
        distances = np.zeros(filled)
        # Feature by feature over all rounds: what Python plays is as fast as it can be.
        for i in range(self.features):
            difference = state.contexts[s, i, :filled] - x[i]
            distances += difference * difference

        # Rounds that the regression has forgotten are out of reach.
        for back in range(newest, filled):
            place = (taken - 1 - back) % self.memory
            distances[place] = math.inf

        if newest <= self.count:
            return np.flatnonzero(np.isfinite(distances))

        limit = np.partition(distances, self.count - 1)[self.count - 1]
        nearer = np.flatnonzero(distances < limit)
        as_far = np.flatnonzero(distances == limit)
        missing = self.count - len(nearer)

        return np.concatenate((nearer, as_far[:missing]))
