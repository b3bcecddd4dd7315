"""An honest policy, and one wrong policy for every promise that a policy can break."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.protocols import Array, Choice, Recipe
from mobandits.numerics.masks import uniform


class State(NamedTuple):
    seen: Array  # (arms, objectives)
    mean: Array


@kernel
def near(index, margin):
    """The arms whose index is at most `margin` below the largest."""
    top, out = -math.inf, np.zeros(len(index), np.bool_)
    for value in index:
        top = max(top, value)
    for a in range(len(index)):
        out[a] = index[a] == top or index[a] >= top - margin
    return out


@compiled
class Honest:
    """Optimism on the sum of the objectives; a uniform arm among those that are nearly best."""

    arms: int
    objectives: int
    margin: float = 0.2

    def init(self):
        return State(np.zeros((self.arms, self.objectives)), np.zeros((self.arms, self.objectives)))

    def beliefs(self, state, context, arms, rng):
        out = np.zeros(len(arms))
        for a in range(len(arms)):
            for l in range(self.objectives):
                n = state.seen[arms[a], l]
                out[a] += state.mean[arms[a], l] + 0.3 / math.sqrt(n) if n > 0.0 else math.inf
        return out

    def draw(self, beliefs, rng):
        law, left = uniform(near(beliefs, self.margin)), rng.random()
        for a in range(len(law)):
            left -= law[a]
            if left < 0.0 and law[a] > 0.0:
                return Choice(a, 0.0)
        return Choice(len(law) - 1, 0.0)

    def probabilities(self, beliefs):
        return uniform(near(beliefs, self.margin))

    def update(self, state, x, arm, note, reward, rng):
        for l in range(self.objectives):
            if not math.isnan(reward[l]):
                state.seen[arm, l] += 1.0
                state.mean[arm, l] += (reward[l] - state.mean[arm, l]) / state.seen[arm, l]
        return state


@compiled
class ScalarInState(Honest):
    def init(self):
        return State(np.zeros((self.arms, self.objectives)), 0.0)

    def beliefs(self, state, context, arms, rng):
        return np.zeros(len(arms))

    def update(self, state, x, arm, note, reward, rng):
        return state


@compiled
class UnequalSum(Honest):
    def probabilities(self, beliefs):
        return np.full(len(beliefs), 0.9 / len(beliefs))


@compiled
class ClipsRewards(Honest):
    """Writes into the rewards that all policies share."""

    def update(self, state, x, arm, note, reward, rng):
        for l in range(self.objectives):
            reward[l] = min(max(reward[l], 0.25), 0.75) if not math.isnan(reward[l]) else math.nan
            if not math.isnan(reward[l]):
                state.seen[arm, l] += 1.0
                state.mean[arm, l] += (reward[l] - state.mean[arm, l]) / state.seen[arm, l]
        return state


@compiled
class TouchesState(Honest):
    def beliefs(self, state, context, arms, rng):
        out = np.zeros(len(arms))
        for a in range(len(arms)):
            for l in range(self.objectives):
                state.seen[arms[a], l] = max(
                    state.seen[arms[a], l], 1.0
                )  # "avoids" a division by zero
                out[a] += state.mean[arms[a], l] + 0.3 / math.sqrt(state.seen[arms[a], l])
        return out


@compiled
class TouchesBeliefs(Honest):
    def draw(self, beliefs, rng):
        choice = Choice(int(np.argmax(beliefs)), 0.0)
        beliefs[choice.arm] = -math.inf
        return choice


@compiled
class FirstOfFront(Honest):
    """A biased draw."""

    def draw(self, beliefs, rng):
        return Choice(int(np.argmax(near(beliefs, self.margin))), 0.0)


@compiled
class StrictlyNear(Honest):
    """A strict comparison where `draw` has a weak one: `probabilities` miss the arms exactly on the margin."""

    margin: float = 0.0

    def probabilities(self, beliefs):
        out = np.zeros(len(beliefs))
        out[int(np.argmax(beliefs))] = 1.0
        return out


@compiled
class ByPosition(Honest):
    """Reads the state by position, where it must read by id."""

    def beliefs(self, state, context, arms, rng):
        out = np.zeros(len(arms))
        for a in range(len(arms)):
            for l in range(self.objectives):
                out[a] += state.mean[a, l]
        return out


@compiled
class FirstWinsTies(Honest):
    """Consistent in draw and law, but ties go to whoever is named first."""

    def draw(self, beliefs, rng):
        return Choice(int(np.argmax(beliefs)), 0.0)

    def probabilities(self, beliefs):
        out = np.zeros(len(beliefs))
        out[int(np.argmax(beliefs))] = 1.0
        return out


@compiled
class MissingIsZero(Honest):
    def update(self, state, x, arm, note, reward, rng):
        for l in range(self.objectives):
            r = 0.0 if math.isnan(reward[l]) else reward[l]
            state.seen[arm, l] += 1.0
            state.mean[arm, l] += (r - state.mean[arm, l]) / state.seen[arm, l]
        return state


@compiled
class OneCount(Honest):
    """Counts decisions, not rewards: a mean is wrong as soon as rewards come in parts."""

    def update(self, state, x, arm, note, reward, rng):
        state.seen[arm, 0] += 1.0
        for l in range(self.objectives):
            state.seen[arm, l] = state.seen[arm, 0]
            if not math.isnan(reward[l]):
                state.mean[arm, l] += (reward[l] - state.mean[arm, l]) / state.seen[arm, l]
        return state


@compiled
class DropsUpdates(Honest):
    """Forgets the first reward of every arm."""

    def update(self, state, x, arm, note, reward, rng):
        if self.arms > 0 and state.seen[arm, 0] == 0.0 and arm > 2:
            return state
        for l in range(self.objectives):
            if not math.isnan(reward[l]):
                state.seen[arm, l] += 1.0
                state.mean[arm, l] += (reward[l] - state.mean[arm, l]) / state.seen[arm, l]
        return state


@compiled
class OnlyCounts(Honest):
    """Counts, but never looks at a reward."""

    def update(self, state, x, arm, note, reward, rng):
        for l in range(self.objectives):
            if not math.isnan(reward[l]):
                state.seen[arm, l] += 1.0
        return state


@compiled
class GlobalChance(Honest):
    """Random numbers from elsewhere than its stream."""

    def draw(self, beliefs, rng):
        law, left = uniform(near(beliefs, self.margin)), np.random.random()  # noqa: NPY002
        for a in range(len(law)):
            left -= law[a]
            if left < 0.0 and law[a] > 0.0:
                return Choice(a, 0.0)
        return Choice(len(law) - 1, 0.0)


class HiddenMemory(Honest):
    """A plain Python policy that remembers its last arm outside its state."""

    def beliefs(self, state, context, arms, rng):
        out = super().beliefs(state, context, arms, rng)
        out[arms == getattr(self, "last", -1)] -= 10.0
        return out

    def update(self, state, x, arm, note, reward, rng):
        object.__setattr__(self, "last", arm)
        return super().update(state, x, arm, note, reward, rng)


@compiled
class TwoWorlds(Honest):
    """Compiled it does something else: integers of Python do not overflow."""

    def beliefs(self, state, context, arms, rng):
        overflows = (len(arms) + 2**62) * 2 < 0
        out = np.zeros(len(arms))
        for a in range(len(arms)):
            for l in range(self.objectives):
                out[a] += state.mean[arms[a], l] + (0.0 if overflows else 1e-12)
        return out

    def update(self, state, x, arm, note, reward, rng):
        overflows = (len(reward) + 2**62) * 2 < 0
        for l in range(self.objectives):
            if not math.isnan(reward[l]):
                state.seen[arm, l] += 1.0
                state.mean[arm, l] += (reward[l] - state.mean[arm, l]) / state.seen[arm, l]
                state.mean[arm, l] += 0.0 if overflows else 1e-16
        return state


@compiled
class OutOfRange(Honest):
    """Reads beyond the end of an array: silent when compiled, an error interpreted."""

    def beliefs(self, state, context, arms, rng):
        out = np.zeros(len(arms))
        for a in range(len(arms)):
            out[a] = state.mean[arms[a] + 1, 0]
        return out


@compiled
class StridedState(Honest):
    """A state that no file gives back as it was: its arrays are every second row of larger ones."""

    def init(self):
        return State(
            np.zeros((2 * self.arms, self.objectives))[::2],
            np.zeros((2 * self.arms, self.objectives))[::2],
        )


MUTANTS: dict[str, tuple[type, str]] = {  # the policy, and the check that it must fail
    "scalar in state": (ScalarInState, "well-formed"),
    "probabilities sum to 0.9": (UnequalSum, "well-formed"),
    "rewards clipped in place": (ClipsRewards, "inputs-are-left-alone"),
    "state touched in beliefs": (TouchesState, "beliefs-leave-the-state-alone"),
    "beliefs touched in draw": (TouchesBeliefs, "draws-leave-the-beliefs-alone"),
    "biased draw": (FirstOfFront, "draws-match-probabilities"),
    "strict instead of weak": (StrictlyNear, "draws-match-probabilities"),
    "state read by position": (ByPosition, "relabelling-moves-the-probabilities"),
    "ties to the first": (FirstWinsTies, "relabelling-moves-the-probabilities"),
    "missing is zero": (MissingIsZero, "partial-rewards-add-up"),
    "one count for all objectives": (OneCount, "partial-rewards-add-up"),
    "an update dropped": (DropsUpdates, "every-reward-is-learned"),
    "rewards never read": (OnlyCounts, "every-reward-is-learned"),
    "chance from elsewhere": (GlobalChance, "plays-repeat"),
    "hidden memory": (HiddenMemory, "snapshots-continue"),
    "two worlds": (TwoWorlds, "interpreted-equals-compiled"),
    "index out of range": (OutOfRange, "interpreted-equals-compiled"),
    "strided state": (StridedState, "compiles-once"),
}


@dataclass(frozen=True)
class Mutant(Recipe):
    """The recipe of a mutant, by name."""

    name: str

    def bind(self, shape) -> Any:
        return MUTANTS[self.name][0](shape.arms, shape.objectives)


@dataclass(frozen=True)
class HonestRecipe(Recipe):
    margin: float = 0.2

    def bind(self, shape):
        return Honest(shape.arms, shape.objectives, self.margin)
