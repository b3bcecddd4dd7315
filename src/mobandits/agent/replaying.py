"""Agents that go on from a store: the newest snapshot, and what happened after it once more."""

import time
import warnings
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from mobandits.agent.core import AgentCore
from mobandits.agent.correcting import correct_again
from mobandits.agent.loading import core_of_bytes
from mobandits.agent.parameters import (
    CHANGEABLE,
    Parameters,
    as_described,
    parameters_in,
    parameters_of,
)
from mobandits.agent.recording import StoreWriter
from mobandits.agent.replayed_events import replay
from mobandits.agent.retuning import core_at_start, retune_again
from mobandits.agent.saving import core_bytes, foreign_recipe
from mobandits.errors import LogError, LogWarning, StateError
from mobandits.logs.events import Description
from mobandits.logs.objectives import Names
from mobandits.logs.store import Store
from mobandits.logs.store.connection import new_file
from mobandits.support.describe_path import describe_path
from mobandits.support.naming import quoted, wrong_value

EVERY = 10_000  # events between snapshots
# Events for which the log may be learned again.
RELEARNED: dict[str, Callable[[AgentCore, Any], None]] = {
    "retune": retune_again,
    "correct": correct_again,
}


def attached(
    core: AgentCore,
    log: Any,
    *,
    durability: Any = None,
    every: int = EVERY,
    after: int | None = None,
    settles_propensity: bool = False,
) -> AgentCore:
    """The core of an agent that has caught up with a store, and writes into it from now on.

    Args:
        core: of an agent that is new, or read from a file. Where the store has a snapshot, another
            core takes its place, read from that.
        log: the path of a store, or a `Store`.
        durability: of a store that is opened here; None: "system".
        every: events after which snapshots are taken.
        after: how many events an agent that was read from a file knows already; None: it is new.
        settles_propensity: whether a new agent's mode of propensities is that of the store or, of
            a new store, as exact as the recipe has it.

    Raises:
        ValueError: where the store is another agent's, or was written by other versions, so that it
            does not lead to the same decisions.
    """
    store = _opened(log, durability)
    try:
        if settles_propensity:
            known = store.description or {}
            core.settle_propensity(known.get("propensity"))

        return _caught_up(core, store, every, after)
    except BaseException:
        if store is not log:
            store.close()  # so that the next attempt finds it free

        raise


def branched(core: AgentCore, path: str | Path) -> AgentCore:
    """The core of another agent that goes on from here with a log of its own; see `Agent.branch`."""
    target = new_file(path)
    with core.lock:
        writer = core.writer
        data = core_bytes(core)
        if writer is not None:
            writer.store.copy(target)

    other, logged = core_of_bytes(data, foreign_recipe(core), core.clock)

    return attached(other, target, after=logged)


def opened(path: str | Path, agent: str = "agent") -> AgentCore:
    """The core of the agent in a store, which has a snapshot and a recipe of this library.

    Raises:
        ValueError: where there is no such agent, or no snapshot.
    """
    place = Path(path)
    if not place.is_file():
        raise LogError(f"{place} must be a store, got {describe_path(place)}")

    store = Store(place, agent=agent)
    try:
        return _from_store_alone(store)
    except BaseException:
        store.close()
        raise


def _from_store_alone(store: Store) -> AgentCore:
    newest = store.latest_snapshot()
    if newest is None:
        advice = "make the agent with it once, and close it"
        raise LogError(f"{store.path} must have a snapshot of its agent: {advice}")

    source = f"the snapshot in {store.path}"
    core, logged = core_of_bytes(newest.state, None, time.time, source)
    return attached(core, store, after=logged)


def _opened(log: Any, durability: Any) -> Store:
    if isinstance(log, Store):
        if durability is not None:
            raise ValueError(
                f"durability must be given to the Store itself, got {quoted(durability)} beside one"
            )
        return log

    if not isinstance(log, str | Path):
        raise wrong_value("log must be the path of a store, or a Store", log)

    return Store(log, "system" if durability is None else durability)


