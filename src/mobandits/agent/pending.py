"""Decisions that wait for rewards, and the rewards of the last ones that wait no more."""

import heapq
import math
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.logs.objectives import Objective
from mobandits.support.naming import quoted
from mobandits.support.numbering import is_of_worker

INACTIVE = math.inf  # in place of the time from which on defaults are due
MOST_SETTLED = 1000  # decisions that a timer keeps beside as many as wait


class Pending(NamedTuple):
    """The record of a decision that waits: a few numbers, for any number of arms.

    Attributes:
        x: (features,) the features of the arm that was played.
        arm: its slot in the policy.
        note: the numbers of the choice's note.
        stage: in which it was made.
        birth: of the arm, since slots are used again.
        time: seconds.
        rewards: what is known of them, more is better; None: nothing.
        since: when it was activated, from which on defaults are due; `INACTIVE`: not yet; None: it
            was active from the beginning.
    """

    x: Array
    arm: int
    note: tuple[float, ...]
    stage: int
    birth: int
    time: float
    rewards: list[float] | None = None
    since: float | None = None


Waiting = Mapping[int, Pending]


class Timer:
    """Due times of rewards by default, one decision after the other: times of decisions never fall.

    Decisions that were activated later are due from then on, and wait in a heap of their own.

    Attributes:
        objective: of the default.
        after: seconds after the decision.
        queue: the decisions that it has not come to, in the order in which they were made.
        activated: (time, id) of the activated decisions that it has not come to, a heap.
    """

    def __init__(self, objective: int, after: float) -> None:
        self.objective = objective
        self.after = after
        self.queue: deque[int] = deque()
        self.activated: list[tuple[float, int]] = []

    def add(self, number: int, pending: Waiting) -> None:
        """Come to a decision, after those before it."""
        self.queue.append(number)
        # Settled decisions are let go of by and by, or there could be a day's of them.
        if len(self.queue) > MOST_SETTLED + 2 * len(pending):
            self.queue = deque(each for each in self.queue if each in pending)

    def time_of_first(self, pending: Waiting) -> float:
        """Due time of the next decision that was active from the beginning; infinite: none is."""
        # Those that were inactive in the beginning are passed by: an activation brings them back.
        queue = self.queue
        while queue and (queue[0] not in pending or pending[queue[0]].since is not None):
            queue.popleft()

        return pending[queue[0]].time + self.after if queue else math.inf

    def time_of_activated(self, pending: Waiting) -> float:
        """Due time of the next decision that was activated later; infinite: none is."""
        activated = self.activated
        while activated and activated[0][1] not in pending:
            heapq.heappop(activated)

        return activated[0][0] + self.after if activated else math.inf

    def next_time(self, pending: Waiting) -> float:
        """Time at which the next decision that waits has waited long enough."""
        return min(self.time_of_first(pending), self.time_of_activated(pending))

    def pop(self, pending: Waiting) -> int:
        """The decision that is due next, which the timer passes."""
        # At the same time, activated ones come last, whenever they were looked at.
        if self.time_of_activated(pending) < self.time_of_first(pending):
            return heapq.heappop(self.activated)[1]

        return self.queue.popleft()


