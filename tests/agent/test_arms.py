"""Arms that come and go, against agents that had as many from the start; slots that are used again; eligible sets."""

import numpy as np
import pytest

import mobandits as mob
from mobandits.agent.resize_state import arrays, has_own_models, with_arm_added
from mobandits.contracts.notes import note_of
from mobandits.contracts.protocols import Shape
from mobandits.policies import (
    CpUcb1,
    CsUcb1,
    Doubling,
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

D, L = 2, 2


def agent_of(recipe=None, **other):
    return mob.Agent(
        recipe or MolUcb(scale=0.3),
        **{"arms": ["a", "b", "c"], "features": D, "objectives": L, **other},
    )


def teach(agent, arm, rng, *, partial=False):
    context, reward = rng.random(D), rng.random(L)
    reward[1] = np.nan if partial else reward[1]
    agent.learn(agent.decide(context, [arm]).id, reward)


def model(agent, arm):
    """What is believed of one arm."""
    slot = agent.core.arms.slot(arm)
    return [array[slot].tolist() for array in arrays(agent.core.bound.state())]


@pytest.mark.parametrize("partial", [False, True])
def test_one_more_is_as_if_it_had_been_there(partial):
    few, many = agent_of(), agent_of(arms=["a", "b", "c", "new"])
    for agent in (few, many):
        rng = np.random.default_rng(0)
        for arm in "abcabca":
            teach(agent, arm, rng, partial=partial)
    few.add_arm("new")
    for agent in (few, many):
        rng = np.random.default_rng(1)
        for arm in ("new", "a", "new"):
            teach(agent, arm, rng)
    assert few.arms == many.arms
    for mine, theirs in zip(
        arrays(few.core.bound.state()), arrays(many.core.bound.state()), strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)
    context = np.array([0.2, 0.9])
    assert {few.decide(context).arm for _ in range(20)} == {
        many.decide(context).arm for _ in range(20)
    }


@pytest.mark.parametrize("partial", [False, True])
def test_one_more_like_another(partial):
    agent, rng = agent_of(), np.random.default_rng(2)
    for arm in "abcab":
        teach(agent, arm, rng, partial=partial)
    agent.add_arm("new", like="b")
    assert model(agent, "new") == model(agent, "b")
    before = model(agent, "b")
    teach(agent, "new", rng)
    assert model(agent, "b") == before
    assert model(agent, "new") != before


def test_slots_are_used_again_and_remember_nothing():
    agent, rng = agent_of(), np.random.default_rng(3)
    prior = None
    for arm in "abcabc":
        teach(agent, arm, rng)
    late = agent.decide(rng.random(D), ["b"]).id
    agent.remove_arm("b")
    assert agent.arms == ("a", "c")
    agent.add_arm("d")
    prior = model(agent_of_three_decided(), "a")
    assert model(agent, "d") == prior
    assert len(agent.core.arms.slots) == 3
    agent.learn(late, [5.0, 5.0])  # of the arm that was in this slot
    assert (model(agent, "d"), agent.waiting, agent.lessons) == (prior, 0, 6)
    agent.remove_arm("a")
    agent.add_arm("b", like="c")  # the name comes back, and is another arm
    assert model(agent, "b") == model(agent, "c")
    assert agent.arms == ("c", "d", "b")
    assert {agent.decide(rng.random(D)).arm for _ in range(30)} <= {"b", "c", "d"}


def agent_of_three_decided():
    agent = agent_of()
    agent.decide(np.zeros(D))
    return agent


def test_rewards_of_an_arm_that_went_teach_a_model_for_all():
    agent, rng = agent_of(), np.random.default_rng(4)
    numbers = [agent.decide(rng.random((3, D)), ["b"]).id for _ in range(2)]
    agent.remove_arm("b")
    agent.learn(numbers[0], [1.0, 0.0])
    agent.add_arm("d")
    agent.learn(numbers[1], [1.0, 0.0])
    assert agent.lessons == agent.core.bound.state().seen[0, 0] == 2
    assert agent.decide(rng.random((3, D))).arm in ("a", "c", "d")


GROWING = [
    (MolUcb(scale=0.3), True),
    (MolTs(scale=0.3), True),
    (MolTs(links="logit", selection="weight"), True),
    (Forgetting(MolUcb(scale=0.3), discount=0.9), True),
    (MolUcb(scale=0.3), False),
    (Ucb1(check=False), False),
    (ParetoTs(prior="gaussian"), False),
    (ParetoTs(), False),
    (ParetoKg(), False),
    (ScalarizedUcb1(check=False), False),
    (CpUcb1(per_side=2), True),
    (CsUcb1(per_side=3, check=False), False),
    (RandomChoice(), False),
]


@pytest.mark.parametrize(("recipe", "shared"), GROWING, ids=str)
def test_states_grow_as_if_they_had_been_larger(recipe, shared):
    shape, rng = Shape(3, D, L, rounds=100, shared=shared), np.random.default_rng(5)
    larger = shape._replace(arms=4)
    few, many = recipe.bind(shape), recipe.bind(larger)
    lessons = [(i % 3, rng.random(D), rng.integers(0, 2, L).astype(float), i) for i in range(9)]
    policy, grown = with_arm_added(recipe, shape, taught(few, lessons), 3, None)
    assert repr(policy) == repr(many)
    check_same(grown, taught(many, lessons))
    own = few.init()[0].shape != many.init()[0].shape
    assert has_own_models(recipe, shape) is own
    if own:
        _, again = with_arm_added(recipe, larger, grown, 1, 2)
        others = [lesson for lesson in lessons if lesson[0] != 1]
        check_same(
            again,
            taught(many, [*others, *((1, *lesson[1:]) for lesson in lessons if lesson[0] == 2)]),
        )


def taught(policy, lessons):
    state = policy.init()
    for arm, x, reward, seed in lessons:
        state = policy.update(state, x, arm, note_of(policy), reward, np.random.default_rng(seed))
    return state


def check_same(state, wanted):
    for mine, theirs in zip(arrays(state), arrays(wanted), strict=True):
        np.testing.assert_array_equal(mine, theirs)
        assert mine.flags.c_contiguous
        assert mine.dtype == theirs.dtype


def test_parameters_that_depend_on_the_number_of_arms_follow_it():
    agent = agent_of(MolUcb(check=False))
    agent.decide(np.zeros(D))
    agent.add_arm("d")
    assert (
        agent.core.bound.policy.explorer.radius
        == agent.recipe.bind(Shape(4, D, L, shared=True)).explorer.radius
    )


def test_before_the_first_decision():
    agent = agent_of()
    agent.add_arm("d")
    agent.remove_arm("a")
    assert agent.arms == ("b", "c", "d")
    assert {agent.decide(np.zeros((3, D))).arm for _ in range(30)} == {"b", "c", "d"}


@pytest.mark.parametrize(
    ("recipe", "options", "said"),
    [
        (Doubling(RandomChoice()), {}, "arm must not be added to Doubling, which plays in stages"),
        (
            Pcz(positions=((0.0,), (0.5,), (1.0,))),
            {"rounds": 50},
            "Pcz.positions must have a row for each of 4 arms",
        ),
    ],
    ids=str,
)
def test_recipes_that_take_no_more(recipe, options, said):
    agent = agent_of(recipe, features=0, **options)
    if not isinstance(recipe, Pcz):
        agent.decide()
    with pytest.raises(ValueError, match=said):
        agent.add_arm("d")
    assert agent.arms == ("a", "b", "c")
    agent.remove_arm("b")
    assert agent.arms == ("a", "c")
    if not isinstance(recipe, Pcz):
        assert {agent.decide().arm for _ in range(20)} == {"a", "c"}


def test_what_cannot_come_or_go_is_refused():
    agent = agent_of(arms=["a", ("b", 1)])
    for call, said in [
        (lambda: agent.add_arm("a"), "arm must be a new name, got 'a'"),
        (lambda: agent.add_arm([1]), "arm must be .* that can be hashed"),
        (
            lambda: agent.add_arm("c", like="x"),
            r"arm must name arms of the agent, which are 'a', \('b', 1\), got 'x'",
        ),
        (lambda: agent.remove_arm("x"), "arm must name arms of the agent, .* got 'x'"),
        (lambda: agent.remove_arm([1]), r"arm must name arms of the agent, .* got \[1\]"),
    ]:
        with pytest.raises(ValueError, match=said):
            call()
    agent.remove_arm("a")
    with pytest.raises(ValueError, match="arm must not be the last one, got"):
        agent.remove_arm(("b", 1))
    assert agent.arms == (("b", 1),)


@pytest.mark.parametrize(
    ("eligible", "said"),
    [
        ([], "eligible must name at least one arm, each once, got"),
        (["a", "a"], "eligible must name at least one arm, each once, got"),
        (["a", "x"], "eligible must name arms of the agent, which are 'a', 'b', 'c', got 'x'"),
        ([["a"]], r"eligible must name arms of the agent, .* got \['a'\]"),
        ("abc", "eligible must be a list of arms, got 'abc'"),
        (3, "eligible must be a list of arms, got 3"),
    ],
)
def test_eligible_arms_are_arms(eligible, said):
    agent = agent_of()
    for call in (agent.decide, lambda context, some: agent.decide_batch(context[None], some)):
        with pytest.raises(ValueError, match=said):
            call(np.zeros(D), eligible)
    assert agent.waiting == 0


def test_only_eligible_arms_are_played():
    agent, rng = agent_of(propensity="exact"), np.random.default_rng(6)
    for _ in range(30):
        some = [("a", "b", "c")[i] for i in rng.permutation(3)[: rng.integers(1, 4)]]
        decision = agent.decide(rng.random(D), iter(some))
        assert decision.arm in some
        assert decision.eligible == tuple(some)
        assert set(decision.front) <= set(some)
        assert decision.scores.shape == (len(some), L)
        agent.learn(decision.id, rng.random(L))
    assert {
        one.arm for one in agent.decide_batch(rng.random((20, D)), (name for name in ["c", "a"]))
    } <= {"a", "c"}


def test_rows_by_name():
    named, rows = (agent_of(seed=7) for _ in range(2))
    rng = np.random.default_rng(8)
    for _ in range(20):
        table = rng.random((3, D))
        by_name = dict(zip("cab", table[[2, 0, 1]], strict=True))
        one = named.decide(by_name)
        other = rows.decide(table, ["c", "a", "b"])
        assert one == other
        np.testing.assert_array_equal(one.context, other.context)
        assert named.decide({"b": table[1]}) == rows.decide(table, ["b"])
        assert named.decide(by_name, ["b", "c"]) == rows.decide(table, ["b", "c"])
        for agent in (named, rows):
            agent.learn(one.id, table[0])


@pytest.mark.parametrize(
    ("context", "eligible", "said"),
    [
        ({"x": [0.0, 0.0]}, None, r"context must be numbers, or {arm: row} with the arms 'a', 'b'"),
        ({}, None, "context must name at least one arm"),
        (
            {"a": [0.0]},
            None,
            r"context must have rows of 2 numbers in the order of the features, got shape \(1, 1\)",
        ),
        ({"a": [0.0, 1.0], "b": [0.0]}, None, "context must be numbers"),
        (
            {"a": [0.0, 1.0]},
            ["a", "b"],
            "context must have a row for every eligible arm, got none for 'b'",
        ),
        ({"a": [0.0, np.nan]}, None, "context must be finite, got nan"),
        ({"a": None}, None, "context must have rows of 2 numbers|context must be"),
    ],
)
def test_rows_by_name_are_checked(context, eligible, said):
    agent = agent_of()
    with pytest.raises(ValueError, match=said):
        agent.decide(context, eligible)
    agent.decide(np.zeros(D))  # nothing was settled
