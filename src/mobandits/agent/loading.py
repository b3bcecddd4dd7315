"""Reading an agent from a file; everything is checked, since a checksum proves no good will."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mobandits.agent.core import AgentCore
from mobandits.agent.file_layout import (
    ALWAYS_ACTIVE,
    PENDING_COLUMNS,
    TABLES,
    DecisionTables,
    parsed_file,
)
from mobandits.agent.headers import OPTIONS, check_header, decoded_names, whole_number
from mobandits.agent.ledger_files import made_budgets, spent_in
from mobandits.agent.pending import INACTIVE, Pending
from mobandits.agent.restoring import possible, refuse_small, restored_state
from mobandits.contracts.protocols import Array, Policy, Recipe
from mobandits.encoding.encoder import Encoder
from mobandits.errors import StateError
from mobandits.logs.objectives import Objective
from mobandits.logs.parts_as_data import made
from mobandits.support.describe_path import describe_path
from mobandits.support.naming import quoted, shortened
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

    try:
        return core_of_bytes(data, recipe, clock)
    except StateError as error:
        raise StateError(f"{file} {error}") from error


def core_of_bytes(
    data: bytes, recipe: Recipe | None, clock: Callable[[], float]
) -> tuple[AgentCore, int]:
    """The core of the bytes of an agent's file, and how many events of its log it knows.

    Raises:
        StateError: what is wrong, as the end of a sentence that begins with their source.
    """
    with _as_state_errors():
        header, tables = parsed_file(data)
        core = revived(header, tables, recipe, clock)

    return core, header["logged"]


def checked_snapshot(data: bytes) -> tuple[list[Any], list[int]]:
    """The arms of an agent's file, all of which is checked, and the decisions that wait.

    Of a recipe that files cannot hold, the state is not checked: only the recipe knows its form.

    Raises:
        StateError: as `core_of_bytes`.
    """
    with _as_state_errors():
        header, tables = parsed_file(data)
        check_header(header)
        if not _is_foreign(header["recipe"]):
            revived(header, tables, None, time.time)

        whole: Any = tables[0]
        waiting: list[int] = whole[:, 0].tolist()

        return decoded_names(header["arms"], "arms"), waiting


@contextlib.contextmanager
def _as_state_errors() -> Iterator[None]:
    """Whatever the values of a file lead to is told as the end of a sentence about it."""
    try:
        yield
    except StateError:
        raise
    except REFUSED as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise StateError(f"holds no agent that fits together: {what}") from error


def revived(
    header: dict[str, Any],
    tables: Sequence[Array],
    recipe: Recipe | None,
    clock: Callable[[], float],
) -> AgentCore:
    """The core of a header and arrays."""
    check_header(header)
    core = _new_core(header, recipe, clock)
    bound = core.bound
    shape = bound.shape.replaced(arms=len(core.arms.slots))
    bound.shape = shape.replaced(shared=bool(header["shared"]))
    if header["preference"] is not None:
        order = made(header["preference"], "preference")
        bound.check_order(order)
        bound.set_order(order)

    streams = (bound.rng, bound.propensity_rng)
    for rng, state in zip(streams, header["streams"], strict=True):
        rng.bit_generator.state = _checked_stream(state)

    # Without a first context there is no policy yet, and no state.
    if header["shared"] is not None:
        core.contexts.set_layout(shared=bool(header["shared"]))
        given = [array.copy() for array in tables[TABLES:]]
        count = len(core.objectives)

        def make_state(policy: Policy) -> Any:
            refuse_small(policy, given)  # before the first state takes memory
            first_state = policy.init()
            return restored_state(first_state, given, count)

        bound.restore(header["stage"], header["left"], make_state)

    decisions = DecisionTables(*tables[:TABLES])
    _check_tables(core, header, decisions)
    _fill(core, header, decisions)

    return core


def _new_core(
    header: dict[str, Any], recipe: Recipe | None, clock: Callable[[], float]
) -> AgentCore:
    """An agent that has decided nothing, of the header's recipe, arms, objectives and options."""
    waiting = header["waiting"]
    names = decoded_names(header["arms"], "arms")
    titles = decoded_names([one["name"] for one in header["objectives"]], "objectives")
    objectives = []
    for fields, title in zip(header["objectives"], titles, strict=True):
        objectives.append(Objective(**{**fields, "name": title}))

    options = {name: header["options"][name] for name in OPTIONS}
    if header["encoder"] is not None:
        options["features"] = _encoder(header["encoder"], options["features"])

    core = AgentCore(
        _recipe(header["recipe"], recipe),
        arms=names,
        objectives=objectives,
        pending=waiting["limit"],
        max_age=waiting["max_age"],
        remembered=waiting["remembered"],
        clock=clock,
        budgets=made_budgets(header["ledger"]),
        **options,
    )
    # Arms came and went: slots are not in the order of names.
    core.arms.restore(names, header["slots"], header["arms_ever"])
    if header["encoder"] is not None:
        for column, word, count in header["encoder"]["unseen"]:
            core.contexts.unseen[column, word] = count
    core.bound.recipe = core.in_own_terms(core.recipe)

    return core


