"""The values of a part's fields: converted to what their annotations say, and compared by value."""

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mobandits.compiling.named import (
    NAMING,
    Named,
    named_numbers,
    named_place,
    named_places,
)
from mobandits.support.checks import is_masked
from mobandits.support.naming import wrong_value

__all__ = ["CONVERTERS", "Floats", "Ints", "Place", "comparable", "convert_field", "field_text"]

# Constructors accept anything that converts, and type checkers know no converters.
if TYPE_CHECKING:
    Floats: TypeAlias = Any
    Ints: TypeAlias = Any
    Place: TypeAlias = Any
else:
    # Annotation of a field: one objective, by number or by name.
    Place = int | str

    class Floats(np.ndarray):
        """Annotation of a field: the value is stored as a read-only, C-contiguous float64 array."""

    class Ints(np.ndarray):
        """Annotation of a field: a read-only int64 array.

        A ragged list of lists becomes a matrix padded with -1.
        """


def _frozen(value: Any, dtype: Any) -> np.ndarray[Any, Any]:
    array = np.array(value, dtype, order="C")
    # Numba types differ by writability: always the same, hence one compilation.
    array.setflags(write=False)
    return array


def _refuse_masked(value: Any) -> None:
    if is_masked(value):  # NumPy would read the values under the mask
        raise ValueError("masked entries")


def _to_floats(value: Any) -> np.ndarray[Any, Any]:
    _refuse_masked(value)
    return _frozen(value, np.float64)


def _to_ints(value: Any) -> np.ndarray[Any, Any]:
    _refuse_masked(value)
    rows = [] if value is None else list(value)
    if not rows:
        return _frozen(rows, np.int64)

    are_lists = all(np.ndim(row) == 1 for row in rows)
    if are_lists:
        rows = _padded(rows)

    kind = np.asarray(rows).dtype.kind
    if kind not in "iu":
        raise ValueError("not integers")

    return _frozen(rows, np.int64)


def _padded(rows: list[Any]) -> list[list[Any]]:
    width = max(map(len, rows))
    padded = []
    for row in rows:
        padding = [-1] * (width - len(row))
        padded.append([*row, *padding])

    return padded


def _to_int(value: Any) -> int:
    number = operator.index(value)  # unlike `int`, it refuses 1.5
    if not -(2**63) <= number < 2**63:
        raise OverflowError(f"{number.bit_length()} bits, where compiled code has 64")
    return number


CONVERTERS: dict[Any, Callable[[Any], Any]] = {
    float: float,
    int: _to_int,
    bool: bool,
    Floats: _to_floats,
    Ints: _to_ints,
}
# Annotations may be strings: the names of the types.
CONVERTERS |= {kind.__name__: convert for kind, convert in list(CONVERTERS.items())}
# A union has no name.
CONVERTERS |= {Place: _to_int, "Place": _to_int}

_EXPECTED = {
    float: "a number",
    _to_int: "an integer",
    bool: "true or false",
    _to_floats: "an array of numbers",
    _to_ints: "integers, or lists of integers",
}


_NAMED: dict[Any, Callable[[Any], Named | None]] = {
    _to_floats: named_numbers,
    _to_ints: named_places,
    _to_int: named_place,
}


def convert_field(part: Any, class_name: str, name: str, convert: Callable[[Any], Any]) -> None:
    """Replace a field of a frozen dataclass by its converted value.

    Of a class with `NAMES_OBJECTIVES = True`, as orders have it, what names objectives is kept.

    Raises:
        ValueError: naming class, field and value, where it cannot be converted.
    """
    value = getattr(part, name)
    if convert in _NAMED and getattr(part, "NAMES_OBJECTIVES", False):
        named = _NAMED[convert](value)
        if named is not None:
            object.__setattr__(part, name, named)
            object.__setattr__(part, NAMING, True)
            return

    try:
        converted = convert(value)
    except (TypeError, ValueError, OverflowError) as error:
        expected = _EXPECTED[convert]
        raise wrong_value(f"{class_name}.{name} must be {expected}", value) from error

    object.__setattr__(part, name, converted)


def comparable(value: Any) -> Any:
    """A value for comparisons and hashes in place of a field's, since arrays allow neither."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return value


def field_text(value: Any) -> str:
    """A field's value as it would be written; an array as lists."""
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    return repr(value)
