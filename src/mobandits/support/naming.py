"""Names of classes, dataclasses and values, in tables, streams and errors; lists in sentences."""

import dataclasses
import itertools
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

QUOTED = 200  # characters of a value that an error quotes
LONGEST_NAME = 200  # characters of a name that others give


def short_repr(part: Any) -> str:
    """The class and the fields that differ from their defaults; other objects as they print.

    Example:
        >>> from mobandits.policies import MolTs
        >>> short_repr(MolTs(scale=0.3)), short_repr(MolTs())
        ('MolTs(scale=0.3)', 'MolTs()')
    """
    if not dataclasses.is_dataclass(part) or isinstance(part, type):
        return repr(part)

    differing = []
    for field in dataclasses.fields(part):
        if not field.repr:
            continue

        value = getattr(part, field.name)
        if field.default is dataclasses.MISSING or value != field.default:
            # The text is the name of rows and a part of the keys of random streams: 1 and 1.0 must
            # be one text where they are one parameter.
            is_integer = "float" not in str(field.type)
            differing.append(f"{field.name}={canonical(value, whole=is_integer)!r}")

    return f"{type(part).__qualname__}({', '.join(differing)})"


def canonical(value: Any, *, whole: bool = True) -> Any:
    """NumPy's numbers as Python's, and integers as floats where not `whole`.

    So equal values have one text.

    Example:
        >>> canonical((np.int64(0), (np.float64(0.5),))), canonical(1, whole=False)
        ((0, (0.5,)), 1.0)
    """
    # Recipes keep tuples, whatever they were given.
    if isinstance(value, (tuple, list)):
        items = [canonical(item, whole=whole) for item in value]
        return tuple(items)
    if isinstance(value, np.generic):
        return canonical(value.item(), whole=whole)

    is_integer = isinstance(value, int) and not isinstance(value, bool)
    if is_integer and not whole:
        return float(value)

    return value


def conjunction(items: Sequence[str]) -> str:
    """Items in a sentence.

    Example:
        >>> conjunction(["a"]), conjunction(["a", "b", "c"])
        ('a', 'a, b and c')
    """
    if len(items) == 1:
        return items[0]
    return f"{', '.join(items[:-1])} and {items[-1]}"


def number_spans(numbers: Sequence[int]) -> str:
    """The spans of some numbers in ascending order; three neighbours or more are in one.

    Example:
        >>> number_spans([2, 4, 5, 6]), number_spans([5, 6])
        ('2, 4 to 6', '5, 6')
    """
    ends: list[list[int]] = []
    for number in numbers:
        if ends and number <= ends[-1][1] + 1:
            ends[-1][1] = number
        else:
            ends.append([number, number])

    spans = []
    for low, high in ends:
        span = f"{low} to {high}"
        if low == high:
            span = str(low)
        elif low + 1 == high:
            span = f"{low}, {high}"

        spans.append(span)

    return ", ".join(spans)


def quantity(number: int, one: str, several: str = "") -> str:
    """A number of things, with the noun in singular or plural.

    Example:
        >>> both = "policy", "policies"
        >>> quantity(1, *both), quantity(2, *both), quantity(1000, "round")
        ('1 policy', '2 policies', '1,000 rounds')
    """
    noun = one
    if number != 1:
        noun = several or f"{one}s"
    return f"{number:,} {noun}"


def kebab(name: str) -> str:
    """A Python name as on the command line.

    Example:
        >>> kebab("MolEpsGreedy"), kebab("Exp3P"), kebab("llm_routing")
        ('mol-eps-greedy', 'exp3p', 'llm-routing')
    """
    # A word begins after a small letter, and after a digit only if small letters follow: `Exp3P`.
    beginning = r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])"
    return re.sub(beginning, "-", name).lower().replace("_", "-")


def quoted(value: Any) -> str:
    """A value as errors quote it: its `repr` on one line, of at most 200 characters.

    It raises nothing itself, or the error that quotes the value would be lost.

    Example:
        >>> quoted("small"), quoted([0.5, None]), len(quoted(list(range(10_000))))
        ("'small'", '[0.5, None]', 200)
        >>> quoted(10**5000)
        'an integer of 5001 digits'
    """
    try:
        text = repr(_beginning(value))
    except Exception:  # noqa: BLE001 - classes of others may raise anything
        text = _unprintable(value)

    return shortened(text)


def wrong_value(rule: str, given: Any, error: type[ValueError] = ValueError) -> ValueError:
    """An error about a value that breaks a rule: the rule, and the value that was given.

    Example:
        >>> wrong_value("eta must be above 0", -0.5)
        ValueError('eta must be above 0, got -0.5')
    """
    return error(f"{rule}, got {quoted(given)}")


def shortened(text: str) -> str:
    """A text as errors quote it: on one line, of at most 200 characters.

    Example:
        >>> shortened("a, b"), shortened(", ".join(map(str, range(100))))[-12:]
        ('a, b', ', 50, 51,...')
    """
    # Blanks at line ends shrink: ten times as many characters are enough, and few to search.
    line = re.sub(r"\s*\n\s*", " ", text[: 10 * QUOTED])
    if len(line) <= QUOTED:
        return line
    return f"{line[: QUOTED - 3]}..."


def check_name(called: str, name: str) -> None:
    """Refuse a name that cannot be told, shown or asked for as it is.

    Control characters and marks of direction make it look like another one; browsers leave out the
    parts . and .. of an address. Blanks, slashes and letters of all languages may be in it.

    Args:
        called: what it is the name of.
        name: as somebody else gave it.

    Example:
        >>> check_name("arm", "openai/gpt-5 mini")
        >>> check_name("arm", "..")
        Traceback (most recent call last):
        ValueError: arm must be 1 to 200 printable characters, without parts . and .., got '..'
    """
    is_shown = 0 < len(name) <= LONGEST_NAME and name.isprintable()
    parts = name.split("/")
    if is_shown and "." not in parts and ".." not in parts:
        return

    rule = f"1 to {LONGEST_NAME} printable characters, without parts . and .."
    raise ValueError(f"{called} must be {rule}, got {quoted(name)}")


def _beginning(value: Any) -> Any:
    """So much of a long value as can be quoted: to print all of it could take minutes."""
    if type(value) in (str, bytes, list, tuple):
        return value[: 2 * QUOTED]
    if type(value) is dict and len(value) > QUOTED:
        return dict(itertools.islice(value.items(), QUOTED))

    return value


def _unprintable(value: Any) -> str:
    if isinstance(value, int):  # Python prints none of more than 4300 digits
        digits = math.floor(value.bit_length() * math.log10(2.0)) + 1
        return f"an integer of {digits} digits"
    return f"a {type(value).__name__} that cannot be printed"
