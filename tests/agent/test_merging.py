"""Agents of shards, put together, are one agent that saw everything; what cannot be added up is refused by name."""

import numpy as np
import pytest

import mobandits as mob
from mobandits.agent.resize_state import arrays
from mobandits.orders import Lexicographic
from mobandits.policies import (
    AnnealingPareto,
    CpUcb1,
    Doubling,
    Exp3P,
    Forgetting,
    MolTs,
    MolUcb,
    ParetoKg,
    ParetoTs,
    Pcz,
    RandomChoice,
    ScalarizedUcb1,
    Ucb1,
)

K, D, L = 3, 2, 2
NAN = np.nan


def agent_of(recipe, **other):
    return mob.Agent(recipe, **{"arms": K, "features": D, "objectives": L, "rounds": 100, **other})


def lessons(n, *, shared, partial=False, seed=0):
    """Contexts, arms that shall be played, and rewards in [0, 1]."""
    rng = np.random.default_rng(seed)
    rewards = rng.random((n, L))
    if partial:
        rewards[rng.random((n, L)) < 0.3] = NAN
    return list(
        zip(
            rng.random((n, D) if shared else (n, K, D)),
            rng.integers(0, K, n).tolist(),
            rewards,
            strict=True,
        )
    )


def taught(agent, some):
    for context, arm, reward in some:
        agent.learn(agent.decide(context, [arm]).id, reward)
    return agent


def numbers(agent):
    return [np.broadcast_to(array, array.shape) for array in arrays(agent.core.bound.state())]


MERGED = [
    (MolUcb(scale=0.3), True, True, 1e-12),
    (MolUcb(scale=0.3), False, True, 1e-12),
    (MolUcb(scale=0.3), False, False, 1e-12),
    (Ucb1(check=False), False, False, 1e-14),
    (ParetoTs(prior="gaussian"), False, True, 1e-14),
    (CpUcb1(per_side=2), True, True, 1e-14),
    (RandomChoice(), True, True, 0.0),
]


@pytest.mark.parametrize(("recipe", "shared", "partial", "exact"), MERGED, ids=str)
def test_shards_are_one(recipe, shared, partial, exact, request):
    if not isinstance(recipe, MolUcb):
        request.getfixturevalue("interpreted")
    first, second = lessons(40, shared=shared), lessons(60, shared=shared, partial=partial, seed=1)
    one, other, whole = (agent_of(recipe, seed=seed) for seed in range(3))
    taught(one, first)
    taught(other, second)
    kept = [array.copy() for array in numbers(other)]
    taught(whole, [*first, *second])
    one.merge(other)
    for mine, theirs in zip(numbers(one), numbers(whole), strict=True):
        np.testing.assert_allclose(
            mine, np.broadcast_to(theirs, mine.shape), rtol=exact, atol=exact
        )
    for before, after in zip(kept, numbers(other), strict=True):
        np.testing.assert_array_equal(before, after)
    assert one.lessons == whole.lessons
    taught(one, lessons(3, shared=shared, seed=5))
    for before, after in zip(kept, numbers(other), strict=True):
        np.testing.assert_array_equal(before, after)  # nothing is shared


def test_several_shards_in_any_order():
    shards = [
        taught(agent_of(MolUcb(scale=0.3)), lessons(20, shared=True, seed=i)) for i in range(4)
    ]
    one, other = (agent_of(MolUcb(scale=0.3)) for _ in range(2))
    for i in range(4):
        one.merge(shards[i])
        other.merge(shards[3 - i])
    np.testing.assert_allclose(
        one.core.bound.state().theta, other.core.bound.state().theta, rtol=1e-12, atol=1e-14
    )
    assert one.lessons == 80


def test_either_may_have_decided_nothing():
    rich, poor = (
        taught(agent_of(MolUcb(scale=0.3)), lessons(20, shared=True)),
        agent_of(MolUcb(scale=0.3)),
    )
    before = [array.tolist() for array in numbers(rich)]
    rich.merge(poor)
    assert [array.tolist() for array in numbers(rich)] == before
    poor.merge(rich)
    np.testing.assert_allclose(
        poor.core.bound.state().theta, rich.core.bound.state().theta, rtol=1e-12
    )
    with pytest.raises(
        ValueError, match=r"context must have shape \(features,\) = \(2,\), as the first one had"
    ):
        poor.decide(np.zeros((K, D)))
    both = agent_of(MolUcb(scale=0.3))
    both.merge(agent_of(MolUcb(scale=0.3)))
    assert both.lessons == 0


