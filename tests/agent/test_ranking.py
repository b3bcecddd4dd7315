"""The first k arms: their probabilities against a slow twin, one life with decisions one by one, and what logs say."""

import itertools
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from slow_twin import Clock
from test_all_or_nothing import full_disk
from test_recording import everything

import mobandits as mob
from mobandits.agent import Objective
from mobandits.agent.parts import innermost_beliefs
from mobandits.errors import LogError
from mobandits.evaluation import Ips, Uniform, compare, replay
from mobandits.logs import Store, dsjson, export, read
from mobandits.policies import (
    Doubling,
    Exp3P,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    RandomChoice,
    ScalarizedUcb1,
    WithFloor,
)

ARMS = ["a", "b", "c", "d", "e"]
pytestmark = [
    pytest.mark.usefixtures("interpreted"),
    pytest.mark.filterwarnings("ignore::mobandits.errors.InputWarning"),
    pytest.mark.filterwarnings("ignore:.* decisions in the log were certain"),
]


def agent_of(recipe=None, log=None, **other):
    objectives = [Objective("x", default=0.25, after=10.0), Objective("y", minimise=True)]
    options = {"arms": ARMS, "features": 2, "objectives": objectives, "seed": 4}
    options |= {"clock": Clock(), "propensity": "exact"} | other
    return mob.Agent(recipe or MolUcb(scale=0.3), **options, log=log)


def taught(agent, n=12):
    """An agent that has seen something of every arm."""
    rng = np.random.default_rng(3)
    for i in range(n):
        context = rng.normal(size=(len(agent.arms), 2)) / 3.0
        agent.adopt(context, ARMS[i % 5], rewards=rng.normal(size=2))
    return agent


# --- the slow twin: all ordered choices, by brute force over the bounds of all arms


def front_among(highs, arms):
    """The arms whose bounds no other one's dominate."""
    kept = []
    for arm in arms:
        is_dominated = any(
            (highs[other] >= highs[arm]).all() and (highs[other] > highs[arm]).any()
            for other in arms
        )
        if not is_dominated:
            kept.append(arm)
    return kept


def law_among(highs, arms, epsilon):
    """The probability of each arm: uniform on the front, with a floor."""
    front = front_among(highs, arms)
    return {
        arm: (1.0 - epsilon) * (arm in front) / len(front) + epsilon / len(arms) for arm in arms
    }


def all_orders(highs, count, epsilon):
    """{ordered choice: probability}, by enumeration."""
    probabilities = {}
    for order in itertools.permutations(range(len(highs)), count):
        probability = 1.0
        for rank, arm in enumerate(order):
            left = [other for other in range(len(highs)) if other not in order[:rank]]
            probability *= law_among(highs, left, epsilon)[arm]
        probabilities[order] = probability
    return probabilities


@pytest.mark.long
@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_an_order_is_as_probable_as_it_says(count, epsilon):
    recipe = MolUcb(scale=0.3)
    if epsilon:
        recipe = WithFloor(recipe, epsilon)
    agent = taught(agent_of(recipe))
    context = np.random.default_rng(8).normal(size=(5, 2)) / 3.0
    bound = agent.core.bound
    beliefs = bound.policy.beliefs(bound.state(), context, np.arange(5), np.random.default_rng(0))
    expected = all_orders(innermost_beliefs(beliefs).high, count, epsilon)
    assert sum(expected.values()) == pytest.approx(1.0)

    draws = 1200
    seen = dict.fromkeys(expected, 0)
    for _ in range(draws):
        decision = agent.decide(context, top=count)
        order = tuple(ARMS.index(arm) for arm in decision.arms)
        assert decision.ranking_propensity == pytest.approx(expected[order], rel=1e-12)
        seen[order] += 1
    for order, probability in expected.items():
        deviation = np.sqrt(draws * probability * (1.0 - probability))
        # Five standard deviations, and one draw: a rare order may come once.
        assert abs(seen[order] - draws * probability) <= 5.0 * deviation + 1.0


# --- one life with decisions one by one


