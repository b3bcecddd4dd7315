"""The Numba type of an instance of a `compiled` class, and of anything else."""

import dataclasses
from typing import TYPE_CHECKING, Any

from mobandits.compiling.backend import backend, when_loaded
from mobandits.support.naming import quoted

if TYPE_CHECKING:
    from mobandits.compiling.records import Record

__all__ = ["MARK", "NOT_INLINED", "NUMBA_TYPE", "is_compiled", "register_part_class", "typeof"]

# An attribute of `compiled` classes, which a subclass that is not decorated lacks.
MARK = "_mobandits_compiled"
NOT_INLINED = "_mobandits_not_inlined"  # one of methods that are called, not put in line
NUMBA_TYPE = "_numba_type_"  # one where Numba looks first for the type of a value


def is_compiled(part: object) -> bool:
    """Whether `part` is an instance of a `compiled` class."""
    return MARK in vars(type(part))


def register_part_class(cls: type) -> None:
    """Mark a class as `compiled`, and let Numba know its instances."""
    setattr(cls, MARK, True)

    def register(_: object) -> None:
        from numba.extending import typeof_impl  # noqa: PLC0415 - see `backend`

        typeof_impl.register(cls)(_typeof_part)

    when_loaded(register)


def typeof(value: Any, context: Any = None) -> Any:
    """The Numba type of a value; None where Numba has none.

    Raises:
        TypeError: naming the field of a part that compiled code cannot hold.
    """
    if is_compiled(value):
        # Numba does not know a class that another process sent by value, as those of a script are.
        return _typeof_part(value, context)

    from numba.extending import typeof_impl  # noqa: PLC0415 - see `backend`

    return typeof_impl(value, context)


def _typeof_part(part: Any, context: Any) -> "Record":
    known: Record | None = vars(part).get(NUMBA_TYPE)
    if known is not None:
        return known

    from mobandits.compiling.records import can_be_field  # noqa: PLC0415 - see `backend`

    cls = type(part)
    fields = []
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        kind = typeof(value, context)
        if not can_be_field(kind):
            rule = "must be a number, an array, a tuple of these or a @compiled part"
            raise TypeError(f"{cls.__name__}.{field.name} {rule}, got {quoted(value)}")

        fields.append((field.name, kind))

    record: Record = backend().record_class(cls)(cls, tuple(fields))
    # Without it, the types of all fields would be inferred in every call, for 40 microseconds.
    object.__setattr__(part, NUMBA_TYPE, record)

    return record