def test_preferences_and_what_waits_stay():
    one, other = (
        taught(agent_of(MolUcb(scale=0.3)), lessons(5, shared=True, seed=i)) for i in range(2)
    )
    one.preference = Lexicographic()
    number = one.decide([0.5, 0.5]).id
    other.decide([0.5, 0.5])
    one.merge(other)
    assert (one.preference, one.waiting) == (Lexicographic(), 1)
    one.learn(number, [1.0, 0.0])
    assert one.lessons == 11


def test_arms_that_came_and_went_alike():
    one, other, whole = (agent_of(MolUcb(scale=0.3), arms=["a", "b", "c"]) for _ in range(3))
    rng = np.random.default_rng(3)

    def teach(agents, arm):
        context, reward = rng.random(D), rng.random(L)
        for agent in agents:
            agent.learn(agent.decide(context, [arm]).id, reward)

    for agent in (one, other, whole):
        agent.decide([0.0, 0.0])
        agent.remove_arm("b")
        agent.add_arm("d")
    for _ in range(10):
        teach((one, whole), "d")
        teach((other, whole), "c")
        teach((other, whole), "d")
    one.merge(other)
    np.testing.assert_allclose(
        one.core.bound.state().theta, whole.core.bound.state().theta, rtol=1e-12, atol=1e-14
    )
    other.remove_arm("a")
    other.add_arm("e")
    with pytest.raises(ValueError, match="merge needs agents of equal arms"):
        one.merge(other)
    one.add_arm("e")
    one.remove_arm("a")
    with pytest.raises(ValueError, match="whose arms came and went in the same order"):
        one.merge(other)


def test_a_merge_that_is_refused_begins_nothing():
    one = agent_of(MolUcb(scale=0.3), arms=["a", "b", "c"])
    other = agent_of(MolUcb(scale=0.3), arms=["b", "c", "d"])
    one.remove_arm("a")
    one.add_arm("d")
    other.decide([0.5, 0.25])
    with pytest.raises(ValueError, match="whose arms came and went in the same order"):
        one.merge(other)
    assert (one.core.bound.stage, one.core.contexts.shared) == (0, None)


REFUSED = [
    (MolTs(links="logit", selection="weight"), "but MolTs keeps more than sums"),
    (Forgetting(MolUcb(scale=0.3), discount=0.9), "but Forgetting forgets"),
    (Pcz(), "but Pcz keeps more than sums"),
    (Exp3P(), "but Exp3P keeps more than sums"),
    (AnnealingPareto(), "but AnnealingPareto keeps more than sums"),
    (ParetoKg(), "but ParetoKg keeps more than sums"),
    (ParetoTs(), "but ParetoTs keeps more than sums"),
    (ScalarizedUcb1(check=False), "but ScalarizedUcb1 keeps more than sums"),
    (CpUcb1(per_side=2, period=3), "but CpUcb1 keeps more than sums"),
    (Doubling(Ucb1(check=False)), "and without stages, got Doubling"),
]


@pytest.mark.parametrize(("recipe", "said"), REFUSED, ids=str)
def test_what_is_no_sum_is_refused_by_name(recipe, said, interpreted):
    one, other = (agent_of(recipe) for _ in range(2))
    for agent in (one, other):
        agent.core.contexts.set_layout(shared=False)
        agent.core.bound.set_layout(shared=False)
        agent.core.lessons = 4
    before = [array.tolist() for array in numbers(one)]
    with pytest.raises(ValueError, match=said):
        one.merge(other)
    assert [array.tolist() for array in numbers(one)] == before
    assert one.lessons == 4


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"recipe": MolUcb(scale=0.4)}, "merge needs agents of equal recipe"),
        ({"objectives": ["x", "y"]}, "merge needs agents of equal objectives"),
        ({"features": 3}, "merge needs agents of equal features"),
        ({"arms": ["a", "b", "c"]}, "merge needs agents of equal arms"),
        ({"rounds": None}, "merge needs agents of equal rounds"),
    ],
)
def test_other_agents_are_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        agent_of(MolUcb(scale=0.3)).merge(agent_of(**{"recipe": MolUcb(scale=0.3), **changed}))


def test_other_things_are_refused():
    agent = agent_of(MolUcb(scale=0.3))
    for bad in (agent, None, "agent"):
        with pytest.raises(ValueError, match="merge needs another agent, got"):
            agent.merge(bad)
    one, other = (
        taught(agent_of(MolUcb(scale=0.3)), lessons(2, shared=True)),
        agent_of(MolUcb(scale=0.3)),
    )
    taught(other, lessons(2, shared=False))
    with pytest.raises(ValueError, match="merge needs agents with contexts of one shape"):
        one.merge(other)
