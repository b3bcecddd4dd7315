"""The core of an agent.

Its arms, contexts, policy, pending decisions and clock, and what calls do to them.

It reads and writes nothing. Services (files, logs, merging, explanations) are functions of a core,
whose attributes are public for them; `Agent` is the face that applications see.
"""

import contextlib
import math
import os
import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Literal, Protocol

import numpy as np

from mobandits.agent.arms import Arms
from mobandits.agent.bound_policy import FAILURES, BoundPolicy
from mobandits.agent.budget import Budget
from mobandits.agent.contexts import Contexts
from mobandits.agent.decision import Adoption, Decision, Offer
from mobandits.agent.guard import Guard
from mobandits.agent.inputs import (
    MOST_SAMPLES,
    as_seconds,
    check_clock,
    check_counts,
    check_is_recipe,
    merged_rewards,
    name_count,
    reward_list,
)
from mobandits.agent.keys import (
    ORDINARY,
    Circumstances,
    KeyedDecisions,
    as_given,
    circumstances,
)
from mobandits.agent.ledger import Ledger
from mobandits.agent.objectives import Expectations, Scales, as_objectives
from mobandits.agent.pending import INACTIVE, Pending, PendingDecisions
from mobandits.agent.sizes import refuse_large
from mobandits.contracts.protocols import Array, IntArray, Recipe, Shape
from mobandits.contracts.terms import Terms, arms_named, in_terms
from mobandits.support.checks import choice, integer, number
from mobandits.support.forks import on_fork
from mobandits.support.naming import quoted, short_repr

Propensity = Literal["exact", "sampled", "none"]
# A decision, what is to be kept of it, and the norm of the features of its arm.
Made = tuple[Decision, Pending, float]


class EventWriter(Protocol):
    """A writer of an agent's calls, each before its effect is seen: see `recording`.

    Attributes:
        silent: whether nothing is written, while events are replayed.
    """

    silent: bool

    def position(self) -> int:
        """How much was written."""

    def flush(self) -> None:
        """Have all of it on disk."""

    def snapshot(self, core: "AgentCore") -> None:
        """Write the whole state, so that what came before need not be replayed."""

    def close(self, core: "AgentCore") -> None:
        """Write no more."""

    def check_usable(self) -> None:
        """Refuse to go on where nothing can be written."""

    def check_name(self, name: Hashable) -> None:
        """Refuse an arm whose name cannot be written, before there is one."""

    def describe_order(self, order: Any) -> Any:
        """An order as it is written; refused where that is not possible, before it is played."""

    def keyed(self, key: str) -> tuple[str, Decision] | None:
        """The request and the decision of a client's key; None where there is none."""

    def write_decision(self, decision: Decision, now: float, how: Circumstances) -> None:
        """A decision."""

    def write_decisions(self, decisions: Sequence[Decision], now: float) -> None:
        """Decisions of one call."""

    def write_adoptions(
        self, adoptions: Sequence[Adoption], now: float, *, begun: bool = False
    ) -> None:
        """Decisions of others, with their rewards; `begun`: the same call has written some."""

    def write_reward(self, number: int, rewards: list[float], now: float) -> None:
        """The new part of a decision's reward."""

    def write_activation(self, number: int, now: float) -> None:
        """A decision that takes effect only now."""

    def write_abandonment(self, number: int, now: float) -> None:
        """A decision that is waited for no more."""

    def write_new_arm(self, name: Hashable, like: Hashable | None, now: float) -> None:
        """An arm that joined."""

    def write_removed_arm(self, name: Hashable, now: float) -> None:
        """An arm that left."""

    def write_preference(self, description: Any, now: float) -> None:
        """Another preference, as `describe_order` gave it."""

    def write_retuning(self, event: dict[str, Any], changed: dict[str, Any], now: float) -> None:
        """Other parameters of the agent."""

    def done(self, core: "AgentCore") -> None:
        """The agent has done what was written."""


