"""Values of fields that name objectives: they have numbers once the objectives are known."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from mobandits.support.naming import quoted
from mobandits.support.nearest import refusal

NAMING = "_names_objectives"  # an attribute of parts with such a field


@dataclass(frozen=True)
class NamedNumbers:
    """A number for each of some objectives.

    Args:
        pairs: of a name, or a position, and a number.
    """

    pairs: tuple[tuple[Hashable, Any], ...]

    def __repr__(self) -> str:
        return repr(self.plain)

    @property
    def plain(self) -> dict[Hashable, Any]:
        """The table, as it was written."""
        return dict(self.pairs)

    def resolved(self, where: str, names: Sequence[Hashable], absent: float | None) -> list[Any]:
        """The numbers, one per objective.

        Args:
            where: the field, for messages.
            names: of all objectives.
            absent: the number of an objective that is not named; None: each must be.

        Raises:
            ValueError: where an objective is unknown, or missing.
        """
        numbers: dict[int, Any] = {}
        for name, number in self.pairs:
            place = place_of(where, name, names)
            if place in numbers:
                twice = quoted(names[place])
                raise ValueError(f"{where} must name each objective once, got {twice} twice")
            numbers[place] = number

        for place, name in enumerate(names):
            if place not in numbers and absent is None:
                raise ValueError(f"{where} must name each objective, got no {quoted(name)}")

        return [numbers.get(place, absent) for place in range(len(names))]


@dataclass(frozen=True)
class NamedPlaces:
    """A list of objectives by name, or a list of such lists.

    Args:
        items: names, or tuples of names; a number stands for itself.
    """

    items: tuple[Any, ...]

    def __repr__(self) -> str:
        return repr(self.plain)

    @property
    def plain(self) -> list[Any]:
        """The list, as it was written."""
        return [list(item) if isinstance(item, tuple) else item for item in self.items]

    def resolved(self, where: str, names: Sequence[Hashable], _: float | None) -> list[Any]:
        """The positions, in lists of the same form; arguments and errors as of `NamedNumbers`."""
        places: list[Any] = []
        for item in self.items:
            if isinstance(item, tuple):
                places.append([place_of(where, name, names) for name in item])
            else:
                places.append(place_of(where, item, names))

        return places


@dataclass(frozen=True)
class NamedPlace:
    """One objective by name.

    Args:
        name: of the objective.
    """

    name: str

    def __repr__(self) -> str:
        return repr(self.name)

    @property
    def plain(self) -> str:
        """The name, as it was written."""
        return self.name

    def resolved(self, where: str, names: Sequence[Hashable], _: float | None) -> int:
        """The position of the objective; arguments and errors as of `NamedNumbers`."""
        return place_of(where, self.name, names)


Named: TypeAlias = NamedNumbers | NamedPlaces | NamedPlace


def place_of(where: str, name: Any, names: Sequence[Hashable]) -> int:
    """The position of an objective; a number that is no name is one.

    Raises:
        ValueError: where there is no such objective.
    """
    known = list(names)
    is_number = isinstance(name, int) and not isinstance(name, bool)
    if is_number and name not in known and 0 <= name < len(known):
        return int(name)
    if name not in known or isinstance(name, bool):
        listed = ", ".join(map(str, known))
        raise ValueError(refusal(f"{where}: an objective", f"be one of {listed}", name, known))

    return known.index(name)


def named_numbers(value: Any) -> NamedNumbers | None:
    """The numbers that a table has by name; None where the value is no table."""
    if isinstance(value, NamedNumbers):
        return value
    if not isinstance(value, Mapping):
        return None

    return NamedNumbers(tuple(value.items()))


def named_places(value: Any) -> NamedPlaces | None:
    """The places that lists have by name; None where they have none.

    Example:
        >>> named_places([["quality", "cost"], ["speed"]])
        [['quality', 'cost'], ['speed']]
        >>> named_places([[0, 1], [2]]) is None
        True
    """
    if isinstance(value, NamedPlaces):
        return value
    if not isinstance(value, list | tuple):
        return None

    items = tuple(tuple(item) if isinstance(item, list | tuple) else item for item in value)
    flat = [name for item in items for name in (item if isinstance(item, tuple) else (item,))]
    if not any(isinstance(name, str) for name in flat):
        return None

    return NamedPlaces(items)


def named_place(value: Any) -> NamedPlace | None:
    """The place that a text names; None where the value is no text."""
    if isinstance(value, NamedPlace):
        return value

    return NamedPlace(value) if isinstance(value, str) else None


def names_of(part: Any) -> dict[str, Named]:
    """{field: value} of the fields of a part that name objectives; empty where none does."""
    named: dict[str, Named] = {}
    # Most parts name none, and are asked in calls of a few microseconds.
    if NAMING not in getattr(part, "__dict__", ()):
        return named

    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, Named):
            named[field.name] = value

    return named
