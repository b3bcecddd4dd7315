"""Writing an agent into a file: its recipe, its state, and the decisions that wait.

A copy of the state in one moment is made first; its bytes may be made while the agent goes on.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from mobandits.agent.core import AgentCore
from mobandits.agent.file_layout import (
    ALWAYS_ACTIVE,
    PACKAGE,
    PENDING_COLUMNS,
    VERSION,
    file_bytes,
)
from mobandits.agent.headers import FIELDS, OPTIONS
from mobandits.agent.ledger_files import described_ledger
from mobandits.agent.pending import Pending
from mobandits.agent.resize_state import arrays
from mobandits.agent.restoring import check_finite
from mobandits.contracts.protocols import Array, Recipe
from mobandits.contracts.states import fields_of
from mobandits.errors import StateError
from mobandits.logs.names import checked_name, encoded
from mobandits.logs.objectives import Objective
from mobandits.logs.parts_as_data import described
from mobandits.support.files import replacing

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
        note_size: the length of the policy's notes.
    """

    header: dict[str, Any]
    numbers: list[int]
    waiting: list[Pending]
    settled_numbers: list[int]
    settled: list[tuple[float, ...]]
    arrays: list[Array]
    note_size: int

    @property
    def events(self) -> int:
        """Number of events of its log that the state knows."""
        events: int = self.header["logged"]
        return events


def save_core(core: AgentCore, path: str | Path) -> None:
    """Write an agent; the file is replaced at once, on disk, or not at all."""
    with core.lock:
        # All bytes before the file is opened: what cannot be described touches no file.
        data = core_bytes(core)
        with replacing(Path(path)) as file:
            file.write(data)


def core_bytes(core: AgentCore) -> bytes:
    """The bytes of an agent's file, which know no more than its log does."""
    with core.lock:
        if core.writer is not None:
            # Else a loss of power could leave a file that knows more than the log.
            core.writer.flush()

        copied = copied_state(core)

    # Where many decisions wait this takes long, and the agent goes on meanwhile.
    return encoded_state(copied)


def foreign_recipe(core: AgentCore) -> Recipe | None:
    """The recipe, where files cannot hold it; else None: they have their own."""
    try:
        described(core.recipe, "recipe")
    except ValueError:
        return core.recipe
    return None


def copied_state(core: AgentCore) -> StateCopy:
    """The state of an agent as it is now; the caller holds the agent's lock.

    This is quick also where many decisions wait: what takes time can be done by another thread.
    """
    bound = core.bound
    pending = core.pending
    has_state = bound.stage > 0
    copies = []
    if has_state:
        state = bound.state()
        copies = [array.copy() for array in arrays(state)]
        fields = [field for _, field in fields_of(state)]
        try:
            check_finite(fields, copies)  # no file could be read back with such a state
        except ValueError as error:
            raise StateError(f"the agent cannot be saved: {error}") from error

    return StateCopy(
        header=_header(core),
        # As of a plain dictionary: an ordered one looks each key up, which takes ten times as long.
        numbers=list(dict.keys(pending.open)),
        waiting=list(dict.values(pending.open)),
        settled_numbers=list(dict.keys(pending.settled)),
        settled=list(dict.values(pending.settled)),
        arrays=copies,
        note_size=bound.note_size,
    )


def encoded_state(copied: StateCopy) -> bytes:
    """The bytes of the agent's file."""
    return file_bytes(copied.header, _all_tables(copied))


def _all_tables(copied: StateCopy) -> list[Array]:
    """The tables of `file_layout`: decisions that wait or are remembered, and the policy's state."""
    waiting = copied.waiting
    stage = copied.header["stage"]
    features = copied.header["options"]["features"]
    objectives = len(copied.header["objectives"])
    unknown = [np.nan] * objectives
    nothing = (0.0,) * copied.note_size

    def notes_and_times(pending: Pending) -> list[float]:
        # No policy learns from decisions of earlier stages any more, and their notes may be longer
        # or shorter than those of this one.
        note = pending.note if pending.stage == stage else nothing
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
        _table(waiting, lambda pending: pending.x, features),
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


def _header(core: AgentCore) -> dict[str, Any]:
    bound = core.bound
    pending = core.pending
    arms = core.arms
    preference = None
    if bound.order is not None:
        preference = described(bound.order, "preference")

    core.ledger.turn(core.now)

    return {
        "version": VERSION,
        "by": PACKAGE,
        "recipe": _described_recipe(core.recipe),
        "options": {name: getattr(core, name) for name in OPTIONS},
        "objectives": [_described_objective(each) for each in core.objectives],
        "arms": [encoded(checked_name(name, "arm")) for name in arms.names],
        "slots": list(arms.slots),
        "arms_ever": arms.count,
        "shared": core.contexts.shared,
        "stage": bound.stage,
        "left": bound.left,
        "preference": preference,
        "streams": [_described_stream(bound.rng), _described_stream(bound.propensity_rng)],
        "waiting": {
            "limit": pending.limit,
            "max_age": pending.max_age,
            "remembered": pending.remembered,
        },
        "dropped": dict(pending.dropped),
        "next_id": pending.next_id,
        "now": core.now,
        "lessons": core.lessons,
        "logged": 0 if core.writer is None else core.writer.position(),
        "encoder": _described_encoder(core),
        "ledger": described_ledger(core.ledger),
        "of_workers": pending.of_workers,
        "adopted": sorted(number for number in pending.adopted if number in pending.open),
        "former": [[number, sorted(pairs.items())] for number, pairs in pending.former.items()],
    }


def _described_recipe(recipe: Recipe) -> Any:
    """A recipe in the file's words; of one that has things of others in it, its class."""
    try:
        return described(recipe, "recipe")
    except ValueError:
        return {"other": type(recipe).__qualname__}


def _described_encoder(core: AgentCore) -> dict[str, Any] | None:
    if core.encoder is None:
        return None

    unseen = [[column, word, count] for (column, word), count in core.contexts.unseen.items()]
    return {**core.encoder.data, "unseen": unseen}


def _described_objective(objective: Objective) -> dict[str, Any]:
    name = checked_name(objective.name, "objective")
    described_fields = {"name": encoded(name)}
    for field in FIELDS:
        described_fields[field] = getattr(objective, field)

    return described_fields


def _described_stream(rng: Any) -> dict[str, Any]:
    state = rng.bit_generator.state
    # As text: they have 128 bits, and readers of JSON take large numbers for floats.
    digits = {key: str(value) for key, value in state["state"].items()}
    return {**state, "state": digits}