def _encoder(kept: dict[str, Any], features: int) -> Encoder:
    """The encoder of a file, which must give as many features as the state has."""
    data = {name: kept[name] for name in ("intercept", "columns")}
    encoder = Encoder.from_data(data)
    if len(encoder) != features:
        rule = f"encoder must give {features} features"
        raise ValueError(f"{rule}, got {len(encoder)}")

    return encoder


def _fill(core: AgentCore, header: dict[str, Any], tables: DecisionTables) -> None:
    """The decisions that wait, and the ones that are remembered."""
    pending = core.pending
    whole = tables.whole.tolist()
    notes = tables.notes.tolist()
    rows = tables.rows
    known = tables.rewards.tolist()
    for columns, (*note, made_at, since), x, rewards in zip(whole, notes, rows, known, strict=True):
        number, slot, stage, birth = columns
        is_unknown = np.isnan(rewards).all()
        pending.open[number] = Pending(
            x=x.copy(),
            arm=slot,
            note=tuple(note),
            stage=stage,
            birth=birth,
            time=made_at,
            rewards=None if is_unknown else rewards,
            since=None if since == ALWAYS_ACTIVE else since,
        )

    settled_rewards = map(tuple, tables.settled_rewards.tolist())
    pending.settled.update(zip(tables.settled.tolist(), settled_rewards, strict=True))

    pending.next_id = int(header["next_id"])
    pending.of_workers = int(header["of_workers"])
    pending.dropped = {why: int(header["dropped"][why]) for why in pending.dropped}
    pending.adopted = set(header["adopted"])
    for number, pairs in header["former"]:
        pending.former[number] = {place: float(factor) for place, factor in pairs}
    if not set(pending.former) <= set(pending.open):
        raise ValueError("former must be decisions that wait, got others")
    if not pending.adopted <= set(pending.open):
        unknown = sorted(pending.adopted - set(pending.open))
        raise ValueError(f"adopted must be decisions that wait, got {shortened(str(unknown))}")

    pending.restart_timers()
    core.now = float(header["now"])
    core.lessons = int(header["lessons"])
    spent = spent_in(header["ledger"])
    core.ledger.restore(spent, pending.own, core.now)


def _check_tables(core: AgentCore, header: dict[str, Any], tables: DecisionTables) -> None:
    waiting = len(tables.whole)
    remembered = len(tables.settled)
    count = len(core.objectives)
    wanted: list[tuple[tuple[int, ...], Any]] = [
        ((waiting, len(PENDING_COLUMNS)), np.int64),
        ((waiting, core.bound.note_size + 2), np.float64),
        ((waiting, core.features), np.float64),
        ((waiting, count), np.float64),
        ((remembered,), np.int64),
        ((remembered, count), np.float64),
    ]
    for table, (shape, kind) in zip(tables, wanted, strict=True):
        if table.shape != shape or table.dtype != kind:
            rule = f"decisions must fill tables that fit, of shape {shape}"
            raise ValueError(f"{rule}, got {table.dtype} of {quoted(table.shape)}")

    limits = core.pending
    if waiting > limits.limit or remembered > limits.remembered:
        raise ValueError("decisions must not be more than may wait, or are remembered")

    _check_decisions(core, header, tables)
    _check_notes(core, tables)
    _check_rewards(core, tables)


def _check_rewards(core: AgentCore, tables: DecisionTables) -> None:
    # Of a settled decision those may be missing whose objectives came later.
    is_infinite = any(np.isinf(each).any() for each in (tables.rewards, tables.settled_rewards))
    is_allowed = core.guard.allows(tables.rows)
    if is_infinite or not is_allowed:
        raise ValueError("contexts and rewards must be finite, and what the recipe needs")

    lacks_one = np.isnan(tables.rewards).any(axis=1)
    if not lacks_one.all():
        raise ValueError("decisions must lack a reward to wait for")


