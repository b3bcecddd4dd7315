"""Values as errors quote them, and the checks of numbers that a user gives."""

import math
import numbers
import re
from typing import Any

QUOTED = 200  # characters of a value that an error quotes


def quoted(value: object) -> str:
    """A value as errors quote it: its `repr` on one line, of at most 200 characters.

    Example:
        >>> quoted("small"), len(quoted(b"x" * 10_000))
        ("'small'", 200)
    """
    # Answers of proxies may be long: no more is printed than can be quoted.
    beginning = value[: 2 * QUOTED] if isinstance(value, str | bytes) else value
    return shortened(repr(beginning))


def shortened(text: str) -> str:
    """A text as errors quote it: on one line, of at most 200 characters.

    Example:
        >>> shortened("a, b"), shortened(", ".join(map(str, range(100))))[-12:]
        ('a, b', ', 50, 51,...')
    """
    line = re.sub(r"\s*\n\s*", " ", text[: 10 * QUOTED])
    return line if len(line) <= QUOTED else f"{line[: QUOTED - 3]}..."


def check_seconds(name: str, value: Any, *, may_be_zero: bool) -> None:
    """Refuse what is not a finite number of seconds.

    Example:
        >>> check_seconds("timeout", 0.0, may_be_zero=False)
        Traceback (most recent call last):
        ValueError: timeout must be a finite number above 0, got 0.0
    """
    # True would count as 1: a switch in the place of a number is a mistake.
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    is_long = is_number and 0.0 < value < math.inf
    is_none = is_number and value == 0.0
    if is_long or (may_be_zero and is_none):
        return

    rule = "a finite number of at least 0" if may_be_zero else "a finite number above 0"
    raise ValueError(f"{name} must be {rule}, got {quoted(value)}")


def check_count(name: str, value: Any) -> None:
    """Refuse what is not an integer of at least 1.

    Example:
        >>> check_count("attempts", 2.5)
        Traceback (most recent call last):
        ValueError: attempts must be an integer of at least 1, got 2.5
    """
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_integer or value < 1:
        raise ValueError(f"{name} must be an integer of at least 1, got {quoted(value)}")
