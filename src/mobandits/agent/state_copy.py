"""An agent's state as it was in one moment, and its file, which may be written while it goes on."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from mobandits.agent.file_layout import ALWAYS_ACTIVE, PENDING_COLUMNS, file_bytes
from mobandits.agent.pending import Pending
from mobandits.contracts.protocols import Array

# Decisions at a time: NumPy keeps other threads waiting until a table is made.
SLICE = 1000

Entry = TypeVar("Entry")


class StateCopy(NamedTuple):
    """A state of an agent; nothing in it changes any more.

    Attributes:
        header: of the file.
        numbers: of the decisions that wait.
        waiting: these decisions.
        settled_numbers: of the decisions whose rewards are remembered.
        settled: these rewards.
        arrays: of the policy.
        stage: of the policy.
        note_size: the length of its notes.
        features: the length of a context row.
        objectives: how many there are.
    """

    header: dict[str, Any]
    numbers: list[int]
    waiting: list[Pending]
    settled_numbers: list[int]
    settled: list[tuple[float, ...]]
    arrays: list[Array]
    stage: int
    note_size: int
    features: int
    objectives: int

    @property
    def events(self) -> int:
        """Number of events of its log that the state knows."""
        events: int = self.header["logged"]
        return events


def encoded_state(copied: StateCopy) -> bytes:
    """The bytes of the agent's file."""
    return file_bytes(copied.header, all_tables(copied))


def all_tables(copied: StateCopy) -> list[Array]:
    """The tables of `file_layout`: decisions that wait or are remembered, and the policy's state."""
    waiting = copied.waiting
    objectives = copied.objectives
    unknown = [np.nan] * objectives
    nothing = (0.0,) * copied.note_size

    def notes_and_times(pending: Pending) -> list[float]:
        # No policy learns from decisions of earlier stages any more, and their notes may be longer
        # or shorter than those of this one.
        note = pending.note if pending.stage == copied.stage else nothing
        since = ALWAYS_ACTIVE if pending.since is None else pending.since
        return [*note, pending.time, since]

    places = _table(
        waiting,
        lambda pending: (0, pending.arm, pending.stage, pending.birth),
        len(PENDING_COLUMNS),
        np.int64,
    )
    places[:, 0] = copied.numbers
    settled_numbers = np.array(copied.settled_numbers, np.int64)
    tables = [
        places,
        _table(waiting, notes_and_times, copied.note_size + 2),
        _table(waiting, lambda pending: pending.x, copied.features),
        _table(waiting, lambda pending: pending.rewards or unknown, objectives),
        settled_numbers,
        _table(copied.settled, lambda rewards: rewards, objectives),
    ]

    return tables + copied.arrays


def _table(
    entries: Sequence[Entry],
    row_of: Callable[[Entry], Any],
    columns: int,
    kind: Any = np.float64,
) -> Any:
    """(entries, columns) a row of each; tables without rows have columns all the same."""
    table = np.empty((len(entries), columns), kind)
    for start in range(0, len(entries), SLICE):
        some = entries[start : start + SLICE]
        rows = [row_of(entry) for entry in some]
        table[start : start + SLICE] = np.array(rows, kind).reshape(len(rows), columns)

    return table
