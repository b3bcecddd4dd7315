"""Policies that identify the Pareto set, against their rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.pareto_bounds import ApeTwin, EliminationTwin, ege_gaps
from twins.replay import pareto_front, replay, watched

from mobandits.contracts.protocols import Beliefs, Shape
from mobandits.policies import Ape, Ege, Elimination, TopTwoParetoTs
from mobandits.policies.identification.ege import ACCEPTED, ACTIVE, REJECTED

SHAPE = Shape(arms=5, features=0, objectives=2)
TWINS = {Ape: ApeTwin, Elimination: EliminationTwin}


def coins(rounds, seed):
    """Rewards with many ties, of which some arms are soon decided."""
    rng = np.random.default_rng(seed)
    level = np.array([[0.9, 0.1], [0.2, 0.9], [0.1, 0.0], [0.5, 0.5], [0.1, 0.1]])
    return np.zeros((1, 1, 0)), (rng.random((rounds, 5, 2)) < level).astype(float)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [0.0, 0.6])
@pytest.mark.parametrize("kind", TWINS)
def test_rules(kind, epsilon):
    recipe = kind(delta=0.2, epsilon=epsilon, sigma=0.3)
    twin = TWINS[kind](recipe, SHAPE)
    watched(replay(recipe, SHAPE, seed=3, given=coins(250, 3)), twin)
    assert twin.decided > 0


def policy_of_ege(arms, budget=10**6):
    return Ege(budget=budget).bind(SHAPE.replaced(arms=arms))


@given(st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_ege_decides_the_half_with_the_largest_gaps(arms, seed):
    rng = np.random.default_rng(seed)
    mean = rng.integers(0, 9, (arms, 2)) / 8
    policy = policy_of_ege(arms)
    state = policy.init()
    state.seen[:] = 1.0
    state.total[:] = mean
    policy.decide(state, np.ones(arms, bool), rng)
    gaps, front = ege_gaps(mean)
    left = state.standing == ACTIVE
    if arms < 3:  # the last arm is accepted at once
        assert (state.standing == ACCEPTED).any()
        return
    assert left.sum() == -(-arms // 2)
    assert gaps[left].max() <= gaps[~left].min()
    tied = gaps == gaps[left].max()
    if (tied & ~left & front).any():  # arms of the front stay where gaps tie
        assert front[tied & left].all()
    np.testing.assert_array_equal(state.standing[~left] == ACCEPTED, front[~left])


def test_ege_plays_its_phases():
    """5 arms, then 3 and 2, in 3 phases of floor(T / 3 / |A|) plays each."""
    recipe = Ege(budget=300)
    run = replay(recipe, SHAPE, given=coins(300, 0))
    plays = np.sort(np.bincount(run.chosen[: 5 * 20 + 3 * 33 + 2 * 50], minlength=5))
    np.testing.assert_array_equal(plays, [20, 20, 53, 103, 103])
    standing = run.state.standing
    assert set(standing) <= {REJECTED, ACCEPTED}
    np.testing.assert_array_equal(recipe.bind(SHAPE).answer(run.state), standing == ACCEPTED)


def test_top_two_plays_the_front_of_a_sample_and_that_of_the_rest():
    policy = TopTwoParetoTs().bind(SHAPE)
    rng = np.random.default_rng(1)
    for _ in range(20):
        sample = rng.random((5, 2))
        front = pareto_front(sample)
        rest = np.zeros(5, bool)
        if not front.all():
            rest[np.flatnonzero(~front)[pareto_front(sample[~front])]] = True
        second = rest if rest.any() else front
        law = policy.probabilities(Beliefs(sample, sample, sample))
        np.testing.assert_allclose(law, (front / front.sum() + second / second.sum()) / 2)


def test_top_two_plays_every_arm_whatever_the_unit():
    contexts, rewards = coins(60, 5)
    run = replay(TopTwoParetoTs(), SHAPE, given=(contexts, 1e6 + rewards))
    assert set(run.chosen) == set(range(5))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ape(delta=0.0), "Ape.delta must be above 0"),
        (lambda: Elimination(epsilon=-1.0), "Elimination.epsilon must be at least 0"),
        (lambda: Ape(sigma=-1.0), "Ape.sigma must be above 0"),
        (lambda: TopTwoParetoTs(sigma=0), "TopTwoParetoTs.sigma must be above 0"),
        (lambda: Ege(budget=0), "Ege.budget must be an integer of at least 1"),
        (lambda: Ege().bind(SHAPE), "Ege must know the number of rounds"),
        (lambda: policy_of_ege(5, 14), "Ege.budget for 5 arms must be an integer of at least 15"),
    ],
)
def test_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
