"""Recipes and orders as plain data and back: only classes of this library are named, and nothing else can be made."""

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
# Names in files, and where their public classes are. A name in a file outlives the module that it was named after.
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
    if isinstance(part, np.ndarray):
        return {"array": _without_padding(part)}
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        name = _name_of(type(part), where)
        kinds = typing.get_type_hints(type(part))
        fields = {}
        for field in dataclasses.fields(part):
            inside = f"{where}.{field.name}"
            value = getattr(part, field.name)
            fields[field.name] = described(value, inside)
            _check_kind(
                inside, value.item() if isinstance(value, np.generic) else value, kinds[field.name]
            )
        return {"class": name, "with": fields}
    if isinstance(part, tuple | list):
        return {
            "tuple" if isinstance(part, tuple) else "list": [described(one, where) for one in part]
        }
    try:
        return {"value": encoded(part, where)}
    except ValueError as error:
        raise ValueError(f"{where} must be of a kind that files keep: {error}") from error


def made(description: Any, where: str) -> Any:
    """What was `described`.

    Raises:
        ValueError: where it is malformed, or names anything but a public class of this library.

    Example:
        >>> from mobandits.orders import Levels
        >>> made(described(Levels([[0, 1, 2], [3]]), "order"), "order")
        Levels(levels=[[0, 1, 2], [3, -1, -1]])
    """
    if not isinstance(description, dict):
        raise ValueError(f"{where} must be a description, got {quoted(description)}")
    keys = set(description)
    if keys == {"value"}:
        value = decoded(description["value"])
        encoded(value, where)  # which refuses what is not finite
        return value
    if keys <= {"array", "tuple", "list"} and len(keys) == 1:
        ((kind, items),) = description.items()
        if not isinstance(items, list):
            raise ValueError(f"{where} must hold a list, got {quoted(items)}")
        if kind == "array":
            return _numbers(items, where)
        return (tuple if kind == "tuple" else list)(made(one, where) for one in items)
    if keys != {"class", "with"} or not isinstance(description["with"], dict):
        raise ValueError(f"{where} must be a description, got {quoted(description)}")
    cls = _class_of(description["class"], where)
    given = {name: made(value, f"{where}.{name}") for name, value in description["with"].items()}
    kinds = typing.get_type_hints(cls)
    for name, value in given.items():
        _check_kind(f"{where}.{name}", value, kinds.get(name, Any))
    try:
        return cls(**given)
    except TypeError as error:
        raise ValueError(f"{where} does not fit {description['class']}: {error}") from error


def _numbers(items: list[Any], where: str) -> list[Any]:
    for one in items:
        if isinstance(one, list):
            _numbers(one, where)
        elif type(one) not in (int, float):
            raise ValueError(f"{where} must hold numbers, got {quoted(one)}")
    return items


def _check_kind(where: str, value: Any, kind: Any) -> None:
    """Recipes check ranges; that a switch is no text they leave to type checkers, which do not read files."""
    kinds = set(_kinds_of(kind))
    if isinstance(value, PLAIN):
        fits = type(value) in kinds or (type(value) is int and float in kinds) or Any in kinds
        fits = fits or (isinstance(value, str) and Sequence in kinds)
    else:
        fits = not kinds <= set(PLAIN)
    if not fits:
        raise ValueError(f"{where} must be of type {kind}, got {quoted(value)}")


def _kinds_of(kind: Any) -> Iterator[Any]:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        for one in typing.get_args(kind):
            yield from _kinds_of(one)
    elif origin is typing.Literal:
        yield from map(type, typing.get_args(kind))
    else:
        yield origin or kind


def _name_of(cls: type, where: str) -> str:
    for name, module in MODULES.items():
        if getattr(importlib.import_module(module), cls.__name__, None) is cls:
            return f"{name}.{cls.__name__}"
    raise ValueError(
        f"{where} must be of a public class of mobandits to be kept in a file, got {cls.__qualname__}"
    )


def _class_of(name: Any, where: str) -> type:
    room, _, cls = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    found = getattr(importlib.import_module(MODULES[room]), cls, None) if room in MODULES else None
    if not (
        isinstance(found, type)
        and dataclasses.is_dataclass(found)
        and found.__module__.startswith("mobandits.")
    ):
        raise ValueError(f"{where} must name a public class of mobandits, got {quoted(name)}")
    return found


def _without_padding(array: Any) -> Any:
    """Rows of integers are padded with -1 where they are stored."""
    if array.dtype.kind == "i" and array.ndim == 2:
        return [[one for one in row if one >= 0] for row in array.tolist()]
    return array.tolist()
