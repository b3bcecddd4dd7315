"""Which arms there are, by name, and where the policy keeps what it knows of them: arms come and go."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from mobandits.agent.advice import listed, on_arm
from mobandits.agent.inputs import members
from mobandits.contracts.protocols import IntArray
from mobandits.support.naming import quoted


class Arms:
    """The arms of an agent.

    Attributes:
        names: of the arms that there are now, in the order in which contexts hold their rows.
        slots: (slots,) which arm sits in each of the policy's slots, by its number; -1 where none does. Numbers are
            never used again: arms are numbered as they come.
        everyone: (arms,) the slots of `names`.

    Example:
        >>> arms = Arms(["a", "b"])
        >>> arms.remove("a")
        >>> arms.add("c"), arms.names, arms.everyone.tolist(), arms.slots
        (0, ('b', 'c'), [1, 0], [2, 1])
    """

    def __init__(self, given: int | Sequence[Hashable]) -> None:
        self.names: tuple[Hashable, ...] = members("arms", given)
        self.slots = list(range(len(self.names)))
        self.count = len(self.names)  # of all that ever were
        self._lay({name: slot for slot, name in enumerate(self.names)})

    def _lay(self, place: dict[Hashable, int]) -> None:
        self._place = place
        self._row = {name: row for row, name in enumerate(self.names)}
        self.everyone: IntArray = np.array([place[name] for name in self.names], np.int64)

    def add(self, name: Hashable) -> int:
        """The slot of a new arm: a free one, or one more.

        Raises:
            ValueError: where there is such an arm.
        """
        (name,) = members("arm", [name])
        if name in self._place:
            raise ValueError(f"arm must be a new name, got {quoted(name)}")
        slot = self.slots.index(-1) if -1 in self.slots else len(self.slots)
        self.slots[slot : slot + 1] = [self.count]
        self.count += 1
        self.names = (*self.names, name)
        self._lay({**self._place, name: slot})
        return slot

    def remove(self, name: Hashable) -> None:
        """Let an arm go, and free its slot.

        Raises:
            ValueError: where there is no such arm, or no other.
        """
        slot = self.slot(name)
        if len(self.names) == 1:
            raise ValueError(f"arm must not be the last one, got {quoted(name)}")
        self.slots[slot] = -1
        self.names = tuple(each for each in self.names if each != name)
        self._lay({each: self._place[each] for each in self.names})

    def slot(self, name: Hashable) -> int:
        """Where an arm sits.

        Raises:
            ValueError: where there is no such arm.
        """
        self.rows([name], "arm")
        return self._place[name]

    def numbers(self, slots: Iterable[int]) -> list[int]:
        """The numbers of the arms in some slots."""
        return [self.slots[slot] for slot in slots]

    def rows(self, given: Iterable[Any], called: str = "eligible") -> IntArray:
        """Where in `names` some arms are.

        Raises:
            ValueError: where there are none of them, one comes twice, or is no arm.
        """
        if isinstance(given, str) or not isinstance(given, Iterable):
            advice = (
                f"; write [{quoted(given)}]" if self._knows(given) else on_arm(given, self.names)
            )
            raise ValueError(f"{called} must be a list of arms, got {quoted(given)}{advice}")
        wanted = list(given)
        try:
            rows = [self._row[name] for name in wanted]
        except (KeyError, TypeError):
            bad = next(name for name in wanted if not self._knows(name))
            raise ValueError(self._unknown(called, bad)) from None
        if (
            wanted
            and isinstance(wanted[0], bool | np.bool_)
            and type(self.names[rows[0]]) is not bool
        ):
            raise ValueError(
                self._unknown(called, wanted[0])
            )  # of a mask: True is equal to the arm 1
        if not rows or len(set(rows)) < len(rows):
            raise ValueError(
                f"{called} must name at least one arm, each once, got {quoted(wanted)}"
            )
        return np.array(rows, np.int64)

    def _unknown(self, called: str, name: Any) -> str:
        wanted = f"{called} must name arms of the agent, which are {listed(self.names)}"
        return f"{wanted}, got {quoted(name)}{on_arm(name, self.names)}"

    def _knows(self, name: Any) -> bool:
        try:
            return name in self._row
        except TypeError:
            return False

    def saved(self) -> tuple[tuple[Hashable, ...], list[int], int]:
        """What `restore` takes."""
        return self.names, list(self.slots), self.count

    def restore(self, names: Sequence[Hashable], slots: Sequence[int], count: int) -> None:
        """What `names`, `slots` and `count` were; `names` in the order of their numbers.

        Raises:
            ValueError: where they do not fit together.
        """
        taken = sorted(number for number in slots if number >= 0)
        fits = len(taken) == len(names) == len(set(taken)) and all(
            -1 <= number < count for number in slots
        )
        if not fits or list(members("arms", names)) != list(names):
            raise ValueError("arms must have a slot each")
        self.names = tuple(names)
        self.slots = list(slots)
        self.count = count
        by_number = {number: slot for slot, number in enumerate(slots) if number >= 0}
        self._lay({name: by_number[number] for name, number in zip(names, taken, strict=True)})
