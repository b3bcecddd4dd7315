"""The numbers of a note, flat, and a note from its numbers: in Python, and in compiled code.

Between two calls an agent keeps what a policy noted of a decision. A NamedTuple costs half a
microsecond to hand over to compiled code or back, and as much again for every one inside of it; a
tuple of floats costs next to nothing. So notes are taken apart and put together in compiled code.
"""

# ruff: noqa: ARG001 - Numba hands the types of all arguments to an overload, used or not

from typing import Any

from mobandits.compiling.backend import INTERPRETED

__all__ = ["note_like", "numbers_of"]


def numbers_of(note: Any) -> tuple[float, ...]:
    """The numbers of a note in order, those of notes inside of it in their place.

    Args:
        note: a number, or a NamedTuple of numbers and notes.

    Example:
        >>> from typing import NamedTuple
        >>> class Outer(NamedTuple):
        ...     inner: float
        ...     ball: int
        >>> numbers_of(Outer(0.5, 3)), numbers_of(0.0)
        ((0.5, 3.0), (0.0,))
    """
    if not isinstance(note, tuple):
        return (float(note),)

    numbers: tuple[float, ...] = ()
    for part in note:
        numbers += numbers_of(part)

    return numbers


def note_like(template: Any, numbers: tuple[float, ...], first: int = 0) -> Any:
    """The note of which these are the numbers.

    Args:
        template: any note of the policy: its types count.
        numbers: as `numbers_of` returns them.
        first: where its numbers begin.

    Example:
        >>> from mobandits.policies.context_free.scalarized_ucb1 import FunctionNote
        >>> note_like(FunctionNote(0), (2.0,))
        FunctionNote(function=2)
    """
    if not isinstance(template, tuple):
        return type(template)(numbers[first])

    parts = []
    for part in template:
        parts.append(note_like(part, numbers, first))
        first += len(numbers_of(part))

    return type(template)(*parts)


if not INTERPRETED:
    from numba import types
    from numba.extending import overload

    # Numba types a tuple element by element, and knows no loop over elements of different types.
    # So both functions take the first element, and call themselves for the rest. It compares the
    # parameters of an overload and of its implementations, annotations too.

    def _count(kind: Any) -> int:
        """How many numbers a note of this type has."""
        if not isinstance(kind, types.BaseTuple):
            return 1
        return sum(_count(part) for part in kind)

    @overload(numbers_of)
    def _compiled_numbers_of(note: Any) -> Any:
        def number(note: Any) -> Any:
            return (float(note),)

        def last(note: Any) -> Any:
            return numbers_of(note[0])

        def several(note: Any) -> Any:
            return numbers_of(note[0]) + numbers_of(note[1:])

        if not isinstance(note, types.BaseTuple):
            return number

        return last if len(note) == 1 else several

    @overload(note_like)
    def _compiled_note_like(template: Any, numbers: Any, first: Any = 0) -> Any:
        def whole(template: Any, numbers: Any, first: Any = 0) -> Any:
            return int(numbers[first])

        def number(template: Any, numbers: Any, first: Any = 0) -> Any:
            return numbers[first]

        def note(template: Any, numbers: Any, first: Any = 0) -> Any:
            return named_tuple(*_parts(template, numbers, first))

        if isinstance(template, types.BaseTuple):
            named_tuple = template.instance_class
            return note

        return whole if isinstance(template, types.Integer) else number

    def _parts(template: Any, numbers: Any, first: Any) -> Any:
        raise NotImplementedError  # only compiled code calls it

    @overload(_parts)
    def _compiled_parts(template: Any, numbers: Any, first: Any) -> Any:
        def last(template: Any, numbers: Any, first: Any) -> Any:
            return (note_like(template[0], numbers, first),)

        def several(template: Any, numbers: Any, first: Any) -> Any:
            head = (note_like(template[0], numbers, first),)
            return head + _parts(template[1:], numbers, first + count)

        count = _count(template[0])

        return last if len(template) == 1 else several
