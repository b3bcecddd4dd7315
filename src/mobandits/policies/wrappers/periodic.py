"""A wrapper with the time as one more feature, for rewards that change with a known period."""

from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.notes import Note, note_of, possible_notes
from mobandits.contracts.protocols import Array, Choice, IntArray, Mask, Rng
from mobandits.contracts.states import counts, state_fields


@state_fields(clock=counts("one", whole=True))
class Timed(NamedTuple):
    """The inner policy's state, and the number of the next round, (1,), from 0."""

    state: Any
    clock: Array


class TimedBeliefs(NamedTuple):
    """The inner policy's beliefs, and the number of the round."""

    beliefs: Any
    round: float


class TimedNote(NamedTuple):
    """The inner policy's note, and the number of the round in which the arm was played."""

    inner: Note
    round: float


@compiled
class Periodic:
    """Appends (t mod period) / period to every context of round t = 0, 1, ...

    Rounds are counted by the rewards that come in; the note of a choice holds the round, so that a
    late reward is learned for the time at which its arm was played.

    Args:
        policy: a policy with one more feature.
        period: T_s, in rounds.

    Reference:
        mocmab2018, section VI-A.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MocMab
        >>> shape = Shape(arms=4, features=2, objectives=2, rounds=100_000, shared=True)
        >>> MocMab(period=24).bind(shape).timed(np.array([[0.5, 0.25]]), 30.0).tolist()
        [[0.5, 0.25, 0.25]]
    """

    policy: Any
    period: int

    def note(self) -> TimedNote:
        """A note like those of `draw`."""
        inner = note_of(self.policy)
        return TimedNote(inner, 0.0)

    def possible_notes(self, state: Timed, note: TimedNote) -> Mask:
        """(decisions,) whole rounds up to the present one."""
        rounds: Array = np.asarray(note.round)
        is_whole = rounds == np.floor(rounds)
        is_past = (rounds >= 0.0) & (rounds <= state.clock[0])
        fits: Mask = is_whole & is_past
        inner = possible_notes(self.policy, state.state, note.inner)

        return fits & inner

    def note_for(self, beliefs: TimedBeliefs, arm: int, probability: float, rng: Rng) -> TimedNote:
        """The inner policy's note, and the round."""
        inner = self.policy.note_for(beliefs.beliefs, arm, probability, rng)
        return TimedNote(inner, beliefs.round)

    def init(self) -> Timed:
        """The state before round 0."""
        inner = self.policy.init()
        clock = np.zeros(1)
        return Timed(inner, clock)

    def timed(self, context: Array, now: float) -> Array:
        """(rows, features + 1) the context with the time in [0, 1) as its last column."""
        rows, features = context.shape
        # Exact for any clock: the remainder is taken of whole numbers.
        phase = int(now) % self.period
        time = phase / self.period
        timed = np.empty((rows, features + 1))
        for row in range(rows):
            for i in range(features):
                timed[row, i] = context[row, i]

            timed[row, features] = time

        return timed

    def beliefs(self, state: Timed, context: Array, arms: IntArray, rng: Rng) -> TimedBeliefs:
        """The inner policy's, at this time."""
        # Rounds are counted by rewards: no clock of the application is read.
        now = state.clock[0]
        timed = self.timed(context, now)
        inner = self.policy.beliefs(state.state, timed, arms, rng)
        return TimedBeliefs(inner, now)

    def draw(self, beliefs: TimedBeliefs, rng: Rng) -> Choice:
        """The inner policy's choice, with the round in its note."""
        choice = self.policy.draw(beliefs.beliefs, rng)
        # The clock may have moved on when the reward comes.
        note = TimedNote(choice.note, beliefs.round)
        return Choice(choice.arm, note)

    def probabilities(self, beliefs: TimedBeliefs) -> Array:
        """The probability of each arm: the inner policy's."""
        probabilities: Array = self.policy.probabilities(beliefs.beliefs)
        return probabilities

    def update(
        self, state: Timed, x: Array, arm: int, note: TimedNote, reward: Array, rng: Rng
    ) -> Timed:
        """The state after a reward, which is learned for the time at which its arm was played."""
        played = note.round
        context = x.reshape(1, len(x))
        timed = self.timed(context, played)
        timed_row = timed[0]
        # Late rewards must not set the clock back.
        now = state.clock[0]
        state.clock[0] = max(now, played + 1.0)
        inner = self.policy.update(state.state, timed_row, arm, note.inner, reward, rng)

        return Timed(inner, state.clock)
