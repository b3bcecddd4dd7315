"""The Numba type of an instance of a `compiled` class, and of anything else."""

import dataclasses
from typing import Any

from numba.extending import typeof_impl

from mobandits.compiling.backend import BACKEND
from mobandits.compiling.records import NUMBA_TYPE, Record, can_be_field
from mobandits.support.naming import quoted

__all__ = ["MARK", "is_compiled", "register_part_class", "typeof"]

# An attribute of `compiled` classes, which a subclass that is not decorated lacks.
MARK = "_mobandits_compiled"


def is_compiled(part: object) -> bool:
    """Whether `part` is an instance of a `compiled` class."""
    return MARK in vars(type(part))


def register_part_class(cls: type) -> None:
    """Mark a class as `compiled`, and let Numba know its instances."""
    setattr(cls, MARK, True)
    typeof_impl.register(cls)(_typeof_part)


def typeof(value: Any, context: Any = None) -> Any:
    """The Numba type of a value; None where Numba has none.

    Raises:
        TypeError: naming the field of a part that compiled code cannot hold.
    """
    if is_compiled(value):
        # Numba does not know a class that another process sent by value, as those of a script are.
        return _typeof_part(value, context)
    return typeof_impl(value, context)


def _typeof_part(part: Any, context: Any) -> Record:
    known: Record | None = vars(part).get(NUMBA_TYPE)
    if known is not None:
        return known

    cls = type(part)
    fields = []
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        kind = typeof(value, context)
        if not can_be_field(kind):
            rule = "must be a number, an array, a tuple of these or a @compiled part"
            raise TypeError(f"{cls.__name__}.{field.name} {rule}, got {quoted(value)}")

        fields.append((field.name, kind))

    record: Record = BACKEND.record_class(cls)(cls, tuple(fields))
    # Without it, the types of all fields would be inferred in every call, for 40 microseconds.
    object.__setattr__(part, NUMBA_TYPE, record)

    return record
