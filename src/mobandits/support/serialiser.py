"""Objects as plain data that JSON can hold, and back: by the name of their class and their fields.

Files of agents and their logs keep recipes and orders in this form. They differ in how classes are
named (`ClassNames`).
"""

import dataclasses
import types
import typing
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.support.naming import shortened, wrong_value
from mobandits.support.plain_values import decoded, encoded

PLAIN = (bool, int, float, str, types.NoneType)


class ClassNames(Protocol):
    """The classes that may be written and read, and their names."""

    def name_of(self, cls: type, where: str) -> str:
        """The name of a class; a `ValueError` that names the place where it has none."""

    def class_of(self, name: Any, where: str) -> type:
        """The class of a name; a `ValueError` that names the place where there is none."""


def to_description(part: Any, where: str, names: ClassNames) -> Any:
    """An object, or a value of its fields, as plain data.

    Args:
        part: dataclasses, arrays, tuples, lists, numbers, text, and dictionaries of values.
        where: what errors call it.
        names: of classes.

    Raises:
        ValueError: naming the place, where it is of a class without a name, or holds something
            else.

    Example:
        >>> class Builtins:
        ...     def name_of(self, cls, where):
        ...         return cls.__name__
        >>> to_description((1, [0.5]), "pair", Builtins())
        {'tuple': [{'value': 1}, {'list': [{'value': 0.5}]}]}
    """
    if isinstance(part, np.ndarray):
        return _described_array(part)
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        fields = [field.name for field in dataclasses.fields(part) if field.init]
        return _described_object(part, fields, where, names)
    if isinstance(part, tuple | list):
        kind = "tuple" if isinstance(part, tuple) else "list"
        return {kind: [to_description(item, where, names) for item in part]}

    try:
        return {"value": encoded(part, where)}
    except ValueError as error:
        raise ValueError(f"{where} must be of a kind that files keep: {error}") from error


def _described_object(part: Any, fields: Sequence[str], where: str, names: ClassNames) -> Any:
    cls = type(part)
    name = names.name_of(cls, where)
    annotations = typing.get_type_hints(cls)
    descriptions = {}
    for field in fields:
        inside = f"{where}.{field}"
        value = getattr(part, field)
        descriptions[field] = to_description(value, inside, names)
        number = value.item() if isinstance(value, np.generic) else value
        check_annotation(inside, number, annotations[field])

    return {"class": name, "with": descriptions}


def _described_array(array: Array) -> Any:
    if array.dtype.kind == "i" and array.ndim == 2:
        # Rows of integers are padded with -1 to one length where a part keeps them; who wrote the
        # part wrote rows of several lengths.
        return {"array": [[number for number in row if number >= 0] for row in array.tolist()]}

    return {"array": array.tolist()}


def from_description(description: Any, where: str, names: ClassNames) -> Any:
    """The object of a description; the arguments are those of `to_description`.

    Nothing but classes that have a name in `names` can be made, whatever a file says.

    Raises:
        ValueError: naming the place, where the description is malformed, or names another class.
    """
    if not isinstance(description, dict):
        raise wrong_value(f"{where} must be a description", description)

    keys = set(description)
    if keys == {"value"}:
        return _restored_value(description["value"], where)
    if keys <= {"array", "tuple", "list"} and len(keys) == 1:
        ((kind, items),) = description.items()
        if not isinstance(items, list):
            raise wrong_value(f"{where} must hold a list", items)
        if kind == "array":
            return _checked_numbers(items, where)

        parts = [from_description(item, where, names) for item in items]
        return tuple(parts) if kind == "tuple" else parts

    if keys != {"class", "with"} or not isinstance(description["with"], dict):
        raise wrong_value(f"{where} must be a description", description)

    return _restored_object(description, where, names)


def _restored_object(description: dict[str, Any], where: str, names: ClassNames) -> Any:
    cls = names.class_of(description["class"], where)
    given = description["with"]
    # Names of a file, too, may be of any length.
    places = {name: shortened(f"{where}.{name}") for name in given}
    fields = {name: from_description(value, places[name], names) for name, value in given.items()}
    annotations = typing.get_type_hints(cls)
    for name, value in fields.items():
        check_annotation(places[name], value, annotations.get(name, Any))

    try:
        return cls(**fields)
    except TypeError as error:
        said = shortened(str(error))
        raise ValueError(f"{where} does not fit {description['class']}: {said}") from error


def _restored_value(data: Any, where: str) -> Any:
    value = decoded(data)
    # Which refuses what is not finite: JSON of others may hold NaN.
    encoded(value, where)
    return value


def _checked_numbers(items: list[Any], where: str) -> list[Any]:
    """Nested lists of numbers, which the class that they belong to makes an array of."""
    for item in items:
        if isinstance(item, list):
            _checked_numbers(item, where)
        elif type(item) not in (int, float):
            raise wrong_value(f"{where} must hold numbers", item)

    return items


def check_annotation(where: str, value: Any, annotation: Any) -> None:
    """Refuse a value that is of another kind than its annotation.

    Recipes check ranges themselves. That a switch is no text they leave to type checkers, which do
    not read files.

    Raises:
        ValueError: naming the place, the annotation and the value.

    Example:
        >>> check_annotation("MolUcb.scale", "large", float | None)
        Traceback (most recent call last):
        ValueError: MolUcb.scale must be of type float | None, got 'large'
    """
    kinds = set(_kinds(annotation))
    if isinstance(value, PLAIN):
        is_whole_float = type(value) is int and float in kinds
        is_text_sequence = isinstance(value, str) and Sequence in kinds
        fits = type(value) in kinds or Any in kinds or is_whole_float or is_text_sequence
    else:
        fits = not kinds <= set(PLAIN)

    if not fits:
        raise wrong_value(f"{where} must be of type {annotation}", value)


def _kinds(annotation: Any) -> Iterator[Any]:
    """The classes that values of an annotation may have."""
    for alternative in alternatives(annotation):
        origin = typing.get_origin(alternative)
        if origin is typing.Literal:
            yield from map(type, typing.get_args(alternative))
        else:
            yield origin or alternative


def alternatives(annotation: Any) -> Iterator[Any]:
    """The annotations that a union joins, or the annotation itself.

    Example:
        >>> [each.__name__ for each in alternatives(float | None)]
        ['float', 'NoneType']
    """
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        for joined in typing.get_args(annotation):
            yield from alternatives(joined)
    else:
        yield annotation
