"""Decisions of others: adopting is deciding and learning, a log is adopting round by round."""

import contextlib
import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from slow_twin import Clock
from test_recording import everything

import mobandits as mob
from mobandits.agent import Objective
from mobandits.agent.log_learning import _teach_rounds
from mobandits.errors import LogError
from mobandits.logs import Feedback, LogStream
from mobandits.orders import Pareto
from mobandits.policies import Doubling, Exp3P, Forgetting, MolTs, MolUcb, Paced, ScalarizedUcb1

ARMS = ["a", "b", "c"]
RECIPES = [MolUcb(scale=0.3), MolTs(scale=0.3), Forgetting(MolUcb(scale=0.3), discount=0.9)]
DRAWN = ("streams",)
pytestmark = pytest.mark.filterwarnings("ignore::mobandits.errors.InputWarning")


def agent_of(recipe=RECIPES[0], log=None, clock=None, **other):
    cost = Objective("cost", minimise=True, low=0.0, high=2.0)
    options = {"arms": ARMS, "features": 2, "objectives": ["x", cost], "seed": 4}
    return mob.Agent(recipe, **{**options, **other}, clock=clock or Clock(), log=log)


def learned(agent):
    """All that an agent is, but its random streams, since adopting draws nothing, and whose decisions wait."""
    return everything(agent, without=("now", "logged", "streams", "adopted"))


def some_log(n=300, own=False, partial=True, seed=3):
    rng = np.random.default_rng(seed)
    rewards = rng.normal(size=(n, 2))
    if partial:
        rewards[rng.random((n, 2)) < 0.2] = np.nan
    return Feedback(
        rng.normal(size=(n, 3, 2) if own else (n, 2)) / 3.0,
        rng.integers(0, 3, n),
        rewards,
        np.where(rng.random(n) < 0.5, np.nan, 0.25),
        ("b", "c", "a"),
        (Objective("cost", minimise=True), "x"),
    )


def in_terms_of_the_agent(log, t):
    cost, x = log.rewards[t]
    return {"x": x, "cost": -cost}


def row_of(log, t):
    if log.contexts.ndim == 2:
        return log.contexts[t]
    return {name: log.contexts[t, i] for i, name in enumerate(log.arm_names)}


def adopted(agent, log):
    """One by one; what lacks a reward waits no more."""
    for t in range(len(log)):
        propensity = log.propensities[t]
        decision = agent.adopt(
            row_of(log, t),
            log.arm_names[log.arms[t]],
            None if np.isnan(propensity) else propensity,
            in_terms_of_the_agent(log, t),
        )
        if np.isnan(log.rewards[t]).any():
            with contextlib.suppress(ValueError):  # a default was due at once
                agent.abandon(decision.id)


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_adopting_is_deciding_and_learning(recipe):
    agents = [agent_of(recipe) for _ in range(2)]
    rng = np.random.default_rng(0)
    for i in range(60):
        context = rng.normal(size=(3, 2)) / 3.0
        made = agents[0].decide(context)
        rewards = {"x": rng.normal(), "cost": rng.random()}
        if i % 3:
            del rewards["x"]
        agents[0].learn(made.id, rewards)
        same = agents[1].adopt(context, made.arm, rewards=rewards if i % 2 else None)
        if not i % 2:
            agents[1].learn(same.id, rewards)
        assert same.id == made.id
    assert learned(agents[0]) == learned(agents[1])


@pytest.mark.long
@pytest.mark.parametrize("own", [True, False], ids=["own", "shared"])
@pytest.mark.parametrize("logged", [True, False])
@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_a_log_is_adopting_one_by_one(tmp_path, recipe, own, logged, monkeypatch):
    monkeypatch.setattr("mobandits.agent.log_learning.CHUNK", 70)
    log = some_log(own=own)
    agents = []
    for name in ("one by one", "at once"):
        agent = agent_of(recipe, log=tmp_path / name if logged else None, remembered=20)
        agent.adopt(row_of(log, 0), "a")  # which waits
        agents.append(agent)
    adopted(agents[0], log)
    assert agents[1].learn_log(log) == agents[0].lessons
    assert everything(agents[1]) == everything(agents[0])
    for agent, name in zip(agents, ("one by one", "at once"), strict=True):
        agent.close()
        if logged:
            with agent_of(recipe, log=tmp_path / name, remembered=20) as again:
                assert everything(again) == everything(agent)


