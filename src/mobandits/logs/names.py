"""Names of arms and objectives in files: text, numbers, booleans, None, and tuples of them."""

import functools
import json
from typing import Any

import numpy as np

from mobandits.errors import LogError
from mobandits.support.naming import quoted
from mobandits.support.plain_values import compact, decoded, encoded, is_plain

__all__ = [
    "checked_name",
    "compact",
    "decoded",
    "encoded",
    "is_plain",
    "name_of",
    "name_text",
]


def checked_name(value: Any, where: str) -> Any:
    """A name that files can hold.

    Raises:
        LogError: naming the place and the value, where it is not text, a number, a boolean, None or a tuple of these.

    Example:
        >>> checked_name([1], "arm")
        Traceback (most recent call last):
        mobandits.errors.LogError: arm must be text, a number, a boolean, None or a tuple of these, got [1]
    """
    if isinstance(value, str) and value.isascii():
        return value
    if isinstance(value, tuple):
        for one in value:
            checked_name(one, where)
    elif not (value is None or isinstance(value, str | bool | int | float | np.generic)):
        raise LogError(
            f"{where} must be text, a number, a boolean, None or a tuple of these, got {quoted(value)}"
        )
    else:
        encoded(value, where)
    return value


def name_text(name: Any) -> str:
    """A name as text, for columns and keys: text is itself, unless it could be taken for JSON; all else is its JSON.

    Example:
        >>> [name_text(name) for name in ("small", 3, "3", ("a", 1), None)]
        ['small', '3', '"3"', '{"tuple":["a",1]}', 'null']
    """
    if isinstance(name, str) and not _is_json(name):
        return name
    return compact(encoded(name, "name"))


@functools.lru_cache(maxsize=1000)
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


@functools.lru_cache(maxsize=1000)
def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