def _caught_up(core: AgentCore, store: Store, every: int, after: int | None) -> AgentCore:
    known = store.description
    first = core.arms.names
    if known is not None:
        began = tuple(known["arms"])
        # The arms of an agent that was read from a file came and went since the log began, and who
        # makes an agent may call them by the names that they have now.
        is_renamed = first == tuple(store.arm_names[: len(began)])
        if is_renamed or (after is not None and after > 0):
            first = began

    description = description_of(core, first)
    retuned = None if after is None else store.first_change("retune", after)
    if known is not None and "dropped" in known:
        description["dropped"] = known["dropped"]
    if retuned is not None and known is not None:
        # The agent was saved before it became what the store describes.
        before = parameters_in(retuned.before, core)
        _refuse_others(before, parameters_of(core), store)
        description |= {key: known[key] for key in as_described(before)}

    # Refuses the store of another agent, before one event of it is replayed.
    store.describe(description)
    if after is not None and after > len(store):
        raise LogError(
            f"{store.path} has {len(store)} events, and the agent knew {after}: it is not its log"
        )

    current, start = _from_snapshot(core, store, after, first)
    writer = StoreWriter(store, current, every, start)
    current.writer = writer
    current.is_timed = True
    # As budgets, sessions may be others at every opening; they follow from the events to come.
    current.sessions.seconds = core.sessions.seconds
    _replay_events(current, writer, start)
    if current.sessions.seconds is None:
        current.sessions.stays.clear()
    if current is not core:
        # Its snapshot may be of an agent with other parameters than the given ones.
        but = CHANGEABLE if retuned else ()
        _refuse_others(parameters_of(current), parameters_of(core), store, but)
        # Unlike what decisions follow from, budgets may be others at every opening.
        current.set_budgets([account.budget for account in core.ledger.accounts])
    # What a file brought is in no event: without a snapshot the store would not lead to it.
    if known is None and after is not None:
        writer.snapshot(current)

    return current


def _from_snapshot(
    core: AgentCore, store: Store, after: int | None, arms: Names
) -> tuple[AgentCore, int]:
    """The core of the newest snapshot that can be read, and how many events it knows.

    Where there is none, or none that is newer: the given core, as it began with these arms.
    """
    for seq, state in store.snapshots():
        if after is not None and seq <= after:
            break
        try:
            restored, logged = core_of_bytes(state, foreign_recipe(core), core.clock)
        except StateError as error:
            message = f"the snapshot after event {seq} was passed over: it {error}"
            warnings.warn(message, LogWarning, stacklevel=5)
            continue
        if logged == seq:
            return restored, seq

    first = store.first_change("retune")
    is_as_begun = first is None and core.arms.names == arms
    if is_as_begun or after is not None:
        return core, after or 0

    # The given recipe and names are the last ones; events from the start came to the first.
    return core_at_start(core, arms, first), 0


def _replay_events(core: AgentCore, writer: StoreWriter, start: int) -> None:
    store = writer.store
    clock = core.clock
    writer.silent = True
    arms = store.arms_after(start)
    differing: list[int] = []
    try:
        for number, event in enumerate(store.events(start), start + 1):
            writer.replayed = number - 1
            where = f"{store.path}: event {number}"
            if event.kind in RELEARNED:
                RELEARNED[event.kind](core, event)
            else:
                replay(core, event, arms, where, differing=differing)
    finally:
        core.clock = clock
        writer.silent = False

    if differing:
        count = f"{len(differing):,} decisions" if len(differing) > 1 else "1 decision"
        warnings.warn(
            f"{store.path}: {count} would be made otherwise now (the first is {differing[0]}), and "
            "were adopted as they were: another version of the library wrote them, or another "
            "machine",
            LogWarning,
            stacklevel=5,
        )


def _refuse_others(
    theirs: Parameters, mine: Parameters, store: Store, but: Collection[str] = ()
) -> None:
    """Refuse a store whose agent has other parameters."""
    for name, value in mine.items():
        if name not in but and theirs[name] != value:
            raise LogError(
                f"{store.path} has an agent with {name} = {quoted(theirs[name])}, now "
                f"{quoted(value)}: choose another file"
            )


def description_of(core: AgentCore, arms: Names) -> Description:
    """Description of an agent: all that must be the same in every one that writes into one store."""
    # The key is there only with an encoder: logs without one are what they were.
    encoding = {} if core.encoder is None else {"encoder": core.encoder.data}
    return {
        "arms": list(arms),
        "features": core.features,
        "seed": core.seed,
        "samples": core.samples,
        "rounds": core.rounds,
        "remembered": core.pending.remembered,
        **as_described(parameters_of(core)),
        **encoding,
    }
