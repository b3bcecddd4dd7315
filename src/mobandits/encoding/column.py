"""A column of a table: its values, and errors that name the column and the row."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.support.naming import quoted, shortened

T = TypeVar("T")


@dataclass(frozen=True)
class SourceColumn:
    """The values of a column, in the order of the rows.

    Attributes:
        name: of the column.
        values: a series of Polars, an array, or a list.
        first_row: the number of the first row in messages.
    """

    name: str
    values: Any
    first_row: int = 1

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.values)

    def items(self) -> list[Any]:
        """The values as objects of Python."""
        values = self.values
        if isinstance(values, list):
            return values
        if isinstance(values, np.ndarray) and values.dtype.kind == "M":
            return list(values)  # NumPy has no nanoseconds of Python: they would become integers
        # Of Polars, and of NumPy, without importing the first.
        convert = getattr(values, "to_list", None) or values.tolist
        listed: list[Any] = convert()
        return listed

    def mapped(self, function: Callable[[Any], T]) -> list[T]:
        """A function of every value.

        Raises:
            ValueError: that of the function, with column and row before it.
        """
        items = self.items()
        try:
            return [function(item) for item in items]
        except ValueError:
            # Which row it was is asked only now: counting rows would take as long as most functions.
            return [self._located(function, row, item) for row, item in enumerate(items)]

    def _located(self, function: Callable[[Any], T], row: int, item: Any) -> T:
        try:
            return function(item)
        except ValueError as error:
            raise self.refusal(row, str(error)) from None

    def refusal(self, row: int, problem: str) -> ValueError:
        """The error about the value of a row, counted from 0.

        Example:
            >>> SourceColumn("age", []).refusal(16, "expected a number, got 'abc'")
            ValueError("column 'age', row 17: expected a number, got 'abc'")
        """
        place = f"column {quoted(self.name)}, row {self.first_row + row}"
        return ValueError(shortened(f"{place}: {problem}"))

    def numbers(self) -> Array | None:
        """(rows,) as doubles, NaN where missing, if the column's type is one of numbers; else None."""
        values = self.values
        if isinstance(values, np.ndarray):
            is_numeric = values.dtype.kind in "iuf"
            return values.astype(np.float64) if is_numeric else None

        kind = getattr(values, "dtype", None)
        if kind is None or not (kind.is_float() or kind.is_integer()):
            return None

        doubles: Array = values.cast(float).to_numpy()
        return doubles


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, blank text, or what pandas has for it.

    Example:
        >>> [is_missing(value) for value in (None, float("nan"), " ", 0, "no")]
        [True, True, True, False, False]
    """
    if value is None:
        return True
    if isinstance(value, str):
        return not value or value.isspace()
    try:
        # NaN, and NaT of NumPy and pandas, are the values that differ from themselves.
        return bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError):
        # pandas' NA has no truth value; an array of several numbers has none either.
        return type(value).__name__ == "NAType"


def refused(rule: str, value: Any) -> ValueError:
    """The error about a value; who knows the column puts its name before it.

    Example:
        >>> refused("a number", "abc")
        ValueError("expected a number, got 'abc'")
    """
    return ValueError(f"expected {rule}, got {quoted(value)}")
