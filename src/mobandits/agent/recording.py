"""An agent and its log.

Every call that changes something is written before it returns, and can be played again.
"""

import math
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mobandits.agent.advice import LogAdvice
from mobandits.agent.core import AgentCore
from mobandits.agent.decision import Decision
from mobandits.agent.descriptions import described, made
from mobandits.contracts.protocols import Array
from mobandits.errors import LogError
from mobandits.logs.journal import Journal
from mobandits.logs.names import checked_name
from mobandits.support.naming import quoted, short_repr


class JournalWriter:
    """Writes what an agent does into a journal; the `EventWriter` of its core.

    Arms are numbered in the order in which their names first came; one that is added again has its
    old number.

    Args:
        journal: which.
        core: of the agent. Its parts are kept and not the core itself: in a circle with it, a
            journal that is not closed would stay open until garbage is collected.
        arms: the names of the first arms.

    Attributes:
        journal: which.
        silent: whether nothing is written, while events are replayed.
    """

    def __init__(self, journal: Journal, core: AgentCore, arms: tuple[Hashable, ...]) -> None:
        self.journal = journal
        self._arms = core.arms
        self._contexts = core.contexts
        self._features = core.features
        self._objective_names = core.objective_names
        self._numbers = {name: number for number, name in enumerate(arms)}
        # Events before the call that is being written, until the agent has done it.
        self._before: int | None = None
        self._advice = LogAdvice()
        self.silent = False

    def position(self) -> int:
        """How many events there are."""
        return len(self.journal)

    def check_usable(self) -> None:
        """Refuse a log that takes no events, or has one that the agent does not know.

        Raises:
            LogError: saying why.
        """
        if self.silent:
            return

        self.journal.check_usable()
        if self._before is not None and len(self.journal) != self._before:
            raise LogError(
                f"{self.journal.folder} has an event that its agent does not know, since a call "
                "was interrupted: close the agent, and make it again with its log"
            )

        self._before = None

    def done(self) -> None:
        """The agent has done what was written."""
        self._before = None

    def flush(self) -> None:
        """Have all events on disk."""
        self.check_usable()
        self.journal.flush()

    def close(self) -> None:
        """Let go of the journal."""
        self.journal.close()

    def number_arm(self, name: Hashable) -> None:
        """Number an arm, unless it has a number."""
        next_number = len(self._numbers)
        self._numbers.setdefault(name, next_number)

    def arm_names(self) -> list[Hashable]:
        """All arms there ever were, by number."""
        return list(self._numbers)

    def check_name(self, name: Hashable) -> None:
        """Refuse an arm whose name the journal cannot hold, before there is one."""
        checked_name(name, "arm")

    def describe_order(self, order: Any) -> Any:
        """An order as plain data; refused, before it is played, where files cannot hold it."""
        if order is None:
            return None
        return described(order, "preference")

    def write_decision(self, decision: Decision, now: float) -> None:
        """A decision."""
        if self.silent:
            return

        # Before anything is written: where warnings are errors, the call is undone.
        self._advice.check([decision])
        event = self._decision_event(decision, now)
        self._append(event)

    def write_decisions(self, decisions: Sequence[Decision], now: float) -> None:
        """Decisions of one call: all but the first say that the batch goes on."""
        self._advice.check(decisions)
        events = [self._decision_event(decision, now) for decision in decisions]
        for event in events[1:]:
            event["batch"] = True

        self._start()
        # Together: after a loss of power there are all of them, or none that was confirmed.
        self.journal.extend(events)

    def write_reward(self, number: int, rewards: list[float], now: float) -> None:
        """A reward, or a part of it."""
        if self.silent:
            return

        pairs = zip(self._objective_names, rewards, strict=True)
        observed = {name: value for name, value in pairs if not math.isnan(value)}
        event = {
            "kind": "learn",
            "id": int(number),
            "time": now,
            "rewards": observed,
        }
        self._append(event)

    def write_new_arm(self, name: Hashable, like: Hashable | None, now: float) -> None:
        """An arm that joined."""
        if not self.silent:
            event = {"kind": "add", "time": now}
            event |= {"arm": name, "like": like}
            self._append(event)

        self.number_arm(name)

    def write_removed_arm(self, name: Hashable, now: float) -> None:
        """An arm that left."""
        if self.silent:
            return
        event = {"kind": "remove", "time": now, "arm": name}
        self._append(event)

    def write_preference(self, description: Any, now: float) -> None:
        """Another preference."""
        if self.silent:
            return
        event = {"kind": "preference", "time": now, "order": description}
        self._append(event)

    def _start(self) -> None:
        # An earlier call was interrupted between its event and its effect, or is being written.
        if self._before is not None:
            self.check_usable()
        self._before = len(self.journal)

    def _append(self, event: dict[str, Any]) -> None:
        self._start()
        self.journal.append(event)

    def _decision_event(self, decision: Decision, now: float) -> dict[str, Any]:
        arms = self._arms.names
        event: dict[str, Any] = {
            "kind": "decide",
            "id": decision.id,
            "time": now,
        }
        if self._features and decision.context is not None:
            has_row_per_arm = self._contexts.has_row_per_arm
            event["context"] = decision.context
            if has_row_per_arm:
                event["context"] = self._table(decision)
            if has_row_per_arm and len(arms) == 1:
                event["own"] = True  # the row of the only arm, and not one for all

        if decision.eligible != arms:
            event["eligible"] = [self._numbers[name] for name in decision.eligible]

        event["arm"] = self._numbers[decision.arm]
        event["propensity"] = decision.propensity

        return event

    def _table(self, decision: Decision) -> Array:
        """A row for every arm that there is; zeros for those that were not eligible."""
        arms = self._arms
        size = (len(arms.names), self._features)
        rows = np.zeros(size)
        eligible = arms.rows(decision.eligible)
        rows[eligible] = decision.context

        return rows


