"""Reading an agent from a file; everything is checked, since a checksum proves no good will."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from mobandits.agent.budget import Budget
from mobandits.agent.core import AgentCore
from mobandits.agent.file_layout import ALWAYS_ACTIVE, DecisionRows, decision_rows, parsed_file
from mobandits.agent.headers import Header, as_json
from mobandits.agent.pending import INACTIVE, Pending
from mobandits.agent.restoring import possible, restored_state
from mobandits.agent.saving import header_of
from mobandits.contracts.protocols import Array, Recipe
from mobandits.encoding.encoder import Encoder
from mobandits.errors import StateError
from mobandits.logs.names import decoded
from mobandits.logs.objectives import Objective
from mobandits.logs.parts_as_data import made
from mobandits.support.describe_path import describe_path
from mobandits.support.naming import quoted, shortened, wrong_value
from mobandits.support.numbering import SPAN

# Everything that the values in a file can lead to, short of a mistake of ours.
REFUSED = (
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RecursionError,
    MemoryError,
)
# Fields of a header that say nothing of the agent, or whose parts may have more parameters by now.
FREE = ("by", "recipe", "preference", "encoder", "logged", "arrays")


def load_core(
    path: str | Path, recipe: Recipe | None, clock: Callable[[], float]
) -> tuple[AgentCore, int]:
    """The core of an agent that was saved, and how many events of its log it knows.

    See `Agent.load`.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
    except IsADirectoryError as error:
        found = describe_path(file)
        raise StateError(f"{file} must be a file that `Agent.save` wrote, found {found}") from error
    except OSError as error:
        raise StateError(f"{file} cannot be read: {error.strerror}") from error

    return core_of_bytes(data, recipe, clock, str(file))


def core_of_bytes(
    data: bytes, recipe: Recipe | None, clock: Callable[[], float], source: str = ""
) -> tuple[AgentCore, int]:
    """The core of the bytes of an agent's file, and how many events of its log it knows.

    Args:
        data: the bytes.
        recipe: as of `Agent.load`, like `clock`.
        clock: of the agent.
        source: where the bytes are from, with which errors begin; else callers put it before them.

    Raises:
        StateError: saying what is wrong.
    """
    with _as_state_errors(source):
        header, arrays = parsed_file(data)
        core = revived(header, arrays, recipe, clock)

    return core, header.logged


