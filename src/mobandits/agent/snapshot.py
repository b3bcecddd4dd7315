"""An agent in one file: a header of names and numbers as JSON, its arrays as they are in memory, and a checksum.

Layout: the magic line; the length of the header, 8 bytes, little-endian; the header, UTF-8; the arrays, one after the
other, little-endian, C order; the SHA-256 of all of that. Reading makes numbers, names, and public classes of this
library, and nothing else: no file can run anything.
"""

import hashlib
import importlib.metadata
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mobandits.agent.descriptions import described, made
from mobandits.agent.growth import arrays
from mobandits.agent.headers import (
    FIELDS,
    MOST_FEATURES,
    OPTIONS,
    check_header,
    decoded_names,
    whole,
)
from mobandits.agent.objectives import Objective
from mobandits.agent.pending import Pending
from mobandits.agent.states import possible, refuse_small, restored
from mobandits.compiling.notes import numbers_of
from mobandits.contracts.notes import unpacked_note
from mobandits.contracts.protocols import Array, Recipe
from mobandits.errors import StateError
from mobandits.logs.names import checked_name, encoded
from mobandits.support.files import replacing
from mobandits.support.found import PROBE, file_kind, found_at
from mobandits.support.naming import quoted, shortened

if TYPE_CHECKING:
    from mobandits.agent.agent import Agent

PACKAGE = f"mobandits {importlib.metadata.version('mobandits')}"
MAGIC = b"mobandits agent\n"
# Version 1 kept means of rewards, where there are sums now. Versions 1 and 2 kept a note in one
# number, also where it has several now.
VERSION = 3
PACKED_NOTES = 2
LENGTH = 8
DIGEST = 32
KINDS = {"<f8": np.float64, "<i8": np.int64, "|b1": np.bool_}
PENDING = ("id", "slot", "stage", "birth")
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


def save(agent: "Agent", path: str | Path) -> None:
    """Write an agent; the file is replaced at once, on disk, or not at all. Its log is on disk before."""
    if agent._journal is not None:
        agent._journal.check_usable()
        agent._journal.journal.flush()  # or a loss of power could leave a file that knows more than the log
    header, tables = contents(agent)
    header["arrays"] = [[array.dtype.newbyteorder("<").str, list(array.shape)] for array in tables]
    text = json.dumps(header, allow_nan=False, separators=(",", ":"), default=_plain).encode()
    body = b"".join(
        [MAGIC, len(text).to_bytes(LENGTH, "little"), text, *(_bytes(array) for array in tables)]
    )
    with replacing(Path(path)) as file:
        file.write(body)
        file.write(hashlib.sha256(body).digest())


def contents(agent: "Agent") -> tuple[dict[str, Any], list[Any]]:
    """The header and the arrays of an agent."""
    mind = agent._mind
    waiting = agent._waiting
    arms = agent._arms
    kept = list(waiting.open.items())
    settled = list(waiting.settled.items())
    nothing = [np.nan] * len(agent.objectives)
    header = {
        "version": VERSION,
        "by": PACKAGE,
        "recipe": _described(agent.recipe),
        "options": {name: getattr(agent, name) for name in OPTIONS},
        "objectives": [_objective(each) for each in agent.objectives],
        "arms": [encoded(checked_name(name, "arm")) for name in arms.names],
        "slots": list(arms.slots),
        "arms_ever": arms.count,
        "shared": agent._contexts.shared,
        "stage": mind.stage,
        "left": mind.left,
        "preference": None if mind.order is None else described(mind.order, "preference"),
        "streams": [_stream(mind.rng), _stream(mind.other_rng)],
        "waiting": {
            "limit": waiting.limit,
            "max_age": waiting.max_age,
            "remembered": waiting.remembered,
        },
        "dropped": waiting.dropped,
        "next_id": waiting.next_id,
        "now": agent._now,
        "lessons": agent.lessons,
        "logged": 0 if agent._journal is None else agent._journal.position(),
    }
    columns = [[number, one.arm, one.stage, one.birth] for number, one in kept]
    tables: list[Any] = [
        np.array(columns, np.int64).reshape(-1, len(PENDING)),
        _notes_and_times(kept, mind),
        np.array([one.x for _, one in kept], np.float64).reshape(len(kept), agent.features),
        np.array([one.rewards or nothing for _, one in kept], np.float64).reshape(
            len(kept), len(nothing)
        ),
        np.array([number for number, _ in settled], np.int64),
        np.array([rewards for _, rewards in settled], np.float64).reshape(
            len(settled), len(nothing)
        ),
    ]
    return header, tables + ([] if mind.stage == 0 else list(arrays(mind.state())))


