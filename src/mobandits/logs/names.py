"""Names of arms and objectives in files: text, numbers, booleans, None, and tuples of them."""

import functools
import json
from typing import Any

import numpy as np

from mobandits.errors import LogError
from mobandits.support.naming import wrong_value
from mobandits.support.plain_values import compact, decoded, encoded

__all__ = [
    "checked_name",
    "compact",
    "decoded",
    "encoded",
    "name_of",
    "name_text",
]

# Names come again with every decision and reward of a log, and there are few of them.
REMEMBERED = 1000
KINDS = "text, a number, a boolean, None or a tuple of these"


def checked_name(value: Any, where: str) -> Any:
    """A name that files can hold.

    Raises:
        LogError: naming the place and the value, where it is not text, a number, a boolean, None or
            a tuple of these.

    Example:
        >>> checked_name([1], "arm")
        Traceback (most recent call last):
        mobandits.errors.LogError: arm must be text, a number, a boolean, None or a tuple of \
these, got [1]
    """
    # Nearly all names: no need to look for lone surrogates, which no file can hold.
    if isinstance(value, str) and value.isascii():
        return value
    if isinstance(value, tuple):
        for part in value:
            checked_name(part, where)

        return value

    is_scalar = isinstance(value, str | bool | int | float | np.generic)
    if value is not None and not is_scalar:
        raise wrong_value(f"{where} must be {KINDS}", value, LogError)

    encoded(value, where)  # raises for text and numbers that JSON cannot hold

    return value


def name_text(name: Any) -> str:
    """A name as text, for columns and keys.

    Text is itself, unless it could be taken for JSON; all else is its JSON.

    Example:
        >>> [name_text(name) for name in ("small", 3, "3", ("a", 1), None)]
        ['small', '3', '"3"', '{"tuple":["a",1]}', 'null']
    """
    if isinstance(name, str) and not _is_json(name):
        return name
    return compact(encoded(name, "name"))


@functools.lru_cache(maxsize=REMEMBERED)
def name_of(text: str) -> Any:
    """The name whose `name_text` is `text`.

    Raises:
        LogError: where a tuple is malformed.

    Example:
        >>> [name_of(text) for text in ("small", "3", '"3"', '{"tuple":["a",1]}')]
        ['small', 3, '3', ('a', 1)]
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text

    return checked_name(decoded(value), "name")


@functools.lru_cache(maxsize=REMEMBERED)
def _is_json(text: str) -> bool:
    """Whether text reads back as something else than itself."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False

    return True