@pytest.mark.long
@pytest.mark.parametrize(
    ("recipe", "features"),
    [
        (MolUcb(scale=0.3), 2),
        (MolTs(scale=0.3), 2),
        (MolEpsGreedy(), 2),
        (WithFloor(MolUcb(scale=0.3), 0.2), 2),
        (ScalarizedUcb1(check=False), 0),
        (Exp3P(check=False), 0),
    ],
    ids=str,
)
@pytest.mark.parametrize("own", [True, False])
def test_ranks_are_decisions_between_what_is_left(recipe, features, own):
    options = {"features": features, "propensity": "none", "rounds": 500}
    agents = [agent_of(recipe, **options) for _ in range(2)]
    rng = np.random.default_rng(5)
    for i in range(25):
        context = rng.random((5, features) if own else features)
        some = ARMS[: 3 + i % 3]
        ranked = agents[0].decide(context, some, top=3)
        left = list(some)
        for each in ranked.ranking:
            single = agents[1].decide(context, left)
            assert (each.id, each.arm, each.eligible) == (single.id, single.arm, tuple(left))
            np.testing.assert_array_equal(each.context, single.context)
            left.remove(single.arm)
        for each in ranked.ranking:
            for agent in agents:
                agent.learn(each.id, {"x": each.id / 100.0, "y": 0.5})
    assert everything(agents[0]) == everything(agents[1])


def test_all_ranks_have_a_row_of_their_own():
    agent = agent_of()
    ranked = agent.decide(np.zeros((5, 2)), top=3)
    for each in ranked.ranking:
        each.context[:] = 7.0
    assert not np.any([agent.core.pending.open[each.id].x for each in ranked.ranking])
    shared = agent_of()
    first, second = shared.decide([0.5, 0.1], top=2).ranking
    first.context[:] = 7.0
    assert second.context.tolist() == [[0.5, 0.1]]


def test_what_a_decision_says_of_its_ranking():
    agent = agent_of()
    decision = agent.decide([0.5, 0.1], top=3)
    assert decision.ranking == (decision, *decision.further)
    assert [each.id for each in decision.ranking] == [0, 1, 2]
    assert decision.ranking_propensity == pytest.approx(1 / 60)
    assert f"then {list(decision.arms[1:])}" in repr(decision)
    alone = agent.decide([0.5, 0.1])
    assert (alone.arms, alone.further) == ((alone.arm,), ())
    assert alone.ranking_propensity == alone.propensity
    assert agent.decide([0.5, 0.1], top=1) == alone.replaced(
        id=4, arm=agent.core.arms.names[agent.core.pending.open[4].arm]
    )
    quiet = agent_of(propensity="none")
    assert quiet.decide([0.5, 0.1], top=2).ranking_propensity is None


# --- refusals


def test_what_has_no_exact_probability_is_refused_by_name(tmp_path, monkeypatch):
    calls = [
        (agent_of(MolTs(scale=0.3), propensity="sampled"), 2, "got 'sampled' with MolTs"),
        (agent_of(Doubling(MolUcb(scale=0.3), first=4)), 2, "without stages, got Doubling"),
        (agent_of(), 6, "top must be at most the number of eligible arms, 5, got 6"),
        (agent_of(), 0, "top must be an integer of at least 1, got 0"),
        (agent_of(), True, "top must be an integer of at least 1, got True"),
        (agent_of(), "2", "top must be an integer of at least 1, got '2'"),
    ]
    for agent, top, said in calls:
        before = everything(agent)
        with pytest.raises(ValueError, match=said) as caught:
            agent.decide([0.5, 0.1], top=top)
        assert len(str(caught.value).splitlines()) == 1
        assert everything(agent) == before

    agent = agent_of(log=tmp_path / "log")
    agent.decide([0.5, 0.1], top=2, key="one")
    before = everything(agent)
    for more in ({}, {"top": 3}, {"top": 2, "eligible": ["a", "b"]}):
        with pytest.raises(ValueError, match="key must be another one for another context"):
            agent.decide([0.5, 0.1], key="one", **more)
    with full_disk(agent, monkeypatch), pytest.raises(ValueError, match="disk is full"):
        agent.decide([0.5, 0.1], top=2)
    assert everything(agent) == before
    agent.close()


# --- the log