def checked_snapshot(data: bytes) -> tuple[list[Any], list[int]]:
    """The arms of an agent's file, all of which is checked, and the decisions that wait.

    Of a recipe that files cannot hold, the state is not checked: only the recipe knows its form.

    Raises:
        StateError: as `core_of_bytes`.
    """
    with _as_state_errors(""):
        header, arrays = parsed_file(data)
        if not _is_foreign(header.recipe):
            revived(header, arrays, None, time.time)

        # Of a recipe that is not known, neither are the rows; but all their numbers have 8 bytes.
        rows: Any = arrays[0]
        numbers = rows.view(np.int64).reshape(-1, rows.itemsize // 8)

        return decoded(header.arms), numbers[:, 0].tolist()


@contextlib.contextmanager
def _as_state_errors(source: str) -> Iterator[None]:
    """Whatever the values of a file lead to is told as a sentence about its source."""
    try:
        yield
    except StateError as error:
        raise StateError(f"{source} {error}".lstrip()) from error
    except REFUSED as error:
        # Errors of ours shorten what they quote; others may quote all of what a file holds.
        is_ours = type(error) is ValueError
        what = str(error) if is_ours else shortened(str(error))
        sentence = f"{source} holds no agent that fits together: {what}"
        raise StateError(sentence.lstrip()) from error


def revived(
    header: Header,
    arrays: Sequence[Array],
    recipe: Recipe | None,
    clock: Callable[[], float],
) -> AgentCore:
    """The core of a header and arrays, which it takes over."""
    core = _new_core(header, recipe, clock)
    bound = core.bound
    shared = bool(header.shared)
    bound.shape = bound.shape.replaced(arms=len(core.arms.slots), shared=shared)
    if header.preference is not None:
        order = made(header.preference, "preference")
        bound.check_order(order)
        bound.set_order(order)

    streams = (bound.rng, bound.propensity_rng)
    for rng, stream in zip(streams, header.streams, strict=True):
        rng.bit_generator.state = msgspec.structs.asdict(stream)
        if stream.state["inc"] % 2 == 0:  # the generator would have a short period
            raise wrong_value("streams must have an odd inc", stream.state)

    # Without a first context there is no policy yet, and no state.
    if header.stage > 0:
        core.contexts.set_layout(shared=shared)
        given = arrays[2:]
        count = len(core.objectives)
        bound.restore(
            header.stage, header.left, lambda policy: restored_state(policy, given, count)
        )

    decisions = _decision_rows(core, arrays)
    _check_decisions(core, header, decisions)
    _fill(core, header, decisions)
    _check_same(header, header_of(core))

    return core


def _new_core(header: Header, recipe: Recipe | None, clock: Callable[[], float]) -> AgentCore:
    """An agent that has decided nothing, of the header's recipe, arms, objectives and options."""
    options = msgspec.structs.asdict(header.options)
    if header.encoder is not None:
        options["features"] = Encoder.from_data(header.encoder)

    names = decoded(header.arms)
    core = AgentCore(
        _recipe(header.recipe, recipe),
        arms=names,
        objectives=[Objective(**decoded(fields)) for fields in header.objectives],
        budgets=[Budget(**decoded(entry.budget)) for entry in header.budgets],
        clock=clock,
        sticky=header.sticky,
        **options,
    )
    # Arms came and went: slots are not in the order of names.
    core.arms.restore(names, header.slots, header.arms_ever)
    for column, why, count in header.unseen:
        core.contexts.unseen[column, why] = count
    core.bound.recipe = core.in_own_terms(core.recipe)

    return core


def _decision_rows(core: AgentCore, arrays: Sequence[Any]) -> DecisionRows:
    """The decisions that wait or are remembered, of a file's arrays."""
    count = len(core.objectives)
    kinds = decision_rows(core.features, count, core.bound.note_size)
    for array, kind in zip(arrays, kinds, strict=False):
        if array.ndim != 1 or array.itemsize != kind.itemsize:
            rule = f"decisions must be rows of {kind.itemsize} bytes"
            raise ValueError(f"{rule}, got {array.dtype} of {quoted(array.shape)}")

    waiting = arrays[0].view(kinds.waiting)
    settled = arrays[1].view(kinds.settled)

    return DecisionRows(waiting, settled)


def _fill(core: AgentCore, header: Header, rows: DecisionRows) -> None:
    """The decisions that wait, and the ones that are remembered."""
    pending = core.pending
    for number, x, arm, note, stage, birth, made_at, rewards, since in rows.waiting.tolist():
        pending.open[number] = Pending(
            x=x.copy(),
            arm=arm,
            note=tuple(note.tolist()),
            stage=stage,
            birth=birth,
            time=made_at,
            rewards=None if np.isnan(rewards).all() else rewards.tolist(),
            since=None if since == ALWAYS_ACTIVE else since,
        )

    for number, rewards in rows.settled.tolist():
        pending.settled[number] = tuple(rewards.tolist())

    pending.next_id = header.next_id
    pending.of_workers = header.of_workers
    pending.dropped |= header.dropped
    pending.adopted |= set(header.adopted)
    for number, factors in header.former:
        pending.former[number] = dict(factors)
        if any(place >= len(core.objectives) for place, _ in factors):
            raise wrong_value("former must have places of objectives", factors)

    pending.restart_timers()
    core.now = float(header.now)
    core.sessions.stays.update(header.sessions)
    core.lessons = header.lessons
    for account, entry in zip(core.ledger.accounts, header.budgets, strict=True):
        account.period = entry.period
        account.spent = entry.spent
    core.ledger.restore(core.ledger.spent(), pending.own, core.now)


def _check_same(header: Header, own: Header) -> None:
    """Refuse a header that is not what the agent which was made of it would write."""
    for name in header.__struct_fields__:
        given = getattr(header, name)
        right = getattr(own, name)
        if name not in FREE and as_json(given) != as_json(right):
            raise wrong_value(f"{name} must be {quoted(right)}", given)


def _check_decisions(core: AgentCore, header: Header, rows: DecisionRows) -> None:
    """Refuse decisions that the agent cannot have made, or cannot learn from."""
    waiting, settled = rows
    limits = core.pending
    numbers = waiting["id"]
    ids = np.concatenate([numbers, settled["id"]])
    own = ids[ids < SPAN]
    different = np.unique(ids)
    times = waiting["time"]
    since = waiting["since"]
    was_activated = (since >= times) & (since <= header.now)
    rewards = waiting["rewards"]
    rules = {
        "decisions must not be more than may wait, or are remembered": (
            len(waiting) <= limits.limit and len(settled) <= limits.remembered
        ),
        # A decision waits or is settled: an id in both would be learned from twice.
        "ids of decisions must be different, and below the next one": (
            len(different) == len(ids) and _all_in(own, 0, header.next_id)
        ),
        "decisions of workers must not be more than they made": (
            len(ids) - len(own) <= header.of_workers
        ),
        "decisions must be of arms and stages that there are": (
            _all_in(waiting["arm"], 0, len(core.arms.slots))
            and _all_in(waiting["stage"], 1, core.bound.stage + 1)
            and _all_in(waiting["birth"], 0, header.arms_ever)
        ),
        # Those of workers come between them, in an order of their own.
        "decisions must come in order, at times up to now": (
            (np.diff(numbers[numbers < SPAN]) > 0).all()
            and (np.diff(times) >= 0.0).all()
            and ((times >= 0.0) & (times <= header.now)).all()
        ),
        "decisions must be activated after they were made, and up to now": (
            (was_activated | (since == ALWAYS_ACTIVE) | (since == INACTIVE)).all()
        ),
        # Of a settled decision those may be missing whose objectives came later.
        "contexts and rewards must be finite, and what the recipe needs": (
            core.guard.allows(waiting["x"])
            and not np.isinf(rewards).any()
            and not np.isinf(settled["rewards"]).any()
        ),
        "decisions must lack a reward to wait for": np.isnan(rewards).any(axis=1).all(),
        "notes of decisions must be some that the recipe's policy gives": (
            _are_notes(core, waiting)
        ),
    }
    for rule, holds in rules.items():
        if not holds:
            raise ValueError(rule)


def _are_notes(core: AgentCore, waiting: Any) -> bool:
    """Whether the policy may have given these notes, on which updates rely."""
    notes = waiting["note"]
    if not np.isfinite(notes).all():
        return False

    # Those of earlier stages teach nothing any more.
    present = notes[waiting["stage"] == core.bound.stage]
    if not len(present):
        return True

    fits = possible(core.bound.recipe_policy, core.bound.state(), present)
    return bool(fits.all())


def _all_in(column: Array, low: int, high: int) -> bool:
    """Whether all numbers lie in [low, high)."""
    is_inside = (column >= low) & (column < high)
    return bool(is_inside.all())


def _recipe(kept: Any, given: Recipe | None) -> Any:
    """The recipe of a file, which must be given where the file cannot hold it."""
    if not _is_foreign(kept):
        own = made(kept, "recipe")
        if given is not None and given != own:
            raise wrong_value(f"recipe must be that of the file, {quoted(own)}", given)

        return own

    class_name = kept["other"]
    if type(given).__qualname__ != class_name:
        name = shortened(str(class_name))
        raise wrong_value(f"recipe must be given: a {name}, as when the file was written", given)

    return given


def _is_foreign(kept: Any) -> bool:
    """Whether a file has only the name of a recipe."""
    return isinstance(kept, dict) and set(kept) == {"other"}