@pytest.mark.parametrize("after", [0.0, 5.0])
def test_a_store_leads_there_without_a_snapshot(tmp_path, after):
    """Also where defaults are due at once: time brings nothing in the middle of a call."""
    clock = Clock()
    objectives = [Objective("x", default=0.25, after=after), Objective("cost", minimise=True)]
    agent = agent_of(log=tmp_path / "log", clock=clock, objectives=objectives)
    log = some_log(80)
    agent.learn_log(log[:50])
    clock.now = 3.0
    adopted(agent, log[50:])
    agent.adopt([0.1, 0.2], "b", 0.5, {"x": 1.0}, key="one")
    agent.decide([0.1, 0.2])
    agent.core.writer.store.close()
    with agent_of(log=tmp_path / "log", clock=clock, objectives=objectives) as again:
        assert everything(again) == everything(agent)
        again.tick()
        before = everything(again)
        assert again.adopt([0.1, 0.2], "b", 0.5, {"x": 1.0}, key="one").replayed
        assert everything(again) == before
    read = mob.logs.read(tmp_path / "log")
    assert read.arms[:50].tolist() == [ARMS.index("bca"[arm]) for arm in log.arms[:50]]
    np.testing.assert_array_equal(read.rewards[:50], log.rewards[:50, ::-1])
    np.testing.assert_array_equal(read.propensities[:50], log.propensities[:50])


def test_files_frames_and_stores_are_logs(tmp_path):
    log = some_log(40, partial=False)
    expected = agent_of()
    expected.learn_log(log)
    frame = pl.DataFrame(
        {
            "arm": [log.arm_names[arm] for arm in log.arms],
            "f": log.contexts[:, 0],
            "g": log.contexts[:, 1],
            "x": log.rewards[:, 1],
            "cost": -log.rewards[:, 0],
        }
    )
    columns = {"arm": "arm", "context": ["f", "g"], "rewards": ["x", "cost"], "minimise": ["cost"]}
    frame.write_csv(tmp_path / "log.csv")
    writer = agent_of(log=tmp_path / "store")
    writer.learn_log(log)
    writer.core.writer.store.flush()
    for source, more in (
        (frame, columns),
        (tmp_path / "log.csv", columns),
        (tmp_path / "store", {}),
        (writer.core.writer.store, {}),
    ):
        agent = agent_of()
        assert agent.learn_log(source, **more) == 40
        assert learned(agent) == learned(expected)
    writer.close()
    with pytest.raises(
        ValueError, match="log must be Feedback, a LogStream, a path, a Store, or a"
    ):
        agent.learn_log([1, 2])
    with pytest.raises(ValueError, match="log must have a column 'colour', got arm, f"):
        agent.learn_log(frame, **{**columns, "arm": "colour"})


def in_pieces(log, size):
    return LogStream(lambda: [log[first : first + size] for first in range(0, len(log), size)])


PACED = Paced(MolUcb(scale=0.3, order=Pareto(on=[0])), {"cost": 0.5}, horizon=1000)


@pytest.mark.long
@pytest.mark.parametrize("logged", [True, False])
@pytest.mark.parametrize(
    ("recipe", "size", "own"),
    [
        (RECIPES[0], 1, False),
        (RECIPES[0], 25, True),
        (RECIPES[1], 33, True),
        (RECIPES[2], 26, False),
        (PACED, 7, False),
    ],
    ids=str,
)
def test_a_stream_is_the_log_in_memory(tmp_path, recipe, logged, size, own, monkeypatch):
    monkeypatch.setattr("mobandits.agent.log_learning.CHUNK", 25)
    log = some_log(80, own=own)
    logs = {"whole": log, "in pieces": in_pieces(log, size)}
    states = []
    for name, source in logs.items():
        agent = agent_of(recipe, log=tmp_path / name if logged else None, remembered=20)
        assert agent.learn_log(source) == agent.lessons > 50
        states.append(everything(agent))
        agent.close()

    assert states[0] == states[1]
    if logged:
        found, wanted = (mob.logs.read(tmp_path / name) for name in logs)
        assert found.digest == wanted.digest
        with agent_of(recipe, log=tmp_path / "in pieces", remembered=20) as again:
            assert everything(again) == states[0]


def test_a_stream_is_checked_as_a_whole_before_it_is_learned():
    log = some_log(90)
    agent = agent_of(arms=["a", "b"])
    before = everything(agent)
    with pytest.raises(ValueError, match=r"log must name arms of the agent, which are .* got 'c'"):
        agent.learn_log(in_pieces(log, 7))
    contexts = log.contexts.copy()
    contexts[88] = 1e200
    with pytest.raises(ValueError, match="scale features to about 1"):
        agent.learn_log(in_pieces(replace(log, contexts=contexts), 7), add_arms=True)
    assert everything(agent) == before
    assert agent.learn_log(LogStream(list)) == 0
    with pytest.raises(ValueError, match=r"log must be Feedback, .* got LogStream.* and context$"):
        agent.learn_log(in_pieces(log, 7), context=["f"])
    assert everything(agent) == before
    agent.learn_log(in_pieces(log, 7), add_arms=True)
    assert agent.arms == ("a", "b", "c")


