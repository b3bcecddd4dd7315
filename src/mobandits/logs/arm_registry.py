"""The arms of a log, present and past: what positions of arms and rows of contexts mean."""

from collections.abc import Hashable, Iterable
from typing import Any

from mobandits.errors import LogError
from mobandits.logs.names import checked_name, decoded, encoded
from mobandits.support.naming import quoted


class ArmRegistry:
    """All arms there ever were, by position: in the order in which their names first came.

    Args:
        names: of the arms there are in the beginning.

    Attributes:
        names: all names, by position. One that is added again has its old position.
        present: the positions of the arms that there are now, in the order in which they last came:
            the order of the rows of a context.

    Raises:
        LogError: where a name comes twice, or is none that files can hold.

    Example:
        >>> arms = ArmRegistry(["small", "large"])
        >>> for event in ({"kind": "remove", "arm": "small"}, {"kind": "add", "arm": "huge"}):
        ...     arms.follow(event)
        >>> arms.follow({"kind": "add", "arm": "small"})
        >>> arms.names, arms.present
        (['small', 'large', 'huge'], [1, 2, 0])
    """

    def __init__(self, names: Iterable[Hashable] = ()) -> None:
        self.names: list[Hashable] = []
        self.present: list[int] = []
        self._positions: dict[Hashable, int] = {}
        for name in names:
            self._add(name)

    def check(self, event: dict[str, Any], where: object = "event") -> None:
        """Refuse an event that cannot be followed.

        Raises:
            LogError: where the arm to add is present, or the one to remove is not.
        """
        kind = event["kind"]
        if kind not in {"add", "remove"}:
            return

        arm = event["arm"]
        position = self._positions.get(arm, -1)
        is_present = position in self.present
        if kind == "add" and is_present:
            rule = "must not be there already to be added"
        elif kind == "remove" and not is_present:
            rule = "must be there to be removed"
        else:
            return

        raise LogError(f"{where}: arm {rule}, got {quoted(arm)}")

    def follow(self, event: dict[str, Any], where: object = "event") -> None:
        """Take in an event: only those that add or remove an arm matter.

        Raises:
            LogError: as `check`.
        """
        self.check(event, where)
        if event["kind"] == "add":
            self._add(event["arm"])
        elif event["kind"] == "remove":
            position = self._positions[event["arm"]]
            # The name keeps its position, which decisions of the past refer to.
            self.present.remove(position)

    def _add(self, name: Hashable) -> None:
        new_position = len(self.names)
        # A name that was there before has its old position again.
        position = self._positions.setdefault(checked_name(name, "arm"), new_position)
        if position in self.present:
            raise LogError(f"arm must not be there already, got {quoted(name)}")
        if position == new_position:
            self.names.append(name)

        self.present.append(position)

    def copy(self) -> "ArmRegistry":
        """Another one with the same arms, which follows events of its own."""
        return ArmRegistry.from_json(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """As JSON can hold it; `from_json` gives it back."""
        names = [encoded(name) for name in self.names]
        return {"names": names, "present": list(self.present)}

    @classmethod
    def from_json(cls, value: Any) -> "ArmRegistry":
        """The inverse of `to_json`.

        Raises:
            LogError: where it is something else.
        """
        content = value if isinstance(value, dict) else {}
        names = content.get("names")
        present = content.get("present")
        if not isinstance(names, list) or not isinstance(present, list):
            raise LogError(f"arms must have names and present, got {quoted(value)}")

        registry = cls(decoded(name) for name in names)
        if not _are_positions(present, len(names)):
            raise LogError(f"arms.present must be different positions, got {quoted(present)}")

        # Not the order of the names: arms may have gone and come back.
        registry.present = list(present)

        return registry


def _are_positions(values: list[Any], count: int) -> bool:
    """Whether values are different integers from 0 to below `count`."""
    for value in values:
        # Not isinstance: JSON's true and false are no positions.
        if type(value) is not int or not 0 <= value < count:
            return False

    return len(set(values)) == len(values)


def first_arms(description: dict[str, Any], where: object) -> ArmRegistry:
    """The arms that a journal's description names; none where it names none.

    Raises:
        LogError: where they are no list of different names.
    """
    arms = description.get("arms", ())
    if not isinstance(arms, list | tuple):
        raise LogError(f"{where}: arms must be a list of names, got {quoted(arms)}")
    return ArmRegistry(arms)
