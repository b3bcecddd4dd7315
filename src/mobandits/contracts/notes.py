"""Notes of decisions: the numbers that `update` must have back, besides context, arm and reward.

A note is a number, or a NamedTuple of numbers and of other notes: a wrapper's note holds the note
of the policy inside of it. Loops hand a note from `draw` to `update` as it is; an agent keeps its
numbers until the reward arrives, and writes them into files. So a policy whose notes are more than
one number declares by methods what they are like:

- `note(self)`: a note, of which only the types count;
- `possible_notes(self, state, note)`: which notes it may have given before it came to `state`;
- `note_for(self, beliefs, arm, probability, rng)`: the note of an arm that something else than
  `draw` chose, with this probability, where these were the beliefs: `WithFloor` needs it.

A policy whose `draw` notes the probability of the arm declares `NOTES_PROBABILITY = True`, so that
a wrapper which changes probabilities can put the right one in its place.

Built-in policies that need no note return 0.0 and inherit from `NotesNothing`; wrappers without a
note of their own inherit from `PassesNotes`. A policy that declares nothing notes one number, and
any finite number is possible.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, Mask, Rng

# A number, or a NamedTuple of numbers and notes. Compiled code needs its exact type, which
# annotations cannot say where a wrapper holds any policy.
Note = Any

WHOLE = (int, np.integer)
NUMBERS = (int, float, np.number)
LARGEST_WHOLE = 2.0**53  # whole numbers up to here are exact as floats, in which files keep notes


class NotesNothing:
    """Base of policies whose `update` needs no note: `draw` returns 0.0 in its place."""

    def note(self) -> Note:
        """A number that means nothing."""
        return 0.0

    def possible_notes(self, state: Any, note: Array) -> Mask:
        """(decisions,) True where the note is 0."""
        none: Mask = note == 0.0
        return none

    def note_for(self, beliefs: Any, arm: int, probability: float, rng: Rng) -> Note:
        """A number that means nothing, whichever arm was chosen."""
        return 0.0


class PassesNotes:
    """Base of wrappers whose notes are those of the policy inside of them, `self.policy`."""

    policy: Any

    def note(self) -> Note:
        """A note of the inner policy."""
        return note_of(self.policy)

    def possible_notes(self, state: Any, note: Note) -> Mask:
        """(decisions,) as the inner policy."""
        return possible_notes(self.policy, state, note)

    def note_for(self, beliefs: Any, arm: int, probability: float, rng: Rng) -> Note:
        """The inner policy's note of this arm."""
        return self.policy.note_for(beliefs, arm, probability, rng)


def note_of(policy: Any) -> Note:
    """A note such as a policy's `draw` returns: what it declares, else a number.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolUcb, ScalarizedUcb1
        >>> shape = Shape(arms=4, features=2, objectives=2)
        >>> note_of(MolUcb().bind(shape)), note_of(ScalarizedUcb1().bind(shape))
        (0.0, FunctionNote(function=0))
    """
    # Asked of the object and not of its class: a spy or a proxy in a test declares what it wraps.
    declared = getattr(policy, "note", None)
    if callable(declared):
        return declared()
    return 0.0


def is_like(note: Any, template: Note) -> bool:
    """Whether a note has finite numbers, and those and the tuples of a template.

    A whole number may stand where the template has any number, since compiled code converts it.

    Example:
        >>> is_like(2.0, 0.0), is_like(float("nan"), 0.0), is_like(("late", 1.0), (0, 0.0))
        (True, False, False)
    """
    if isinstance(template, tuple):
        if type(note) is not type(template):
            return False

        pairs = zip(note, template, strict=True)
        return all(is_like(part, like) for part, like in pairs)

    # Compiled code would cut a float off where the policy counts on an integer.
    if isinstance(template, int) and not isinstance(note, int | np.integer):
        return False

    return isinstance(note, int | float | np.number) and math.isfinite(float(note))


def possible_notes(policy: Any, state: Any, note: Note) -> Mask:
    """(decisions,) which notes a policy may have given before it came to this state.

    Args:
        policy: any policy; one that declares nothing may have given any.
        state: its state now.
        note: its note, with a column of finite numbers (decisions,) in the place of every number.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolUcb
        >>> policy = MolUcb().bind(Shape(arms=4, features=2, objectives=2))
        >>> possible_notes(policy, policy.init(), np.array([0.0, 1.0])).tolist()
        [True, False]
    """
    declared = getattr(policy, "possible_notes", None)
    if callable(declared):
        possible: Mask = declared(state, note)
        return possible

    first = next(_leaves(note))

    return np.ones(len(first), np.bool_)


def note_columns(template: Note, numbers: Array) -> tuple[Note, Mask]:
    """Many notes as one, with a column in the place of every number.

    Args:
        template: a note of the policy.
        numbers: (decisions, numbers of a note).

    Returns:
        The columns, with 0 where a number is not what the template has in its place, and
        (decisions,) which notes have finite numbers only, whole ones where the template has those.
    """
    fits: Mask = np.all(np.isfinite(numbers), axis=1)
    columns = []
    for column, like in zip(numbers.T, _leaves(template), strict=True):
        if isinstance(like, int | np.integer):
            # A larger number would not fit into an integer, and the cast would make any of it.
            is_small = np.abs(column) <= LARGEST_WHOLE
            is_whole = column == np.floor(column)
            fits &= is_small & is_whole
            whole = np.where(fits, column, 0.0)
            columns.append(whole.astype(np.int64))
        else:
            columns.append(np.where(fits, column, 0.0))

    return _with_leaves(template, iter(columns)), fits


def _leaves(note: Note) -> Iterator[Any]:
    """The numbers of a note in order, one by one."""
    if isinstance(note, tuple):
        for part in note:
            yield from _leaves(part)
    else:
        yield note


def _with_leaves(template: Note, leaves: Iterator[Any]) -> Note:
    """A note like the template, with other numbers or columns."""
    if not isinstance(template, tuple):
        return next(leaves)
    parts: Sequence[Any] = [_with_leaves(part, leaves) for part in template]
    return type(template)(*parts)
