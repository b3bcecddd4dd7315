"""Empirical gap elimination: a fixed budget, and half of the arms decided in each of a few phases.

It has no context. Symbols, of kone2024: T the budget, K the arms, A the active ones, m(i, j) =
min_l (mean_{j,l} - mean_{i,l}), M(i, j) = max_l (mean_{i,l} - mean_{j,l}), x^+ = max(x, 0).
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled, not_inlined
from mobandits.contracts.protocols import Array, IntArray, Mask, Recipe, Rng, Shape, Traits
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.numerics.averages import averages
from mobandits.numerics.dominance import nondominated, pareto_gap
from mobandits.numerics.masks import count, swap_in
from mobandits.orders import Pareto
from mobandits.policies.identification.bounded import least_played
from mobandits.policies.set_policy import SetPolicy
from mobandits.support.checks import integer

REJECTED = 0.0
ACTIVE = 1.0
ACCEPTED = 2.0


@state_fields(
    seen=counts("arms", "objectives"),
    total=Field(("arms", "objectives")),
    standing=Field(("arms",), low=REJECTED, high=ACCEPTED, whole=True),
    goal=counts("one"),
)
class EgeState(NamedTuple):
    """The rewards seen so far, and what was decided.

    Attributes:
        seen: (arms, objectives) rewards seen.
        total: (arms, objectives) their sum.
        standing: (arms,) 0 where rejected, 1 where active, 2 where accepted.
        goal: (1,) plays of each active arm at the end of the phase.
    """

    seen: Array
    total: Array
    standing: Array
    goal: Array


@compiled
class EgePolicy(SetPolicy):
    """See `Ege`; beliefs are the active arms that were played least."""

    arms: int
    objectives: int
    budget: int
    phases: int
    order: Pareto

    ORDERED = True  # an arm is decided by what was known at the end of a phase

    def init(self) -> EgeState:
        """The state before the first round: every arm is active."""
        size = (self.arms, self.objectives)
        seen = np.zeros(size)
        total = np.zeros(size)
        # A single arm is on the front.
        standing = np.full(self.arms, ACTIVE if self.arms > 1 else ACCEPTED)
        goal = np.full(1, self.plays(self.arms))

        return EgeState(seen, total, standing, goal)

    def plays(self, active: int) -> float:
        """The plays of each of so many active arms in a phase."""
        rounds = active * self.phases
        return float(self.budget // rounds)

    def beliefs(self, state: EgeState, context: Array, arms: IntArray, rng: Rng) -> Mask:
        """(arms,) the arms to play from; those accepted when the budget is spent."""
        standing = state.standing[arms]
        best: Mask = standing == standing.max()
        active: Mask = standing == ACTIVE

        return least_played(state.seen[arms, 0], active) if count(active) > 0 else best

    def answer(self, state: EgeState) -> Mask:
        """(arms,) those that are not rejected."""
        answer: Mask = state.standing != REJECTED
        return answer

    def update(
        self, state: EgeState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> EgeState:
        """The state after a reward; after the last one of a phase, half of the arms are decided."""
        for l in range(self.objectives):
            state.seen[arm, l] += 1.0
            state.total[arm, l] += reward[l]

        active = state.standing == ACTIVE
        behind = active & (state.seen[:, 0] < state.goal[0])
        if count(active) > 0 and count(behind) == 0:
            self.decide(state, active, rng)

        return state

    @not_inlined
    def decide(self, state: EgeState, active: Mask, rng: Rng) -> None:
        """End a phase: arms with the largest gaps are accepted or rejected."""
        mean = averages(state.total, state.seen, np.arange(self.arms))
        front = nondominated(mean, self.order.on, active)
        gaps = self.gaps(mean, active, front)
        alive = count(active)
        # Equal gaps are common: an arm of the front has that of the arm nearest to it.
        visit = np.arange(self.arms)
        for i in range(self.arms):
            swap_in(visit, i, rng)

        for _ in range(alive // 2):
            last = -1
            for i in range(self.arms):
                a = visit[i]
                if not active[a]:
                    continue

                is_larger = last < 0 or gaps[a] > gaps[last]
                # Arms of the front stay where gaps tie.
                if is_larger or (gaps[a] == gaps[last] and front[last] and not front[a]):
                    last = a

            active[last] = False
            state.standing[last] = ACCEPTED if front[last] else REJECTED

        alive -= alive // 2
        if alive > 1:
            state.goal[0] += self.plays(alive)
        else:
            state.standing[active] = ACCEPTED

    def gaps(self, mean: Array, active: Mask, front: Mask) -> Array:
        """(arms,) how far active arms are from changing sides."""
        behind = np.zeros(self.arms)
        for a in range(self.arms):
            if active[a]:
                behind[a] = pareto_gap(mean, a, self.order.on, active)

        gaps = behind.copy()
        for i in range(self.arms):
            if not front[i]:
                continue

            gaps[i] = math.inf
            for j in range(self.arms):
                if active[j] and j != i:
                    leads = mean[i] - mean[j]
                    rival_lead = max(0.0, -leads.min())
                    gaps[i] = min(gaps[i], leads.max(), rival_lead + behind[j])

        return gaps


@dataclass(frozen=True)
class Ege(Recipe):
    """Play active arms in turn, and decide half of them after each of ceil(log2 K) phases.

    A phase plays every active arm floor(T / (|A| ceil(log2 K))) times. Then the ceil(|A| / 2) arms
    with the smallest gaps stay active; those of the front that leave are accepted, the others
    rejected. The gap of a dominated arm is max_j m(i, j), that of an arm of the front
    min_j min(M(i, j), M(j, i)^+ + gap_j), where gap_j counts for dominated arms only. Of equal gaps
    the front's stay, then chance decides. There is no guarantee for a given probability. Context is
    ignored, and rewards must be whole.

    Args:
        budget: the rounds T; None: the horizon.

    Reference:
        kone2024, EGE-SH.

    Example:
        >>> Ege(budget=1000).bind(Shape(arms=20, features=0, objectives=2)).phases
        5
    """

    references = ("kone2024",)
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="in turn the arms whose gap is small, half as many in each phase",
        log="exact, with zeros",
        horizon="yes",
        part="no",
    )

    budget: int | None = None

    accepts_partial = False

    def __post_init__(self) -> None:
        """Check the parameter."""
        if self.budget is not None:
            integer("Ege.budget", self.budget, at_least=1)

    def bind(self, shape: Shape) -> EgePolicy:
        """The policy, which needs enough rounds to play every arm in the first phase."""
        budget = shape.rounds if self.budget is None else self.budget
        if budget is None:
            raise ValueError("Ege must know the number of rounds; Ege(budget=...) says it")

        phases = max(1, math.ceil(math.log2(shape.arms)))
        integer(f"Ege.budget for {shape.arms} arms", budget, at_least=phases * shape.arms)

        return EgePolicy(shape.arms, shape.objectives, budget, phases, Pareto())