@pytest.mark.long
@pytest.mark.parametrize("way", ["close", "kill", "from the start"])
@pytest.mark.parametrize("own", [True, False])
def test_a_store_leads_there_again(tmp_path, own, way):
    path = tmp_path / "log"
    clock = Clock()
    recipe = WithFloor(MolUcb(scale=0.3), 0.2)
    agent = agent_of(recipe, log=path, clock=clock)
    rng = np.random.default_rng(2)
    for i in range(20):
        clock.now += 3.0
        context = rng.normal(size=(5, 2) if own else 2) / 3.0
        made = agent.decide(context, top=1 + i % 4, active=i % 5 > 0)
        agent.learn(made.ranking[-1].id, {"y": float(i % 3)})
        if i % 6 == 5:
            agent.abandon(made.further[0].id)
        if i == 10:
            agent.checkpoint()
    if way == "close":
        agent.close()
    else:
        agent.core.writer.store.close()
    if way == "from the start":
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("DELETE FROM snapshots")
    with agent_of(recipe, log=path, clock=clock) as again:
        assert everything(again) == everything(agent)


@pytest.mark.parametrize("logged", [True, False])
@pytest.mark.parametrize("own", [True, False])
def test_a_key_stands_for_the_whole_ranking(tmp_path, logged, own):
    log = tmp_path / "log" if logged else None
    agent = agent_of(log=log)
    context = np.arange(10.0).reshape(5, 2) / 20.0 if own else [0.5, 0.1]
    first = agent.decide(context, top=3, key="one")
    before = everything(agent)
    again = agent.decide(context, top=3, key="one")
    assert (again, again.replayed, again.arms) == (first, True, first.arms)
    assert again.ranking_propensity == first.ranking_propensity
    for mine, theirs in zip(again.ranking, first.ranking, strict=True):
        assert (mine.eligible, mine.front, mine.replayed) == (theirs.eligible, theirs.front, True)
        np.testing.assert_array_equal(mine.context, theirs.context)
    assert everything(agent) == before
    if logged:
        agent.remove_arm(first.arms[1])
        agent.core.writer.store.close()
        agent = agent_of(log=log)
        later = agent.decide(context, top=3, key="one")
        assert (later, later.context) == (first, None)
        agent.close()


def ranked_store(path, n=30):
    rng = np.random.default_rng(1)
    recipe = WithFloor(MolUcb(scale=0.3), 0.4)
    with agent_of(recipe, log=path) as agent:
        for i in range(n):
            made = agent.decide(rng.normal(size=2) / 3.0, top=3 if i % 2 else None)
            for each in made.ranking:
                agent.learn(each.id, {"x": rng.random(), "y": float(each.arm == "a")})
    return path


def test_events_say_the_rank(tmp_path):
    with Store(ranked_store(tmp_path / "log", 2)) as store:
        made = [event for event in store.events() if event.kind == "decide"]
    assert [event.rank for event in made] == [0, 0, 1, 2]
    assert [event.batch for event in made] == [False, False, True, True]
    assert [len(event.eligible or ARMS) for event in made] == [5, 5, 4, 3]


def test_only_first_ranks_are_evaluated(tmp_path):
    log = read(ranked_store(tmp_path / "log"))
    assert log.ranks.tolist() == [0, 0, 1, 2] * 15
    first = log.first_ranks()
    assert (len(first), first.ranks) == (30, None)
    for call in (
        lambda: compare(log, {"all": Uniform()}, "ips"),
        lambda: replay(log, RandomChoice()),
    ):
        with pytest.raises(
            ValueError, match=r"one arm per context, got 30 of 60 rounds of further"
        ):
            call()
    value = compare(first, {"all": Uniform()}, Ips())["all", "ips"].value
    is_first = log.ranks == 0
    weights = 0.2 / log.propensities[is_first]
    np.testing.assert_allclose(value, (weights[:, None] * log.rewards[is_first]).mean(0))


def test_ranks_are_in_archives_or_it_is_refused(tmp_path):
    path = ranked_store(tmp_path / "log")
    export(path, tmp_path / "old.parquet")
    np.testing.assert_array_equal(read(tmp_path / "old.parquet").ranks, read(path).ranks)
    for form in ("csv", "dsjson"):
        with pytest.raises(LogError, match=r"CSV cannot say|dsjson cannot say that arms were"):
            export(path, tmp_path / "old", form, objective="x" if form == "dsjson" else None)
        assert not (tmp_path / "old").exists()
    dsjson.write(read(path).first_ranks(), tmp_path / "first", objective="x")
    assert len(read(tmp_path / "first")) == 30


def test_a_ranked_log_can_be_learned(tmp_path):
    log = read(ranked_store(tmp_path / "log"))
    with agent_of(log=tmp_path / "other") as agent:
        assert agent.learn_log(log) == 60
    np.testing.assert_array_equal(read(tmp_path / "other").ranks, log.ranks)
