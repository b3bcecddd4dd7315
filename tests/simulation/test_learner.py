"""What a learner does around the loop: it starts stages on time, and looks at what comes in."""

import warnings
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pytest

from mobandits import simulate
from mobandits.contracts.assumptions import (
    UNIT_BALL,
    UNIT_CUBE,
    UNIT_REWARDS,
    InputWarning,
)
from mobandits.contracts.protocols import Block, Choice, Recipe, Shape, Stage
from mobandits.policies import ParetoTs, Ucb1
from mobandits.simulation.learner import Learner
from mobandits.simulation.play import play

ARMS, SHAPE = np.arange(3), Shape(arms=3, features=2, objectives=1)


class Plays(NamedTuple):
    count: np.ndarray


class Clock:
    """Plays the arm that is the number of its stage, and writes down stage, number of its plays, and reward."""

    def __init__(self, stage, seen):
        self.stage, self.seen = stage, seen

    def init(self):
        return Plays(np.zeros(1))

    def beliefs(self, state, context, arms, rng):
        return self.stage

    def draw(self, beliefs, rng):
        return Choice(beliefs, 0.0)

    def probabilities(self, beliefs):
        return np.eye(3)[beliefs]

    def update(self, state, x, arm, note, reward, rng):
        state.count[0] += 1
        self.seen.append((self.stage, int(state.count[0]), reward[0]))
        return state


@dataclass(frozen=True)
class Staged(Recipe):
    """Stages of 3, 4 and all other rounds."""

    seen: list
    check: bool = True
    assumes: tuple = ()

    @property
    def assumed(self):
        return self.assumes

    def bind(self, shape):
        return Clock(0, self.seen)

    def stages(self, shape):
        for stage, rounds in enumerate((3, 4, None)):
            yield Stage(Clock(stage, self.seen), rounds)


class Whole(Staged):
    accepts_partial: ClassVar[bool] = False


def block(rounds=10, contexts=None, rewards=None):
    contexts = np.zeros((rounds, 3, 2)) if contexts is None else contexts
    rewards = np.arange(3.0 * rounds).reshape(rounds, 3, 1) if rewards is None else rewards
    return Block(contexts, rewards, rewards)


def learner(recipe):
    return Learner("row", recipe, SHAPE, lambda policy: play, np.random.default_rng(0))


@pytest.mark.parametrize("cuts", [(10,), (2, 5, 3), (3, 4, 3), (1,) * 10])
@pytest.mark.parametrize("rows", [1, 10])
def test_stages_begin_from_scratch_wherever_blocks_are_cut(cuts, rows):
    recipe, whole, first = Staged([]), block(contexts=np.zeros((rows, 3, 2))), 0
    one, arms, fronts = learner(recipe), [], []
    for n in cuts:
        part = slice(first, first + n)
        now = Block(
            whole.contexts[part] if rows > 1 else whole.contexts, whole.means, whole.rewards[part]
        )
        chosen, front = np.empty(n, np.int64), np.empty((n, 3), np.bool_)
        one.play(now, ARMS, chosen, front)
        arms, fronts, first = [*arms, *chosen], [*fronts, *front.argmax(1)], first + n
    assert arms == fronts == [0] * 3 + [1] * 4 + [2] * 3
    times = [1, 2, 3, 1, 2, 3, 4, 1, 2, 3]
    assert recipe.seen == [
        (s, n, whole.rewards[t, s, 0]) for t, (s, n) in enumerate(zip(arms, times, strict=True))
    ]


def played(recipe, given):
    n = len(given.rewards)
    one = learner(recipe)
    for _ in range(2):
        one.play(given, ARMS, np.empty(n, np.int64), None)


def test_a_warning_is_given_once_for_rewards_that_were_seen():
    with pytest.warns(
        InputWarning, match=r"policy 'row': Staged needs rewards in \[0, 1\], because .*check=False"
    ) as w:
        played(Staged([], assumes=(UNIT_REWARDS,)), block())
    assert len(w) == 1


def test_rewards_that_nobody_sees_do_no_harm():
    rewards = np.zeros((3, 3, 1))
    rewards[:, 1:] = 7.0
    learner(Staged([], assumes=(UNIT_REWARDS,))).play(
        block(3, rewards=rewards), ARMS, np.empty(3, np.int64), None
    )


@pytest.mark.parametrize("rows", [1, 10])
@pytest.mark.parametrize("columns", [1, 3])
def test_norms(rows, columns):
    contexts = np.full((rows, columns, 2), 0.6)
    recipe = Staged([], assumes=(UNIT_BALL,))
    played(recipe, block(contexts=contexts))
    with pytest.warns(InputWarning, match=r"Staged needs norms of features in \[0, 1\]"):
        played(recipe, block(contexts=2 * contexts))


def test_contexts_outside_the_cube_are_refused():
    contexts = np.zeros((10, 3, 2))
    contexts[9, 2, 1] = -0.5
    with pytest.raises(
        ValueError, match=r"policy 'row': Staged needs contexts in \[0, 1\], because .*, got -0.5"
    ):
        played(Staged([], assumes=(UNIT_CUBE,)), block(contexts=contexts))


def test_the_check_can_be_turned_off():
    recipe = Staged([], check=False, assumes=(UNIT_CUBE, UNIT_REWARDS, UNIT_BALL))
    played(recipe, block(contexts=np.full((10, 3, 2), 9.0)))


def test_rewards_in_part_are_refused_by_name():
    rewards = np.zeros((10, 3, 1))
    rewards[4, 1] = np.nan
    played(Staged([]), block(rewards=rewards))
    with pytest.raises(ValueError, match="Whole must observe all objectives of a reward at once"):
        played(Whole([]), block(rewards=rewards))


@dataclass(frozen=True)
class Loud:
    """Rewards of 5."""

    def problem(self, rounds, rng):
        return LoudProblem(Shape(arms=2, features=0, objectives=1, rounds=rounds))


class LoudProblem(NamedTuple):
    shape: Shape

    def block(self, first, rounds, rng):
        rewards = np.full((rounds, 2, 1), 5.0)
        return Block(np.zeros((1, 1, 0)), rewards, rewards)


def test_simulations_say_so_once_for_all_trials():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        simulate(Ucb1(), Loud(), rounds=600, trials=3, metrics=["reward"])
        simulate(Ucb1(check=False), Loud(), rounds=600, trials=3, metrics=["reward"])
    assert len(said) == 1
    assert str(said[0].message).startswith("policy 'Ucb1(")


def test_simulations_refuse_what_makes_no_sense():
    with pytest.raises(
        ValueError, match=r"ParetoTs needs rewards in \[0, 1\], because its Beta .*, got 5"
    ):
        simulate(ParetoTs(), Loud(), rounds=10, trials=1, metrics=["reward"])
    simulate(ParetoTs(check=False), Loud(), rounds=10, trials=1, metrics=["reward"])
