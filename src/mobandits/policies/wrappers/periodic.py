"""The time of the day as one more feature: for rewards that change with a known period."""

from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.notes import Note, note_of, possible_notes, unpacked_note
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

    Rounds are counted by the rewards that come in; the note of a choice holds the round, so that a late reward is
    learned for the time at which its arm was played.

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
        return TimedNote(note_of(self.policy), 0.0)

    def possible_notes(self, state: Timed, note: TimedNote) -> Mask:
        """(decisions,) whole rounds up to the present one."""
        rounds: Array = np.asarray(note.round)
        past: Mask = (rounds >= 0.0) & (rounds <= state.clock[0]) & (rounds == np.floor(rounds))
        return past & possible_notes(self.policy, state.state, note.inner)

    def unpacked_note(self, packed: float) -> Note:
        """The note of which older files have n 2^32 + round, n the number of the inner note."""
        inner, played = divmod(packed, 2.0**32)
        return TimedNote(unpacked_note(self.policy, inner), played)

    def init(self) -> Timed:
        """Round 0."""
        return Timed(self.policy.init(), np.zeros(1))

    def timed(self, context: Array, now: float) -> Array:
        """`context` (rows, features) with one more column."""
        rows, features = context.shape
        out = np.empty((rows, features + 1))
        for row in range(rows):
            for i in range(features):
                out[row, i] = context[row, i]
            out[row, features] = (int(now) % self.period) / self.period
        return out

    def beliefs(self, state: Timed, context: Array, arms: IntArray, rng: Rng) -> TimedBeliefs:
        """The inner policy's, at this time."""
        now = state.clock[0]
        return TimedBeliefs(
            self.policy.beliefs(state.state, self.timed(context, now), arms, rng), now
        )

    def draw(self, beliefs: TimedBeliefs, rng: Rng) -> Choice:
        """The inner policy's choice, with the round in its note."""
        choice = self.policy.draw(beliefs.beliefs, rng)
        return Choice(choice.arm, TimedNote(choice.note, beliefs.round))

    def probabilities(self, beliefs: TimedBeliefs) -> Array:
        """The inner policy's law."""
        law: Array = self.policy.probabilities(beliefs.beliefs)
        return law

    def update(
        self, state: Timed, x: Array, arm: int, note: TimedNote, reward: Array, rng: Rng
    ) -> Timed:
        """Teach what was paid at that time."""
        context = self.timed(x.reshape(1, len(x)), note.round)
        state.clock[0] = max(state.clock[0], note.round + 1.0)
        after = self.policy.update(state.state, context[0], arm, note.inner, reward, rng)
        return Timed(after, state.clock)
