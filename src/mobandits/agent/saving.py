"""Writing an agent into a file: its recipe, its state, and the decisions that wait.

A copy of the state in one moment is made first; its bytes may be made while the agent goes on.
"""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from mobandits.agent.core import AgentCore
from mobandits.agent.file_layout import (
    ALWAYS_ACTIVE,
    PACKAGE,
    VERSION,
    decision_rows,
    file_bytes,
)
from mobandits.agent.headers import BudgetEntry, Header, Options, Stream
from mobandits.agent.parameters import parameters_of
from mobandits.agent.pending import Pending
from mobandits.agent.resize_state import arrays
from mobandits.agent.restoring import check_finite
from mobandits.contracts.protocols import Array, Recipe
from mobandits.errors import StateError
from mobandits.logs.names import checked_name, encoded
from mobandits.logs.parts_as_data import described
from mobandits.support.files import replacing

# Decisions at a time: NumPy keeps other threads waiting until an array is made.
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

    header: Header
    numbers: list[int]
    waiting: list[Pending]
    settled_numbers: list[int]
    settled: list[tuple[float, ...]]
    arrays: list[Array]
    note_size: int


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
    copies = []
    if bound.stage > 0:
        state = bound.state()
        copies = [array.copy() for array in arrays(state)]
        try:
            check_finite(state)  # no file could be read back with such a state
        except ValueError as error:
            raise StateError(f"the agent cannot be saved: {error}") from error

    return StateCopy(
        header=header_of(core),
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
    header = copied.header
    objectives = len(header.objectives)
    kinds = decision_rows(header.options.features, objectives, copied.note_size)
    unknown = [np.nan] * objectives
    nothing = (0.0,) * copied.note_size

    def waiting_columns(some: list[Pending]) -> dict[str, Sequence[Any]]:
        all_values = zip(*some, strict=True)
        columns: dict[str, Sequence[Any]] = dict(zip(Pending._fields, all_values, strict=True))
        # No policy learns from decisions of earlier stages any more, and their notes may be longer
        # or shorter than those of this one.
        columns["note"] = [each.note if each.stage == header.stage else nothing for each in some]
        columns["rewards"] = [each.rewards or unknown for each in some]
        columns["since"] = [ALWAYS_ACTIVE if each.since is None else each.since for each in some]

        return columns

    waiting = _table(kinds.waiting, copied.numbers, copied.waiting, waiting_columns)
    settled = _table(
        kinds.settled,
        copied.settled_numbers,
        copied.settled,
        lambda some: {"rewards": some},
    )

    return file_bytes(header, [waiting, settled, *copied.arrays])


def _table(
    kind: Any,
    numbers: list[int],
    entries: list[Entry],
    columns_of: Callable[[list[Entry]], dict[str, Sequence[Any]]],
) -> Array:
    """A row for each entry, with its number."""
    table = np.empty(len(entries), kind)
    table["id"] = numbers
    for start in range(0, len(entries), SLICE):
        end = start + SLICE
        for name, column in columns_of(entries[start:end]).items():
            table[name][start:end] = column

    return table


def header_of(core: AgentCore) -> Header:
    """The header of an agent's file, which lists no arrays yet."""
    bound = core.bound
    pending = core.pending
    parameters = parameters_of(core) | {"features": core.features}
    own_stream = Stream(**bound.rng.bit_generator.state)
    propensity_stream = Stream(**bound.propensity_rng.bit_generator.state)
    preference = None
    if bound.order is not None:
        preference = described(bound.order, "preference")

    # A state that is taken over comes without the decisions that waited.
    adopted = [number for number in pending.adopted if number in pending.open]
    former = [
        (number, sorted(factors.items()))
        for number, factors in pending.former.items()
        if number in pending.open
    ]

    return Header(
        version=VERSION,
        by=PACKAGE,
        recipe=_described_recipe(core.recipe),
        options=Options(**{name: parameters[name] for name in Options.__struct_fields__}),
        objectives=[encoded(dataclasses.asdict(each), "objective") for each in core.objectives],
        budgets=_budget_entries(core),
        arms=[encoded(checked_name(name, "arm")) for name in core.arms.names],
        slots=list(core.arms.slots),
        arms_ever=core.arms.count,
        encoder=None if core.encoder is None else core.encoder.data,
        unseen=[(column, why, n) for (column, why), n in core.contexts.unseen.items()],
        preference=preference,
        shared=core.contexts.shared,
        stage=bound.stage,
        left=bound.left,
        streams=(own_stream, propensity_stream),
        now=core.now,
        next_id=pending.next_id,
        of_workers=pending.of_workers,
        dropped=dict(pending.dropped),
        adopted=sorted(adopted),
        former=former,
        lessons=core.lessons,
        logged=0 if core.writer is None else core.writer.position(),
        sticky=core.sessions.seconds,
        sessions=dict(core.sessions.stays),
    )


def _described_recipe(recipe: Recipe) -> Any:
    """A recipe in the file's words; of one that has things of others in it, its class."""
    try:
        return described(recipe, "recipe")
    except ValueError:
        return {"other": type(recipe).__qualname__}


def _budget_entries(core: AgentCore) -> list[BudgetEntry]:
    entries = []
    core.ledger.turn(core.now)
    for account in core.ledger.accounts:
        budget = encoded(dataclasses.asdict(account.budget), "budget")
        entries.append(BudgetEntry(budget, account.period, account.spent))

    return entries
