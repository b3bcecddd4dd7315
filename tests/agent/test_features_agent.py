"""Agents on feature maps: files, shards, rewards in part, new arms, explanations, another map later."""

import itertools

import numpy as np
import pytest
from twins.feature_maps import MAPS

import mobandits as mob
from mobandits.agent.resize_state import arrays
from mobandits.features import Crosses, Fourier
from mobandits.logs.parts_as_data import described, made
from mobandits.policies import Features, Forgetting, MolUcb, WithFloor

pytestmark = pytest.mark.usefixtures("interpreted")
K, D, L = 3, 2, 2
EVERY = pytest.mark.parametrize("feature_map", MAPS.values(), ids=MAPS)


def agent_of(recipe, **other):
    return mob.Agent(recipe, **{"arms": ["a", "b", "c"], "features": D, "objectives": L, **other})


def lessons(count, *, shared, seed=0):
    """Contexts, arms that shall be played, and rewards."""
    rng = np.random.default_rng(seed)
    contexts = rng.random((count, D) if shared else (count, K, D))
    arms = rng.choice(["a", "b", "c"], count).tolist()
    return list(zip(contexts, arms, rng.random((count, L)), strict=True))


def taught(agent, some):
    for context, arm, reward in some:
        agent.learn(agent.decide(context, [arm]).id, reward)
    return agent


def numbers(agent):
    return list(arrays(agent.core.bound.state()))


def assert_same_state(one, other, exact=1e-9):
    for mine, theirs in zip(numbers(one), numbers(other), strict=True):
        np.testing.assert_allclose(
            mine, np.broadcast_to(theirs, mine.shape), rtol=exact, atol=exact
        )


@pytest.mark.long
@EVERY
@pytest.mark.parametrize("shared", [True, False])
def test_a_file_keeps_the_map(feature_map, shared, tmp_path):
    agent = taught(agent_of(Features(feature_map, MolUcb(scale=0.3))), lessons(20, shared=shared))
    agent.save(tmp_path / "agent")
    loaded = mob.Agent.load(tmp_path / "agent")
    assert loaded.core.recipe == agent.core.recipe
    for context, _, reward in lessons(20, shared=shared, seed=1):
        decision = agent.decide(context)
        assert loaded.decide(context) == decision
        agent.learn(decision.id, reward)
        loaded.learn(decision.id, reward)
    for mine, theirs in zip(numbers(agent), numbers(loaded), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.long
@EVERY
@pytest.mark.parametrize("scale", [0.3, "data"])
def test_shards_are_one(feature_map, scale):
    recipe = Features(feature_map, MolUcb(scale=scale))
    first, second = (lessons(20, shared=True, seed=seed) for seed in range(2))
    one, other, whole = (agent_of(recipe, seed=seed) for seed in range(3))
    taught(one, first)
    taught(other, second)
    taught(whole, [*first, *second])
    one.merge(other)
    assert_same_state(one, whole)


def test_shards_of_other_maps_are_not_added_up():
    one, other = (
        agent_of(Features(Fourier(6, length=0.5, seed=seed), MolUcb(scale=0.3)))
        for seed in range(2)
    )
    with pytest.raises(ValueError, match="merge needs agents of equal recipe"):
        one.merge(other)


@EVERY
def test_rewards_in_part_and_late_teach_the_same(feature_map):
    recipe = Features(feature_map, MolUcb(scale=0.3))
    whole, parts = agent_of(recipe, seed=1), agent_of(recipe, seed=2)
    some = lessons(15, shared=False)
    taught(whole, some)
    late = []
    for context, arm, reward in some:
        number = parts.decide(context, [arm]).id
        late += [(number, objective, reward[objective]) for objective in range(L)]
    for place in np.random.default_rng(0).permutation(len(late)):
        number, objective, reward = late[place]
        parts.learn(number, {parts.objectives[objective].name: reward})
    assert_same_state(parts, whole)


def test_forgetting_and_floors_go_around_it(tmp_path):
    recipe = WithFloor(Forgetting(Features(Crosses(2), MolUcb(scale=0.3)), 0.9), 0.2)
    agent = taught(agent_of(recipe, propensity="exact"), lessons(20, shared=True))
    assert agent.decide([0.5, 0.25]).propensity >= 0.2 / K - 1e-12
    agent.save(tmp_path / "agent")
    loaded = mob.Agent.load(tmp_path / "agent")
    assert loaded.decide([0.5, 0.5]) == agent.decide([0.5, 0.5])


@pytest.mark.parametrize("shared", [True, False])
def test_arms_join(shared):
    recipe = Features(Crosses(2), MolUcb(scale=0.3))
    agent = taught(agent_of(recipe, propensity="exact"), lessons(20, shared=shared))
    before = numbers(agent)[2].copy()
    agent.add_arm("d", like="b")
    state = agent.core.bound.state()
    assert state.theta.shape[2] == 5
    if shared:
        np.testing.assert_array_equal(state.moment[:3], before)
        np.testing.assert_array_equal(state.moment[3], before[1])
    row = np.full(D if shared else (4, D), 0.5)
    decision = agent.decide(row)
    agent.learn(decision.id, [1.0, 0.0])
    assert decision.scores.shape == (4, L)


def test_another_map_is_learned_again_or_refused(tmp_path):
    old = Features(Fourier(6, length=0.5, seed=0), MolUcb(scale=0.3))
    new = Features(Fourier(6, length=0.5, seed=1), MolUcb(scale=0.3))
    some = lessons(20, shared=True)
    plain = taught(agent_of(old), some)
    with pytest.raises(ValueError, match="retune to Features needs an agent with a log"):
        plain.retune(recipe=new)
    with agent_of(old, log=tmp_path / "log.db") as logged:
        taught(logged, some)
        logged.retune(recipe=new)
        assert_same_state(logged, taught(agent_of(new), some))
    # Another radius on the same map keeps what was learned.
    before = [array.copy() for array in numbers(plain)]
    plain.retune(recipe=Features(old.map, MolUcb(scale=0.1)))
    for mine, theirs in zip(numbers(plain), before, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_forged_maps_are_refused():
    """What a file says of a map is checked as what a program says: a walk in a circle would never end."""
    recipe = Features(MAPS["leaves"], MolUcb(scale=0.3))
    description = described(recipe, "recipe")
    tree = description["with"]["map"]["with"]
    assert made(description, "recipe") == recipe
    tree["left"]["array"][1] = 0
    with pytest.raises(ValueError, match=r"Leaves\.left must be later nodes"):
        made(description, "recipe")
    description["with"]["map"] = described(MolUcb(), "recipe")
    with pytest.raises(ValueError, match=r"Features\.map must be a map"):
        made(description, "recipe")


def test_units_do_not_matter_where_the_scale_is_the_datas():
    some = lessons(60, shared=True)
    for unit, feature_map in itertools.product((1e3, 1e-3), (Crosses(2), Fourier(6, length=0.5))):
        recipe = Features(feature_map, MolUcb(scale="data"))
        one, other = agent_of(recipe, seed=1), agent_of(recipe, seed=1)
        for context, _, reward in some:
            decision = one.decide(context)
            assert other.decide(context).arm == decision.arm
            one.learn(decision.id, reward)
            other.learn(decision.id, reward * [1.0, unit])
