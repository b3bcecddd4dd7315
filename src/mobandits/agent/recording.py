"""An agent's events in a store: every call that changes something is written before it returns."""

import logging
import math
import os
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from mobandits.agent.core import AgentCore
from mobandits.agent.decision import Adoption, Counterfactual, Decision
from mobandits.agent.error_hints import LogHints
from mobandits.agent.keys import CallOptions
from mobandits.agent.saving import StateCopy, copied_state, encoded_state
from mobandits.contracts.protocols import Array
from mobandits.errors import LogError
from mobandits.logs.events import (
    Abandon,
    Add,
    Answer,
    Correct,
    Decide,
    Description,
    Event,
    Instead,
    Learn,
    Retune,
    State,
)
from mobandits.logs.names import checked_name
from mobandits.logs.parts_as_data import described
from mobandits.logs.store import Store
from mobandits.support.numbering import incarnation_of

LOG = logging.getLogger("mobandits")
# Of the decisions that a snapshot holds so many are written in the time of one event: a snapshot
# that comes after as many events as that costs a small part of what they cost.
KEPT_PER_EVENT = 10
# At once, since to replay these may be to learn everything again.
SNAPSHOT_AFTER = (Retune, Correct, State)


class StoreWriter:
    """Writes what an agent does into a store.

    Arms are numbered in the order in which their names first came; one that is added again has its
    old number.

    Args:
        store: which.
        core: of the agent. Its parts are kept and not the core itself: in a circle with it, a store
            that nobody closed would stay open until garbage is collected.
        every: events after which a snapshot is taken.
        snapshot_at: the seq of the last snapshot; 0 where there is none.

    Attributes:
        store: which.
        silent: whether nothing is written, while events are replayed.
        replayed: how many events were replayed, or known, before the one that is.
        objective_names: of the agent's rewards.
    """

    def __init__(self, store: Store, core: AgentCore, every: int, snapshot_at: int) -> None:
        self.store = store
        self._arms = core.arms
        self._contexts = core.contexts
        self._features = core.features
        self.objective_names = core.objective_names
        self._numbers = {name: number for number, name in enumerate(store.arm_names)}
        self._every = every
        self._snapshot_at = snapshot_at
        self._next_snapshot = snapshot_at + every
        # Events before the call that is being written, until the agent has done it.
        self._before: int | None = None
        self._hints = LogHints()
        self.silent = False
        self.replayed = snapshot_at

    def position(self) -> int:
        """Number of events."""
        return self.store.last_seq

    def check_usable(self) -> None:
        """Refuse a store that takes no events, or has one that the agent does not know.

        Raises:
            LogError: saying why.
        """
        if self.silent:
            return

        self.store.check_usable()
        if self._before is not None and self.store.last_seq != self._before:
            raise LogError(
                f"{self.store.path} has an event that its agent does not know, since a call "
                "was interrupted: close the agent, and make it again with its log"
            )

        self._before = None

    def done(self, core: AgentCore) -> None:
        """The agent has done what was written; once in a while, a snapshot is taken.

        Args:
            core: of the agent.
        """
        self._before = None
        if self.store.last_seq < self._next_snapshot:
            return

        # The call is written and done: that its snapshot failed must not look as if it were not,
        # whatever states of others' policies raise.
        try:
            self.snapshot(core)
        except Exception as error:  # noqa: BLE001
            self._next_snapshot = self.store.last_seq + self._every
            LOG.warning("a snapshot of the agent could not be written: %s", error)

    def snapshot(self, core: AgentCore) -> None:
        """Write the agent's state into the store: the next opening begins there.

        Raises:
            LogError: where it cannot be written.
        """
        copied = self.copy_for_snapshot(core)
        self.keep_snapshot(copied)

    def copy_for_snapshot(self, core: AgentCore) -> StateCopy:
        """The agent's state now, for `keep_snapshot`; the caller holds the agent's lock.

        Raises:
            LogError: where the store takes no events.
        """
        self.check_usable()
        return copied_state(core)

    def keep_snapshot(self, copied: StateCopy) -> None:
        """Write a state of the agent, which may have gone on since; any thread may call it.

        Raises:
            LogError: where it cannot be written.
        """
        state = encoded_state(copied)
        known = copied.header.logged
        self.store.snapshot(state, known)
        waiting = len(copied.waiting)
        settled = len(copied.settled)
        # A large state is written less often: it takes as long as so many events.
        events_per_state = (waiting + settled) // KEPT_PER_EVENT
        pause = max(self._every, events_per_state)
        self._snapshot_at = known
        self._next_snapshot = known + pause

    def events_since_snapshot(self) -> int:
        """Number of events that opening the store now would replay."""
        return self.store.last_seq - self._snapshot_at

    def flush(self) -> None:
        """Have all events where the durability of the store promises them."""
        self.check_usable()
        self.store.flush()

    def close(self, core: AgentCore) -> None:
        """Take a last snapshot where something has happened since, and let go of the store."""
        # The child of a fork has neither the lock nor the connection.
        if core.process == os.getpid():
            with core.lock:
                self._close_with_snapshot(core)
        else:
            self.store.close()

    def _close_with_snapshot(self, core: AgentCore) -> None:
        try:
            self.check_usable()
            is_known = True
        except LogError:
            is_known = False  # closed already, or broken: what is on disk is all there is
        try:
            if is_known and self.store.last_seq > self._snapshot_at:
                self.snapshot(core)
        except Exception as error:  # noqa: BLE001 - as `done`
            # Nothing is lost without it, and the store must be let go of.
            LOG.warning("the last snapshot of the agent could not be written: %s", error)
        finally:
            self.store.close()

    def check_name(self, name: Hashable) -> None:
        """Refuse an arm whose name the store cannot hold, before there is one."""
        checked_name(name, "arm")

    def describe_order(self, order: Any) -> Any:
        """An order as plain data; refused, before it is played, where files cannot hold it."""
        if order is None:
            return None
        return described(order, "preference")

    def keyed(self, key: str) -> tuple[str, Decision] | None:
        """The request and the decision of a client's key; None where there is none.

        The store is asked, which knows keys from before the agent was opened.
        """
        # Of a call that was interrupted, the agent may not know the decision that the store has.
        if self._before is not None:
            self.check_usable()
        event = self.store.decision_with_key(key)
        if event is None:
            return None

        left = event.eligible or []
        decision = self._answered(event, left).replaced(kept=event.kept)
        if event.instead is not None:
            arm = list(self._numbers)[event.instead.arm]
            counterfactual = Counterfactual(arm, event.instead.propensity)
            decision = decision.replaced(counterfactual=counterfactual)

        further = []
        before = event.arm
        for answer in event.further:
            left = [number for number in left if number != before]
            further.append(self._answered(answer, left))
            before = answer.arm

        return event.request or "", decision.replaced(further=tuple(further))

    def _answered(self, answer: Decide | Answer, eligible: Sequence[int]) -> Decision:
        """A decision from its answer and the numbers of the arms that were eligible."""
        names = list(self._numbers)
        front = None
        if answer.front is not None:
            front = tuple(names[number] for number in answer.front)

        return Decision(
            answer.id,
            names[answer.arm],
            answer.propensity,
            front,
            error=answer.error,
            eligible=tuple(names[number] for number in eligible),
        )

    def write_decisions(
        self,
        decisions: Sequence[Decision],
        now: float,
        options_of_calls: Sequence[CallOptions],
        *,
        are_ranks: bool = False,
    ) -> None:
        """Decisions of one call: all but the first say that the batch goes on.

        Args:
            decisions: what is written.
            now: the time of all of them.
            options_of_calls: for each decision.
            are_ranks: whether they are for one context, the first rank first, and say their rank.
        """
        # Before anything is written: where warnings are errors, the call is undone. Of the further
        # ranks, the last ones are certain whatever the policy is.
        self._hints.check(decisions[:1] if are_ranks else decisions)
        events: list[Decide] = []
        for decision, options in zip(decisions, options_of_calls, strict=True):
            event = self._decision_event(decision, now, options)
            rank = len(events)
            event.batch = rank > 0
            if are_ranks:
                event.rank = rank
            events.append(event)

        if are_ranks and options_of_calls[0].key is not None:
            # Here too: an answer must not depend on whether rows of further ranks were archived.
            events[0].further = tuple(self._further_answer(each) for each in decisions[1:])

        # In one transaction: there are all of them, or none.
        self._append(events)

    def write_decisions_of_workers(
        self, made: Sequence[tuple[Decision, CallOptions, tuple[int, int]]], now: float
    ) -> None:
        """Decisions that workers made, each in a call of its own.

        Args:
            made: decisions, options of their calls, and the epoch and the position of what their
                workers knew.
            now: the time of all of them.
        """
        events: list[Event] = []
        for decision, options, source in made:
            event = self._decision_event(decision, now, options)
            event.error = decision.error
            event.worker = incarnation_of(decision.id)
            event.snapshot = source
            events.append(event)

        self._append(events)

    def write_adoptions(
        self, adoptions: Sequence[Adoption], now: float, *, begun: bool = False
    ) -> None:
        """Decisions of others, with their rewards, in one transaction.

        Args:
            adoptions: what is written.
            now: the time of all of them.
            begun: whether the same call of the agent has written some before.
        """
        events: list[Event] = []
        for adoption in adoptions:
            events += self._adoption_events(adoption, now)
        for event in events if begun else events[1:]:
            event.batch = True

        self._append(events)

    def write_reward(self, number: int, rewards: list[float], now: float) -> None:
        """A reward, or a part of it."""
        event = self._reward_event(number, rewards, now)
        self._append([event])

    def write(self, event: Event, changed: Description | None = None) -> None:
        """Any other event.

        Args:
            event: see `mobandits.logs.events`.
            changed: what the description of the agent has from then on; None: what it had.
        """
        description = None
        if changed is not None:
            description = {**(self.store.description or {}), **changed}

        self._append([event], description)
        if isinstance(event, Add):
            names = self.store.arm_names
            self._numbers = {name: number for number, name in enumerate(names)}
        elif isinstance(event, SNAPSHOT_AFTER):
            self._next_snapshot = 0

    def _append(self, events: Sequence[Event], description: Description | None = None) -> None:
        """Write the events of a call, after which the agent may have another description."""
        # An earlier call was refused by the store, or interrupted between its event and its effect.
        if self._before is not None:
            self.check_usable()
        self._before = self.store.last_seq
        if description is None:
            self.store.extend(events)
        else:
            self.store.redescribe(description, events)

    def _adoption_events(self, adoption: Adoption, now: float) -> list[Event]:
        decision = adoption.decision
        options = CallOptions(adoption.key, adoption.request)
        event = self._decision_event(decision, now, options)
        event.made_by = "observed"
        event.rank = adoption.rank
        counterfactual = decision.counterfactual
        if counterfactual is not None:
            arm = self._numbers[counterfactual.arm]
            event.instead = Instead(arm=arm, propensity=counterfactual.propensity)

        events: list[Event] = [event]
        if adoption.rewards is not None:
            events.append(self._reward_event(decision.id, adoption.rewards, now))
        if adoption.is_over:
            events.append(Abandon(decision.id, time=now))

        return events

    def _reward_event(self, number: int, rewards: list[float], now: float) -> Learn:
        pairs = zip(self.objective_names, rewards, strict=True)
        observed = {name: value for name, value in pairs if not math.isnan(value)}
        return Learn(int(number), observed, time=now)

    def _decision_event(self, decision: Decision, now: float, options: CallOptions) -> Decide:
        arms = self._arms.names
        event = Decide(
            decision.id,
            self._numbers[decision.arm],
            decision.propensity,
            time=now,
            active=options.active,
            session=options.session,
            kept=decision.kept,
        )
        if self._features and decision.context is not None:
            has_row_per_arm = self._contexts.has_row_per_arm
            event.context = self._table(decision) if has_row_per_arm else decision.context
            # The row of the only arm, and not one for all.
            event.own = has_row_per_arm and len(arms) == 1

        if decision.eligible != arms:
            event.eligible = self._numbers_of(decision.eligible)

        if options.key is not None:
            # What answers the same call once more, also when arms have come and gone.
            event.key = options.key
            event.request = options.request
            event.eligible = self._numbers_of(decision.eligible)
            event.front = self._front_of(decision)
            event.error = decision.error

        return event

    def _further_answer(self, decision: Decision) -> Answer:
        """The answer for a further rank; its eligible arms are those that were left."""
        return Answer(
            id=decision.id,
            arm=self._numbers[decision.arm],
            propensity=decision.propensity,
            front=self._front_of(decision),
            error=decision.error,
        )

    def _front_of(self, decision: Decision) -> list[int] | None:
        return None if decision.front is None else self._numbers_of(decision.front)

    def _numbers_of(self, names: Sequence[Hashable]) -> list[int]:
        return list(map(self._numbers.__getitem__, names))

    def _table(self, decision: Decision) -> Array:
        """A row for every arm that there is; zeros for those that were not eligible."""
        arms = self._arms
        size = (len(arms.names), self._features)
        rows = np.zeros(size)
        eligible = arms.rows(decision.eligible)
        rows[eligible] = decision.context

        return rows