def _notes_and_times(kept: Sequence[tuple[int, Pending]], mind: Any) -> Array:
    """(decisions, numbers of a note and 1): what was noted, and when."""
    nothing = (0.0,) * mind.note_size
    rows = []
    for _, one in kept:
        # No policy learns any more from decisions of earlier stages, whose notes may be others.
        note = one.note if one.stage == mind.stage else nothing
        rows.append([*note, one.time])
    return np.array(rows, np.float64).reshape(-1, mind.note_size + 1)


def load(
    path: str | Path,
    recipe: Recipe | None = None,
    log: Any = None,
    clock: Callable[[], float] = time.time,
) -> "Agent":
    """Read an agent; see `Agent.load`."""
    file = Path(path)
    try:
        data = file.read_bytes()
    except IsADirectoryError as error:
        raise StateError(
            f"{file} must be a file that `Agent.save` wrote, found {found_at(file)}"
        ) from error
    except OSError as error:
        raise StateError(f"{file} cannot be read: {error.strerror}") from error
    try:
        header, tables = parsed(data)
        agent = revived(header, tables, recipe, clock)
    except StateError as error:
        raise StateError(f"{file} {error}") from error
    except REFUSED as error:
        said = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise StateError(f"{file} holds no agent that fits together: {said}") from error
    if log is not None:
        from mobandits.agent.recording import attach  # noqa: PLC0415

        attach(agent, log, after=header["logged"])
    return agent


def parsed(data: bytes) -> tuple[dict[str, Any], list[Array]]:
    """The header and the arrays of a file's bytes, whose checksum is right.

    Raises:
        StateError: what is wrong, as the end of a sentence that begins with the file's name.
    """
    start = len(MAGIC) + LENGTH
    if not data.startswith(MAGIC):
        raise StateError(
            f"is not the file of an agent, which `Agent.save` writes: found {file_kind(data[:PROBE])}"
        )
    if len(data) < start + DIGEST or hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
        raise StateError("is damaged or cut off: its checksum is wrong")
    end = start + int.from_bytes(data[len(MAGIC) : start], "little")
    if end > len(data) - DIGEST:
        raise StateError("is damaged: its header is longer than the file")
    header = json.loads(data[start:end].decode(), parse_constant=_refuse_constant)
    if (
        not isinstance(header, dict)
        or type(header.get("version")) is not int
        or header["version"] < 1
    ):
        raise StateError("is damaged: its header has no version")
    if header["version"] > VERSION:
        by = f"{header.get('by')!s:.40}"
        raise StateError(
            f"is of version {header['version']} ({by}); {PACKAGE} reads up to {VERSION}"
        )
    return header, _arrays(header["arrays"], memoryview(data)[end:-DIGEST])


def revived(
    header: dict[str, Any],
    tables: Sequence[Array],
    recipe: Recipe | None,
    clock: Callable[[], float],
) -> "Agent":
    """The agent of a header and arrays; everything is checked, since a checksum proves no good will."""
    from mobandits.agent.agent import Agent  # noqa: PLC0415 - the agent calls this module

    check_header(header)
    waits = header["waiting"]
    names = decoded_names(header["arms"], "arms")
    titles = decoded_names([one["name"] for one in header["objectives"]], "objectives")
    agent = Agent(
        _recipe(header["recipe"], recipe),
        arms=names,
        objectives=[
            Objective(**{**one, "name": name})
            for one, name in zip(header["objectives"], titles, strict=True)
        ],
        pending=waits["limit"],
        max_age=waits["max_age"],
        remembered=waits["remembered"],
        clock=clock,
        **{name: header["options"][name] for name in OPTIONS},
    )
    agent._arms.restore(names, header["slots"], header["arms_ever"])
    mind = agent._mind
    mind.shape = mind.shape._replace(arms=len(agent._arms.slots), shared=bool(header["shared"]))
    if header["preference"] is not None:
        order = made(header["preference"], "preference")
        mind.check(order)
        mind.prefer(order)
    for rng, state in zip((mind.rng, mind.other_rng), header["streams"], strict=True):
        rng.bit_generator.state = _checked_stream(state)
    if header["shared"] is not None:
        agent._contexts.lay(shared=bool(header["shared"]))
        restore = _restorer(tables[6:], len(agent.objectives), header["version"])
        mind.restore(header["stage"], header["left"], restore)
    tables = list(tables)
    if header["version"] <= PACKED_NOTES:
        tables[1] = _with_unpacked_notes(tables[1], mind)
    _fill(agent, header, tables)
    return agent


