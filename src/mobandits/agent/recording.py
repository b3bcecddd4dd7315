"""An agent and its log: every call that changes something is written before it returns, and can be played again."""

from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mobandits.agent.decision import Decision
from mobandits.agent.descriptions import described, made
from mobandits.logs.errors import LogError
from mobandits.logs.journal import Journal
from mobandits.logs.names import checked_name
from mobandits.support.naming import concise

if TYPE_CHECKING:
    from mobandits.agent.agent import Agent


class Recorder:
    """Writes what an agent does into a journal, in the journal's words.

    Arms are numbered in the order in which their names first came; one that is added again has its old number.
    """

    def __init__(self, journal: Journal, arms: tuple[Hashable, ...]) -> None:
        self.journal = journal
        self._numbers = {name: number for number, name in enumerate(arms)}
        self.silent = False  # while events are replayed

    def position(self) -> int:
        """How many events there are."""
        return len(self.journal)

    def know(self, name: Hashable) -> None:
        """Number an arm, unless it has a number."""
        self._numbers.setdefault(name, len(self._numbers))

    def names(self) -> list[Hashable]:
        """All arms there ever were, by number."""
        return list(self._numbers)

    def decided(self, agent: "Agent", decision: Decision, now: float) -> None:
        """A decision."""
        if self.silent:
            return
        rows = decision.context
        event: dict[str, Any] = {"kind": "decide", "id": decision.id, "time": now}
        if agent.features and rows is not None:
            event["context"] = self._table(agent, decision) if agent._contexts.own else rows
            if agent._contexts.own and len(agent.arms) == 1:
                event["own"] = True  # the row of the only arm, and not one for all
        if decision.eligible != agent.arms:
            event["eligible"] = [self._numbers[name] for name in decision.eligible]
        event |= {"arm": self._numbers[decision.arm], "propensity": decision.propensity}
        self.journal.append(event)

    def learned(self, agent: "Agent", number: int, rewards: list[float], now: float) -> None:
        """A reward, or a part of it."""
        if not self.silent:
            told = {name: value for name, value in zip(agent._names, rewards, strict=True) if value == value}  # noqa: PLR0124 - not NaN
            self.journal.append({"kind": "learn", "id": int(number), "time": now, "rewards": told})

    def refuse_name(self, name: Hashable) -> None:
        """Refuse an arm whose name the journal cannot hold, before there is one."""
        checked_name(name, "arm")

    def added(self, name: Hashable, like: Hashable | None, now: float) -> None:
        """A new arm."""
        self.know(name)
        if not self.silent:
            self.journal.append({"kind": "add", "time": now, "arm": name, "like": like})

    def removed(self, name: Hashable, now: float) -> None:
        """An arm that went."""
        if not self.silent:
            self.journal.append({"kind": "remove", "time": now, "arm": name})

    def saying(self, order: Any) -> Any:
        """A preference in the journal's words; one for which it has none is refused before it is played."""
        return None if order is None else described(order, "preference")

    def preferred(self, said: Any, now: float) -> None:
        """Another preference."""
        if not self.silent:
            self.journal.append({"kind": "preference", "time": now, "order": said})

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
        raise ValueError(f"log must be a folder or a Journal, got {log!r}")  # noqa: TRY004 - one kind of error
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
    agent._journal, agent._timed = recorder, True
    if after > len(journal):
        raise LogError(f"{journal.folder} has {len(journal)} events, and the agent knew {after}: it is not its log")
    clock, recorder.silent = agent._clock, True
    try:
        for position, event in enumerate(journal.events()):
            if event["kind"] == "add":
                recorder.know(event["arm"])
            if position >= after:
                _play(agent, event, recorder.names(), f"{journal.folder}: event {position}")
    finally:
        agent._clock, recorder.silent = clock, False


def _description(agent: "Agent", arms: tuple[Hashable, ...]) -> dict[str, Any]:
    objectives = [{"name": one.name, "minimise": one.minimise, "unit": one.unit} for one in agent.objectives]
    options = {"propensity": agent.propensity, "samples": agent.samples, "rounds": agent.rounds}
    waiting = agent._waiting
    bounds = {"limit": waiting.limit, "max_age": waiting.max_age, "remembered": waiting.remembered}
    defaults = [[one.default, one.after] for one in agent.objectives]
    return {
        "arms": list(arms),
        "objectives": objectives,
        "features": agent.features,
        "recipe": concise(agent.recipe),
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
            agent.preference = None if event["order"] is None else made(event["order"], "preference")
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(f"{where} cannot be replayed: {error}") from error


def _decide(agent: "Agent", event: dict[str, Any], names: list[Hashable], where: str) -> None:
    rows = event.get("context")
    context = None if rows is None else np.array(rows[0] if len(rows) == 1 and not event.get("own") else rows)
    eligible = event.get("eligible")
    again = agent.decide(context, None if eligible is None else [names[number] for number in eligible])
    if again.id != event["id"] or again.arm != names[event["arm"]]:
        raise LogError(
            f"{where} was decision {event['id']} for arm {names[event['arm']]!r}, and replaying leads to decision "
            f"{again.id} for {again.arm!r}: the log was written with other versions or parameters"
        )
