"""The core of an agent: what calls do to its state.

It reads and writes nothing. Services (files, logs, merging, explanations) are functions of a core,
whose attributes are public for them; `Agent` is the face that applications see.
"""

import logging
import math
from collections.abc import Hashable
from typing import Any

import numpy as np

from mobandits.agent import compiled_calls
from mobandits.agent.agent_state import AgentState
from mobandits.agent.bound_policy import FAILURES
from mobandits.agent.change import Change, Draw
from mobandits.agent.decision import Decision, Offer
from mobandits.agent.inputs import Eligible, as_seconds, merged_rewards, reward_list
from mobandits.agent.keys import ORDINARY, CallOptions
from mobandits.agent.pending import INACTIVE, Pending
from mobandits.contracts.protocols import Array
from mobandits.contracts.terms import arms_named
from mobandits.logs.events import Abandon, Activate, Add, Preference, Remove
from mobandits.orders.by_number import by_number
from mobandits.support.naming import short_repr, wrong_value

LOG = logging.getLogger("mobandits")
AHEAD = 60.0  # seconds that clocks are set back by without anybody's mistake
# A decision, what is to be kept of it, and the norm of the features of its arm.
Made = tuple[Decision, Pending, float]


class AgentCore(AgentState):
    """See `Agent`, whose calls these are; all but `close` and those of services."""

    def decide(  # noqa: C901 - a call per step is too dear
        self,
        context: Any,
        eligible: Eligible,
        options: CallOptions = ORDINARY,
    ) -> Decision[Any]:
        """The arm to play now; see `Agent.decide`."""
        with self.lock:
            # As `with Draw(self) as change` has it, which would take a twentieth longer.
            change = Draw(self)
            bound = self.bound
            pending = self.pending
            try:
                offer = self.contexts.offer(context, eligible)
                if pending.ledger is not None:
                    offer = self.within_budgets(offer, change.now)
                first = None
                if options.session is not None:
                    offer, first = self.sessions.narrowed(options.session, offer, change.now)
                if bound.left == 0 or bound.stage == 0:
                    change.begin_stage([offer[2]])

                decision, kept, norm = self.make(offer, change.now, pending.next_id, first)
                # A warning may be an error, so that nothing may have been kept before.
                self.guard.check_features(kept.x, norm)
                if change.writer is not None:
                    change.writer.write_decisions([decision], change.now, [options])
            except BaseException:
                change.undo()
                raise

            if not options.active:
                kept = kept._replace(since=INACTIVE)
            pending.add(kept)
            if options.session is not None:
                self.sessions.keep(options.session, decision, first, change.now)
            if self.encoder is not None:
                self.contexts.count_unseen()
            if bound.left is not None:
                bound.left -= 1
            if change.writer is not None:
                change.writer.done(self)

            return decision

    def learn(self, decision_id: int, rewards: Any) -> None:
        """Learn the rewards of a decision, or some of them; see `Agent.learn`."""
        with self.lock:
            # Likewise; and nothing has to be undone.
            change = Change(self)
            new = reward_list(rewards, self.reward_places)
            decisions = self.pending
            number = decision_id
            if type(number) is not int:
                number = decisions.number(decision_id)

            pending = decisions.open.get(number)
            if pending is None:
                self._check_repeat(number, new)
                return

            inward = self.scales.inward(new)
            self.guard.check_rewards(inward)
            if decisions.ledger is not None:
                self.ledger.check_bills(new)
            if self.expectations.any:
                self.expectations.check(new)

            known = new
            if pending.rewards is not None:
                new, known = merged_rewards(pending.rewards, new, self.objective_names)
                inward = self.scales.inward(new)

            # The sum is NaN where a number is: the closer look is for partial rewards only.
            may_be_nothing = math.isnan(sum(new))
            if may_be_nothing and all(map(math.isnan, new)):
                return
            if change.writer is not None:
                change.writer.write_reward(number, new, change.now)

            if pending.since is not None and pending.since == INACTIVE:
                # Who rewards a decision has seen that it took effect.
                decisions.activate(number, change.now)
                pending = decisions.open[number]
            self.teach(number, pending, new, known, inward)
            if change.writer is not None:
                change.writer.done(self)

    def _check_repeat(self, number: int, rewards: list[float]) -> None:
        """Refuse other rewards of a settled decision than those that it had."""
        settled = self.pending.settled.get(number)
        if settled is None:
            raise ValueError(self.pending.why_unknown(number))

        merged_rewards(settled, rewards, self.objective_names)

    def activate(self, decision_id: int) -> None:
        """An inactive decision takes effect; see `Agent.activate`."""
        with self.lock, Change(self) as change:
            number = self.pending.number(decision_id)
            decisions = self.pending
            pending = decisions.open.get(number)
            if pending is None:
                if number not in decisions.settled:
                    raise ValueError(decisions.why_unknown(number))
                return
            if pending.since != INACTIVE:
                return

            change.write(Activate(number))
            decisions.activate(number, change.now)

    def abandon(self, decision_id: int) -> None:
        """Wait for a decision no more; see `Agent.abandon`."""
        with self.lock, Change(self) as change:
            number = self.pending.number(decision_id)
            if number not in self.pending.open:
                raise ValueError(self.pending.why_unknown(number))

            change.write(Abandon(number))
            self.pending.abandon(number)

    def tick(self) -> None:
        """Learn what time brings; see `Agent.tick`."""
        with self.lock:
            self.advance_clock()

    def add_arm(self, name: Hashable, like: Hashable | None) -> None:
        """One arm more, from now on; see `Agent.add_arm`."""
        with self.lock, Change(self) as change:
            if change.writer is not None:
                change.writer.check_name(name)

            # Looked up first: the new arm may not be like itself.
            source = None if like is None else self.arms.slot(like)
            self.ledger.check_arm(name)
            change.remember()
            slot = self.arms.add(name)
            resized = self.bound.with_room(slot, source)
            change.write(Add(arm=name, like=like))
            self.bound.add_arm(resized)
            self.contexts.resize()

    def rename_arm(self, name: Hashable, to: Hashable) -> None:
        """Another name for an arm; see `Agent.rename_arm`."""
        with self.lock, Change(self) as change:
            if change.writer is not None:
                change.writer.check_name(to)

            self._refuse_named(name)
            self.ledger.check_arm(to)
            change.remember()
            self.arms.rename(name, to)
            change.write(Add(arm=to, was=name))
            self.contexts.resize()

    def _refuse_named(self, name: Hashable) -> None:
        if name in arms_named(self.recipe):
            shown = short_repr(self.recipe)
            raise wrong_value(f"arm must not be one that the recipe names, {shown}", name)

    def remove_arm(self, name: Hashable) -> None:
        """One arm less; see `Agent.remove_arm`."""
        with self.lock, Change(self) as change:
            # Its slot may be another arm's by and by, which the recipe would take for it.
            self._refuse_named(name)
            change.remember()
            self.arms.remove(name)
            change.write(Remove(arm=name))
            self.contexts.resize()

    def set_preference(self, order: Any) -> None:
        """Compare arms by another order from now on; see `Agent.preference`."""
        order = by_number(order, self.objective_names)
        self.bound.check_order(order)
        # Outside of the lock: other threads decide meanwhile, by the order before.
        self.bound.prepare_for(order)
        with self.lock, Change(self) as change:
            description = None
            if change.writer is not None:
                # Refused before it is played where the log has no words for it.
                description = change.writer.describe_order(order)

            change.remember()
            self.bound.set_order(order)
            change.write(Preference(order=description))

    def advance_clock(self) -> float:
        """The time, where it matters, after what it brings.

        These are rewards by default, and decisions that are too old.
        """
        if not self.is_timed:
            return self.now

        reading = as_seconds(self.clock())
        # A clock that was set back stands still: times of decisions never fall.
        if reading < self.now:
            self._note_ahead(self.now - reading)
        else:
            self.now = reading
            self.is_ahead = False

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

            self.teach(decision_id, pending, new, known, self.scales.inward(new))

        return self.now

    def _note_ahead(self, seconds: float) -> None:
        """Say it, once, where the clock was ahead: the agent's time stands still for as long."""
        if seconds < AHEAD or self.is_ahead:
            return

        self.is_ahead = True
        self.times_ahead += 1
        LOG.warning(
            "the clock was ahead, or has been set back: the agent's time stands still for %.0f "
            "seconds, budgets do not renew meanwhile; Agent.reset_clock() or `mobandits "
            "reset-clock STORE` ends that where the clock is right now",
            seconds,
        )

    def make(self, offer: Offer, now: float, number: int, first: int | None = None) -> Made:
        """A decision, what is to be kept of it, and the norm of the arm's features.

        Nothing is kept yet. With `first`, its session has kept the arm since that decision.
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
                place, note, norm = bound.session.call(
                    compiled_calls.decide, rows, slots, guard.low, guard.high
                )
            else:
                probabilities = np.empty(len(slots))
                if bound.has_means:
                    scores = np.empty((len(slots), len(self.objectives)))

                place, note, norm = bound.session.call(
                    compiled_calls.decide_with_probabilities,
                    rows,
                    slots,
                    guard.low,
                    guard.high,
                    probabilities,
                    scores,
                )
                if place >= 0:
                    if bound.links is not None:
                        bound.session.call(compiled_calls.apply_links, bound.links, scores)

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
            front = tuple(map(names.__getitem__, on_front.tolist()))
        if scores is not None:
            scores = self.scales.outward(scores)

        pending = self.pending_of(rows, int(slots[place]), place, now, note)
        decision = Decision(
            number,
            names[place],
            propensity,
            front,
            scores,
            error,
            rows,
            names,
            all_break=bound.has_limits and bound.all_break(rows, slots),
            kept=first,
        )

        return decision, pending, norm

    def pending_of(
        self,
        rows: Array,
        slot: int,
        place: int,
        now: float,
        note: tuple[float, ...] | None = None,
    ) -> Pending:
        """Pending decision for the arm in `slot`, at `place` among the eligible ones.

        Without a note it is somebody else's: the recipe learns from context, arm and reward alone.
        """
        if note is None:
            note = (0.0,) * self.bound.note_size

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

    def teach(
        self,
        number: int,
        pending: Pending,
        new: list[float],
        known: list[float],
        inward: list[float],
    ) -> None:
        """Learn what is new of a reward, and settle the decision where all is known.

        Args:
            number: of the decision.
            pending: the decision.
            new: what is new, (objectives,), NaN where nothing is.
            known: what is known by now.
            inward: what is new, as it is learned.
        """
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
            is_whole = partial or known is new
            lesson = np.array(inward if is_whole else self.scales.inward(known))
            adopted = self.pending.adopted
            former = self.pending.former
            if adopted and number in adopted:
                with bound.accounts_kept():
                    self._learn_at_its_price(number, pending, lesson)
            elif former:
                self._learn_at_its_price(number, pending, lesson)
            else:
                bound.learn(pending.x, pending.arm, pending.note, lesson)

            self.lessons += 1

        if complete:
            self.pending.settle(number, known)
        else:
            self.pending.open[number] = pending._replace(rewards=known)

    def _learn_at_its_price(self, number: int, pending: Pending, lesson: Array) -> None:
        """Learn a reward whose costs may be from before an announcement; see `Agent.reprice`."""
        bound = self.bound
        former = self.pending.former.get(number)
        if former is None:
            bound.learn_now(pending.x, pending.arm, pending.note, lesson)
            return

        with bound.former_factors(pending.arm, former):
            bound.learn_now(pending.x, pending.arm, pending.note, lesson)