def _with_unpacked_notes(table: Array, mind: Any) -> Array:
    """The table of notes and times, from one in which every note is one number."""
    if table.ndim != 2 or table.shape[1] != 2 or not mind.stage:
        return table  # which is refused, or empty
    rows = []
    for packed, time_made in table.tolist():
        note = unpacked_note(mind.policy, packed)
        rows.append([*numbers_of(note), time_made])
    return np.array(rows, np.float64).reshape(-1, mind.note_size + 1)


def _fill(agent: "Agent", header: dict[str, Any], tables: Sequence[Array]) -> None:
    """The decisions that wait, and the ones that are remembered."""
    _check_tables(agent, header, tables)
    whole, real, x, rewards, settled, told = tables[:6]
    waiting = agent._waiting
    for (number, slot, stage, birth), (*note, then), row, paid in zip(
        whole.tolist(), real.tolist(), x, rewards.tolist(), strict=True
    ):
        known = None if all(np.isnan(paid)) else paid
        waiting.open[number] = Pending(row.copy(), slot, tuple(note), stage, birth, then, known)
    for number, paid in zip(settled.tolist(), told.tolist(), strict=True):
        waiting.settled[number] = tuple(paid)
    waiting.next_id = int(header["next_id"])
    waiting.dropped = {k: int(header["dropped"][k]) for k in waiting.dropped}
    agent._now = float(header["now"])
    agent.lessons = int(header["lessons"])
    waiting.rearm()


def _check_tables(agent: "Agent", header: dict[str, Any], tables: Sequence[Array]) -> None:
    n = len(tables[0])
    remembered = len(tables[4])
    count = len(agent.objectives)
    shapes = (
        (n, len(PENDING)),
        (n, agent._mind.note_size + 1),
        (n, agent.features),
        (n, count),
        (remembered,),
        (remembered, count),
    )
    kinds = (np.int64, np.float64, np.float64, np.float64, np.int64, np.float64)
    for table, shape, kind in zip(tables[:6], shapes, kinds, strict=True):
        if table.shape != shape or table.dtype != kind:
            raise ValueError(
                f"decisions must fill tables that fit, of shape {shape}, got {table.dtype} of {table.shape}"
            )
    if n > agent._waiting.limit or remembered > agent._waiting.remembered:
        raise ValueError("decisions must not be more than may wait, or are remembered")
    _check_decisions(agent, header, tables)
    _, _, x, rewards, _, told = tables[:6]
    if not agent._guard.allows(x) or np.isinf(rewards).any() or not np.isfinite(told).all():
        raise ValueError("contexts and rewards must be finite, and what the recipe needs")
    if n and not np.isnan(rewards).any(axis=1).all():
        raise ValueError("decisions must lack a reward to wait for")


def _check_decisions(agent: "Agent", header: dict[str, Any], tables: Sequence[Array]) -> None:
    mind = agent._mind
    numbers, slots, stages, births = tables[0].T
    notes = tables[1][:, :-1]
    times = tables[1][:, -1]
    ids = np.concatenate([numbers, tables[4]])
    if len(np.unique(ids)) < len(ids) or (ids < 0).any() or (ids >= header["next_id"]).any():
        raise ValueError("ids of decisions must be different, and below the next one")
    bounds = (
        (slots, 0, len(agent._arms.slots)),
        (stages, 1, mind.stage + 1),
        (births, 0, header["arms_ever"]),
    )
    if any((column < low).any() or (column >= high).any() for column, low, high in bounds):
        raise ValueError("decisions must be of arms and stages that there are")
    in_order = (np.diff(numbers) > 0).all() and (np.diff(times) >= 0.0).all()
    if not in_order or not ((times >= 0.0) & (times <= header["now"])).all():
        raise ValueError("decisions must come in order, at times up to now")
    now = stages == mind.stage
    known = not now.any() or possible(mind._bound, mind.state(), notes[now]).all()
    if not known or not np.isfinite(notes).all():
        raise ValueError("notes of decisions must be some that the recipe's policy gives")


