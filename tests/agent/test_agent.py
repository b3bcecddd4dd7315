"""The agent against its slow twin, which calls the policy's methods in Python; what it refuses, and how it says so."""

import gc
import math
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import mobandits as mob
from mobandits.agent.compiled_calls import is_within
from mobandits.agent.guard import Guard
from mobandits.contracts.protocols import Choice, Recipe, Shape
from mobandits.errors import InputWarning
from mobandits.policies import (
    AnnealingPareto,
    Doubling,
    MolTs,
    MolUcb,
    ParetoTs,
    Pcz,
    RandomChoice,
    Ucb1,
)

K, D, L = 7, 3, 2
NAN = math.nan


class Twin:
    """The same, slowly: whole rewards, in the order of the decisions or any other."""

    def __init__(self, recipe, *, shared, seed=0):
        self.policy = recipe.bind(Shape(K, D, L, shared=shared))
        self.state, self.rng, self.kept = self.policy.init(), np.random.default_rng(seed), []

    def decide(self, context):
        rows = np.atleast_2d(context)
        choice = self.policy.draw(
            self.policy.beliefs(self.state, rows, np.arange(K), self.rng), self.rng
        )
        self.kept.append((rows[choice.arm if len(rows) > 1 else 0].copy(), choice.arm, choice.note))
        return choice.arm

    def learn(self, number, reward):
        self.state = self.policy.update(self.state, *self.kept[number], np.array(reward), self.rng)


def state(agent):
    return agent.core.bound.state()


def contexts(n, shared, seed=1):
    return np.random.default_rng(seed).uniform(-0.5, 0.5, (n, D) if shared else (n, K, D))


def agent_of(recipe, **other):
    return mob.Agent(recipe, **{"arms": K, "features": D, "objectives": L, **other})


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(
    "recipe", [MolUcb(scale=0.5), MolTs(scale=0.5, selection="weight")], ids=str
)
def test_decides_as_the_policy_does(recipe, shared):
    agent, twin, rng = (
        agent_of(recipe, seed=5),
        Twin(recipe, shared=shared, seed=5),
        np.random.default_rng(2),
    )
    for context in contexts(40, shared):
        decision = agent.decide(context)
        assert decision.arm == twin.decide(context)
        reward = rng.normal(size=L)
        agent.learn(decision.id, reward)
        twin.learn(decision.id, reward)
    assert agent.waiting == 0


def test_late_rewards_in_any_order_and_in_parts():
    agent, rng, parts, whole = agent_of(MolUcb(scale=0.5)), np.random.default_rng(3), [], []
    for context in contexts(20, shared=False):
        decision, reward = agent.decide(context), rng.normal(size=L)
        whole.append((context[decision.arm].copy(), decision.arm, 0.0, reward))
        parts += [(decision.id, {l: reward[l]}) for l in range(L)]
        agent.learn(*parts.pop(rng.integers(len(parts))))
    for i in rng.permutation(len(parts)):
        agent.learn(*parts[i])
    twin = Twin(MolUcb(scale=0.5), shared=False)
    for lesson in whole:
        twin.state = twin.policy.update(twin.state, *lesson, twin.rng)
    np.testing.assert_allclose(state(agent).theta, twin.state.theta, atol=1e-10)
    assert agent.waiting == 0


@pytest.mark.parametrize("shared", [False, True])
def test_a_batch_is_that_many_decisions_without_learning(shared):
    batch, single = (agent_of(MolUcb(scale=0.5), seed=4) for _ in range(2))
    given = contexts(30, shared)
    assert batch.decide_batch(given) == [single.decide(context) for context in given]
    for agent in (batch, single):
        for number in range(30):
            agent.learn(number, [number % 3, 1.0])
    assert batch.decide_batch(given) == [single.decide(context) for context in given]
    assert batch.decide_batch(given[:0]) == []


def test_a_batch_among_some_arms_is_that_many_decisions_among_them():
    batch, single = (agent_of(MolUcb(scale=0.5), seed=4) for _ in range(2))
    given, some = contexts(30, shared=False), [4, 0, 5]
    assert batch.decide_batch(given, some) == [single.decide(context, some) for context in given]


def test_other_memory_is_the_same_input():
    context = np.round(contexts(1, shared=False)[0], 2).astype(np.float32)
    frozen = context.astype(float)
    frozen.setflags(write=False)
    same = [
        context,
        context.astype(float),
        frozen,
        np.asfortranarray(context.astype(float)),
        context.tolist(),
    ]
    assert len({agent_of(MolUcb(scale=0.5)).decide(one) for one in same}) == 1


