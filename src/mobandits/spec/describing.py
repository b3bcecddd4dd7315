"""Names and TOML tables of objects: the inverse of `build`, and the text of TOML files."""

import dataclasses
import json
import math
import re
from collections.abc import Mapping
from typing import Any, get_origin, get_type_hints

import numpy as np

from mobandits.compiling.named import Named
from mobandits.contracts.protocols import Recipe
from mobandits.features.feature_map import FeatureMap
from mobandits.spec.building import build
from mobandits.spec.registries import catalogue
from mobandits.support.naming import wrong_value
from mobandits.support.serialiser import alternatives

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def part_table(kind: str, part: Any, where: str, *, with_defaults: bool = False) -> dict[str, Any]:
    """The table of a name and parameters that `build` makes an object of.

    Args:
        kind: one of `KINDS` whose members are classes.
        part: one of them.
        where: what errors call it.
        with_defaults: whether parameters are in it that have their defaults.

    Raises:
        ValueError: where it is no member, or its parameters cannot be written in TOML.

    Example:
        >>> from mobandits.orders import Weighted
        >>> from mobandits.policies import MolUcb
        >>> part_table("policies", MolUcb(scale=0.3, order=Weighted([1.0, 0.0])), "policy")
        {'name': 'mol-ucb', 'scale': 0.3, 'order': {'name': 'weighted', 'weights': [1.0, 0.0]}}
    """
    table = _table(kind, part, where, with_defaults)
    try:
        made = build(kind, table, where)
    except ValueError:
        made = None
    if made != part:
        raise wrong_value(f"{where} must have parameters that TOML can hold", part)

    return table


def _table(kind: str, part: Any, where: str, with_defaults: bool) -> dict[str, Any]:
    names = {member: name for name, member in catalogue(kind).items()}
    name = names.get(type(part))
    if name is None:
        raise wrong_value(f"{where} must be one of `mobandits list {kind}`", part)

    return {"name": name, **_parameters(part, where, with_defaults)}


def _parameters(part: Any, where: str, with_defaults: bool) -> dict[str, Any]:
    """The table of a part's parameters, without its name."""
    table: dict[str, Any] = {}
    annotations = get_type_hints(type(part))
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        is_left_out = not with_defaults and _is_default(value, field.default)
        if not field.init or is_left_out:
            continue

        inside = f"{where}.{field.name}"
        origins = [get_origin(each) or each for each in alternatives(annotations[field.name])]
        # A value with parameters has the class that its annotation names, and needs no name.
        if dataclasses.is_dataclass(value) and type(value) in origins:
            table[field.name] = _parameters(value, inside, with_defaults)
            continue

        has_pairs = Mapping in origins and isinstance(value, tuple)
        plain = dict(value) if has_pairs else value
        table[field.name] = _plain(plain, inside, with_defaults)

    return table


def _is_default(value: Any, default: Any) -> bool:
    if isinstance(value, np.ndarray):
        return False
    return value is default or bool(value == default)


def _plain(value: Any, where: str, with_defaults: bool) -> Any:
    """A parameter as TOML and JSON have it."""
    for kind, parts in (("policies", Recipe), ("features", FeatureMap)):
        if isinstance(value, parts):
            return _table(kind, value, where, with_defaults)

    if isinstance(value, Named):
        value = value.plain
    if isinstance(value, np.ndarray):
        # Rows of a matrix of groups are padded to be of one length.
        are_groups = value.ndim == 2 and value.dtype.kind == "i"
        rows = value.tolist()
        value = [[each for each in row if each >= 0] for row in rows] if are_groups else rows
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(item, where, with_defaults) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item, where, with_defaults) for item in value]
    if isinstance(value, bool | int | float | str):
        return value

    # What is left may be an order, and nothing else.
    return _table("orders", value, where, with_defaults)


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

    raise wrong_value("a TOML file must hold finite numbers, text, lists and tables", value)


def toml_key(key: str) -> str:
    """A key of a table, in quotes where it needs them.

    Example:
        >>> toml_key("cost"), toml_key("cost, USD")
        ('cost', '"cost, USD"')
    """
    return key if BARE_KEY.fullmatch(key) else toml_value(key)
