"""The numbers of a note, flat, and a note from its numbers: in Python, and in compiled code.

Between two calls an agent keeps what a policy noted of a decision. A NamedTuple costs half a
microsecond to hand over to compiled code or back, and as much again for every one inside of it; a
tuple of floats costs next to nothing. So notes are taken apart and put together in compiled code.
"""

import importlib
from typing import Any

from mobandits.compiling.backend import when_loaded

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


def _declare(_: object) -> None:
    importlib.import_module("mobandits.compiling.compiled_notes")


when_loaded(_declare)