def test_names():
    agent = mob.Agent(
        RandomChoice(), arms=["a", ("b", 2)], features=0, objectives=["clicks", "revenue"], seed=1
    )
    decisions = [agent.decide() for _ in range(20)]
    assert {decision.arm for decision in decisions} == {"a", ("b", 2)}
    assert [decision.id for decision in decisions] == list(range(20))
    agent.learn(3, {"revenue": 2.0})
    agent.learn(3, {"revenue": 2.0, "clicks": 1})  # told again: nothing new
    assert agent.waiting == 19


def test_waits_for_the_whole_reward_where_the_policy_needs_it():
    agent, twin = (agent_of(AnnealingPareto(rate=0.9), seed=1) for _ in range(2))
    for context in contexts(10, shared=False):
        parts, whole = agent.decide(context), twin.decide(context)
        assert parts == whole
        agent.learn(parts.id, [1.0, NAN])
        agent.learn(parts.id, [NAN, 0.0])
        twin.learn(whole.id, [1.0, 0.0])
    for learned, expected in zip(state(agent), state(twin), strict=True):
        np.testing.assert_array_equal(learned, expected)


def test_the_oldest_decision_is_forgotten_where_too_many_wait():
    agent = mob.Agent(RandomChoice(), arms=2, features=0, objectives=1, pending=3)
    for _ in range(5):
        agent.decide()
    assert (agent.waiting, agent.dropped) == (3, {"limit": 2, "age": 0})
    agent.learn(2, [1.0])
    with pytest.raises(
        ValueError, match="decision_id must be of a decision that waits for rewards, got 1"
    ):
        agent.learn(1, [1.0])


def test_stages_begin_anew_and_old_rewards_teach_nothing():
    agent = mob.Agent(Doubling(Ucb1(check=False), first=4), arms=2, features=0, objectives=1)
    first = [agent.decide() for _ in range(4)]
    for decision in first[:3]:
        agent.learn(decision.id, [1.0])
    assert state(agent).seen.sum() == 3.0
    agent.decide()
    assert state(agent).seen.sum() == 0.0
    agent.learn(first[3].id, [1.0])
    assert state(agent).seen.sum() == 0.0
    assert agent.waiting == 1


@pytest.mark.long
def test_many_arms():
    agent = mob.Agent(MolUcb(scale=0.5), arms=100_000, features=4, objectives=3)
    context = np.random.default_rng(0).normal(size=(100_000, 4)).astype(np.float32)
    decision = agent.decide(context)
    agent.learn(decision.id, [1.0, 0.0, 2.0])
    assert 0 <= agent.decide(context).arm < 100_000


def test_a_policy_in_plain_python():
    class Last:
        def init(self):
            return ()

        def beliefs(self, state, context, arms, rng):
            return arms

        def draw(self, beliefs, rng):
            return Choice(len(beliefs) - 1, 0.0)

        def probabilities(self, beliefs):
            return np.eye(len(beliefs))[-1]

        def update(self, state, x, arm, note, reward, rng):
            return (*state, (arm, reward.tolist()))

    class LastArm(Recipe):
        def bind(self, shape):
            return Last()

    agent = agent_of(LastArm())
    agent.learn(agent.decide(np.zeros(D)).id, [1.0, 2.0])
    assert state(agent) == ((K - 1, [1.0, 2.0]),)


class Heard(NamedTuple):
    lessons: Any


class Ticket(NamedTuple):
    """What a policy of an application notes."""

    number: int
    weight: float


class UndeclaredTickets:
    """Plays the first arm, and notes how many rewards it has heard of."""

    def __init__(self):
        self.notes = []

    def init(self):
        return Heard(np.zeros(1))

    def beliefs(self, state, context, arms, rng):
        return state.lessons[0]

    def draw(self, beliefs, rng):
        return Choice(0, Ticket(int(beliefs), 0.5))

    def probabilities(self, beliefs):
        return np.eye(K)[0]

    def update(self, state, x, arm, note, reward, rng):
        self.notes.append(note)
        state.lessons[0] += 1.0
        return state


class DeclaredTickets(UndeclaredTickets):
    def note(self):
        return Ticket(0, 0.0)


@dataclass(frozen=True)
class Tickets(Recipe):
    policy: Any

    def bind(self, shape):
        return self.policy


