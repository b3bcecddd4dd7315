"""What an agent believed when it decided, from replaying its log."""

import functools
import time
import warnings
from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from mobandits.agent.core import AgentCore
from mobandits.agent.explanation import estimates_of
from mobandits.agent.loading import core_of_bytes
from mobandits.agent.replayed_events import replay
from mobandits.agent.replaying import RELEARNED
from mobandits.agent.retuning import core_at_start
from mobandits.contracts.protocols import Array, IntArray
from mobandits.errors import LogError, MobanditsWarning
from mobandits.logs.arm_registry import first_arms
from mobandits.logs.events import Event
from mobandits.logs.store.content import Snapshot
from mobandits.logs.store.replay import numbered_events
from mobandits.monitoring.history import History

MOST_EVENTS = 100_000  # replayed: some ten to thirty seconds
NO_SNAPSHOT = "the store has no snapshot of an agent that could be replayed"


class Believed(NamedTuple):
    """The estimates that an agent held of the arms it played, when it played them.

    Attributes:
        ids: (decisions,) ascending.
        mean: (decisions, objectives) in the objectives' own units.
        low: the lower ends of the intervals, likewise.
        high: their upper ends.
    """

    ids: IntArray
    mean: Array
    low: Array
    high: Array

    def of(self, ids: IntArray) -> "Believed":
        """Those of some decisions, NaN where they are not known."""
        shape = (len(ids), self.mean.shape[1])
        tables = [np.full(shape, np.nan) for _ in range(3)]
        if len(self.ids):
            places = np.searchsorted(self.ids, ids)
            places = np.minimum(places, len(self.ids) - 1)
            is_known = self.ids[places] == ids
            for table, known in zip(tables, self[1:], strict=True):
                table[is_known] = known[places[is_known]]

        mean, low, high = tables
        return Believed(ids, mean, low, high)


class Replayed(NamedTuple):
    """What came of replaying a log.

    Attributes:
        believed: None where it could not be replayed.
        after: the seq of the last event before those that were replayed.
        why: what stands against it, as the end of a sentence; empty where nothing does.
    """

    believed: Believed | None
    after: int
    why: str


def replayed_beliefs(history: History) -> Replayed:
    """The beliefs behind an agent's decisions: all of them, or those after an early snapshot.

    At most `MOST_EVENTS` events are replayed. A log that is longer, or was shortened, is replayed
    from the earliest snapshot that is near enough to its end.
    """
    snapshots = list(history.log.sound_snapshots())
    why = NO_SNAPSHOT
    if snapshots:
        why = f"at most {MOST_EVENTS:,} events are replayed, and more came after each snapshot"

    for after, make_core in _starts(history, snapshots):
        try:
            return Replayed(_followed(make_core(), history, after), after, "")
        except ValueError as error:
            why = str(error)

    return Replayed(None, 0, why)


def _starts(
    history: History, snapshots: list[Snapshot]
) -> Iterator[tuple[int, Callable[[], AgentCore]]]:
    """The events after which a replay can begin, and what makes the agent there, earliest first."""
    agent = history.log.agent
    earliest = max(agent.complete_after, agent.events - MOST_EVENTS)
    if snapshots and earliest <= 0:
        yield 0, functools.partial(_first_core, history, snapshots[0])

    for snapshot in reversed(snapshots):
        # After the one that was taken at the end, there is nothing to replay.
        if max(earliest, 1) <= snapshot.seq < agent.events:
            yield snapshot.seq, functools.partial(_core_of, snapshot)


def _core_of(snapshot: Snapshot) -> AgentCore:
    core, _ = core_of_bytes(snapshot.state, None, time.time)
    return core


def _first_core(history: History, newest: Snapshot) -> AgentCore:
    """The agent before its first event; its parameters are in every snapshot."""
    core = _core_of(newest)
    log = history.log
    first = log.first_change("retune")
    arms = first_arms(log.agent.description, log.source)

    return core_at_start(core, tuple(arms.names), first)


def _change_again(core: AgentCore, event: Event, where: str) -> None:
    """Replay a change of what was learned, unless it has to be learned from the log again."""
    try:
        RELEARNED[event.kind](core, event)
    except (KeyError, TypeError) as error:
        raise LogError(f"{where} cannot be replayed: {error}") from error
    except ValueError as error:
        said = f"{where} made the agent learn its whole log again, which this page does not"
        raise LogError(said) from error


def _followed(core: AgentCore, history: History, after: int) -> Believed:
    """The beliefs behind all decisions after an event that the agent knows."""
    log = history.log
    core.is_timed = True
    ids = array("q")
    numbers = array("d")
    arms = log.arms_after(after)
    events = numbered_events(log, after, log.agent.events)
    with warnings.catch_warnings():
        # Whatever is to be said of contexts and rewards was said when they came.
        warnings.simplefilter("ignore", MobanditsWarning)
        for seq, event in events:
            where = f"{log.source}: event {seq}"
            if event.kind in RELEARNED:
                _change_again(core, event, where)
                continue

            decision = replay(core, event, arms, where)
            if decision is None:
                continue

            # After the decision: it leaves beliefs alone, but for rewards by default that were due.
            place = decision.eligible.index(decision.arm)
            ids.append(decision.id)
            for table in estimates_of(core, decision):
                numbers.extend(table[place].tolist())

    table = np.array(numbers, np.float64).reshape(len(ids), 3, len(history.objectives))
    return Believed(np.array(ids, np.int64), table[:, 0], table[:, 1], table[:, 2])
