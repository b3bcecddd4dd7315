"""Numbers, standardised or as they are."""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.encoding.column import SourceColumn, is_missing, refused
from mobandits.encoding.kind import OneNumber
from mobandits.support.checks import number as check_number
from mobandits.support.naming import quoted


@dataclass(frozen=True)
class Number(OneNumber):
    """A number x as one feature, (x - mean) / deviation, or x itself.

    A missing number (None, NaN, an empty cell) is taken as the mean. Where the fit met missing
    ones, a second feature is 1 where the number is missing, else 0. Text is taken where it reads as
    a number. Infinite numbers and booleans are refused.

    Args:
        standardise: whether mean and deviation are taken out.
        mean: of the numbers of the fit; what missing ones are taken as.
        deviation: their standard deviation, that of a population; 1 where all are equal. It is not
            used where numbers stay as they are.
        indicator: whether there is a feature for missing numbers; None: where the fit meets some.

    Example:
        >>> kind = Number().fitted(SourceColumn("age", [20, 40, None]))
        >>> kind
        Number(standardise=True, mean=30.0, deviation=10.0, indicator=True)
        >>> kind.names("age")
        ['age', 'age missing']
    """

    NAME = "number"

    standardise: bool = True
    mean: float | None = None
    deviation: float | None = None
    indicator: bool | None = None
    shift: float = field(init=False, repr=False, compare=False)
    divisor: float = field(init=False, repr=False, compare=False)
    of_missing: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.mean is not None:
            check_number("Number.mean", self.mean)
        if self.deviation is not None:
            check_number("Number.deviation", self.deviation, above=0.0)

        mean = 0.0 if self.mean is None else float(self.mean)
        deviation = 1.0 if self.deviation is None else float(self.deviation)
        # What stays as it is is (x - 0) / 1, bit for bit: one formula serves both.
        object.__setattr__(self, "shift", mean if self.standardise else 0.0)
        object.__setattr__(self, "divisor", deviation if self.standardise else 1.0)
        object.__setattr__(self, "of_missing", 0.0 if self.standardise else mean)

    @property
    def is_fitted(self) -> bool:
        """Whether it has mean, deviation and indicator; as they are, numbers need only a mean."""
        has_scale = self.deviation is not None or not self.standardise
        return self.mean is not None and has_scale and self.indicator is not None

    def fitted(self, column: SourceColumn) -> "Number":
        """With mean, deviation and indicator of a column, where they are not given."""
        numbers = numbers_in_column(column)
        present = numbers[~np.isnan(numbers)]
        mean = self.mean
        deviation = self.deviation
        if mean is None:
            mean = mean_of(present.tolist(), column)
        if deviation is None and self.standardise:
            deviation = deviation_of(present.tolist(), mean, column)
        indicator = self.indicator
        if indicator is None:
            indicator = len(present) < len(numbers)

        return dataclasses.replace(self, mean=mean, deviation=deviation, indicator=indicator)

    def write(self, value: Any, out: Array, first: int) -> int:
        """One number, and whether it is missing."""
        return self.put(number_of(value), out, first)

    def write_column(self, column: SourceColumn, out: Array) -> IntArray:
        """As `write`."""
        return self.put_column(numbers_in_column(column), out)

    def value_text(self, features: Sequence[float]) -> str | None:
        """The number itself, up to rounding."""
        if self.indicator and features[1] == 1.0:
            return "missing"

        number = self.shift + features[0] * self.divisor

        return f"{number:.6g}"

    @property
    def treatment(self) -> str:
        """The mean, and the indicator."""
        mean = "the mean" if self.mean is None else f"the mean, {self.mean:.4g}"
        return f"missing: {mean}{', and 1 beside it' if self.indicator else ''}"


def number_of(value: Any) -> float:
    """A value as a double, NaN where it is missing.

    Raises:
        ValueError: where it is no number, or infinite.

    Example:
        >>> number_of("2.5"), number_of(None)
        (2.5, nan)
    """
    if type(value) is float:  # first, since most are
        if math.isinf(value):
            raise refused("a finite number", value)
        return value
    if is_missing(value):
        return math.nan

    double = _as_double(value)
    if not math.isfinite(double):
        raise refused("a finite number", value)

    return double


def _as_double(value: Any) -> float:
    is_number = isinstance(value, int | float | np.integer | np.floating | Decimal | Fraction)
    # True would count as 1: a switch in the place of a number is a mistake.
    is_switch = isinstance(value, bool)
    # Python reads 1_000 as a number, and words for NaN; tables mean something else by them.
    is_text = isinstance(value, str) and not ("_" in value or value.strip()[-1:].isalpha())
    if is_switch or not (is_number or is_text):
        raise refused("a number", value)

    try:
        return float(value)
    except (ValueError, OverflowError):
        raise refused("a number", value) from None


def numbers_in_column(column: SourceColumn) -> Array:
    """(rows,) a column as doubles, NaN where missing.

    Raises:
        ValueError: naming column, row and what was expected.
    """
    numbers = column.numbers()
    if numbers is None:
        return np.array(column.mapped(number_of), np.float64)

    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        row = int(infinite[0])
        value = float(numbers[row])
        raise column.refusal(row, f"expected a finite number, got {value}")

    return numbers


def mean_of(numbers: Sequence[float], column: SourceColumn) -> float:
    """The mean, rounded once; so that it does not depend on the order of the rows."""
    require_values(len(numbers), column)
    try:
        return math.fsum(numbers) / len(numbers)
    except OverflowError:
        raise _too_large(column) from None


def deviation_of(numbers: Sequence[float], mean: float, column: SourceColumn) -> float:
    """The standard deviation of a population around `mean`; 1 where it is 0.

    Raises:
        ValueError: where it is too large to be a number.
    """
    require_values(len(numbers), column)
    try:
        squares = math.fsum((number - mean) ** 2 for number in numbers)
    except OverflowError:
        raise _too_large(column) from None

    deviation = math.sqrt(squares / len(numbers))

    return deviation if deviation > 0.0 else 1.0


def require_values(count: int, column: SourceColumn) -> None:
    """Refuse to fit a column in which everything is missing."""
    if count == 0:
        name = quoted(column.name)
        raise ValueError(
            f"column {name}: expected at least one value that is not missing, got none"
        )


def _too_large(column: SourceColumn) -> ValueError:
    name = quoted(column.name)
    return ValueError(f"column {name}: expected numbers of which the squares can be added up")