def _check_decisions(core: AgentCore, header: dict[str, Any], tables: DecisionTables) -> None:
    numbers, slots, stages, births = tables.whole.T
    # A decision waits or is settled: an id in both tables would be learned from twice.
    ids = np.concatenate([numbers, tables.settled])
    different = np.unique(ids)
    own = ids < SPAN
    count_of_workers = len(ids) - int(own.sum())
    is_counted = _all_in(ids[own], 0, header["next_id"])
    if len(different) < len(ids) or not is_counted:
        raise ValueError("ids of decisions must be different, and below the next one")
    if count_of_workers > header["of_workers"]:
        raise ValueError("decisions of workers must not be more than they made")

    are_there = (
        _all_in(slots, 0, len(core.arms.slots))
        and _all_in(stages, 1, core.bound.stage + 1)
        and _all_in(births, 0, header["arms_ever"])
    )
    if not are_there:
        raise ValueError("decisions must be of arms and stages that there are")

    times = tables.notes[:, -2]
    activated = tables.notes[:, -1]
    # Those of workers come between them, in an order of their own.
    is_next = np.diff(numbers[numbers < SPAN]) > 0
    is_later = np.diff(times) >= 0.0
    is_past = (times >= 0.0) & (times <= header["now"])
    in_order = is_next.all() and is_later.all()
    if not in_order or not is_past.all():
        raise ValueError("decisions must come in order, at times up to now")

    is_later = (activated >= times) & (activated <= header["now"])
    is_known = is_later | (activated == ALWAYS_ACTIVE) | (activated == INACTIVE)
    if not is_known.all():
        raise ValueError("decisions must be activated after they were made, and up to now")


def _check_notes(core: AgentCore, tables: DecisionTables) -> None:
    bound = core.bound
    notes = tables.notes[:, :-2]
    stages = tables.whole[:, PENDING_COLUMNS.index("stage")]
    # An update relies on a note; those of earlier stages teach nothing any more.
    present = stages == bound.stage
    fits = np.isfinite(notes).all()
    if fits and present.any():
        policy = bound.recipe_policy
        is_possible = possible(policy, bound.state(), notes[present])
        fits = is_possible.all()
    if not fits:
        raise ValueError("notes of decisions must be some that the recipe's policy gives")


def _all_in(column: Array, low: int, high: int) -> bool:
    """Whether all numbers lie in [low, high)."""
    is_inside = (column >= low) & (column < high)
    return bool(is_inside.all())


def _recipe(kept: Any, given: Recipe | None) -> Any:
    """The recipe of a file, which must be given where the file cannot hold it."""
    if not _is_foreign(kept):
        own = made(kept, "recipe")
        if given is not None and given != own:
            rule = f"recipe must be that of the file, {quoted(own)}"
            raise ValueError(f"{rule}, got {quoted(given)}")

        return own

    class_name = kept["other"]
    if given is None or type(given).__qualname__ != class_name:
        name = shortened(str(class_name))
        rule = f"recipe must be given: a {name}, as when the file was written"
        raise ValueError(f"{rule}, got {quoted(given)}")

    return given


def _is_foreign(kept: Any) -> bool:
    """Whether a file has only the name of a recipe."""
    return isinstance(kept, dict) and set(kept) == {"other"}


def _checked_stream(given: Any) -> dict[str, Any]:
    """The state of a random stream, as NumPy takes it."""
    flags = {"has_uint32": 1, "uinteger": 2**32 - 1}
    keys = {"bit_generator", "state", *flags}
    has_keys = isinstance(given, dict) and set(given) == keys
    if not has_keys or given["bit_generator"] != "PCG64":
        raise ValueError(f"streams must be of the generator PCG64, got {quoted(given)}")

    texts = given["state"]
    if set(texts) != {"state", "inc"}:
        raise ValueError(f"streams must be of the generator PCG64, got {quoted(given)}")

    numbers = {key: _checked_digits(f"streams.{key}", text) for key, text in texts.items()}
    increment = numbers["inc"]
    if increment % 2 == 0:  # the generator would have a short period
        raise ValueError(f"streams.inc must be odd, got {increment}")

    checked: dict[str, Any] = {"bit_generator": "PCG64", "state": numbers}
    for key, most in flags.items():
        flag = given[key]
        checked[key] = whole_number(f"streams.{key}", flag, at_most=most)

    return checked


def _checked_digits(name: str, text: Any) -> int:
    """A number of 128 bits that was written in digits."""
    is_digits = isinstance(text, str) and text.isdecimal()
    number = int(text) if is_digits else -1
    if str(number) != text:  # also where digits are not those of ASCII, or begin with 0
        raise ValueError(f"{name} must be a whole number in digits, got {quoted(text)}")

    return whole_number(name, number, at_most=2**128 - 1)
