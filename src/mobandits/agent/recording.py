"""An agent and its log: every call that changes something is written before it returns, and can be played again."""

import math
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mobandits.agent.decision import Decision
from mobandits.agent.descriptions import described, made
from mobandits.logs.errors import LogError
from mobandits.logs.journal import Journal
from mobandits.logs.names import checked_name
from mobandits.support.naming import quoted, short_repr

if TYPE_CHECKING:
    from mobandits.agent.agent import Agent


class Recorder:
    """Writes what an agent does into a journal, in the journal's words.

    Arms are numbered in the order in which their names first came; one that is added again has its old number.
    """

    def __init__(self, journal: Journal, arms: tuple[Hashable, ...]) -> None:
        self.journal = journal
        self._numbers = {name: number for number, name in enumerate(arms)}
        self._before: int | None = (
            None  # events before the call that is being written, until the agent has done it
        )
        self.silent = False  # while events are replayed

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
                f"{self.journal.folder} has an event that its agent does not know, since a call was interrupted: close "
                "the agent, and make it again with its log"
            )
        self._before = None

    def done(self) -> None:
        """The agent has done what was written."""
        self._before = None

    def _start(self) -> None:
        if self._before is not None:
            self.check_usable()
        self._before = len(self.journal)

    def _write(self, event: dict[str, Any]) -> None:
        self._start()
        self.journal.append(event)

    def know(self, name: Hashable) -> None:
        """Number an arm, unless it has a number."""
        self._numbers.setdefault(name, len(self._numbers))

    def names(self) -> list[Hashable]:
        """All arms there ever were, by number."""
        return list(self._numbers)

    def decided(self, agent: "Agent", decision: Decision, now: float) -> None:
        """A decision."""
        if not self.silent:
            self._write(self._event(agent, decision, now))

    def decided_together(self, agent: "Agent", decisions: Sequence[Decision], now: float) -> None:
        """Decisions of one call: all but the first say that they are of the batch of the one before."""
        events = [self._event(agent, decision, now) for decision in decisions]
        for event in events[1:]:
            event["batch"] = True
        self._start()
        self.journal.extend(events)

    def _event(self, agent: "Agent", decision: Decision, now: float) -> dict[str, Any]:
        rows = decision.context
        event: dict[str, Any] = {"kind": "decide", "id": decision.id, "time": now}
        if agent.features and rows is not None:
            event["context"] = self._table(agent, decision) if agent._contexts.own else rows
            if agent._contexts.own and len(agent.arms) == 1:
                event["own"] = True  # the row of the only arm, and not one for all
        if decision.eligible != agent.arms:
            event["eligible"] = [self._numbers[name] for name in decision.eligible]
        return event | {"arm": self._numbers[decision.arm], "propensity": decision.propensity}

    def learned(self, agent: "Agent", number: int, rewards: list[float], now: float) -> None:
        """A reward, or a part of it."""
        if not self.silent:
            told = {
                name: value
                for name, value in zip(agent._names, rewards, strict=True)
                if not math.isnan(value)
            }
            self._write({"kind": "learn", "id": int(number), "time": now, "rewards": told})

    def refuse_name(self, name: Hashable) -> None:
        """Refuse an arm whose name the journal cannot hold, before there is one."""
        checked_name(name, "arm")

    def added(self, name: Hashable, like: Hashable | None, now: float) -> None:
        """A new arm."""
        if not self.silent:
            self._write({"kind": "add", "time": now, "arm": name, "like": like})
        self.know(name)

    def removed(self, name: Hashable, now: float) -> None:
        """An arm that went."""
        if not self.silent:
            self._write({"kind": "remove", "time": now, "arm": name})

    def saying(self, order: Any) -> Any:
        """A preference in the journal's words; one for which it has none is refused before it is played."""
        return None if order is None else described(order, "preference")

    def preferred(self, said: Any, now: float) -> None:
        """Another preference."""
        if not self.silent:
            self._write({"kind": "preference", "time": now, "order": said})

    def _table(self, agent: "Agent", decision: Decision) -> Any:
        """A row for every arm that there is; zeros for those that were not eligible."""
        rows = np.zeros((len(agent.arms), agent.features))
        rows[agent._arms.rows(decision.eligible)] = decision.context
        return rows


