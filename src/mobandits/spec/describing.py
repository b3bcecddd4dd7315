"""Names and TOML tables of objects: the inverse of `build`, and the text of TOML files."""

import dataclasses
import json
import math
import re
from collections.abc import Mapping
from typing import Any, get_origin, get_type_hints

import numpy as np

from mobandits.compiling.named import NamedNumbers, NamedPlaces
from mobandits.contracts.protocols import Recipe
from mobandits.features.feature_map import FeatureMap
from mobandits.spec.building import build
from mobandits.spec.registries import catalogue
from mobandits.support.naming import quoted
from mobandits.support.serialiser import alternatives

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def described(kind: str, part: Any, where: str) -> dict[str, Any]:
    """The table of a name and parameters that `build` makes an object of; defaults are left out.

    Args:
        kind: one of `KINDS` whose members are classes.
        part: one of them.
        where: what errors call it.

    Raises:
        ValueError: where it is no member, or its parameters cannot be written in TOML.

    Example:
        >>> from mobandits.orders import Weighted
        >>> from mobandits.policies import MolUcb
        >>> described("policies", MolUcb(scale=0.3, order=Weighted([1.0, 0.0])), "policy")
        {'name': 'mol-ucb', 'scale': 0.3, 'order': {'name': 'weighted', 'weights': [1.0, 0.0]}}
    """
    table = _table(kind, part, where)
    try:
        made = build(kind, table, where)
    except ValueError:
        made = None
    if made != part:
        raise ValueError(f"{where} must have parameters that TOML can hold, got {quoted(part)}")

    return table


def _table(kind: str, part: Any, where: str) -> dict[str, Any]:
    names = {member: name for name, member in catalogue(kind).items()}
    name = names.get(type(part))
    if name is None:
        raise ValueError(f"{where} must be one of `mobandits list {kind}`, got {quoted(part)}")

    table: dict[str, Any] = {"name": name}
    annotations = get_type_hints(type(part))
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if not field.init or _is_default(value, field.default):
            continue

        inside = f"{where}.{field.name}"
        origins = [get_origin(each) or each for each in alternatives(annotations[field.name])]
        has_pairs = Mapping in origins and isinstance(value, tuple)
        table[field.name] = _plain(dict(value) if has_pairs else value, inside)

    return table


def _is_default(value: Any, default: Any) -> bool:
    if isinstance(value, np.ndarray):
        return False
    return value is default or bool(value == default)


def _plain(value: Any, where: str) -> Any:
    """A parameter as TOML has it."""
    for kind, parts in (("policies", Recipe), ("features", FeatureMap)):
        if isinstance(value, parts):
            return _table(kind, value, where)

    if isinstance(value, NamedNumbers):
        value = dict(value.pairs)
    if isinstance(value, NamedPlaces):
        value = value.items
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(item, where) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item, where) for item in value]
    if isinstance(value, bool | int | float | str):
        return value

    # What is left may be an order, and nothing else.
    return _table("orders", value, where)


def toml_value(value: Any) -> str:
    """A value as TOML writes it on one line.

    Raises:
        ValueError: where TOML has no such value.

    Example:
        >>> toml_value({"name": "paced", "budgets": {"cost, USD": 2e-05}, "on": [0, True]})
        '{name = "paced", budgets = {"cost, USD" = 2e-05}, on = [0, true]}'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # A basic string of TOML has the escapes of JSON, and may not hold the control character 127.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    if isinstance(value, Mapping):
        pairs = [f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items()]
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_value(item) for item in value)}]"

    raise ValueError(
        f"a TOML file must hold finite numbers, text, lists and tables, got {quoted(value)}"
    )


def toml_key(key: str) -> str:
    """A key of a table, in quotes where it needs them.

    Example:
        >>> toml_key("cost"), toml_key("cost, USD")
        ('cost', '"cost, USD"')
    """
    return key if BARE_KEY.fullmatch(key) else toml_value(key)