class AgentCore:
    """See `Agent`, whose calls these are; all but `close` and those of services.

    Attributes:
        recipe: what it plays.
        objectives: what it is paid in.
        objective_names: their names.
        seed: of all decisions.
        propensity: "exact", "sampled" or "none".
        samples: beliefs per sampled propensity.
        rounds: the horizon, or None.
        features: length of a context row.
        arms: those that there are, and where they sit.
        contexts: their shape.
        bound: the recipe's policy and its state.
        guard: what the recipe assumes.
        expectations: what the objectives say of rewards.
        reward_places: {objective: position}.
        scales: between rewards and what is learned.
        pending: the decisions that wait.
        ledger: the budgets.
        keys: the last decisions with a key of a client, where there is no log to ask.
        clock: seconds.
        now: when it was last asked.
        is_timed: whether time matters.
        lessons: how many rewards, or parts of one, were learned.
        lock: held by every call.
        process: to which it belongs: its calls are refused in the child of a fork.
        writer: writes the calls down; None where there is no log.
    """

    def __init__(
        self,
        recipe: Recipe,
        *,
        arms: int | Sequence[Hashable],
        features: int,
        objectives: int | Sequence[Any],
        seed: int,
        rounds: int | None,
        propensity: Propensity,
        samples: int,
        pending: int,
        max_age: float | None,
        remembered: int,
        clock: Callable[[], float],
        budgets: Iterable[Budget] = (),
    ) -> None:
        check_is_recipe(recipe)
        # Everything is checked before anything is made: a wrong argument leaves nothing behind.
        integer("seed", seed, at_least=0)
        check_counts(
            features=(features, 0),
            pending=(pending, 1),
            remembered=(remembered, 0),
        )
        if rounds is not None:
            check_counts(rounds=(rounds, 1))

        check_counts(MOST_SAMPLES, samples=(samples, 1))
        if max_age is not None:
            number("max_age", max_age, above=0.0)

        choice("propensity", propensity, ("exact", "sampled", "none"))
        check_clock(clock)
        # Before names are made of a number of arms, which may be 10^9 by mistake.
        size = Shape(
            name_count(arms),
            int(features),
            name_count(objectives),
        )
        refuse_large(size)
        self.recipe = recipe
        self.objectives = as_objectives(objectives)
        self.objective_names = tuple(each.name for each in self.objectives)
        self.reward_places = {name: i for i, name in enumerate(self.objective_names)}
        self.seed = int(seed)
        self.propensity = propensity
        self.samples = int(samples)
        self.rounds = rounds
        self.features = int(features)
        self.arms = Arms(arms)
        self.contexts = Contexts(self.arms, self.features)
        shape = Shape(
            len(self.arms.names),
            self.features,
            len(self.objectives),
            rounds,
        )
        own_recipe = self.in_own_terms(recipe)
        self.bound = BoundPolicy(own_recipe, shape, self.seed, propensity)
        self.guard = Guard(recipe)
        self.scales = Scales(self.objectives)
        self.expectations = Expectations(self.objectives)
        self.pending = PendingDecisions(
            self.objectives,
            int(pending),
            max_age,
            int(remembered),
        )
        self.keys = KeyedDecisions(int(remembered))
        self.clock = clock
        self.now = 0.0
        self.writer: EventWriter | None = None
        self.set_budgets(budgets)
        self.lessons = 0
        self.lock: Any = threading.RLock()
        self.process = os.getpid()
        on_fork(self, AgentCore.leave_to_parent)

    def set_budgets(self, budgets: Iterable[Budget]) -> None:
        """Keep these budgets from now on; what was spent of equal ones counts on.

        Raises:
            ValueError: where one does not fit the agent.
        """
        before = getattr(self, "ledger", None)
        self.ledger = Ledger(budgets, self.objectives, self.arms)
        if before is not None:
            self.ledger.restore(before.spent(), self.pending.open, self.now)

        # Agents without budgets pay nothing for them.
        self.pending.ledger = self.ledger if self.ledger.accounts else None
        self.is_timed = self.pending.is_timed or self.ledger.is_timed or self.writer is not None

    def within_budgets(self, offer: Offer, count: int = 1) -> Offer:
        """The arms of an offer for which the budgets have room.

        Args:
            offer: as of `Contexts.offer`, or `Contexts.offers`.
            count: how many decisions are to be made.

        Raises:
            BudgetError: where there is room for none.
        """
        # What is replayed had room when it was decided, and budgets may be others by now.
        is_replayed = self.writer is not None and self.writer.silent
        if is_replayed:
            return offer

        now = self.advance_clock()

        return self.ledger.fitting(offer, now, count)

    def in_own_terms(self, recipe: Recipe) -> Recipe:
        """A recipe that knows the names, directions and units of this agent, where it needs them."""
        slot_of = {name: self.arms.slot(name) for name in self.arms.names}
        terms = Terms(
            self.objective_names,
            tuple(each.line for each in self.objectives),
            tuple(each.minimise for each in self.objectives),
            slot_of,
        )
        own_recipe: Recipe = in_terms(recipe, terms)

        return own_recipe

    def leave_to_parent(self) -> None:
        """Refuse all further calls, in the child of a fork.

        Its parent goes on from the same state and stream: both would make the same decisions, and
        what they learn would part.
        """
        self.lock = _LockElsewhere(self.process)

    def decide(
        self,
        context: Any,
        eligible: Iterable[Hashable] | None,
        how: Circumstances = ORDINARY,
    ) -> Decision:
        """The arm to play now; see `Agent.decide`."""
        with self.lock:
            writer = self.writer
            bound = self.bound
            # Only a log tells that something was drawn for nothing: without one, nobody compares.
            streams = None if writer is None else bound.streams()
            position = None
            try:
                offer = self.contexts.offer(context, eligible)
                if self.pending.ledger is not None:
                    offer = self.within_budgets(offer)
                if bound.left == 0 or bound.stage == 0:
                    position = bound.position()
                    self.begin_stage([offer[2]])

                now = self.advance_clock()
                decision, pending, norm = self._make(offer, now, self.pending.next_id)
                # A warning may be an error, so that nothing may have been kept before.
                self.guard.check_features(pending.x, norm)
                if writer is not None:
                    writer.write_decision(decision, now, how)
            except BaseException:
                self.go_back(position, streams)
                raise

            if not how.active:
                pending = pending.active_since(INACTIVE)
            self.pending.add(pending)
            if bound.left is not None:
                bound.left -= 1
            if writer is not None:
                writer.done(self)

            return decision

    def decide_once(
        self, context: Any, eligible: Iterable[Hashable] | None, key: str | None, active: bool
    ) -> Decision:
        """The decision of a client's key, made now or before; see `Agent.decide`."""
        with self.lock:
            arms = as_given(eligible)
            how = circumstances(key, active, context, arms)
            if key is None:
                return self.decide(context, arms, how)

            earlier = self.made_before(how, context, arms)
            if earlier is not None:
                return earlier

            decision = self.decide(context, arms, how)
            if self.writer is None:
                self.keys.remember(how, decision)

            return decision

    def decide_batch(self, contexts: Any, eligible: Iterable[Hashable] | None) -> list[Decision]:
        """A decision per context, all in one moment; see `Agent.decide_batch`."""
        with self.lock:
            writer = self.writer
            bound = self.bound
            streams = None if writer is None else bound.streams()
            position = bound.position()
            try:
                offers = self.contexts.offers(contexts, eligible)
                if not len(offers[2]):
                    self._unsettle_contexts()
                    return []

                if self.pending.ledger is not None:
                    offers = self.within_budgets(offers, len(offers[2]))

                names, slots, tables = offers
                if bound.left == 0 or bound.stage == 0:
                    self.begin_stage(tables)

                now = self.advance_clock()
                made = self._make_many(names, slots, tables, now)
                for _, pending, norm in made:
                    self.guard.check_features(pending.x, norm)

                decisions = [decision for decision, _, _ in made]
                if writer is not None:
                    writer.write_decisions(decisions, now)
            except BaseException:
                self.go_back(position, streams)
                raise

            for _, pending, _ in made:
                self.pending.add(pending)

            if writer is not None:
                writer.done(self)

            return decisions

    def learn(self, decision_id: int, rewards: Any) -> None:
        """Learn the rewards of a decision, or some of them; see `Agent.learn`."""
        with self.lock:
            new = reward_list(rewards, self.reward_places)
            now = self.advance_clock()
            decisions = self.pending
            number = decision_id
            if type(number) is not int:
                number = decisions.number(decision_id)

            pending = decisions.open.get(number)
            if pending is None:
                settled = decisions.settled.get(number)
                if settled is None:
                    raise ValueError(decisions.why_unknown(number))

                merged_rewards(settled, new, self.objective_names)  # refuses other numbers
                return

            self.guard.check_rewards(self.scales.inward(new))
            if self.expectations.any:
                self.expectations.check(new)

            known = new
            if pending.rewards is not None:
                new, known = merged_rewards(pending.rewards, new, self.objective_names)

            # The sum is NaN where a number is: the closer look is for partial rewards only.
            may_be_nothing = math.isnan(sum(new))
            if may_be_nothing and all(map(math.isnan, new)):
                return
            if self.writer is not None:
                self.writer.write_reward(number, new, now)

            if pending.since is not None and pending.since == INACTIVE:
                # Who rewards a decision has seen that it took effect.
                decisions.activate(number, now)
                pending = decisions.open[number]
            self.teach(number, pending, new, known)
            if self.writer is not None:
                self.writer.done(self)

    def activate(self, decision_id: int) -> None:
        """An inactive decision takes effect; see `Agent.activate`."""
        with self.lock:
            now = self.advance_clock()
            number = self._whole_number(decision_id)
            decisions = self.pending
            pending = decisions.open.get(number)
            if pending is None:
                if number not in decisions.settled:
                    raise ValueError(decisions.why_unknown(number))
                return
            if pending.since != INACTIVE:
                return

            if self.writer is not None:
                self.writer.write_activation(number, now)
            decisions.activate(number, now)
            if self.writer is not None:
                self.writer.done(self)

    def abandon(self, decision_id: int) -> None:
        """Wait for a decision no more; see `Agent.abandon`."""
        with self.lock:
            now = self.advance_clock()
            number = self._whole_number(decision_id)
            if number not in self.pending.open:
                raise ValueError(self.pending.why_unknown(number))

            if self.writer is not None:
                self.writer.write_abandonment(number, now)
            self.pending.abandon(number)
            if self.writer is not None:
                self.writer.done(self)

    def tick(self) -> None:
        """Learn what time brings; see `Agent.tick`."""
        with self.lock:
            self.advance_clock()

    def _whole_number(self, decision_id: Any) -> int:
        if type(decision_id) is int:
            return decision_id
        return self.pending.number(decision_id)

    def made_before(
        self, how: Circumstances, context: Any, eligible: Iterable[Hashable] | None
    ) -> Decision | None:
        """The decision of an earlier call with this key; None where there was none.

        Raises:
            ValueError: where that call had another context.
        """
        assert how.key is not None  # noqa: S101 - the caller has looked
        lookup = self.keys.find if self.writer is None else self.writer.keyed
        found = lookup(how.key)
        if found is None:
            return None

        request, decision = found
        if request != how.request:
            raise ValueError(
                f"key must be another one for another context, got {quoted(how.key)} again: it "
                f"stands for decision {decision.id}"
            )

        rows = None
        # Where arms came or went, the context may have no meaning among those of today.
        with contextlib.suppress(ValueError):
            names, _, offered = self.contexts.offer(context, eligible)
            if names == decision.eligible:
                rows = offered

        return decision.replaced(context=rows, scores=None, replayed=True)

    def add_arm(self, name: Hashable, like: Hashable | None) -> None:
        """One arm more, from now on; see `Agent.add_arm`."""
        with self.lock:
            if self.writer is not None:
                self.writer.check_name(name)

            now = self.advance_clock()
            # Looked up first: the new arm may not be like itself.
            source = None if like is None else self.arms.slot(like)
            self.ledger.check_arm(name)
            before = self.arms.saved()
            slot = self.arms.add(name)
            try:
                enlargement = self.bound.with_room(slot, source)
                if self.writer is not None:
                    self.writer.write_new_arm(name, like, now)
            except BaseException:
                self.arms.restore(*before)
                raise

            self.bound.add_arm(enlargement)
            self.contexts.resize()
            if self.writer is not None:
                self.writer.done(self)

    def remove_arm(self, name: Hashable) -> None:
        """One arm less; see `Agent.remove_arm`."""
        with self.lock:
            # Its slot may be another arm's by and by, which the recipe would take for it.
            if name in arms_named(self.recipe):
                shown = short_repr(self.recipe)
                raise ValueError(
                    f"arm must not be one that the recipe names, {shown}, got {quoted(name)}"
                )

            now = self.advance_clock()
            before = self.arms.saved()
            self.arms.remove(name)
            try:
                if self.writer is not None:
                    self.writer.write_removed_arm(name, now)
            except BaseException:
                self.arms.restore(*before)
                raise

            self.contexts.resize()
            if self.writer is not None:
                self.writer.done(self)

    def set_preference(self, order: Any) -> None:
        """Compare arms by another order from now on; see `Agent.preference`."""
        self.bound.check_order(order)
        # Outside of the lock: other threads decide meanwhile, by the order before.
        self.bound.compile_for(order)
        with self.lock:
            if self.writer is None:
                self.advance_clock()
                self.bound.set_order(order)
                return

            # Refused before it is played where the log has no words for it.
            description = self.writer.describe_order(order)
            now = self.advance_clock()
            before = self.bound.order
            self.bound.set_order(order)
            try:
                self.writer.write_preference(description, now)
            except BaseException:
                self.bound.set_order(before)
                raise

            self.writer.done(self)

    def advance_clock(self) -> float:
        """The time, where it matters, after what it brings.

        These are rewards by default, and decisions that are too old.
        """
        if not self.is_timed:
            return self.now

        reading = as_seconds(self.clock())
        # A clock that was set back stands still: times of decisions never fall.
        self.now = max(self.now, reading)
        if not self.pending.is_timed:
            return self.now
        if self.writer is not None:
            # What time brings is learned, and must follow from the log.
            self.writer.check_usable()

        for decision_id, place in self.pending.due(self.now):
            pending = self.pending.open[decision_id]
            default = self.objectives[place].default
            assert default is not None  # noqa: S101 - only objectives with a default have timers
            count = len(self.objectives)
            new = [math.nan] * count
            new[place] = default
            known = new
            if pending.rewards is not None:
                _, known = merged_rewards(pending.rewards, new, self.objective_names)

            self.teach(decision_id, pending, new, known)

        return self.now

    def begin_stage(self, tables: Sequence[Array] | Array) -> None:
        """A stage begins, with contexts on which something can be decided.

        The first says whether the arms share it.
        """
        for table in tables:
            self.guard.check_context(table)

        if self.bound.stage > 0:
            self.bound.begin_stage()
            return

        shared = bool(self.contexts.shared)
        self.bound.rehearse(tables[0], shared=shared)
        self.bound.set_layout(shared=shared)

    def go_back(self, position: dict[str, Any] | None, streams: list[Any] | None) -> None:
        """Undo what a call that failed changed.

        It may have begun a stage, drawn, and settled the shape of contexts.
        """
        if position is not None:
            self.bound.go_back(position)
        if streams is not None:
            self.bound.rewind(streams)

        self._unsettle_contexts()

    def _unsettle_contexts(self) -> None:
        """Forget the shape of contexts, unless there was a decision: only one settles it."""
        has_decided = self.bound.stage > 0
        if not has_decided:
            self.contexts.set_layout(shared=None)

    def _make(self, offer: Offer, now: float, number: int) -> Made:
        """A decision, what is to be kept of it, and the norm of the arm's features.

        Nothing is kept yet.
        """
        names, slots, rows = offer
        guard = self.guard
        bound = self.bound
        probabilities = None
        scores = None
        propensity = None
        error = 0.0
        try:
            if self.propensity == "none":
                place, note, norm = bound.decide(bound.session, rows, slots, guard.low, guard.high)
            else:
                probabilities = np.empty(len(slots))
                if bound.has_means:
                    scores = np.empty((len(slots), len(self.objectives)))

                place, note, norm = bound.decide(
                    bound.session, rows, slots, guard.low, guard.high, probabilities, scores
                )
                if place >= 0:
                    propensity, error = bound.propensity(
                        rows, slots, probabilities, place, self.samples
                    )
        except FAILURES as failure:
            bound.refuse_arithmetic(failure)

        if place < 0:
            guard.refuse(rows)

        front = None
        if probabilities is not None:
            on_front = np.flatnonzero(probabilities > 0.0)
            front = tuple(names[i] for i in on_front.tolist())
        if scores is not None:
            scores = self.scales.outward(scores)

        pending = self.pending_of(rows, int(slots[place]), place, note, now)
        decision = Decision(
            number,
            names[place],
            propensity,
            front,
            scores,
            error,
            rows,
            names,
            all_break=bound.all_break(rows, slots),
        )

        return decision, pending, norm

    def pending_of(
        self, rows: Array, slot: int, place: int, note: tuple[float, ...], now: float
    ) -> Pending:
        """What is kept of a decision for the arm in `slot`, at `place` among the eligible ones."""
        row = rows[place if len(rows) > 1 else 0]
        birth = self.arms.slots[slot]
        # A copy: the decision holds the rows, and applications may write into them.
        x = row.copy()

        return Pending(
            x,
            slot,
            note,
            self.bound.stage,
            birth,
            now,
        )

    def _make_many(
        self, names: tuple[Hashable, ...], slots: IntArray, tables: Array, now: float
    ) -> list[Made]:
        """Decisions between the same arms, in the same state unless a stage ends on the way.

        See `_make`.

        Args:
            names: of the eligible arms.
            slots: theirs.
            tables: (decisions, eligible arms or 1, features); left alone.
            now: the time.
        """
        bound = self.bound
        # In one call only where no stage can end on the way, and only arms are asked for.
        if self.propensity == "none" and bound.left is None:
            return self._make_at_once(names, slots, tables, now)

        first = self.pending.next_id
        made = []
        for position, rows in enumerate(tables.copy()):
            if bound.left == 0:
                bound.begin_stage()

            offer = (names, slots, rows)
            number = first + position
            made.append(self._make(offer, now, number))
            if bound.left is not None:
                bound.left -= 1

        return made

    def _make_at_once(
        self, names: tuple[Hashable, ...], slots: IntArray, tables: Array, now: float
    ) -> list[Made]:
        """As `_make_many`, in one compiled call, for agents of which only arms are asked."""
        bound = self.bound
        guard = self.guard
        chosen = np.zeros(len(tables), np.int64)
        norms_and_notes = np.empty((len(tables), 1 + bound.note_size))
        try:
            bound.decide_many(
                bound.session, tables, slots, guard.low, guard.high, chosen, norms_and_notes
            )
        except FAILURES as failure:
            bound.refuse_arithmetic(failure)

        if (chosen < 0).any():
            guard.refuse(tables)

        made = []
        number = self.pending.next_id
        for rows, place, (norm, *note) in zip(
            tables.copy(),
            chosen.tolist(),
            norms_and_notes.tolist(),
            strict=True,
        ):
            slot = int(slots[place])
            pending = self.pending_of(rows, slot, place, tuple(note), now)
            decision = Decision(
                number,
                names[place],
                context=rows,
                eligible=names,
                all_break=bound.all_break(rows, slots),
            )
            made.append((decision, pending, norm))
            number += 1

        return made

    def teach(self, number: int, pending: Pending, new: list[float], known: list[float]) -> None:
        """Learn what is new of a reward, and settle the decision where all is known."""
        if self.pending.ledger is not None:
            self.ledger.settle(number, new)

        complete = not math.isnan(sum(known))
        partial = self.recipe.accepts_partial
        bound = self.bound
        # The slot of an arm that left may be another arm's by now.
        is_same_arm = self.arms.slots[pending.arm] == pending.birth
        is_there = is_same_arm or not bound.own_models
        # A stage plays from scratch: what belongs to an earlier one would teach it wrong notes.
        is_of_stage = pending.stage == bound.stage
        if is_of_stage and is_there and (complete or partial):
            rewards = new if partial else known
            lesson = np.array(self.scales.inward(rewards))
            try:
                bound.update_state(bound.session, pending.x, pending.arm, pending.note, lesson)
            except FAILURES as failure:
                bound.refuse_arithmetic(failure)

            self.lessons += 1

        if complete:
            self.pending.settle(number, known)
        else:
            self.pending.open[number] = pending.with_rewards(known)


class _LockElsewhere:
    """The lock of an agent in the child of a fork, which refuses every call."""

    def __init__(self, process: int) -> None:
        self._process = process

    def __enter__(self) -> None:
        raise RuntimeError(
            f"this agent belongs to process {self._process}, from which process {os.getpid()} was "
            "forked: make another agent in the child, or `Agent.load` what was saved before the "
            "fork"
        )

    def __exit__(self, *args: object) -> None:
        pass
