"""The arms of a log, present and past: what positions of arms and rows of contexts mean."""

from collections.abc import Hashable, Iterable

from mobandits.errors import LogError
from mobandits.logs.events import Add, Description, Event, Remove
from mobandits.logs.names import checked_name
from mobandits.support.naming import wrong_value

# Kinds of events after which there are other arms, or one is called otherwise.
CHANGES = ("add", "remove")


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
        >>> for event in (Remove("small"), Add("huge"), Add("small")):
        ...     arms.follow(event)
        >>> arms.names, arms.present
        (['small', 'large', 'huge'], [1, 2, 0])
    """

    def __init__(self, names: Iterable[Hashable] = ()) -> None:
        self.names: list[Hashable] = []
        self.present: list[int] = []
        self._positions: dict[Hashable, int] = {}
        for name in names:
            self._add(name)

    def follow(self, event: Event, where: object = "event") -> None:
        """Take in an event: only those that add, remove or rename an arm matter.

        Raises:
            LogError: where the arm to add is present, the one to remove or to rename is not, or
                the other name was one before.
        """
        try:
            if isinstance(event, Remove):
                self._remove(event.arm)
            elif isinstance(event, Add) and event.renames:
                self._rename(event.was, event.arm)
            elif isinstance(event, Add):
                self._add(event.arm)
        except LogError as error:
            raise LogError(f"{where}: {error}") from error

    def _remove(self, name: Hashable) -> None:
        position = self._positions.get(name, -1)
        if position not in self.present:
            raise wrong_value("arm must be there to be removed", name, LogError)

        # The name keeps its position, which decisions of the past refer to.
        self.present.remove(position)

    def _rename(self, name: Hashable, to: Hashable) -> None:
        position = self._positions.get(name, -1)
        if position not in self.present:
            raise wrong_value("arm must be there to be renamed", name, LogError)
        if to in self._positions:
            raise wrong_value("arm must be renamed to a name that was none before", to, LogError)

        del self._positions[name]
        self._positions[to] = position
        self.names[position] = to

    def _add(self, name: Hashable) -> None:
        new_position = len(self.names)
        # A name that was there before has its old position again.
        position = self._positions.setdefault(checked_name(name, "arm"), new_position)
        if position in self.present:
            raise wrong_value("arm must not be there already", name, LogError)
        if position == new_position:
            self.names.append(name)

        self.present.append(position)

    def copy(self) -> "ArmRegistry":
        """Another one with the same arms, which follows events of its own."""
        other = ArmRegistry(self.names)
        # Not the order of the names: arms may have gone and come back.
        other.present = list(self.present)
        return other


def first_arms(description: Description, where: object) -> ArmRegistry:
    """The arms that the description of a log names; none where it names none.

    Raises:
        LogError: where they are no list of different names.
    """
    arms = description.get("arms", ())
    if not isinstance(arms, list | tuple):
        raise wrong_value(f"{where}: arms must be a list of names", arms, LogError)
    return ArmRegistry(arms)