class PendingDecisions:
    """The decisions that wait, by id, and the rewards of the last settled ones.

    Their number is bounded, and their age may be.

    Args:
        objectives: of the agent.
        limit: how many may wait; beyond it the oldest is dropped.
        max_age: seconds after which a decision is dropped; None: never.
        remembered: of how many settled decisions the rewards are kept, so that a repeat can be seen
            from a mistake.

    Attributes:
        open: the decisions that wait, oldest first.
        settled: the rewards of those that are remembered.
        dropped: how many were dropped, for their age and because too many waited.
        next_id: of the next decision of the agent itself.
        of_workers: how many decisions workers made for it.
        adopted: the numbers of those that wait and that somebody else made.
        former: {decision: {objective: factor}} of those that wait and whose arm's costs have
            changed since: the announced factor when they were made.
        ledger: told of the agent's own decisions that begin to wait, and of those that wait no
            more; None: nobody.
        is_timed: whether time changes anything.
    """

    def __init__(
        self, objectives: Sequence[Objective], limit: int, max_age: float | None, remembered: int
    ) -> None:
        self.open: OrderedDict[int, Pending] = OrderedDict()
        self.settled: OrderedDict[int, tuple[float, ...]] = OrderedDict()
        self.limit = limit
        self.max_age = max_age
        self.remembered = remembered
        self.dropped = {"limit": 0, "age": 0}
        self.next_id = 0
        self.of_workers = 0
        self.adopted: set[int] = set()
        self.former: dict[int, dict[int, float]] = {}
        self.ledger: Any = None
        self.set_timers(objectives)

    @property
    def made(self) -> int:
        """Number of decisions, those of workers included."""
        return self.next_id + self.of_workers

    @property
    def own(self) -> dict[int, Pending]:
        """The decisions that wait and that the agent made itself."""
        return {number: each for number, each in self.open.items() if number not in self.adopted}

    def add(self, pending: Pending, number: int | None = None, *, adopted: bool = False) -> None:
        """Keep a decision, and drop the oldest where there are too many.

        Args:
            pending: what is kept.
            number: that a worker gave it; None: the agent's next one.
            adopted: whether somebody else made it.
        """
        if number is None:
            # Ids count on for ever, so that a late reward never meets another decision.
            number = self.next_id
            self.next_id = number + 1
        else:
            self.of_workers += 1

        if len(self.open) >= self.limit:
            self.drop_oldest("limit")

        self.open[number] = pending
        for timer in self._timers:
            timer.add(number, self.open)
        if adopted:
            self.adopted.add(number)
        elif self.ledger is not None:
            self.ledger.reserve(number, pending)

    def due(self, now: float) -> Iterator[tuple[int, int]]:
        """Decisions and objectives whose time is up, with no reward so far.

        Drops what is older than `max_age`.

        One after the other as their times came, so that it does not matter how often one looks: a
        log that is replayed is looked at less often.
        """
        while True:
            times = [timer.next_time(self.open) for timer in self._timers]
            default_time = min(times, default=math.inf)
            drop_time = self._drop_time()
            if min(default_time, drop_time) > now:
                return
            # At the same time, the default comes first: it is learned before the decision goes.
            if drop_time < default_time:
                self.drop_oldest("age")
                continue

            timer = self._timers[times.index(default_time)]
            number = timer.pop(self.open)
            rewards = self.open[number].rewards
            if rewards is None or math.isnan(rewards[timer.objective]):
                yield number, timer.objective

    def _drop_time(self) -> float:
        """Time at which the oldest decision is too old."""
        waiting = self.open
        if self.max_age is None or not waiting:
            return math.inf

        first = next(iter(waiting))
        oldest = waiting[first]

        return oldest.time + self.max_age

    def settle(self, number: int, rewards: Sequence[float]) -> None:
        """All rewards of a decision are in: only they are remembered."""
        settled = self.settled
        self.open.pop(number, None)
        if self.adopted:
            self.adopted.discard(number)
        if self.former:
            self.former.pop(number, None)
        settled[number] = tuple(rewards)
        if len(settled) > self.remembered:
            settled.popitem(last=False)

    def set_limits(self, limit: int, max_age: float | None) -> None:
        """Let so many decisions wait, for so long; those beyond the limit are dropped now."""
        self.limit = limit
        self.max_age = max_age
        self.is_timed = max_age is not None or bool(self._timers)
        while len(self.open) > limit:
            self.drop_oldest("limit")

    def set_timers(self, objectives: Sequence[Objective]) -> None:
        """Let the defaults of these objectives be due, also of decisions that wait already."""
        self._timers = []
        for i, objective in enumerate(objectives):
            after = objective.after
            if after is not None:
                timer = Timer(i, after)
                self._timers.append(timer)

        self.is_timed = self.max_age is not None or bool(self._timers)
        self.restart_timers()

    def set_objectives(self, objectives: Sequence[Objective], places: Sequence[int | None]) -> None:
        """Wait for rewards in other objectives; who has them all by now waits no more.

        Args:
            objectives: from now on.
            places: of each of them among those until now; None: it is new, and not observed.
        """

        def moved(rewards: Sequence[float]) -> list[float]:
            return [math.nan if place is None else rewards[place] for place in places]

        for number, rewards in self.settled.items():
            self.settled[number] = tuple(moved(rewards))
        for number, pending in list(self.open.items()):
            if pending.rewards is None:
                continue

            known = moved(pending.rewards)
            self.open[number] = pending._replace(rewards=known)
            if not math.isnan(sum(known)):
                self.settle(number, known)

        for number, factors in self.former.items():
            kept = {places.index(place): each for place, each in factors.items() if place in places}
            self.former[number] = kept

        self.set_timers(objectives)

    def set_times(self, now: float) -> None:
        """Let all decisions that wait be of this time."""
        for number, pending in self.open.items():
            self.open[number] = pending._replace(time=now)

    def limit_times(self, now: float) -> None:
        """Let no decision that waits be of a later time, or be active since a later one."""
        for number, pending in self.open.items():
            kept = pending._replace(time=min(pending.time, now))
            if pending.since is not None and pending.since != INACTIVE:
                kept = kept._replace(since=min(pending.since, now))
            self.open[number] = kept

        self.restart_timers()

    def activate(self, number: int, now: float) -> None:
        """Let defaults of an inactive decision be due from now on."""
        self.open[number] = self.open[number]._replace(since=now)
        for timer in self._timers:
            heapq.heappush(timer.activated, (now, number))

    def set_inactive(self, number: int) -> None:
        """Let no default be due of a decision that was just made, until it is activated."""
        self.open[number] = self.open[number]._replace(since=INACTIVE)

    def abandon(self, number: int) -> None:
        """Wait for a decision no more."""
        del self.open[number]
        self._forget(number)

    def number(self, given: object) -> int:
        """An id as a whole number.

        Raises:
            ValueError: where it is none; True would else be decision 1.
        """
        if type(given) is int:
            return given
        if isinstance(given, np.integer):  # such as one that was read from a table
            return int(given)

        raise ValueError(self.why_unknown(given))

    def why_unknown(self, number: object) -> str:
        """Reason why no reward can be taken for an id that is neither open nor remembered."""
        may_be_made = type(number) is int and (0 <= number < self.next_id or is_of_worker(number))
        if not may_be_made:
            advice = "; write decision.id" if hasattr(number, "arm") else ""
            return f"decision_id must be of a decision that was made, got {quoted(number)}{advice}"

        age = self.dropped["age"]
        limit = self.dropped["limit"]

        return (
            f"decision_id must be of a decision that waits for rewards, got {number}: it was "
            f"settled long ago, or abandoned, or dropped ({age} were for their age, {limit} because "
            "too many waited)"
        )

    def restart_timers(self) -> None:
        """Let the timers begin with what is open, after it was read from a file."""
        activated = []
        for number, decision in self.open.items():
            since = decision.since
            if since is not None and since != INACTIVE:
                activated.append((since, number))

        heapq.heapify(activated)
        for timer in self._timers:
            timer.queue = deque(self.open)
            timer.activated = list(activated)

    def skip_to(self, number: int) -> None:
        """Give no later decision a smaller number: those before were given out, and are lost."""
        self.next_id = max(self.next_id, number)

    def drop_oldest(self, why: str) -> None:
        """Wait no more for the oldest decision; `why`: "limit" or "age"."""
        waiting = self.open
        number, _ = waiting.popitem(last=False)
        self.dropped[why] += 1
        self._forget(number)

    def _forget(self, number: int) -> None:
        """A decision waits no more, and was not settled."""
        self.adopted.discard(number)
        self.former.pop(number, None)
        if self.ledger is not None:
            self.ledger.release(number)
