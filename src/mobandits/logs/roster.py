"""Which arms there were, and which of them are present: what positions in a log mean."""

from collections.abc import Hashable, Iterable
from typing import Any

from mobandits.logs.errors import LogError
from mobandits.logs.names import checked_name, decoded, encoded


class Roster:
    """All arms there ever were, in order of their arrival.

    Args:
        names: of the arms there are in the beginning.

    Attributes:
        names: all names, by position.
        present: (arms,) whether each is there now.

    Raises:
        LogError: where a name comes twice, or is none that files can hold.

    Example:
        >>> roster = Roster(["small", "large"])
        >>> for event in ({"kind": "add", "arm": "huge"}, {"kind": "remove", "arm": "small"}):
        ...     roster.follow(event)
        >>> roster.names, roster.present
        (['small', 'large', 'huge'], [False, True, True])
    """

    def __init__(self, names: Iterable[Hashable] = ()) -> None:
        self.names: list[Hashable] = []
        self.present: list[bool] = []
        self._places: dict[Hashable, int] = {}
        for name in names:
            self._add(name)

    def copy(self) -> "Roster":
        """Another one with the same arms, which follows events of its own."""
        return Roster.from_json(self.to_json())

    def follow(self, event: dict[str, Any]) -> None:
        """Take in an event: only those that add or remove an arm matter.

        Raises:
            LogError: where the arm to add is present, or the one to remove is not.
        """
        if event["kind"] == "add":
            self._add(event["arm"])
        elif event["kind"] == "remove":
            place = self._places.get(event["arm"])
            if place is None or not self.present[place]:
                raise LogError(f"event.arm must be present to be removed, got {event['arm']!r}")
            self.present[place] = False

    def _add(self, name: Hashable) -> None:
        place = self._places.get(checked_name(name, "arm"))
        if place is None:
            self._places[name] = len(self.names)
            self.names.append(name)
            self.present.append(True)
        elif self.present[place]:
            raise LogError(f"arm must not be there already, got {name!r}")
        else:
            self.present[place] = True

    def to_json(self) -> list[Any]:
        """As JSON can hold it; `from_json` gives it back."""
        return [[encoded(name), present] for name, present in zip(self.names, self.present, strict=True)]

    @classmethod
    def from_json(cls, value: Any) -> "Roster":
        """The inverse of `to_json`.

        Raises:
            LogError: where it is something else.
        """
        if not isinstance(value, list) or not all(
            isinstance(one, list) and len(one) == 2 and isinstance(one[1], bool) for one in value
        ):
            raise LogError(f"arms must be a list of [name, present], got {value!r:.80}")
        roster = cls(decoded(name) for name, _ in value)
        roster.present = [present for _, present in value]
        return roster
