"""States of version 1 files, which kept means and deviations, become the sums that are kept now."""

import numpy as np
import pytest

from mobandits.agent.restoring import restored_state
from mobandits.contracts.protocols import Shape
from mobandits.estimators import SampleMean
from mobandits.policies import ParetoKg, Pcz
from mobandits.policies.context_free.pareto_kg import KgState

SHAPE = Shape(arms=3, features=1, objectives=2, rounds=100)
NOTHING = np.empty(0)


def test_means_become_sums():
    state = restored_state(
        SampleMean(2, 2).init(), [np.array([[4.0, 0.0], [3.0, 1.0]]), np.full((2, 2), 0.25)], 2, 1
    )
    assert state.total.tolist() == [[1.0, 0.0], [0.75, 0.25]]
    same = restored_state(
        SampleMean(2, 2).init(), [np.array([[4.0, 0.0], [3.0, 1.0]]), np.full((2, 2), 0.25)], 2, 2
    )
    assert same.total.tolist() == [[0.25] * 2] * 2


def test_deviations_of_the_knowledge_gradient_stay_what_they_were():
    policy, rng = ParetoKg().bind(SHAPE), np.random.default_rng(0)
    rewards = 1e3 + rng.normal(size=(40, 2))
    arms = rng.integers(0, 2, 40)  # the last arm has not been played
    state = policy.init()
    for arm, reward in zip(arms, rewards, strict=True):
        state = policy.update(state, NOTHING, arm, 0.0, reward, rng)
    seen, mean, squares = np.zeros((3, 2, 3)).transpose(2, 0, 1)
    for arm in range(2):
        seen[arm] = (arms == arm).sum()
        mean[arm] = rewards[arms == arm].mean(0)
        squares[arm] = ((rewards[arms == arm] - mean[arm]) ** 2).sum(0)
    loaded = restored_state(policy.init(), [seen, mean, squares], 2, version=1)
    everyone = np.arange(3)
    now, then = (policy.beliefs(one, NOTHING, everyone, rng) for one in (state, loaded))
    np.testing.assert_allclose(then.mean, now.mean, rtol=1e-14)
    np.testing.assert_allclose(then.high, now.high, rtol=1e-9)
    for l in range(2):
        for arm in range(2):
            deviation = rewards[arms == arm, l].std(ddof=1) / np.sqrt(seen[arm, l])
            assert policy.gradient(loaded, arm, l, 0.0) == pytest.approx(
                deviation / np.sqrt(2 * np.pi), rel=1e-9
            )


@pytest.mark.parametrize("number", [0, 2, 4, 5])
def test_the_number_of_arrays_is_that_of_the_version(number):
    template = ParetoKg().bind(SHAPE).init()
    with pytest.raises(ValueError, match="state must have 4 arrays, got"):
        restored_state(template, [np.zeros((3, 2))] * number, 2, version=1)
    assert len(KgState._fields) == 4


@pytest.mark.parametrize("huge", [1e308, 1e200])
def test_forged_means_have_no_infinite_sums(huge):
    means = SampleMean(1, 1).init()
    with pytest.raises(ValueError, match=r"state\[1\] must hold finite numbers"):
        restored_state(means, [np.full((1, 1), huge), np.full((1, 1), huge)], 1, version=1)
    first = Pcz(positions=[[0.0]] * 3).bind(SHAPE._replace(shared=True)).init()
    arrays = [array.copy() for array in first]
    arrays[2][:], arrays[3][:] = (
        0.0,
        np.inf,
    )  # balls may hold infinite numbers, but 0 times infinity is none
    with pytest.raises(ValueError, match=r"state\[3\] must hold finite numbers"):
        restored_state(first, arrays, 2, version=1)