def test_a_note_of_several_numbers_comes_back_from_a_file_too(tmp_path):
    recipe = Tickets(DeclaredTickets())
    agent = agent_of(recipe)
    for number in range(2):
        agent.learn(agent.decide(np.zeros(D)).id, [1.0, number])
    late = agent.decide(np.zeros(D)).id
    agent.save(tmp_path / "agent")
    mob.Agent.load(tmp_path / "agent", recipe=recipe).learn(late, [1.0, 2.0])
    notes = recipe.policy.notes[-3:]  # the first one is of the rehearsal
    assert notes == [Ticket(0, 0.5), Ticket(1, 0.5), Ticket(2, 0.5)]
    assert all(type(note) is Ticket and type(note.number) is int for note in notes)


def test_a_note_of_several_numbers_must_be_declared():
    with pytest.raises(TypeError, match=r"UndeclaredTickets.draw must note numbers as 0\.0 has"):
        agent_of(Tickets(UndeclaredTickets())).decide(np.zeros(D))


@pytest.mark.long
def test_no_memory_is_lost(leaks):
    agent, context = agent_of(MolUcb(scale=0.5), remembered=0), contexts(1, shared=False)[0]
    assert not leaks(lambda: agent.learn(agent.decide(context).id, [1.0, 0.0]))


@pytest.mark.parametrize(
    ("context", "said"),
    [
        (
            np.zeros((K, D + 1)),
            r"context must have shape \(features,\) = \(3,\) or \(arms, features\) = \(7, 3\), got",
        ),
        (np.zeros(()), "context must have shape"),
        (None, "context must be numbers, got None"),
        (["a"] * D, "context must be numbers"),
        ([1j] * D, "context must be numbers"),
        ([NAN] * D, "context must be finite, got nan"),
        (np.full((K, D), np.inf), "context must be finite, got inf in row 0"),
    ],
)
def test_bad_contexts(context, said):
    agent = agent_of(MolUcb(scale=0.5))
    with pytest.raises(ValueError, match=said):
        agent.decide(context)
    with pytest.raises(ValueError, match="must"):
        agent.decide_batch([context, context])
    assert agent.waiting == 0


def test_the_first_context_settles_the_layout():
    agent = agent_of(MolUcb(scale=0.5))
    agent.decide(np.zeros(D))
    with pytest.raises(
        ValueError, match=r"\(features,\) = \(3,\), as the first one had, got \(7, 3\)"
    ):
        agent.decide(np.zeros((K, D)))
    with pytest.raises(
        ValueError,
        match=r"contexts must have shape \(n, features\) = \(2, 3\), as the first one had",
    ):
        agent.decide_batch(np.zeros((2, K, D)))


@pytest.mark.parametrize(
    ("rewards", "said"),
    [
        ([1.0], r"rewards must have shape \(objectives,\) = \(2,\), got \(1,\)"),
        ([1.0, math.inf], "rewards must be finite, or NaN where not observed"),
        (["x", 1], "rewards must be numbers"),
        (
            {"clicks": 1.0},
            "rewards must name objectives of the agent, which are 0, 1, got 'clicks'",
        ),
    ],
)
def test_bad_rewards_teach_nothing(rewards, said):
    agent = agent_of(MolUcb(scale=0.5))
    number = agent.decide(np.zeros((K, D))).id
    with pytest.raises(ValueError, match=said):
        agent.learn(number, rewards)
    assert state(agent).seen.sum() == 0.0
    agent.learn(number, [1.0, None])
    with pytest.raises(ValueError, match=r"rewards\[0\] was 1 before and must not change, got 2"):
        agent.learn(number, [2.0, 1.0])
    assert agent.waiting == 1


EDGES = [0.0, 1.0, -1e-9, 1.0 + 1e-9, 1.0 + 1e-6, 1e308, NAN, math.inf, -math.inf]