def _restorer(given: Sequence[Array], objectives: int, version: int) -> Callable[[Any], Any]:
    def restore(policy: Any) -> Any:
        refuse_small(policy, list(given))
        return restored(policy.init(), [array.copy() for array in given], objectives, version)

    return restore


def _described(recipe: Recipe) -> Any:
    """A recipe in the file's words; of one that has things of others in it, its class."""
    try:
        return described(recipe, "recipe")
    except ValueError:
        return {"other": type(recipe).__qualname__}


def _recipe(kept: Any, given: Recipe | None) -> Any:
    """The recipe of a file, which must be said again where the file cannot hold it."""
    if not isinstance(kept, dict) or set(kept) != {"other"}:
        own = made(kept, "recipe")
        if given is not None and given != own:
            raise ValueError(f"recipe must be that of the file, {quoted(own)}, got {quoted(given)}")
        return own
    if given is None or type(given).__qualname__ != kept["other"]:
        name = shortened(str(kept["other"]))
        raise ValueError(
            f"recipe must be given: a {name}, as when the file was written, got {quoted(given)}"
        )
    return given


def _objective(one: Objective) -> dict[str, Any]:
    return {
        "name": encoded(checked_name(one.name, "objective")),
        **{name: getattr(one, name) for name in FIELDS},
    }


def _stream(rng: Any) -> dict[str, Any]:
    state = rng.bit_generator.state
    return {
        **state,
        "state": {key: str(value) for key, value in state["state"].items()},
    }  # of 128 bits


def _checked_stream(given: Any) -> dict[str, Any]:
    flags = {"has_uint32": 1, "uinteger": 2**32 - 1}
    fits = isinstance(given, dict) and set(given) == {"bit_generator", "state", *flags}
    if not fits or given["bit_generator"] != "PCG64" or set(given["state"]) != {"state", "inc"}:
        raise ValueError(f"streams must be of the generator PCG64, got {quoted(given)}")
    numbers = {}
    for key, text in given["state"].items():
        numbers[key] = int(text) if isinstance(text, str) and text.isdecimal() else -1
        if str(numbers[key]) != text:
            raise ValueError(f"streams.{key} must be a whole number in digits, got {quoted(text)}")
        whole(f"streams.{key}", numbers[key], at_most=2**128 - 1)
    if numbers["inc"] % 2 == 0:
        raise ValueError(f"streams.inc must be odd, got {numbers['inc']}")
    small = {key: whole(f"streams.{key}", given[key], at_most=most) for key, most in flags.items()}
    return {"bit_generator": "PCG64", "state": numbers, **small}


def _plain(value: Any) -> Any:
    """Numbers of NumPy as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise ValueError(
        f"agents must hold names and numbers to be kept in a file, got {quoted(value)}"
    )


def _refuse_constant(text: str) -> float:
    raise StateError(f"is damaged: numbers must be finite, got {shortened(text)}")


def _bytes(array: Array) -> bytes:
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()


def _arrays(specified: Any, data: memoryview) -> list[Array]:
    out: list[Any] = []
    at = 0
    for kind, shape in specified:
        most = max(len(data), MOST_FEATURES)  # a table without rows may have columns
        if kind not in KINDS or not all(type(n) is int and 0 <= n <= most for n in shape):
            raise ValueError(
                f"arrays must be of known kinds and of sizes that the file holds, got {quoted(kind)}, {quoted(shape)}"
            )
        size = int(np.dtype(kind).itemsize)
        for n in shape:
            size *= n
        if at + size > len(data):
            raise ValueError("arrays must not be longer than the file")
        out.append(np.frombuffer(data[at : at + size], kind).reshape(shape).astype(KINDS[kind]))
        at += size
    if at != len(data):
        raise ValueError("arrays must fill the file")
    return out
