"""Disjoint LinUCB, one decision and one lesson at a time: what the benchmarks of single-objective rivals share.

A rival is a class with `decide(x)`, `learn(x, arm, reward)`, `scores(x)` (the upper bounds that it maximises) and
`context(x)`, which gives a context the form that it likes best, outside the clock. Every arm has a ridge regression of
its own on a context that all arms share; the bound is theta_a . x + sqrt(x' V_a^-1 x), the penalty 1, rewards are
clicks.
"""

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import harness
import numpy as np

import mobandits as mob

CASES = ((50, 5), (200, 15))
ROUNDS, TIE = 1000, 1e-9


class Rival(Protocol):
    same_rule: bool  # whether it plays the arm with the largest of `scores`

    def context(self, x: np.ndarray) -> Any: ...
    def decide(self, x: Any) -> int: ...
    def learn(self, x: Any, arm: int, reward: float) -> None: ...
    def scores(self, x: Any) -> np.ndarray: ...


class Stream(NamedTuple):
    """Contexts (rounds, features) and the clicks of every arm (rounds, arms)."""

    contexts: np.ndarray
    clicks: np.ndarray


def stream(arms: int, features: int, rounds: int = ROUNDS, seed: int = 0) -> Stream:
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=(arms, features))
    contexts = rng.normal(size=(rounds, features)) / np.sqrt(features)
    clicks = rng.random((rounds, arms)) < 1.0 / (1.0 + np.exp(-contexts @ theta.T))
    return Stream(contexts, clicks.astype(float))


def agent(arms: int, features: int) -> mob.Agent:
    return mob.Agent(
        mob.policies.MolUcb(scale=1.0), arms=arms, features=features, objectives=1, seed=0
    )


def check(rival: Rival, ours: mob.Agent, data: Stream, tie: float) -> int:
    """Both learn from our arms; ours has their largest score in every round, and is theirs where there is no tie.

    Returns:
        The number of rounds without a tie.
    """
    clear = 0
    for x, clicks in zip(data.contexts, data.clicks, strict=True):
        theirs, (number, arm, *_) = rival.context(x), ours.decide(x)
        scores = np.asarray(rival.scores(theirs))
        best = scores.max()
        assert scores[arm] >= best - tie, f"arm {arm} has {scores[arm]}, the best {best}"
        if np.count_nonzero(scores >= best - tie) == 1:
            assert rival.decide(theirs) == arm or not rival.same_rule
            clear += 1
        ours.learn(number, [clicks[arm]])
        rival.learn(theirs, arm, clicks[arm])
    return clear


def their_round(rival: Rival, data: Stream) -> Callable[[], None]:
    rows = itertools.cycle([(rival.context(x), clicks) for x, clicks in zip(*data, strict=True)])

    def once() -> None:
        x, clicks = next(rows)
        arm = rival.decide(x)
        rival.learn(x, arm, clicks[arm])

    return once


def our_round(ours: mob.Agent, data: Stream) -> Callable[[], None]:
    rows = itertools.cycle(list(zip(*data, strict=True)))

    def once() -> None:
        x, clicks = next(rows)
        number, arm, *_ = ours.decide(x)
        ours.learn(number, [clicks[arm]])

    return once


def compare(
    name: str,
    rival_name: str,
    make: Callable[[int, int], Rival],
    notes: list[str],
    *,
    exact: Callable[[int, int], Rival] | None = None,
    tie: float = TIE,
) -> None:
    """Check and time a rival at both sizes and write its results; `exact` makes the rival that is checked, if another.

    One agent is checked and another one timed, as is the rival; both have played `ROUNDS` rounds before the clock
    starts.
    """
    rows = []
    for arms, features in CASES:
        data = stream(arms, features)
        clear = check((exact or make)(arms, features), agent(arms, features), data, tie)
        sides = their_round(make(arms, features), data), our_round(agent(arms, features), data)
        for once in sides:
            for _ in range(ROUNDS):
                once()
        theirs, ours = harness.interleaved(*sides)
        case = f"{arms} arms, {features} features"
        rows.append(
            harness.row(
                case, rival_name, theirs, "mob.Agent, MolUcb", ours, rounds_without_ties=clear
            )
        )
    checked = (
        f"Checked first, for {ROUNDS} rounds in which both learn from our arms: "
        "ours has the rival's largest bound"
    )
    if make(*CASES[0]).same_rule:
        said = " and ".join(str(row["rounds_without_ties"]) for row in rows)
        checked += f", and is the rival's own choice where there is no tie ({said} rounds)"
    harness.write(
        name,
        f"Disjoint LinUCB, a decision and a lesson: {rival_name}",
        rows,
        [f"{checked}.", *notes],
    )