def attach(agent: "Agent", log: Any, after: int = 0) -> None:
    """Let an agent write into a log, after it has caught up with what is there.

    Args:
        agent: new, or read from a file.
        log: a folder, or a `Journal`.
        after: how many events it knows already.

    Raises:
        ValueError: where the log is another agent's, or was written by other versions, so that it does not lead to the
            same decisions.
    """
    journal = Journal(log) if isinstance(log, str | Path) else log
    if not isinstance(journal, Journal):
        raise ValueError(f"log must be a folder or a Journal, got {quoted(log)}")
    try:
        _catch_up(agent, journal, after)
    except BaseException:
        if journal is not log:
            journal.close()  # so that the next attempt finds it free
        raise


def _catch_up(agent: "Agent", journal: Journal, after: int) -> None:
    known = journal.description
    first = agent.arms if known is None or after == 0 else tuple(known["arms"])
    journal.describe(_description(agent, first))
    recorder = Recorder(journal, first)
    agent._journal = recorder
    agent._timed = True
    if after > len(journal):
        raise LogError(
            f"{journal.folder} has {len(journal)} events, and the agent knew {after}: it is not its log"
        )
    clock = agent._clock
    recorder.silent = True
    try:
        for position, event in enumerate(journal.events()):
            if event["kind"] == "add":
                recorder.know(event["arm"])
            if position >= after:
                _play(agent, event, recorder.names(), f"{journal.folder}: event {position}")
    finally:
        agent._clock = clock
        recorder.silent = False


def _description(agent: "Agent", arms: tuple[Hashable, ...]) -> dict[str, Any]:
    objectives = [
        {"name": one.name, "minimise": one.minimise, "unit": one.unit} for one in agent.objectives
    ]
    options = {"propensity": agent.propensity, "samples": agent.samples, "rounds": agent.rounds}
    waiting = agent._waiting
    bounds = {"limit": waiting.limit, "max_age": waiting.max_age, "remembered": waiting.remembered}
    defaults = [[one.default, one.after] for one in agent.objectives]
    return {
        "arms": list(arms),
        "objectives": objectives,
        "features": agent.features,
        "recipe": short_repr(agent.recipe),
        "seed": agent.seed,
        **options,
        **bounds,
        "defaults": defaults,
    }


def _play(agent: "Agent", event: dict[str, Any], names: list[Hashable], where: str) -> None:
    """What happened, once more."""
    kind = event["kind"]
    agent._clock = lambda: event.get("time", agent._now)
    try:
        if kind == "decide":
            _decide(agent, event, names, where)
        elif kind == "learn":
            agent.learn(event["id"], event["rewards"])
        elif kind == "add":
            agent.add_arm(event["arm"], event.get("like"))
        elif kind == "remove":
            agent.remove_arm(event["arm"])
        elif kind == "preference":
            agent.preference = (
                None if event["order"] is None else made(event["order"], "preference")
            )
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(f"{where} cannot be replayed: {error}") from error


def _decide(agent: "Agent", event: dict[str, Any], names: list[Hashable], where: str) -> None:
    rows = event.get("context")
    context = (
        None
        if rows is None
        else np.array(rows[0] if len(rows) == 1 and not event.get("own") else rows)
    )
    eligible = event.get("eligible")
    agent._timed = (
        event.get("batch") is not True
    )  # which is decided in one moment: nothing is learned in the middle
    try:
        again = agent.decide(
            context, None if eligible is None else [names[number] for number in eligible]
        )
    finally:
        agent._timed = True
    if again.id != event["id"] or again.arm != names[event["arm"]]:
        logged = f"decision {event['id']} for arm {quoted(names[event['arm']])}"
        raise LogError(
            f"{where} was {logged}, and replaying leads to decision {again.id} for {quoted(again.arm)}: "
            "the log was written with other versions or parameters"
        )