def test_a_stream_that_is_another_one_the_second_time_is_refused():
    log = some_log(90)
    agent = agent_of(arms=["b", "c"])
    before = everything(agent)
    passes = iter([log[log.arms < 2], log[log.arms < 2], log])
    with pytest.raises(LogError, match="same rounds whenever it is read"):
        agent.learn_log(LogStream(lambda: [next(passes)]))
    assert everything(agent) == before


@pytest.mark.parametrize("rounds", [40, 25_000])
def test_a_stream_that_can_be_read_once_is_refused(rounds):
    log = some_log(rounds)
    agent = agent_of(arms=["b", "c"])
    before = everything(agent)
    once = iter([log[: rounds // 2], log[rounds // 2 :]])
    with pytest.raises(LogError, match=f"whenever it is read, got {rounds}, then 0; a LogStream"):
        agent.learn_log(LogStream(lambda: once), add_arms=True)
    assert everything(agent) == before


def test_a_table_without_contexts_teaches_nothing(tmp_path):
    pl.DataFrame({"x": [1.0], "cost": [1.0], "p": [0.5]}).write_parquet(tmp_path / "table.parquet")
    table = mob.logs.ParquetTable(tmp_path / "table.parquet", ["x", "cost"], "p", [])
    with pytest.raises(ValueError, match=r"log must be Feedback, .* got ParquetTable\("):
        agent_of().learn_log(table)


def test_unknown_arms_are_refused_or_added():
    log = some_log(40)
    agent = agent_of(arms=["a", "b"])
    before = everything(agent)
    with pytest.raises(ValueError, match=r"log must name arms of the agent, which are .* got 'c'"):
        agent.learn_log(log)
    assert everything(agent) == before
    agent.learn_log(log, add_arms=True)
    assert agent.arms == ("a", "b", "c")
    twin = agent_of(arms=["a", "b"])
    twin.add_arm("c")
    twin.learn_log(log)
    assert everything(twin) == everything(agent)


def test_what_does_not_fit_is_refused_and_nothing_is_learned():
    agent = agent_of()
    before = everything(agent)
    log = some_log(20)
    for wrong, said in (
        (
            Feedback(
                log.contexts[:, :1], log.arms, log.rewards, log.propensities, "bca", log.objectives
            ),
            "2 features, got 1",
        ),
        (
            Feedback(log.contexts, log.arms, log.rewards, log.propensities, "bca", ("cost", "y")),
            "the agent's objectives",
        ),
    ):
        with pytest.raises(ValueError, match=said):
            agent.learn_log(wrong)
        assert everything(agent) == before
    for arguments, said in (
        (([0.1, 0.2], "d"), "arm must name arms of the agent"),
        (([0.1, 0.2], "a", 0.0), "propensity must be above 0"),
        (([0.1, np.nan], "a"), "context must be finite"),
        (([0.1, 0.2], "a", 0.5, {"z": 1.0}), "rewards must name objectives"),
        (({"a": [0.1, 0.2]}, "b"), "a row for the arm that was played"),
    ):
        with pytest.raises(ValueError, match=said):
            agent.adopt(*arguments)
        assert everything(agent) == before
    agent.decide([0.1, 0.2])
    with pytest.raises(ValueError, match="contexts with one row for all arms, got shape"):
        agent.learn_log(some_log(20, own=True))


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (Exp3P(), "got Exp3P, which notes how it chose"),
        (ScalarizedUcb1(check=False), "which notes how it chose"),
        (Doubling(MolUcb(scale=0.3), first=4), "got Doubling, which plays in stages"),
    ],
    ids=str,
)
def test_recipes_that_need_their_own_choices_are_refused(recipe, said):
    contextual = isinstance(recipe, Doubling)
    objectives = 2 if not isinstance(recipe, Exp3P) else 1
    agent = mob.Agent(
        recipe, arms=3, features=2 if contextual else 0, objectives=objectives, rounds=100
    )
    before = everything(agent)
    with pytest.raises(ValueError, match=said):
        agent.adopt([0.1, 0.2] if contextual else None, 1)
    assert everything(agent) == before


def test_a_key_is_adopted_once():
    agent = agent_of()
    first = agent.adopt([0.1, 0.2], "b", 0.5, {"x": 1.0}, key="one")
    again = agent.adopt([0.1, 0.2], "b", 0.5, {"x": 1.0, "cost": 0.5}, key="one")
    assert (again, again.replayed, agent.lessons, agent.waiting) == (first, True, 2, 0)
    for other in (([0.1, 0.2], "a"), ([0.1, 0.3], "b")):
        with pytest.raises(ValueError, match="key must be another one"):
            agent.adopt(*other, key="one")


def test_a_block_that_cannot_be_computed_is_taken_back(monkeypatch):
    monkeypatch.setattr("mobandits.agent.log_learning.CHUNK", 10)
    agent = agent_of()
    before = everything(agent)
    calls = []

    def failing(core, rounds, teach=_teach_rounds):
        teach(core, rounds)
        calls.append(len(rounds.slots))
        if len(calls) == 3:
            raise MemoryError

    monkeypatch.setattr("mobandits.agent.log_learning._teach_rounds", failing)
    with pytest.raises(MemoryError):
        agent.learn_log(some_log(40))
    assert everything(agent) == before


@pytest.mark.slow
def test_a_million_rounds_in_ten_seconds():
    rng = np.random.default_rng(0)
    n = 1_000_000
    names = [f"arm {i}" for i in range(10)]
    log = Feedback(
        rng.normal(size=(n, 5)) / 3.0,
        rng.integers(0, 10, n),
        rng.normal(size=(n, 2)),
        np.full(n, 0.1),
        names,
        ("x", "y"),
    )
    agent = mob.Agent(MolUcb(scale=0.3), arms=names, features=5, objectives=["x", "y"])
    agent.learn_log(log[:100])
    start = time.perf_counter()
    assert agent.learn_log(log) == n
    assert time.perf_counter() - start < 10.0


def test_a_store_with_rounds_in_part_is_shortened(tmp_path):
    """Rounds of a log wait for nothing, nor does what was abandoned; an agent opens as it was."""
    path = tmp_path / "log"
    agent = agent_of(log=path)
    agent.learn_log(some_log(60))
    waiting = [agent.decide([0.1, 0.2]).id for _ in range(3)]
    agent.abandon(waiting[1])
    agent.close()
    assert mob.logs.export(path, tmp_path / "old.parquet", delete=True) == 61
    assert mob.logs.read(path).ids.tolist() == [waiting[0], waiting[2]]
    with agent_of(log=path) as again:
        assert everything(again) == everything(agent)
        again.learn(waiting[2], {"x": 1.0, "cost": 0.5})
        with pytest.raises(ValueError, match="it was settled long ago, or abandoned"):
            again.learn(waiting[1], {"x": 1.0})
        again.decide([0.3, 0.1])
    with agent_of(log=path) as once_more:
        assert once_more.waiting == 2


def test_keys_are_known_as_long_as_their_decisions(tmp_path):
    path = tmp_path / "log"
    agent = agent_of(log=path)
    first = agent.decide([0.1, 0.2], key="one")
    kept = agent.decide([0.1, 0.2], key="two")
    agent.learn(first.id, {"x": 1.0, "cost": 0.5})
    agent.close()
    assert mob.logs.export(path, tmp_path / "old.parquet", delete=True) == 1
    with agent_of(log=path) as again:
        assert again.decide([0.1, 0.2], key="two") == kept
        new = again.decide([0.1, 0.2], key="one")
        assert (new.id, new.replayed) == (2, False)


def test_inactive_decisions_stay_in_a_shortened_store(tmp_path):
    path, clock = tmp_path / "log", Clock()
    objectives = [Objective("x", default=0.0, after=5.0), Objective("y", default=0.5, after=2.0)]
    options = {"objectives": objectives, "clock": clock}
    agent = agent_of(log=path, **options)
    prepared = [agent.decide([0.1, 0.2], active=False).id for _ in range(3)]
    agent.activate(prepared[0])
    clock.now = 20.0
    agent.activate(prepared[1])
    agent.decide([0.3, 0.2])
    agent.close()
    assert mob.logs.export(path, tmp_path / "old.parquet", delete=True) == 1
    with agent_of(log=path, **options) as again:
        assert list(again.core.pending.open) == [*prepared[1:], 3]
        clock.now = 40.0
        again.tick()
        assert list(again.core.pending.open) == prepared[2:]
        again.learn(prepared[2], {"x": 1.0, "y": 1.0})
        assert again.waiting == 0
