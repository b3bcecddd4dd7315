"""An agent: a recipe at work in an application."""

import math
import os
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from mobandits.agent.arms import Arms
from mobandits.agent.bound_policy import FAILURES, Mind
from mobandits.agent.contexts import Contexts
from mobandits.agent.decision import Decision, Offer
from mobandits.agent.guard import Guard
from mobandits.agent.inputs import (
    MOST_SAMPLES,
    check_clock,
    check_counts,
    check_recipe,
    counted,
    merged,
    reward_list,
    seconds,
)
from mobandits.agent.objectives import Expectations, Scales, objectives_of
from mobandits.agent.pending import Pending, Waiting
from mobandits.agent.sizes import refuse_large
from mobandits.compiling.tracebacks import shorten
from mobandits.contracts.protocols import Array, IntArray, Recipe, Shape
from mobandits.support.checks import choice, integer, number
from mobandits.support.forks import on_fork

Propensity = Literal["exact", "sampled", "none"]
# A decision, what is to be kept of it, and the norm of the features of its arm.
Made = tuple[Decision, Pending, float]


class Agent:
    """Decides, and learns from rewards that arrive late, in part, and in any order.

    Contexts are (features,), one for all arms, or (arms, features), a row per arm; the first one settles which. Where
    the arms share it, recipes that learn from features give every arm a model of its own (disjoint models).

    Inputs are checked in every call. A decision costs what the policy's compiled round costs, and about three
    microseconds; the first one compiles it, in seconds, once per machine (`mobandits warm`). The same seed and the same
    calls give the same decisions. What a call that raises would have decided, learned or written did not happen.

    Threads may share an agent: each call is done before the next one begins. In the child of a fork calls are refused;
    `save` and `load` take an agent to another process.

    Args:
        recipe: such as `MolUcb(scale=0.3)`.
        arms: their number, or their names.
        features: length d of a context row; 0 where there is no context.
        objectives: their number, their names, or `Objective`s, which say direction, unit, range and default.
        seed: of all decisions.
        rounds: the horizon, for recipes that need one.
        propensity: "exact", "sampled" or "none": `Decision` says what each is and costs.
        samples: beliefs per sampled propensity, at most a million.
        pending: how many decisions may wait for rewards; beyond it the oldest is dropped, and learned from no more.
        max_age: seconds after which a decision that waits is dropped; None: never.
        remembered: of how many settled decisions the rewards are kept, so that a repeat is known as one.
        log: a folder or a `logs.Journal`: every decision and reward is written there before the call returns; one that
            has entries is replayed first, which ends in the state of the agent that wrote it.
        clock: seconds, such as `time.time`; asked only where times are needed.

    Raises:
        ValueError: naming parameter, rule and value, also where the recipe does not fit; where it would need more
            memory than the machine has, or more than 64 GiB.

    Example:
        >>> from mobandits.agent import Objective
        >>> from mobandits.policies import MolUcb
        >>> cost = Objective("cost", minimise=True, unit="USD")
        >>> agent = Agent(MolUcb(scale=0.3), arms=["small", "large"], features=2, objectives=["quality", cost])
        >>> decision = agent.decide([0.5, 0.1])
        >>> agent.learn(decision.id, {"cost": 0.0006})
        >>> agent.learn(decision.id, {"quality": 0.9})
        >>> decision.arm in ("small", "large"), agent.waiting
        (True, 0)
    """

    def __init__(
        self,
        recipe: Recipe,
        *,
        arms: int | Sequence[Hashable],
        features: int,
        objectives: int | Sequence[Any],
        seed: int = 0,
        rounds: int | None = None,
        propensity: Propensity = "none",
        samples: int = 200,
        pending: int = 1_000_000,
        max_age: float | None = None,
        remembered: int = 100_000,
        log: Any = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        check_recipe(recipe)
        integer("seed", seed, at_least=0)
        check_counts(features=(features, 0), pending=(pending, 1), remembered=(remembered, 0))
        check_counts(rounds=(1 if rounds is None else rounds, 1))
        check_counts(MOST_SAMPLES, samples=(samples, 1))
        if max_age is not None:
            number("max_age", max_age, above=0.0)
        choice("propensity", propensity, ("exact", "sampled", "none"))
        check_clock(clock)
        refuse_large(Shape(counted(arms), int(features), counted(objectives)))
        self.recipe = recipe
        self.objectives = objectives_of(objectives)
        self.seed = int(seed)
        self.propensity = propensity
        self.samples = int(samples)
        self.rounds = rounds
        self.features = int(features)
        self._arms = Arms(arms)
        self._names = tuple(each.name for each in self.objectives)
        self._places = {name: i for i, name in enumerate(self._names)}
        self._defaults = [
            math.nan if each.default is None else each.default for each in self.objectives
        ]
        self._scales = Scales(self.objectives)
        shape = Shape(len(self._arms.names), self.features, len(self.objectives), rounds)
        self._mind = Mind(recipe, shape, self.seed, propensity)
        self._guard = Guard(recipe)
        self._waiting = Waiting(self.objectives, int(pending), max_age, int(remembered))
        self._expectations = Expectations(self.objectives)
        self._clock = clock
        self._now = 0.0
        self._timed = self._waiting.timed
        self._contexts = Contexts(self._arms, self.features)
        self.lessons = 0
        self._lock: Any = threading.RLock()
        self._process = os.getpid()
        on_fork(self, Agent._leave_to_parent)
        self._journal: Any = None
        if log is not None:
            from mobandits.agent.recording import attach  # noqa: PLC0415 - few agents need it

            attach(self, log)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            "Agent cannot be copied or pickled: write it with `save`, and make another with `Agent.load`"
        )

    @property
    def arms(self) -> tuple[Hashable, ...]:
        """The arms that there are now."""
        return self._arms.names

    @property
    def waiting(self) -> int:
        """How many decisions wait for rewards."""
        return len(self._waiting.open)

    @property
    def dropped(self) -> dict[str, int]:
        """How many decisions were dropped before all their rewards came: for their age, or because too many waited."""
        return dict(self._waiting.dropped)

    def decide(self, context: Any = None, eligible: Iterable[Hashable] | None = None) -> Decision:
        """The arm to play now.

        Args:
            context: (features,) or (arms, features), rows in the order of `arms`; or {arm: row}, which are then the
                eligible arms; None where there are no features.
            eligible: the arms that may be played; None: all.

        Raises:
            ValueError: where it has another shape, or a number that is not finite or not what the recipe needs; where
                arms are unknown, or none are left.
        """
        with self._lock:
            journal = self._journal
            mind = self._mind
            streams = None if journal is None else mind.streams()
            position = None
            try:
                offer = self._contexts.offer(context, eligible)
                if mind.left == 0 or mind.stage == 0:
                    position = mind.position()
                    self._begin([offer[2]])
                now = self._tick()
                decision, kept, norm = self._made(offer, now, self._waiting.next_id)
                self._guard.look_at_features(kept.x, norm)  # a warning may be an error
                if journal is not None:
                    journal.decided(self, decision, now)
            except BaseException as error:
                self._go_back(position, streams)
                shorten(error)
                raise
            self._waiting.add(kept)
            if mind.left is not None:
                mind.left -= 1
            if journal is not None:
                journal.done()
            return decision

    def decide_batch(
        self, contexts: Any, eligible: Iterable[Hashable] | None = None
    ) -> list[Decision]:
        """A decision per context, all in one moment: rewards are learned before the first one, or after the last.

        The decisions are those that as many calls of `decide` make in which nothing is learned, whatever the agent
        writes or says of them.

        Args:
            contexts: (n, features) or (n, arms, features).
            eligible: the arms that may be played, in all of them; None: all.

        Raises:
            ValueError: as `decide`; then no decision is made.
        """
        with self._lock:
            journal = self._journal
            mind = self._mind
            streams = None if journal is None else mind.streams()
            position = mind.position()
            try:
                names, slots, tables = self._contexts.offers(contexts, eligible)
                if not len(tables):
                    self._unsettle()
                    return []
                if mind.left == 0 or mind.stage == 0:
                    self._begin(tables)
                now = self._tick()
                made = self._made_many(names, slots, tables, now)
                for _, kept, norm in made:
                    self._guard.look_at_features(kept.x, norm)
                decisions = [decision for decision, _, _ in made]
                if journal is not None:
                    journal.decided_together(self, decisions, now)
            except BaseException as error:
                self._go_back(position, streams)
                shorten(error)
                raise
            for _, kept, _ in made:
                self._waiting.add(kept)
            if journal is not None:
                journal.done()
            return decisions

    def learn(self, decision_id: int, rewards: Any) -> None:
        """Learn what a decision brought, or some of it: the rest may follow, in any order.

        What is told again with the same value changes nothing. A recipe that cannot learn from a part learns when the
        last part is there.

        Args:
            decision_id: `Decision.id`.
            rewards: (objectives,), NaN where not observed, or {objective: number} of some.

        Raises:
            ValueError: where no such decision waits; where the rewards are not finite numbers of known objectives, or
                not what the recipe needs; where an objective is told again with another value. Nothing is learned then.
        """
        with self._lock:
            new = reward_list(rewards, self._places)
            now = self._tick()
            number = decision_id if type(decision_id) is int else self._waiting.number(decision_id)
            kept = self._waiting.open.get(number)
            if kept is None:
                if (settled := self._waiting.settled.get(number)) is None:
                    raise ValueError(self._waiting.missing(number))
                merged(settled, new, self._names)
                return
            self._guard.look_at_rewards(self._scales.inward(new))
            if self._expectations.any:
                self._expectations.look_at(new)
            known = new
            if kept.rewards is not None:
                new, known = merged(kept.rewards, new, self._names)
            if math.isnan(sum(new)) and all(map(math.isnan, new)):
                return
            if self._journal is not None:
                self._journal.learned(self, number, new, now)
            self._teach(number, kept, new, known)
            if self._journal is not None:
                self._journal.done()

    def add_arm(self, name: Hashable, like: Hashable | None = None) -> None:
        """One arm more, from now on.

        Arms with models of their own start from the prior, or from what is believed of the arm `like`; parameters of
        the recipe that depend on the number of arms are resolved anew.

        Raises:
            ValueError: where there is such an arm, none called `like`, or the recipe cannot play on with more arms.
        """
        with self._lock:
            if self._journal is not None:
                self._journal.refuse_name(name)
            now = self._tick()
            source = None if like is None else self._arms.slot(like)
            before = self._arms.saved()
            slot = self._arms.add(name)
            try:
                joining = self._mind.joining(slot, source)
                if self._journal is not None:
                    self._journal.added(name, like, now)
            except BaseException:
                self._arms.restore(*before)
                raise
            self._mind.join(joining)
            self._contexts.resize()
            if self._journal is not None:
                self._journal.done()

    def remove_arm(self, name: Hashable) -> None:
        """One arm less. Rewards that are still to come teach nothing about an arm that has a model of its own.

        Raises:
            ValueError: where there is no such arm, or no other.
        """
        with self._lock:
            now = self._tick()
            before = self._arms.saved()
            self._arms.remove(name)
            try:
                if self._journal is not None:
                    self._journal.removed(name, now)
            except BaseException:
                self._arms.restore(*before)
                raise
            self._contexts.resize()
            if self._journal is not None:
                self._journal.done()

    @property
    def preference(self) -> Any:
        """The order by which arms are compared, or None where the policy has none of its own.

        Setting it changes what is played from now on, and nothing of what was learned; None goes back to the recipe's.
        An order of a class that was not played before is compiled first, in seconds, once per machine; only then it is
        played. The logger "mobandits" warns where that takes more than a second; `mobandits warm --agents` spares it.
        """
        return self._mind.preference()

    @preference.setter
    def preference(self, order: Any) -> None:
        try:
            self._mind.check(order)
            self._mind.prepare(
                order
            )  # outside of the lock: other threads decide meanwhile, by the order before
        except Exception as error:
            shorten(error)
            raise
        with self._lock:
            if self._journal is None:
                self._tick()
                self._mind.prefer(order)
                return
            said = self._journal.saying(order)
            now = self._tick()
            before = self._mind.order
            self._mind.prefer(order)
            try:
                self._journal.preferred(said, now)
            except BaseException:
                self._mind.prefer(before)
                raise
            self._journal.done()

    def explain(self, decision: Decision) -> Any:
        """What the agent now believes of the arms of a decision, as a table and as a sentence: an `Explanation`.

        Raises:
            ValueError: where the policy has no estimates per arm and objective.
        """
        from mobandits.agent.explanation import explain  # noqa: PLC0415 - tables are loaded when they are needed

        with self._lock:
            return explain(self, decision)

    def merge(self, other: "Agent") -> None:
        """Learn all that another agent has learned, which did so apart from this one: on another shard.

        Ends where one agent would be that saw everything, up to rounding. Decisions that wait stay with the agent that
        made them: merge when their rewards are in, and once, since nobody can tell what was merged before.

        Raises:
            ValueError: where the agents differ, or where what was learned cannot be added up.
        """
        from mobandits.agent.merging import merge  # noqa: PLC0415

        merge(self, other)

    def save(self, path: str | Path) -> None:
        """Write the whole state into one file, which replaces an older one at once or not at all.

        Raises:
            ValueError: where a name or a parameter is of a kind that files do not keep.
        """
        from mobandits.agent.snapshot import save  # noqa: PLC0415

        with self._lock:
            save(self, path)

    def close(self) -> None:
        """Let go of the log, where there is one; nothing is lost without it. Later calls are refused."""
        if self._journal is not None:
            self._journal.journal.close()

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        recipe: Recipe | None = None,
        log: Any = None,
        clock: Callable[[], float] = time.time,
    ) -> "Agent":
        """The agent that was saved; it goes on exactly as the one that saved would have.

        Files hold numbers and names only: reading one runs nothing of it.

        Args:
            path: the file.
            recipe: the recipe, where it is not one of this library.
            log: the folder of the agent's log; what was logged after the file was written is replayed.
            clock: as for a new agent.

        Raises:
            ValueError: where the file is not a whole one of this kind and version.
        """
        from mobandits.agent.snapshot import load  # noqa: PLC0415

        return load(path, recipe, log, clock)

    def _begin(self, tables: Sequence[Array] | Array) -> None:
        """A stage begins, with contexts on which something can be decided; the first says whether the arms share it."""
        for table in tables:
            self._guard.check(table)
        if self._mind.stage > 0:
            self._mind.begin()
        else:
            self._mind.rehearse(tables[0], shared=bool(self._contexts.shared))
            self._mind.lay(shared=bool(self._contexts.shared))

    def _go_back(self, position: dict[str, Any] | None, streams: list[Any] | None) -> None:
        """Be what a call that failed found: it may have begun a stage, drawn, and settled the shape of contexts."""
        if position is not None:
            self._mind.go_back(position)
        if streams is not None:
            self._mind.rewind(streams)
        self._unsettle()

    def _leave_to_parent(self) -> None:
        """In the child of a fork: its parent goes on from the same state, so that what both learn would part."""
        self._lock = _Elsewhere(self._process)

    def _unsettle(self) -> None:
        """Only a decision settles which shape contexts have."""
        if self._mind.stage == 0:
            self._contexts.lay(shared=None)

    def _made_many(
        self, names: tuple[Hashable, ...], slots: IntArray, tables: Array, now: float
    ) -> list[Made]:
        """Decisions between the same arms, in the same state unless a stage ends on the way; see `_made`.

        Args:
            names: of the eligible arms.
            slots: theirs.
            tables: (decisions, eligible arms or 1, features); left alone.
            now: the time.
        """
        mind = self._mind
        first = self._waiting.next_id
        if self.propensity == "none" and mind.left is None:
            return self._made_at_once(names, slots, tables, now)
        made = []
        for position, rows in enumerate(tables.copy()):
            if mind.left == 0:
                mind.begin()
            made.append(self._made((names, slots, rows), now, first + position))
            if mind.left is not None:
                mind.left -= 1
        return made

    def _made_at_once(
        self, names: tuple[Hashable, ...], slots: IntArray, tables: Array, now: float
    ) -> list[Made]:
        """As `_made_many`, in one compiled call, of which nobody asks for more than the arms."""
        mind = self._mind
        guard = self._guard
        chosen = np.zeros(len(tables), np.int64)
        notes = np.empty(
            (len(tables), 1 + mind.note_size)
        )  # norm of the features, numbers of the note
        try:
            mind.decide_many(mind.session, tables, slots, guard.low, guard.high, chosen, notes)
        except FAILURES as failure:
            mind.refuse(failure)
        if (chosen < 0).any():
            guard.refuse(tables)
        made = []
        number = self._waiting.next_id
        for rows, place, (norm, *note) in zip(
            tables.copy(), chosen.tolist(), notes.tolist(), strict=True
        ):
            slot = int(slots[place])
            x = rows[place if len(rows) > 1 else 0].copy()
            kept = Pending(x, slot, tuple(note), mind.stage, self._arms.slots[slot], now)
            decision = Decision(number, names[place], context=rows, eligible=names)
            made.append((decision, kept, norm))
            number += 1
        return made

    def _made(self, offer: Offer, now: float, number: int) -> Made:
        """A decision, what is to be kept of it, and the norm of the arm's features; nothing is kept yet."""
        (names, slots, rows), guard, mind = offer, self._guard, self._mind
        law = scores = chance = front = None
        error = 0.0
        try:
            if self.propensity == "none":
                place, note, norm = mind.decide(mind.session, rows, slots, guard.low, guard.high)
            else:
                law = np.empty(len(slots))
                scores = np.empty((len(slots), len(self.objectives))) if mind.means else None
                place, note, norm = mind.decide(
                    mind.session, rows, slots, guard.low, guard.high, law, scores
                )
                if place >= 0:
                    chance, error = mind.chance(rows, slots, law, place, self.samples)
        except FAILURES as failure:
            mind.refuse(failure)
        if place < 0:
            guard.refuse(rows)
        if law is not None:
            front = tuple(names[i] for i in np.flatnonzero(law > 0.0).tolist())
            scores = None if scores is None else self._scales.outward(scores)
        slot = int(slots[place])
        x = rows[place if len(rows) > 1 else 0].copy()
        kept = Pending(x, slot, note, mind.stage, self._arms.slots[slot], now)
        return Decision(number, names[place], chance, front, scores, error, rows, names), kept, norm

    def _teach(self, number: int, kept: Pending, new: list[float], known: list[float]) -> None:
        """Learn what is new of a reward, and settle the decision where all is known."""
        complete = not math.isnan(sum(known))
        partial = self.recipe.accepts_partial
        there = not self._mind.own_models or self._arms.slots[kept.arm] == kept.birth
        if kept.stage == self._mind.stage and there and (complete or partial):
            lesson = np.array(self._scales.inward(new if partial else known))
            try:
                self._mind.learn(self._mind.session, kept.x, kept.arm, kept.note, lesson)
            except FAILURES as failure:
                self._mind.refuse(failure)
            self.lessons += 1
        if complete:
            self._waiting.settle(number, known)
        else:
            self._waiting.open[number] = kept._replace(rewards=known)

    def _tick(self) -> float:
        """The time, where it matters; what it brings: rewards by default, and decisions that are too old."""
        if not self._timed:
            return self._now
        self._now = max(self._now, seconds(self._clock()))
        if not self._waiting.timed:
            return self._now
        if self._journal is not None:
            self._journal.check_usable()  # what time brings is learned, and must follow from the log
        for late, i in self._waiting.late(self._now):
            kept = self._waiting.open[late]
            new = [math.nan] * len(self.objectives)
            new[i] = self._defaults[i]
            known = new if kept.rewards is None else merged(kept.rewards, new, self._names)[1]
            self._teach(late, kept, new, known)
        return self._now


class _Elsewhere:
    """The lock of an agent in the child of a fork: nobody gets it."""

    def __init__(self, process: int) -> None:
        self._process = process

    def __enter__(self) -> None:
        raise RuntimeError(
            f"this agent belongs to process {self._process}, from which process {os.getpid()} was forked: "
            "make another agent in the child, or `Agent.load` what was saved before the fork"
        )

    def __exit__(self, *args: object) -> None:
        pass