@given(
    arrays.arrays(
        float, st.tuples(st.integers(1, 3), st.integers(0, 3)), elements=st.sampled_from(EDGES)
    )
)
def test_a_stage_begins_with_what_decisions_allow(context):
    for recipe in (MolUcb(), Pcz()):  # any finite number, and the unit cube
        guard = Guard(recipe)
        assert guard.allows(context) == is_within(context, guard.low, guard.high)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"recipe": MolUcb},
            r"recipe must be a recipe .*; write MolUcb\(...\), an object of that class",
        ),
        (
            {"recipe": "mol-ucb"},
            "recipe must be a recipe .*, got 'mol-ucb'; names are for files and the command line",
        ),
        ({"arms": 0}, "arms must be a number of at least 1, or different names in a list, got 0"),
        (
            {"arms": {"a", "b"}},
            "arms must be a number of at least 1, or different names in a list, got {",
        ),
        (
            {"arms": "small"},
            r"arms must be .* different names in a list, got 'small'; write \['small'\]",
        ),
        (
            {"features": ["age", "income"]},
            r"features must be an integer .*, got \['age', 'income'\]; write how many, 2",
        ),
        ({"arms": ["a", "a"]}, "arms must be .* different names"),
        ({"objectives": "clicks"}, "objectives must be"),
        ({"features": -1}, "features must be an integer of at least 0"),
        ({"features": 0}, "features must be at least 1 for a linear policy, got 0"),
        ({"rounds": 0}, "rounds must be an integer of at least 1"),
        ({"pending": 0}, "pending must be an integer of at least 1"),
        ({"arms": [[1], [2]]}, "arms must be .* that can be hashed"),
    ],
)
def test_bad_agents(changed, said):
    with pytest.raises(ValueError, match=said):
        agent_of(**{"recipe": MolUcb(scale=0.5), **changed})


@pytest.mark.parametrize("clock", [None, 3.0, "now"])
def test_clocks_are_functions(clock, tmp_path):
    with pytest.raises(
        ValueError, match=f"clock must be a function without arguments.*got {clock!r}"
    ):
        agent_of(RandomChoice(), clock=clock)
    agent_of(RandomChoice()).save(tmp_path / "agent")
    with pytest.raises(ValueError, match="clock must be a function without arguments"):
        mob.Agent.load(tmp_path / "agent", clock=clock)


@pytest.mark.parametrize("told", [NAN, math.inf, -math.inf, None, "soon", 10**400, [1.0]], ids=str)
def test_clocks_return_finite_seconds(told):
    now = [1.0]
    agent = agent_of(RandomChoice(), features=0, max_age=5.0, clock=lambda: now[0])
    agent.decide()
    now[0] = told
    calls = [
        agent.decide,
        lambda: agent.decide_batch(np.zeros((2, 0))),
        lambda: agent.learn(0, [1.0, 2.0]),
    ]
    calls += [lambda: agent.add_arm("new"), lambda: agent.remove_arm(0)]
    for call in calls:
        with pytest.raises(ValueError, match="clock must return a finite number of seconds, got"):
            call()
    now[0] = np.float32(2.0)
    agent.learn(0, [1.0, 2.0])
    assert (agent.waiting, agent.dropped["age"], len(agent.arms)) == (0, 0, K)


def test_integers_that_no_float_holds():
    agent = agent_of(MolUcb(scale=0.5))
    number = agent.decide(np.zeros(D)).id
    for context in ([10**400, 0, 0], {0: [10**400, 0, 0]}, np.array([10**400, 0, 0])):
        with pytest.raises(ValueError, match=r"context must be numbers, got .*10000"):
            agent.decide(context)
    for rewards in ([10**400, 1], {0: 10**400}):
        with pytest.raises(ValueError, match=r"rewards.* must be .*number.*, got .*10000"):
            agent.learn(number, rewards)
    for name in ("max_age", "rounds", "samples", "pending", "remembered", "features"):
        with pytest.raises(ValueError, match=rf"{name} must be .*, got 1000+\.\.\."):
            agent_of(MolUcb(scale=0.5), **{name: 10**400})
    with pytest.raises(ValueError, match=r"Objective.low must be a finite number, got 1000"):
        mob.Objective("x", low=10**400)
    assert agent.waiting == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"arms": 10**9},
            r"arms = 1000000000, features = 3, objectives = 2 need 288 GB of memory, and an agent may",
        ),
        (
            {"arms": 10**400},
            r"arms = 10000+\.\.\., features = 3, objectives = 2 need more than 10\^24 bytes of memory",
        ),
        ({"arms": range(10**9)}, "arms = 1000000000, features = 3, objectives = 2 need 288 GB"),
        ({"objectives": 10**9}, "arms = 7, features = 3, objectives = 1000000000 need 368 GB"),
        ({"features": 10**6}, "arms = 7, features = 1000000, objectives = 2 need 16,000 GB"),
        (
            {"features": 10**6, "recipe": MolTs()},
            "arms = 7, features = 1000000, objectives = 2 need 16,000 GB",
        ),
    ],
)
def test_what_no_memory_holds_is_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        agent_of(**{"recipe": MolUcb(scale=0.5), **changed})


