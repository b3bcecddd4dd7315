"""The mistakes of a specification, collected with their places, so that all are told at once."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mobandits.support import toml_lines


@dataclass(frozen=True)
class Place:
    """A place in a file: the keys, and positions in lists, that lead to it.

    Example:
        >>> str(Place(("policies",)).item(0).key("scale"))
        'policies[0].scale'
    """

    path: toml_lines.Path

    def key(self, name: str) -> "Place":
        """A value of the table at this place."""
        return Place((*self.path, name))

    def item(self, position: int) -> "Place":
        """An item of the list at this place."""
        return Place((*self.path, position))

    def __str__(self) -> str:
        text = ""
        for step in self.path:
            if isinstance(step, int):
                text += f"[{step}]"
            else:
                text += f".{step}" if text else step

        return text


class Mistake(NamedTuple):
    """A message, and the place that it is about."""

    place: Place
    message: str


class Mistakes:
    """A collection of mistakes.

    Example:
        >>> mistakes = Mistakes()
        >>> with mistakes.at(Place(("rounds",))):
        ...     raise ValueError("rounds must be a number, got 'many'")
        >>> [str(mistake.place) for mistake in mistakes.found]
        ['rounds']
    """

    def __init__(self) -> None:
        self.found: list[Mistake] = []

    def add(self, place: Place, message: str) -> None:
        """One more."""
        self.found.append(Mistake(place, message))

    @contextlib.contextmanager
    def at(self, place: Place) -> Iterator[None]:
        """A context whose `ValueError`, or a class's `TypeError`, is a mistake at a place."""
        try:
            yield
        except (ValueError, TypeError) as error:
            self.add(place, str(error))
