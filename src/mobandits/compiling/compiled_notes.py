"""The functions of `notes`, as compiled code has them."""

# ruff: noqa: ARG001 - Numba hands the types of all arguments to an overload, used or not

from typing import Any

from numba import types
from numba.extending import overload

from mobandits.compiling.notes import note_like, numbers_of

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
