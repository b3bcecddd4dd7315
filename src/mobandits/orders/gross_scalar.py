"""Numbers with infinitesimal digits, which write a lexicographic or chain regret as one number."""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from mobandits.support.naming import wrong_value


@functools.total_ordering
@dataclass(frozen=True, eq=False)
class GrossScalar:
    """The number ``g_0 + g_1 G^-1 + g_2 G^-2 + ...`` with the infinite unit G.

    Digit 0 decides, then digit 1, and so on. Comparison is lexicographic; addition, subtraction and
    multiplication by a number work digit by digit; the shorter of two is padded with zeros.

    Args:
        digits: the digits g, none of them NaN.

    Raises:
        ValueError: where a digit is not a number.

    Reference:
        moslb2024, section "Grossone Methodology"; its equation 6 and theorems print the powers with
        the opposite sign.

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
            raise wrong_value("GrossScalar.digits must be numbers", self.digits) from error

        # NaN is neither smaller nor larger than anything, so there would be no order.
        if any(math.isnan(digit) for digit in digits):
            raise wrong_value("GrossScalar.digits must be free of NaN", digits)

        # A frozen dataclass refuses a plain assignment.
        object.__setattr__(self, "digits", digits)

    @property
    def significant_digits(self) -> tuple[float, ...]:
        """The digits without the zeros at the end, which are the same for equal numbers."""
        digits = list(self.digits)
        while digits and digits[-1] == 0.0:
            digits.pop()
        return tuple(digits)

    def __hash__(self) -> int:
        return hash(self.significant_digits)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GrossScalar):
            return NotImplemented
        return self.significant_digits == other.significant_digits

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, GrossScalar):
            return NotImplemented

        for mine, its in _digit_pairs(self, other):
            if mine != its:
                return mine < its

        return False

    def __add__(self, other: object) -> "GrossScalar":
        if not isinstance(other, GrossScalar):
            return NotImplemented
        sums = [mine + its for mine, its in _digit_pairs(self, other)]
        return GrossScalar(tuple(sums))

    def __sub__(self, other: object) -> "GrossScalar":
        if not isinstance(other, GrossScalar):
            return NotImplemented
        differences = [mine - its for mine, its in _digit_pairs(self, other)]
        return GrossScalar(tuple(differences))

    def __neg__(self) -> "GrossScalar":
        digits = [-digit for digit in self.digits]
        return GrossScalar(tuple(digits))

    def __mul__(self, factor: float) -> "GrossScalar":
        # The product of two would be a convolution of digits, which no regret needs.
        if isinstance(factor, GrossScalar):
            return NotImplemented
        digits = [factor * digit for digit in self.digits]
        return GrossScalar(tuple(digits))

    __rmul__ = __mul__


def _digit_pairs(one: GrossScalar, other: GrossScalar) -> Iterator[tuple[float, float]]:
    return zip_longest(one.digits, other.digits, fillvalue=0.0)
