"""Recipes and orders as plain data and back.

Only classes of this library are named, and nothing else can be made.
"""

import dataclasses
import importlib
import types
import typing
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mobandits.logs.names import decoded, encoded
from mobandits.support.naming import quoted

PLAIN = (bool, int, float, str, types.NoneType)
# Names in files, and where their public classes are. A name in a file outlives the module that it
# was named after.
MODULES = {
    "policies": "mobandits.policies",
    "orders": "mobandits.orders",
    "kernel.links": "mobandits.numerics.links",
}


def described(part: Any, where: str) -> Any:
    """A recipe, an order or a value of their parameters, as JSON can hold it.

    Raises:
        ValueError: where it is of a class that is not public here, or holds something else.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> described(MolUcb(scale=0.3), "recipe")["class"]
        'policies.MolUcb'
    """
    if isinstance(part, np.ndarray):  # a parameter of an order, which its class makes again
        return {"array": _without_padding(part)}
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        return _described_part(part, where)
    if isinstance(part, tuple | list):
        kind = "tuple" if isinstance(part, tuple) else "list"
        return {kind: [described(item, where) for item in part]}
    try:
        return {"value": encoded(part, where)}
    except ValueError as error:
        raise ValueError(f"{where} must be of a kind that files keep: {error}") from error


def _described_part(part: Any, where: str) -> dict[str, Any]:
    name = _public_name(type(part), where)
    kinds = typing.get_type_hints(type(part))
    fields = {}
    for field in dataclasses.fields(part):
        inside = f"{where}.{field.name}"
        value = getattr(part, field.name)
        fields[field.name] = described(value, inside)
        plain_value = value.item() if isinstance(value, np.generic) else value
        # A parameter of another kind than its annotation would not be taken when it is read.
        _check_kind(inside, plain_value, kinds[field.name])
    return {"class": name, "with": fields}


def made(description: Any, where: str) -> Any:
    """What was `described`.

    Raises:
        ValueError: where it is malformed, or names anything but a public class of this library.

    Example:
        >>> from mobandits.orders import Levels
        >>> made(described(Levels([[0, 1, 2], [3]]), "order"), "order")
        Levels(levels=[[0, 1, 2], [3, -1, -1]])
    """
    keys = set(description) if isinstance(description, dict) else set()
    if keys == {"value"}:
        value = decoded(description["value"])
        encoded(value, where)  # which refuses what is not finite
        return value
    if len(keys) == 1 and keys <= {"array", "tuple", "list"}:
        ((kind, items),) = description.items()
        return _made_sequence(kind, items, where)
    if keys == {"class", "with"} and isinstance(description["with"], dict):
        return _made_part(description, where)
    raise ValueError(f"{where} must be a description, got {quoted(description)}")


def _made_sequence(kind: str, items: Any, where: str) -> Any:
    if not isinstance(items, list):
        raise ValueError(f"{where} must hold a list, got {quoted(items)}")
    if kind == "array":
        return _checked_numbers(items, where)
    parts = [made(item, where) for item in items]
    return tuple(parts) if kind == "tuple" else parts


def _made_part(description: dict[str, Any], where: str) -> Any:
    cls = _public_class(description["class"], where)
    values = {}
    for name, value in description["with"].items():
        values[name] = made(value, f"{where}.{name}")
    kinds = typing.get_type_hints(cls)
    for name, value in values.items():
        _check_kind(f"{where}.{name}", value, kinds.get(name, Any))
    # The constructor checks ranges, as it does for applications.
    try:
        return cls(**values)
    except TypeError as error:
        raise ValueError(f"{where} does not fit {description['class']}: {error}") from error


def _checked_numbers(items: list[Any], where: str) -> list[Any]:
    for item in items:
        if isinstance(item, list):
            _checked_numbers(item, where)
        elif type(item) not in (int, float):
            raise ValueError(f"{where} must hold numbers, got {quoted(item)}")
    return items


def _check_kind(where: str, value: Any, kind: Any) -> None:
    """Refuse a parameter that is of another type than its annotation.

    Recipes check ranges of numbers. That a switch is no text they leave to type checkers, which do
    not read files.
    """
    kinds = set(_kinds_of(kind))
    if isinstance(value, PLAIN):
        own_kind = type(value)
        is_named = own_kind in kinds or Any in kinds
        is_whole_float = own_kind is int and float in kinds
        is_sequence = isinstance(value, str) and Sequence in kinds
        fits = is_named or is_whole_float or is_sequence
    else:
        fits = not kinds <= set(PLAIN)
    if not fits:
        raise ValueError(f"{where} must be of type {kind}, got {quoted(value)}")


def _kinds_of(kind: Any) -> Iterator[Any]:
    """The classes that an annotation allows."""
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        for alternative in typing.get_args(kind):
            yield from _kinds_of(alternative)
    elif origin is typing.Literal:
        yield from map(type, typing.get_args(kind))
    else:
        yield origin or kind


def _public_name(cls: type, where: str) -> str:
    class_name = cls.__name__
    for name, path in MODULES.items():
        module = importlib.import_module(path)
        if getattr(module, class_name, None) is cls:
            return f"{name}.{class_name}"
    rule = "must be of a public class of mobandits to be kept in a file"
    raise ValueError(f"{where} {rule}, got {cls.__qualname__}")


def _public_class(name: Any, where: str) -> type:
    text = name if isinstance(name, str) else ""
    room, _, class_name = text.rpartition(".")
    found: Any = None
    if room in MODULES:
        module = importlib.import_module(MODULES[room])
        found = getattr(module, class_name, None)
    is_class = isinstance(found, type) and dataclasses.is_dataclass(found)
    # A module also holds what it imports: nothing of that is made.
    if not is_class or not found.__module__.startswith("mobandits."):
        raise ValueError(f"{where} must name a public class of mobandits, got {quoted(name)}")
    part_class: type = found
    return part_class


def _without_padding(array: Any) -> Any:
    """Numbers as lists; rows of integers are padded with -1 where they are stored."""
    if array.dtype.kind != "i" or array.ndim != 2:
        return array.tolist()
    rows = []
    for row in array.tolist():
        numbers = [number for number in row if number >= 0]
        rows.append(numbers)
    return rows
