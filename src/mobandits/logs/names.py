"""Names of arms and objectives in files: text, numbers, booleans, None, and tuples of them, and nothing is lost.

JSON has no tuples, and its objects have text for keys. So a tuple is written {"tuple": [...]}, and a dictionary with
other keys than text {"pairs": [[key, value], ...]}; a dictionary that looks like one of these two is written in pairs.
"""

import functools
import json
import math
from typing import Any, TypeAlias

import numpy as np

from mobandits.logs.errors import LogError
from mobandits.support.naming import quoted, shortened

MARKS = ("tuple", "pairs")

compact = json.JSONEncoder(allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode
"""JSON on one line without blanks; floats are the shortest text that reads back as the same number."""


def is_plain(value: Any) -> bool:
    """Whether it is a dictionary whose keys may be those of a JSON object: text, and not a single mark."""
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        return False
    return len(value) != 1 or next(iter(value)) not in MARKS


# Where something is: what errors call the whole, or a place in it and the key of what is there.
Place: TypeAlias = "str | tuple[Place, Any]"


def encoded(value: Any, where: Place = "value") -> Any:
    """What JSON can hold in the place of `value`, so that `decoded` gives it back.

    Args:
        value: None, booleans, integers, finite floats, text, and tuples, lists and dictionaries of them.
        where: what an error calls it.

    Raises:
        LogError: naming the place and what is there, where it is anything else.

    Example:
        >>> encoded({"arm": ("small", 3)}), encoded({7: 0.5})
        ({'arm': {'tuple': ['small', 3]}}, {'pairs': [[7, 0.5]]})
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise LogError(f"{_called(where)} must be finite, got {value}")
        return value
    if isinstance(value, str):
        if not value.isascii():
            _refuse_surrogates(value, where)
        return value
    if isinstance(value, dict):
        return _encoded_dict(value, where)
    if isinstance(value, tuple | list):
        items = [encoded(one, (where, i)) for i, one in enumerate(value)]
        return {"tuple": items} if isinstance(value, tuple) else items
    rule = "must be text, a number, a boolean, None, or a tuple, list or dictionary"
    raise LogError(f"{_called(where)} {rule}, got {quoted(value)}")


def _encoded_dict(value: dict[Any, Any], where: Place) -> dict[str, Any]:
    if is_plain(value):
        return {encoded(key, where): encoded(one, (where, key)) for key, one in value.items()}
    return {
        "pairs": [[encoded(key, where), encoded(one, (where, key))] for key, one in value.items()]
    }


def _called(where: Place) -> str:
    """A place in words."""
    if isinstance(where, str):
        return where
    whole, key = where
    return shortened(
        f"{_called(whole)}.{key}" if isinstance(key, str) else f"{_called(whole)}[{quoted(key)}]"
    )


def _refuse_surrogates(value: str, where: Place) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise LogError(
            f"{_called(where)} must be text that UTF-8 can hold, got {quoted(value)}"
        ) from error


def decoded(value: Any) -> Any:
    """What `encoded` was given.

    Raises:
        LogError: where tuples or pairs are malformed.

    Example:
        >>> decoded({"arm": {"tuple": ["small", 3]}}), decoded({"pairs": [[7, 0.5]]})
        ({'arm': ('small', 3)}, {7: 0.5})
    """
    if isinstance(value, list):
        return [decoded(one) for one in value]
    if not isinstance(value, dict):
        return value
    if is_plain(value):
        return {key: decoded(one) for key, one in value.items()}
    ((mark, items),) = value.items()
    if not isinstance(items, list):
        raise LogError(f"{mark} must be a list, got {quoted(items)}")
    if mark == "tuple":
        return tuple(decoded(one) for one in items)
    try:
        return {decoded(key): decoded(one) for key, one in items}
    except (TypeError, ValueError) as error:
        raise LogError(
            f"pairs must be [key, value] with keys that can be hashed, got {quoted(items)}"
        ) from error


def checked_name(value: Any, where: str) -> Any:
    """A name that files can hold.

    Raises:
        LogError: naming the place and the value, where it is not text, a number, a boolean, None or a tuple of these.

    Example:
        >>> checked_name([1], "arm")
        Traceback (most recent call last):
        mobandits.logs.errors.LogError: arm must be text, a number, a boolean, None or a tuple of these, got [1]
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
