"""Which arms there are, and which there ever were: what positions and rows in a log mean."""

from collections.abc import Hashable, Iterable
from typing import Any

from mobandits.logs.errors import LogError
from mobandits.logs.names import checked_name, decoded, encoded
from mobandits.support.naming import quoted


class Roster:
    """All arms there ever were, by position: in the order in which their names first came.

    Args:
        names: of the arms there are in the beginning.

    Attributes:
        names: all names, by position. One that is added again has its old position.
        present: the positions of the arms that there are now, in the order in which they last came: the order of the
            rows of a context.

    Raises:
        LogError: where a name comes twice, or is none that files can hold.

    Example:
        >>> roster = Roster(["small", "large"])
        >>> for event in ({"kind": "remove", "arm": "small"}, {"kind": "add", "arm": "huge"}):
        ...     roster.follow(event)
        >>> roster.follow({"kind": "add", "arm": "small"})
        >>> roster.names, roster.present
        (['small', 'large', 'huge'], [1, 2, 0])
    """

    def __init__(self, names: Iterable[Hashable] = ()) -> None:
        self.names: list[Hashable] = []
        self.present: list[int] = []
        self._places: dict[Hashable, int] = {}
        for name in names:
            self._add(name)

    def check(self, event: dict[str, Any], where: object = "event") -> None:
        """Refuse an event that cannot be followed.

        Raises:
            LogError: where the arm to add is present, or the one to remove is not.
        """
        kind = event["kind"]
        if kind in {"add", "remove"}:
            there = self._places.get(event["arm"], -1) in self.present
            if there == (kind == "add"):
                rule = (
                    "must not be there already to be added"
                    if there
                    else "must be there to be removed"
                )
                raise LogError(f"{where}: arm {rule}, got {quoted(event['arm'])}")

    def follow(self, event: dict[str, Any], where: object = "event") -> None:
        """Take in an event: only those that add or remove an arm matter.

        Raises:
            LogError: as `check`.
        """
        self.check(event, where)
        if event["kind"] == "add":
            self._add(event["arm"])
        elif event["kind"] == "remove":
            self.present.remove(self._places[event["arm"]])

    def _add(self, name: Hashable) -> None:
        place = self._places.setdefault(checked_name(name, "arm"), len(self.names))
        if place in self.present:
            raise LogError(f"arm must not be there already, got {quoted(name)}")
        if place == len(self.names):
            self.names.append(name)
        self.present.append(place)

    def copy(self) -> "Roster":
        """Another one with the same arms, which follows events of its own."""
        return Roster.from_json(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """As JSON can hold it; `from_json` gives it back."""
        return {"names": [encoded(name) for name in self.names], "present": list(self.present)}

    @classmethod
    def from_json(cls, value: Any) -> "Roster":
        """The inverse of `to_json`.

        Raises:
            LogError: where it is something else.
        """
        names, present = (
            (value.get(key) for key in ("names", "present"))
            if isinstance(value, dict)
            else (None, None)
        )
        if not isinstance(names, list) or not isinstance(present, list):
            raise LogError(f"arms must have names and present, got {quoted(value)}")
        roster = cls(decoded(name) for name in names)
        if len(set(map(str, present))) < len(present) or not all(
            type(one) is int and 0 <= one < len(names) for one in present
        ):
            raise LogError(f"arms.present must be different positions, got {quoted(present)}")
        roster.present = list(present)
        return roster


def first_arms(description: dict[str, Any], where: object) -> Roster:
    """The arms that a journal's description names; none where it names none.

    Raises:
        LogError: where they are no list of different names.
    """
    arms = description.get("arms", ())
    if not isinstance(arms, list | tuple):
        raise LogError(f"{where}: arms must be a list of names, got {quoted(arms)}")
    return Roster(arms)