def attach(core: AgentCore, log: Any, after: int = 0) -> None:
    """Let an agent write into a log, after it has caught up with what is there.

    Args:
        core: of an agent that is new, or read from a file.
        log: a folder, or a `Journal`.
        after: how many events it knows already.

    Raises:
        ValueError: where the log is another agent's, or was written by other versions, so that it
            does not lead to the same decisions.
    """
    journal = Journal(log) if isinstance(log, str | Path) else log
    if not isinstance(journal, Journal):
        raise ValueError(f"log must be a folder or a Journal, got {quoted(log)}")

    try:
        _catch_up(core, journal, after)
    except BaseException:
        if journal is not log:
            journal.close()  # so that the next attempt finds it free

        raise


def _catch_up(core: AgentCore, journal: Journal, after: int) -> None:
    known = journal.description
    first = core.arms.names
    if known is not None and after > 0:
        # The arms of an agent that was read from a file came and went since the log began.
        first = tuple(known["arms"])

    # Refuses the log of another agent, before one event of it is replayed.
    journal.describe(_description(core, first))
    writer = JournalWriter(journal, core, first)
    core.writer = writer
    core.is_timed = True
    if after > len(journal):
        raise LogError(
            f"{journal.folder} has {len(journal)} events, and the agent knew {after}: it is not "
            "its log"
        )

    clock = core.clock
    writer.silent = True
    try:
        for position, event in enumerate(journal.events()):
            if event["kind"] == "add":
                writer.number_arm(event["arm"])
            if position >= after:
                _replay(core, event, writer.arm_names(), f"{journal.folder}: event {position}")
    finally:
        core.clock = clock
        writer.silent = False


def _description(core: AgentCore, arms: tuple[Hashable, ...]) -> dict[str, Any]:
    """What must be the same in every agent that writes into one journal."""
    objectives = [
        {"name": objective.name, "minimise": objective.minimise, "unit": objective.unit}
        for objective in core.objectives
    ]
    pending = core.pending
    return {
        "arms": list(arms),
        "objectives": objectives,
        "features": core.features,
        "recipe": short_repr(core.recipe),
        "seed": core.seed,
        "propensity": core.propensity,
        "samples": core.samples,
        "rounds": core.rounds,
        "limit": pending.limit,
        "max_age": pending.max_age,
        "remembered": pending.remembered,
        "defaults": [[objective.default, objective.after] for objective in core.objectives],
    }


def _replay(core: AgentCore, event: dict[str, Any], names: list[Hashable], where: str) -> None:
    """Do once more what an event says, at its time."""
    # At its time, so that defaults and age limits come when they came before.
    core.clock = lambda: event.get("time", core.now)
    kind = event["kind"]
    try:
        if kind == "decide":
            _replay_decision(core, event, names, where)
        elif kind == "learn":
            core.learn(event["id"], event["rewards"])
        elif kind == "add":
            core.add_arm(event["arm"], event.get("like"))
        elif kind == "remove":
            core.remove_arm(event["arm"])
        elif kind == "preference":
            order = event["order"]
            core.set_preference(None if order is None else made(order, "preference"))
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, LogError):
            raise

        raise LogError(f"{where} cannot be replayed: {error}") from error


def _replay_decision(
    core: AgentCore, event: dict[str, Any], names: list[Hashable], where: str
) -> None:
    rows = event.get("context")
    context = None
    if rows is not None:
        is_shared = len(rows) == 1 and not event.get("own")
        context = np.array(rows[0] if is_shared else rows)

    eligible = event.get("eligible")
    if eligible is not None:
        eligible = [names[number] for number in eligible]

    # A batch is decided in one moment: nothing is learned in the middle.
    core.is_timed = event.get("batch") is not True
    try:
        decision = core.decide(context, eligible)
    finally:
        core.is_timed = True

    logged_arm = names[event["arm"]]
    if decision.id != event["id"] or decision.arm != logged_arm:
        logged = f"decision {event['id']} for arm {quoted(logged_arm)}"
        replayed = f"decision {decision.id} for {quoted(decision.arm)}"
        raise LogError(
            f"{where} was {logged}, and replaying leads to {replayed}: the log was written with "
            "other versions or parameters"
        )
