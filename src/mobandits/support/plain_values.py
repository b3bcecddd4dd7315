"""Values as plain data that JSON can hold, and back: nothing is lost.

JSON has no tuples, and its objects have text for keys. So a tuple is written {"tuple": [...]}, and
a dictionary with other keys than text {"pairs": [[key, value], ...]}. A dictionary that looks like
one of these two is written in pairs.

Logs keep the names of arms and objectives in this form, and descriptions of what is written with
them; files of agents keep the parameters of recipes in it (`serialiser`).
"""

import json
import math
from typing import Any, TypeAlias

import numpy as np

from mobandits.errors import LogError
from mobandits.support.naming import quoted, shortened, wrong_value

MARKS = ("tuple", "pairs")

compact = json.JSONEncoder(allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode
"""JSON on one line without blanks; floats are the shortest text that reads back as the same."""

# Where something is: what errors call the whole, or a place in it and the key of what is there. A
# text for every value would take as long as to encode it, and only errors need one.
Place: TypeAlias = "str | tuple[Place, Any]"


def is_plain(value: Any) -> bool:
    """Whether it is a dictionary whose keys may be those of a JSON object.

    They must be text, and not a single mark.
    """
    if not isinstance(value, dict):
        return False
    if not all(isinstance(key, str) for key in value):
        return False

    return len(value) != 1 or next(iter(value)) not in MARKS


def encoded(value: Any, where: Place = "value") -> Any:
    """The plain data of a value, which `decoded` turns back into it.

    Args:
        value: None, booleans, integers, finite floats, text, and tuples, lists and dictionaries of
            them.
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
            raise LogError(f"{_in_words(where)} must be finite, got {value}")

        return value
    if isinstance(value, str):
        if not value.isascii():
            _refuse_surrogates(value, where)

        return value
    if isinstance(value, dict):
        return _encoded_dict(value, where)
    if isinstance(value, tuple | list):
        items = [encoded(item, (where, i)) for i, item in enumerate(value)]
        return {"tuple": items} if isinstance(value, tuple) else items

    rule = "must be text, a number, a boolean, None, or a tuple, list or dictionary"
    raise wrong_value(f"{_in_words(where)} {rule}", value, LogError)


def _encoded_dict(value: dict[Any, Any], where: Place) -> dict[str, Any]:
    if is_plain(value):
        return {
            encoded(key, where): encoded(content, (where, key)) for key, content in value.items()
        }

    pairs = [
        [encoded(key, where), encoded(content, (where, key))] for key, content in value.items()
    ]
    return {"pairs": pairs}


def _in_words(where: Place) -> str:
    if isinstance(where, str):
        return where

    whole, key = where
    step = f".{key}" if isinstance(key, str) else f"[{quoted(key)}]"

    return shortened(f"{_in_words(whole)}{step}")


def _refuse_surrogates(value: str, where: Place) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise wrong_value(
            f"{_in_words(where)} must be text that UTF-8 can hold", value, LogError
        ) from error


def decoded(value: Any) -> Any:
    """The value of plain data that `encoded` gave.

    Raises:
        LogError: where tuples or pairs are malformed.

    Example:
        >>> decoded({"arm": {"tuple": ["small", 3]}}), decoded({"pairs": [[7, 0.5]]})
        ({'arm': ('small', 3)}, {7: 0.5})
    """
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if is_plain(value):
        return {key: decoded(content) for key, content in value.items()}

    ((mark, items),) = value.items()
    if not isinstance(items, list):
        raise wrong_value(f"{mark} must be a list", items, LogError)
    if mark == "tuple":
        return tuple(decoded(item) for item in items)

    try:
        return {decoded(key): decoded(content) for key, content in items}
    except (TypeError, ValueError) as error:
        raise wrong_value(
            "pairs must be [key, value] with keys that can be hashed", items, LogError
        ) from error
