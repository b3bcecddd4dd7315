"""The arms of an agent, which come and go: their names, and their slots in the policy."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.agent.error_hints import listed_names, on_arm
from mobandits.agent.inputs import name_tuple
from mobandits.contracts.protocols import IntArray
from mobandits.logs.objectives import Names
from mobandits.support.naming import quoted, wrong_value
from mobandits.support.nearest import did_you_mean, refusal


class ArmTable(NamedTuple):
    """The names and slots of `Arms` at one moment; see `Arms.restore`."""

    names: Names
    slots: list[int]
    ever: int


class Arms:
    """The arms of an agent.

    Attributes:
        names: of the arms that there are now, in the order in which contexts hold their rows.
        slots: (slots,) which arm sits in each of the policy's slots, by its number; -1 where none
            does. Numbers are never used again: arms are numbered as they come.
        count: of all arms that there ever were.
        everyone: (arms,) the slots of `names`.

    Example:
        >>> arms = Arms(["a", "b"])
        >>> arms.remove("a")
        >>> arms.add("c"), arms.names, arms.everyone.tolist(), arms.slots
        (0, ('b', 'c'), [1, 0], [2, 1])
    """

    def __init__(self, given: int | Sequence[Hashable]) -> None:
        names = name_tuple("arms", given)
        self.names: tuple[Any, ...] = names
        self.count = len(names)
        self.slots = list(range(self.count))
        slot_of = {name: slot for slot, name in enumerate(names)}
        self._index(slot_of)

    def _index(self, slot_of: dict[Hashable, int]) -> None:
        """Renew what is looked up in every decision, after `names` or slots have changed."""
        self._slot_of = slot_of
        self._row_of = {name: row for row, name in enumerate(self.names)}
        slots = [slot_of[name] for name in self.names]
        self.everyone: IntArray = np.array(slots, np.int64)

    def add(self, name: Hashable) -> int:
        """The slot of a new arm: a free one, or one more.

        Raises:
            ValueError: where there is such an arm.
        """
        (name,) = name_tuple("arm", [name])
        if name in self._slot_of:
            raise wrong_value("arm must be a new name", name)
        # A free slot costs nothing; one more makes all arrays of arms longer.
        if -1 in self.slots:
            slot = self.slots.index(-1)
            self.slots[slot] = self.count
        else:
            slot = len(self.slots)
            self.slots.append(self.count)

        self.count += 1
        self.names = (*self.names, name)
        self._index({**self._slot_of, name: slot})

        return slot

    def remove(self, name: Hashable) -> None:
        """Let an arm go, and free its slot.

        Raises:
            ValueError: where there is no such arm, or no other.
        """
        slot = self.slot(name)
        if len(self.names) == 1:  # no decision could be made any more
            raise wrong_value("arm must not be the last one", name)

        others = [each for each in self.names if each != name]
        slot_of = dict(self._slot_of)
        del slot_of[name]
        self.slots[slot] = -1
        self.names = tuple(others)
        self._index(slot_of)

    def rename(self, name: Hashable, to: Hashable) -> None:
        """Call an arm by another name, in its slot and its place.

        Raises:
            ValueError: where there is no such arm, or one of the other name.
        """
        slot = self.slot(name)
        (to,) = name_tuple("to", [to])
        if to in self._slot_of:
            raise wrong_value("to must be a new name", to)

        slot_of = {**self._slot_of, to: slot}
        del slot_of[name]
        self.names = tuple(to if each == name else each for each in self.names)
        self._index(slot_of)

    def slot(self, name: Hashable) -> int:
        """Slot of an arm.

        Raises:
            ValueError: where there is no such arm.
        """
        self.rows([name], "arm")
        return self._slot_of[name]

    def rows(self, given: Iterable[Any], called: str = "eligible") -> IntArray:
        """Positions of some arms in `names`.

        Raises:
            ValueError: where there are none of them, one comes twice, or is no arm.
        """
        if isinstance(given, str) or not isinstance(given, Iterable):
            shown = quoted(given)
            advice = on_arm(given, self.names)
            if self._is_arm(given):
                advice = f"; write [{shown}]"

            raise ValueError(f"{called} must be a list of arms, got {shown}{advice}")

        wanted = list(given)
        try:
            rows = [self._row_of[name] for name in wanted]
        except (KeyError, TypeError):
            unknown = [name for name in wanted if not self._is_arm(name)]
            raise ValueError(self._unknown(called, unknown[0])) from None

        # True is equal to 1, so that a mask would be taken for a list of the arms 0 and 1.
        is_mask = bool(wanted) and isinstance(wanted[0], bool | np.bool_)
        if is_mask and type(self.names[rows[0]]) is not bool:
            raise ValueError(self._unknown(called, wanted[0]))

        different = set(rows)
        if not rows or len(different) < len(rows):
            raise wrong_value(f"{called} must name at least one arm, each once", wanted)

        return np.array(rows, np.int64)

    def _unknown(self, called: str, name: Any) -> str:
        rule = f"name arms of the agent, which are {listed_names(self.names)}"
        if did_you_mean(name, self.names):
            return refusal(called, rule, name, self.names)
        return f"{called} must {rule}, got {quoted(name)}{on_arm(name, self.names)}"

    def _is_arm(self, name: Any) -> bool:
        try:
            return name in self._row_of
        except TypeError:  # it cannot be hashed
            return False

    def saved(self) -> ArmTable:
        """The table that `restore` takes."""
        slots = list(self.slots)
        return ArmTable(self.names, slots, self.count)

    def restore(self, names: Sequence[Hashable], slots: Sequence[int], count: int) -> None:
        """What `names`, `slots` and `count` were; `names` in the order of their numbers.

        Raises:
            ValueError: where they do not fit together.
        """
        slot_by_number = {number: slot for slot, number in enumerate(slots) if number >= 0}
        taken = [number for number in slots if number >= 0]
        is_one_each = len(taken) == len(names) == len(slot_by_number)
        is_counted = all(-1 <= number < count for number in slots)
        is_names = list(name_tuple("arms", names)) == list(names)
        if not (is_one_each and is_counted and is_names):
            raise ValueError("arms must have a slot each")

        self.names = tuple(names)
        self.slots = list(slots)
        self.count = count
        pairs = zip(names, sorted(taken), strict=True)
        self._index({name: slot_by_number[number] for name, number in pairs})
