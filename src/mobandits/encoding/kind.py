"""What the kinds of columns have in common."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.encoding.column import SourceColumn

# What became of a value: what the fit has not seen is counted.
KNOWN, UNKNOWN, MISSING = range(3)


class Kind:
    """A kind of column: how its values become numbers.

    A kind is frozen. Where it depends on data, `fitted` gives another one that holds what was
    fitted, as plain numbers, text and arrays, which files keep.

    Class attributes:
        NAME: in short texts such as ``city:category``.
    """

    NAME: ClassVar[str] = ""

    @property
    def is_fitted(self) -> bool:
        """Whether it can encode: nothing of it is still to be fitted."""
        return True

    def fitted(self, column: SourceColumn) -> "Kind":
        """The kind with what depends on data taken from a column; what is given already stays.

        Raises:
            ValueError: naming column, row and what was expected.
        """
        return self

    def names(self, column: str) -> list[str]:
        """The names of its features."""
        raise NotImplementedError

    def write(self, value: Any, out: Array, first: int) -> int:
        """Write the features of a value into `out`, which is zero there, from position `first` on.

        Returns:
            `KNOWN`, `UNKNOWN` or `MISSING`.

        Raises:
            ValueError: what was expected.
        """
        raise NotImplementedError

    def write_column(self, column: SourceColumn, out: Array) -> IntArray:
        """As `write` for a column; `out` (rows, features) is zero.

        Returns:
            (rows,) `KNOWN`, `UNKNOWN` or `MISSING`.

        Raises:
            ValueError: naming column, row and what was expected.
        """
        raise NotImplementedError

    def value_text(self, features: Sequence[float]) -> str | None:
        """The value that features stand for, in words; None where they do not tell."""
        return None

    @property
    def treatment(self) -> str:
        """What becomes of unknown and of missing values, in a few words."""
        raise NotImplementedError


class OneNumber(Kind):
    """Base of kinds with one feature, (number - shift) / divisor, and an indicator beside it.

    The indicator is 1 where the value is missing, else 0.

    Attributes:
        indicator: whether there is one.
        shift: what is taken off.
        divisor: of the rest.
        of_missing: the feature of a missing value.
    """

    indicator: bool | None
    shift: float = 0.0
    divisor: float = 1.0
    of_missing: float

    def names(self, column: str) -> list[str]:
        """The column's name, and that of the indicator."""
        return [column, f"{column} missing"] if self.indicator else [column]

    def put(self, number: float, out: Array, first: int) -> int:
        """Write the features of a number, which is NaN where it is missing; see `write`."""
        if math.isnan(number):
            out[first] = self.of_missing
            if self.indicator:
                out[first + 1] = 1.0
            return MISSING

        out[first] = (number - self.shift) / self.divisor
        return KNOWN

    def put_column(self, numbers: Array, out: Array) -> IntArray:
        """As `put`; the same operations on the same doubles give the same bits."""
        missing = np.isnan(numbers)
        values = (numbers - self.shift) / self.divisor
        out[:, 0] = np.where(missing, self.of_missing, values)
        if self.indicator:
            out[:, 1] = missing

        return codes_of(missing)


def codes_of(missing: Any) -> IntArray:
    """(rows,) `MISSING` where a row's value is missing, else `KNOWN`.

    Args:
        missing: (rows,) of truth values.
    """
    return np.where(missing, MISSING, KNOWN)