@pytest.mark.long
def test_memory_is_counted_for_the_layout_that_there_is():
    """One regression for arms with features of their own; one per arm where they share a context."""
    agent = agent_of(MolUcb(scale=0.5), arms=200_000, features=1000)
    with pytest.raises(
        ValueError, match=r"arms = 200000, features = 1000, objectives = 2 need 3,20. GB"
    ):
        agent.decide(np.zeros(1000))
    with pytest.raises(ValueError, match="context must have shape"):  # nothing was settled
        agent.decide(np.zeros(999))
    many = agent_of(RandomChoice(), features=10**6)
    assert many.decide(np.zeros(10**6)).arm in range(K)


def test_assumptions_are_watched():
    agent = mob.Agent(ParetoTs(), arms=3, features=0, objectives=1)
    number = agent.decide().id
    with pytest.raises(ValueError, match=r"needs rewards in \[0, 1\].*got 2"):
        agent.learn(number, [2.0])
    agent = agent_of(MolUcb(scale="theory"))
    with pytest.warns(InputWarning, match="MolUcb needs norms of features"):
        agent.decide(np.full(D, 5.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agent.decide(np.full(D, 5.0))  # said once


@pytest.mark.long
def test_the_stream_outlives_its_python_object():
    agents = [agent_of(MolTs(scale=0.5, selection="weight"), seed=3) for _ in range(2)]
    agents[1].decide(contexts(1, shared=False)[0])
    agents[1]._rng = None
    gc.collect()
    given = contexts(20, shared=False, seed=8)
    agents[0].decide(contexts(1, shared=False)[0])
    assert [agents[0].decide(one) for one in given] == [agents[1].decide(one) for one in given]


def settle_by_unknown_arms(agent):
    agent.decide(np.zeros((K, D)), eligible=["nobody"])


def settle_by_bad_numbers(agent):
    agent.decide(np.full((K, D), NAN))


def settle_by_a_bad_batch(agent):
    agent.decide_batch(np.full((2, K, D), NAN))


def settle_by_a_batch_of_unknown_arms(agent):
    agent.decide_batch(np.zeros((2, K, D)), eligible=["nobody"])


@pytest.mark.parametrize(
    "fail",
    [
        settle_by_unknown_arms,
        settle_by_bad_numbers,
        settle_by_a_bad_batch,
        settle_by_a_batch_of_unknown_arms,
    ],
)
def test_a_call_that_fails_settles_nothing(fail):
    agent, fresh = (agent_of(MolTs(scale=0.5, selection="weight"), seed=2) for _ in range(2))
    with pytest.raises(ValueError, match="must"):
        fail(agent)
    assert agent.decide_batch(np.zeros((0, K, D))) == []
    assert agent.decide(np.zeros(D)) == fresh.decide(np.zeros(D))


def test_a_batch_passes_the_end_of_a_stage():
    recipe = Doubling(Ucb1(check=False), first=3)
    batch, single = (mob.Agent(recipe, arms=2, features=0, objectives=1, seed=6) for _ in range(2))
    for agent in (batch, single):
        agent.learn(agent.decide().id, [1.0])
    assert batch.decide_batch(np.zeros((12, 0))) == [single.decide() for _ in range(12)]
    for agent in (batch, single):
        for number in range(1, 13):
            agent.learn(number, [1.0])
    assert state(batch).seen.tolist() == state(single).seen.tolist()
    assert state(batch).seen.sum() == 4.0  # 3 decisions, then 6, and 4 of the stage that goes on


def test_rows_by_name_where_there_are_no_features():
    agent = mob.Agent(RandomChoice(), arms=["a", "b"], features=0, objectives=1)
    for _ in range(2):
        decisions = [
            agent.decide({"a": [], "b": []}),
            agent.decide(),
            agent.decide(np.zeros((len(agent.arms), 0))),
        ]
        assert {decision.arm for decision in decisions} <= {"a", "b", "c"}
        agent.add_arm("c" if "c" not in agent.arms else "d")


@pytest.mark.parametrize("propensity", ["none", "exact"])
def test_no_arm_is_made_up_where_numbers_are_too_large(propensity):
    agent = agent_of(MolUcb(scale=0.5, order=mob.orders.Lexicographic()), propensity=propensity)
    context = np.full((K, D), 0.5)
    agent.learn(agent.decide(context).id, [1.0, 1.0])
    agent.core.bound.state().theta[:] = np.nan  # which no number that is taken brings about
    for call in (agent.decide, lambda context: agent.decide_batch(context[None])):
        with pytest.raises(
            ValueError,
            match="must be small enough for numbers to stay finite: no arm could be chosen",
        ):
            call(context)
