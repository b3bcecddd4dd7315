"""Numbers with infinitesimal digits: what a lexicographic or chain regret is, written as one number."""

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from mobandits.support.naming import quoted


@functools.total_ordering
@dataclass(frozen=True, eq=False)
class GrossScalar:
    """``g_0 + g_1 G^-1 + g_2 G^-2 + ...`` with the infinite unit G: digit 0 decides, then digit 1, and so on.

    Comparison is lexicographic; addition, subtraction and multiplication by a number work digit by digit; the shorter
    of two is padded with zeros.

    Args:
        digits: the digits g, none of them NaN.

    Raises:
        ValueError: where a digit is not a number.

    Reference:
        moslb2024, section "Grossone Methodology"; its equation 6 and theorems print the powers with the opposite sign.

    Example:
        >>> GrossScalar((1, 5)) < GrossScalar((2, 0)), GrossScalar((1, 0)) == GrossScalar((1,))
        (True, True)
        >>> 2 * GrossScalar((1, 5)) - GrossScalar((1,))
        GrossScalar(digits=(1.0, 10.0))
    """

    digits: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        try:
            digits = tuple(float(digit) for digit in self.digits)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"GrossScalar.digits must be numbers, got {quoted(self.digits)}"
            ) from error
        if any(math.isnan(digit) for digit in digits):
            raise ValueError(f"GrossScalar.digits must be free of NaN, got {quoted(digits)}")
        object.__setattr__(self, "digits", digits)

    def _significant(self) -> tuple[float, ...]:
        digits = list(self.digits)
        while digits and digits[-1] == 0.0:
            digits.pop()
        return tuple(digits)

    def __hash__(self) -> int:
        return hash(self._significant())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GrossScalar):
            return NotImplemented
        return self._significant() == other._significant()

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, GrossScalar):
            return NotImplemented
        return next(
            (x < y for x, y in zip_longest(self.digits, other.digits, fillvalue=0.0) if x != y),
            False,
        )

    def __add__(self, other: object) -> "GrossScalar":
        if not isinstance(other, GrossScalar):
            return NotImplemented
        return _from(x + y for x, y in zip_longest(self.digits, other.digits, fillvalue=0.0))

    def __sub__(self, other: object) -> "GrossScalar":
        if not isinstance(other, GrossScalar):
            return NotImplemented
        return _from(x - y for x, y in zip_longest(self.digits, other.digits, fillvalue=0.0))

    def __neg__(self) -> "GrossScalar":
        return _from(-x for x in self.digits)

    def __mul__(self, factor: float) -> "GrossScalar":
        if isinstance(factor, GrossScalar):
            return NotImplemented
        return _from(factor * x for x in self.digits)

    __rmul__ = __mul__


def _from(digits: Iterable[float]) -> GrossScalar:
    return GrossScalar(tuple(digits))
