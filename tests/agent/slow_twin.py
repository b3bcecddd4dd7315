"""The agent's slow twin, and a long program of decisions and late rewards that both live through.

The twin keeps every lesson in a list, arms by name and decisions in a dictionary; it looks at all of that in plain
loops, and computes the regressions once, at the end, from all lessons.
"""

import heapq
import math
import random
import zlib
from array import array
from itertools import count
from typing import NamedTuple

import numpy as np

import mobandits as mob
from mobandits.agent import Objective
from mobandits.policies import MolUcb

D, PENALTY = 3, 0.5
CLICK, REVENUE = "click", ("revenue", 2)
DEFAULT, AFTER, MAX_AGE = 0.25, 60.0, 150.0
LIMIT, REMEMBERED = 45, 300
ARMS = ("a", ("b", 2), 3, "d", None)


class Clock:
    """Seconds, as the program says."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def agent_of(clock, **other):
    """The agent of the program: a click that is taken for `DEFAULT` after a while, and a revenue that is waited for."""
    objectives = [Objective(CLICK, default=DEFAULT, after=AFTER), REVENUE]
    options = {
        "arms": ARMS,
        "features": D,
        "objectives": objectives,
        "pending": LIMIT,
        "max_age": MAX_AGE,
    }
    recipe = MolUcb(scale=0.3, penalty=PENALTY)
    return mob.Agent(recipe, **{**options, "remembered": REMEMBERED, "clock": clock, **other})


class Kept(NamedTuple):
    """A decision of the twin."""

    model: object
    x: list
    time: float
    rewards: dict


class SlowTwin:
    """What an agent must know after its decisions and rewards.

    Args:
        own: whether every arm has a model of its own (contexts that arms share), else there is one for all.
    """

    def __init__(self, *, own):
        self.own, self.births = own, {name: name for name in ARMS}
        self.models = {name: self.nothing() for name in ARMS} if own else {"all": self.nothing()}
        self.pending, self.settled, self.dropped = {}, {}, {"limit": 0, "age": 0}
        self.next_id, self.done, self.lessons = 0, 0, 0

    @staticmethod
    def nothing():
        """Per objective the lessons, one after the other: features and reward."""
        return {CLICK: array("d"), REVENUE: array("d")}

    def decided(self, arm, x, now):
        """The agent chose `arm`, with features `x`."""
        self.tick(now)
        if len(self.pending) == LIMIT:
            del self.pending[min(self.pending)]
            self.dropped["limit"] += 1
        self.pending[self.next_id] = Kept(self.births[arm] if self.own else "all", list(x), now, {})
        self.next_id += 1

    def learn(self, number, rewards, now):
        """Whether the agent must take these rewards."""
        self.tick(now)
        if not isinstance(number, int) or not all(name in (CLICK, REVENUE) for name in rewards):
            return False
        if number in self.settled:
            return all(self.settled[number][name] == value for name, value in rewards.items())
        if number not in self.pending:
            return False
        known = self.pending[number].rewards
        if any(name in known and known[name] != value for name, value in rewards.items()):
            return False
        self.teach(number, {name: value for name, value in rewards.items() if name not in known})
        return True

    def teach(self, number, new):
        """Learn something new of a decision."""
        kept = self.pending[number]
        kept.rewards.update(new)
        if new and kept.model in self.models:
            self.lessons += 1
            for name, value in new.items():
                self.models[kept.model][name].extend([*kept.x, value])
        if len(kept.rewards) == 2:
            self.settled[number] = self.pending.pop(number).rewards
            self.done += 1
            if len(self.settled) > REMEMBERED:
                del self.settled[next(iter(self.settled))]

    def tick(self, now):
        """Time passes."""
        for number, kept in list(self.pending.items()):  # in the order of their times
            if kept.time + AFTER > now:
                break
            if CLICK not in kept.rewards:
                self.teach(number, {CLICK: DEFAULT})
        for number, kept in list(self.pending.items()):
            if kept.time + MAX_AGE > now:
                break
            del self.pending[number]
            self.dropped["age"] += 1

    def add(self, arm, like, now):
        """A new arm, which may start from the lessons of another one."""
        self.tick(now)
        self.births[arm] = object()
        if self.own:
            start = self.nothing() if like is None else self.models[self.births[like]]
            self.models[self.births[arm]] = {name: lessons[:] for name, lessons in start.items()}

    def remove(self, arm, now):
        """Nobody learns of an arm that is gone, and its lessons are forgotten, where they are its own."""
        self.tick(now)
        birth = self.births.pop(arm)
        if self.own:
            del self.models[birth]

    def regression(self, arm):
        """Per objective the Gram matrix, the estimate and the number of lessons."""
        out = []
        for lessons in self.models[self.births[arm] if self.own else "all"].values():
            rows = np.array(lessons).reshape(-1, D + 1)
            x, rewards = rows[:, :D], rows[:, D]
            gram = PENALTY * np.eye(D) + x.T @ x
            out.append((gram, np.linalg.solve(gram, x.T @ rewards), len(rows)))
        return out


class Program:
    """Decide, and tell the rewards when they come: late, in part, twice, or never; arms come and go meanwhile.

    Args:
        agent: who decides.
        clock: the agent's.
        own: whether contexts have a row for every arm.
        twin: who lives through the same; None to save its time and memory.
    """

    def __init__(self, agent, clock, *, own, twin=None, seed=0):
        self.agent, self.clock, self.own, self.twin = agent, clock, own, twin
        self.random, self.rng = random.Random(seed), np.random.default_rng(seed)
        self.theta = self.rng.normal(size=(7, 2, D))
        self.messages, self.order, self.names = [], count(), count()
        self.told = {"taken": 0, "refused": 0}

    def run(self, pairs):
        """So many decisions, and all messages that are due meanwhile."""
        for _ in range(pairs):
            then = self.clock.now + self.random.expovariate(1.0)
            while self.messages and self.messages[0][0] <= then:
                self.clock.now, _, number, rewards = heapq.heappop(self.messages)
                self.tell(number, rewards)
            self.clock.now = then
            if self.random.random() < 1 / 700:
                self.change_arms()
            self.decide()

    def finish(self):
        """The messages that are left."""
        while self.messages:
            self.clock.now, _, number, rewards = heapq.heappop(self.messages)
            self.tell(number, rewards)

    def decide(self):
        """A decision, among all arms or some, and what it will bring."""
        arms, chance = self.agent.arms, self.random.random()
        context = self.rng.normal(size=(len(arms), D) if self.own else D)
        eligible = (
            self.random.sample(arms, self.random.randint(1, len(arms))) if chance < 0.3 else None
        )
        if self.own and chance < 0.1:
            decision = self.agent.decide({arm: context[arms.index(arm)] for arm in eligible})
        elif 0.3 < chance < 0.32:
            (decision,) = self.agent.decide_batch(context[None])
        else:
            decision = self.agent.decide(context, eligible)
        assert decision.arm in (eligible or arms)
        assert decision.eligible == tuple(eligible or arms)
        x = context[arms.index(decision.arm)] if self.own else context
        if self.twin:
            assert decision.id == self.twin.next_id
            self.twin.decided(decision.arm, x, self.clock.now)
        means = self.theta[zlib.crc32(repr(decision.arm).encode()) % 7] @ x
        self.plan(decision.id, (means + self.rng.normal(size=2)).tolist())

    def plan(self, number, values):
        """When what is told of a decision."""
        whole = dict(zip((CLICK, REVENUE), values, strict=True))
        parts = (
            [whole]
            if self.random.random() < 0.5
            else [{name: value} for name, value in whole.items()]
        )
        for part in parts:
            chance = self.random.random()
            if chance < 0.04:
                continue  # it never comes
            self.send(number, part, 400.0 if chance < 0.06 else 20.0)
            if chance > 0.93:
                self.send(number, part, 100.0)  # once more
            elif chance > 0.9:
                self.send(
                    number, {name: value + 1.0 for name, value in part.items()}, 100.0
                )  # contradicts
        if self.random.random() < 0.02:
            unknown = self.random.choice([number + 10**6, -1, "x", [], None])
            bad = (unknown, whole) if self.random.random() < 0.5 else (number, {"?": 0.0})
            self.send(*bad, 20.0)

    def send(self, number, rewards, delay):
        when = self.clock.now + self.random.expovariate(1.0 / delay)
        heapq.heappush(self.messages, (when, next(self.order), number, rewards))

    def tell(self, number, rewards):
        """A message: the agent takes it or refuses it, as the twin says."""
        try:
            self.agent.learn(number, rewards)
            taken = True
        except ValueError:
            taken = False
        self.told["taken" if taken else "refused"] += 1
        if self.twin:
            assert taken is self.twin.learn(number, rewards, self.clock.now), (number, rewards)

    def change_arms(self):
        """One more, from nothing or like another one, or one less; names may come back."""
        arms = self.agent.arms
        if self.random.random() < 0.5 and len(arms) > 2:
            gone = self.random.choice(arms)
            self.agent.remove_arm(gone)
            if self.twin:
                self.twin.remove(gone, self.clock.now)
        elif len(arms) < 8:
            free = [name for name in ARMS if name not in arms]
            new = (
                self.random.choice(free)
                if free and self.random.random() < 0.5
                else f"new {next(self.names)}"
            )
            like = self.random.choice(arms) if self.random.random() < 0.5 else None
            self.agent.add_arm(new, like)
            if self.twin:
                self.twin.add(new, like, self.clock.now)


def differences(agent, twin):
    """How far the agent is from the twin: Gram matrices and estimates relative to their size, and all that is exact."""
    state, worst = agent.core.bound.state(), 0.0
    assert state.gram.shape[1] == 2  # rewards came in part
    for arm in agent.arms:
        slot = agent.core.arms.slot(arm) if twin.own else 0
        for l, (gram, theta, seen) in enumerate(twin.regression(arm)):
            assert state.seen[slot, l] == seen
            worst = max(
                worst,
                np.abs(state.gram[slot, l] / np.abs(gram).max() - gram / np.abs(gram).max()).max(),
            )
            worst = max(worst, np.abs(state.theta[slot, l] - theta).max())
    assert set(agent.arms) == set(twin.births)
    assert agent.lessons == twin.lessons
    assert agent.dropped == twin.dropped
    assert agent.waiting == len(twin.pending)
    assert twin.next_id == twin.done + agent.waiting + sum(
        agent.dropped.values()
    )  # nothing is lost
    for number, kept in agent.core.pending.open.items():
        mine, known = twin.pending[number], kept.rewards or [math.nan] * 2
        assert mine.x == kept.x.tolist()
        told = {
            name: value
            for name, value in zip((CLICK, REVENUE), known, strict=True)
            if not math.isnan(value)
        }
        assert told == mine.rewards
    told = {
        number: dict(zip((CLICK, REVENUE), known, strict=True))
        for number, known in agent.core.pending.settled.items()
    }
    assert told == twin.settled
    return worst
