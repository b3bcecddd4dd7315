"""What an agent remembers of its decisions until all their rewards are in, and for a while after."""

import math
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mobandits.agent.objectives import Objective
from mobandits.contracts.protocols import Array
from mobandits.support.naming import quoted

NAN = math.nan


class Pending(NamedTuple):
    """What is kept of a decision: a few numbers, whatever the number of arms.

    Attributes:
        x: (features,) the features of the arm that was played.
        arm: its slot in the policy.
        note: the numbers of the choice's note.
        stage: in which it was made.
        birth: of the arm, since slots are used again.
        time: seconds.
        rewards: what is known of them, more is better; None: nothing.
    """

    x: Array
    arm: int
    note: tuple[float, ...]
    stage: int
    birth: int
    time: float
    rewards: list[float] | None = None


class Timer:
    """When a reward by default is due, one decision after the other: times of decisions never fall.

    Attributes:
        objective: of the default.
        after: seconds after the decision.
        earlier: decisions that it comes to first: those that waited when the agent was read from a file. Their ids may
            be far apart, so that counting from one to the next could take years.
        next: the first of the others that it has not come to.
    """

    def __init__(self, objective: int, after: float) -> None:
        self.objective = objective
        self.after = after
        self.next = 0
        self.earlier: deque[int] = deque()

    def first(self, waiting: Mapping[int, Pending], made: int) -> int | None:
        """The first decision that waits and that it has not come to; None: there is none.

        Args:
            waiting: the decisions that wait.
            made: how many decisions were made.
        """
        while self.earlier and self.earlier[0] not in waiting:
            self.earlier.popleft()
        if self.earlier:
            return self.earlier[0]
        while self.next < made and self.next not in waiting:
            self.next += 1
        return self.next if self.next < made else None

    def pass_by(self) -> None:
        """Come to the first one."""
        if self.earlier:
            self.earlier.popleft()
        else:
            self.next += 1


class Waiting:
    """Decisions by id: those that wait, with a bound and an age limit, and the rewards of the last settled ones.

    Args:
        objectives: of the agent.
        limit: how many may wait; beyond it the oldest is dropped.
        max_age: seconds after which a decision is dropped; None: never.
        remembered: of how many settled decisions the rewards are kept, so that a repeat can be told from a mistake.
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
        self._timers = [
            Timer(i, each.after) for i, each in enumerate(objectives) if each.after is not None
        ]
        self.timed = max_age is not None or bool(self._timers)

    def add(self, kept: Pending) -> int:
        """Keep a decision, and drop the oldest where there are too many."""
        number = self.next_id
        self.next_id = self.next_id + 1
        if len(self.open) >= self.limit:
            self._drop("limit")
        self.open[number] = kept
        return number

    def late(self, now: float) -> Iterator[tuple[int, int]]:
        """Decisions and objectives whose time is up, with no reward so far; drops what is older than `max_age`.

        One after the other as their times came, so that it does not matter how often one looks: a log that is replayed
        is looked at less often.
        """
        while True:
            timer = min(self._timers, key=self._due, default=None)
            due = math.inf if timer is None else self._due(timer)
            if min(due, age := self._oldest()) > now:
                return
            if timer is None or age < due:
                self._drop("age")
                continue
            number = timer.first(self.open, self.next_id)
            assert number is not None  # noqa: S101 - something is due
            timer.pass_by()
            rewards = self.open[number].rewards
            if rewards is None or math.isnan(rewards[timer.objective]):
                yield number, timer.objective

    def _due(self, timer: Timer) -> float:
        """When the timer's next decision that is open has waited long enough."""
        first = timer.first(self.open, self.next_id)
        if first is None:
            return math.inf
        return self.open[first].time + timer.after

    def _oldest(self) -> float:
        """When the oldest decision is too old."""
        if self.max_age is None or not self.open:
            return math.inf
        return next(iter(self.open.values())).time + self.max_age

    def settle(self, number: int, rewards: Sequence[float]) -> None:
        """All rewards of a decision are in: only they are remembered."""
        self.open.pop(number, None)
        self.settled[number] = tuple(rewards)
        if len(self.settled) > self.remembered:
            self.settled.popitem(last=False)

    def number(self, given: object) -> int:
        """An id that is a whole number, but not an `int`.

        Raises:
            ValueError: where it is none; True would else be decision 1.
        """
        if isinstance(given, np.integer):
            return int(given)
        raise ValueError(self.missing(given))

    def missing(self, number: object) -> str:
        """Why no reward can be taken for an id that is neither open nor remembered."""
        if type(number) is not int or not 0 <= number < self.next_id:
            advice = "; write decision.id" if hasattr(number, "arm") else ""
            return f"decision_id must be of a decision that was made, got {quoted(number)}{advice}"
        return (
            f"decision_id must be of a decision that waits for rewards, got {number}: it was settled long ago, or "
            f"dropped ({self.dropped['age']} were for their age, {self.dropped['limit']} because too many waited)"
        )

    def rearm(self) -> None:
        """Let the timers begin with what is open, after it was read from a file."""
        for timer in self._timers:
            timer.earlier = deque(self.open)
            timer.next = self.next_id

    def _drop(self, why: str) -> None:
        self.open.popitem(last=False)
        self.dropped[why] += 1
