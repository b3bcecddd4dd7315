"""What Numba takes an instance of a `compiled` class for."""

import dataclasses
from typing import Any

from numba.extending import typeof_impl

from mobandits.compiling.backend import BACKEND
from mobandits.compiling.records import Record, can_be_field
from mobandits.support.naming import quoted

MARK = "_mobandits_compiled"  # an attribute of the classes themselves


def is_compiled(part: object) -> bool:
    """Whether `part` is an instance of a `compiled` class."""
    return MARK in vars(type(part))


def typeof_record(value: Any, context: Any) -> Record:
    """The type of an instance of a `compiled` class, worked out once for each."""
    if (known := vars(value).get("_numba_type_")) is not None:
        found: Record = known
        return found
    fields = tuple((f.name, typeof(getattr(value, f.name), context)) for f in dataclasses.fields(value))
    if bad := [name for name, kind in fields if not can_be_field(kind)]:
        field = f"{type(value).__name__}.{bad[0]}"
        raise TypeError(
            f"{field} must be a number, an array, a tuple of these or a @compiled part, "
            f"got {quoted(getattr(value, bad[0]))}"
        )
    record: Record = BACKEND.record_class(type(value))(type(value), fields)
    object.__setattr__(value, "_numba_type_", record)  # Numba looks here first: later calls skip the inference
    return record


def typeof(value: Any, context: Any = None) -> Any:
    """The Numba type of a value."""
    if is_compiled(value):
        return typeof_record(value, context)  # Numba does not know a class that another process sent by value
    return typeof_impl(value, context)
