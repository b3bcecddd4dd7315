"""Agents that are opened again: the newest snapshot and what came after it, bit for bit the agent that was."""

import logging
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from slow_twin import Clock, Program, agent_of
from test_recording import everything

import mobandits as mob
from mobandits.agent import Objective, replaying
from mobandits.errors import LogError, LogWarning
from mobandits.logs import Store
from mobandits.orders import Lexicographic
from mobandits.policies import MolUcb, RandomChoice

# Agents of these tests decide with certainty: their logs are for opening, not for evaluation.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*decisions in the log were certain:mobandits.errors.LogWarning"
)


@pytest.fixture
def replayed(monkeypatch):
    """The kinds of the events that were replayed."""
    kinds = []
    replay = replaying.replay

    def counting(core, event, *rest, **more):
        kinds.append(event.kind)
        replay(core, event, *rest, **more)

    monkeypatch.setattr(replaying, "replay", counting)
    return kinds


def snapshots_of(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return [seq for (seq,) in connection.execute("SELECT seq FROM snapshots ORDER BY seq")]


def lived(path, clock, **options):
    """An agent that has lived through the slow twin's program, with a log that is still open."""
    agent = agent_of(clock, log=path, propensity="exact", **options)
    program = Program(agent, clock, own=True, seed=5)
    program.run(150)
    agent.preference = Lexicographic()
    program.run(150)
    return agent, program


def let_go(agent):
    """What a killed process does: no last snapshot."""
    agent.core.writer.store.close()


def test_snapshots_come_by_themselves_and_only_what_follows_is_replayed(tmp_path, replayed):
    path, clock = tmp_path / "router.db", Clock()
    agent, _ = lived(path, clock, snapshot_every=50)
    events = len(agent.core.writer.store)
    let_go(agent)
    kept = snapshots_of(path)
    assert len(kept) == 3
    assert events - kept[-1] < 60
    again = agent_of(clock, log=path, propensity="exact")
    assert len(replayed) == events - kept[-1]
    assert everything(again) == everything(agent)
    again.close()


@pytest.mark.long
def test_it_goes_on_as_the_one_that_was_never_closed(tmp_path):
    lives = []
    for name, often in (("closed", True), ("open", False)):
        clock = Clock()
        path = tmp_path / name
        agent, program = lived(path, clock)
        for _ in range(4):
            if often:
                agent.close()
                agent = program.agent = agent_of(clock, log=path, propensity="exact")
            program.run(40)
        lives.append(everything(agent))
        agent.close()
    assert lives[0] == lives[1]


@pytest.mark.long
def test_damaged_snapshots_are_passed_over(tmp_path, replayed):
    path, clock = tmp_path / "router.db", Clock()
    agent, _ = lived(path, clock, snapshot_every=100)
    expected = everything(agent)
    agent.close()
    kept = snapshots_of(path)
    for number in range(1, 4):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("UPDATE snapshots SET state = x'00' WHERE seq = ?", (kept[-number],))
        replayed.clear()
        with pytest.warns(LogWarning, match="damaged, and was passed over"):
            again = agent_of(clock, log=path, propensity="exact")
        assert everything(again) == expected
        last = kept[-number - 1] if number < 3 else 0
        assert len(replayed) == kept[-1] - last
        let_go(again)


def test_closing_takes_a_snapshot_where_something_happened(tmp_path, replayed):
    path = tmp_path / "router.db"
    options = {"arms": 3, "features": 0, "objectives": 1}
    with mob.Agent(RandomChoice(), **options, log=path) as agent:
        agent.learn(agent.decide().id, [1.0])
    agent.close()  # again
    assert snapshots_of(path) == [2]
    with mob.Agent(RandomChoice(), **options, log=path) as again:
        assert (again.lessons, replayed) == (1, [])
    assert snapshots_of(path) == [2]
    with pytest.raises(LogError, match="was closed: open it again"):
        again.decide()


def test_a_checkpoint_is_a_snapshot_now(tmp_path):
    path = tmp_path / "router.db"
    with mob.Agent(RandomChoice(), arms=3, features=0, objectives=1, log=path) as agent:
        for _ in range(5):
            agent.decide()
            agent.checkpoint()
        assert snapshots_of(path) == [3, 4, 5]
    with pytest.raises(ValueError, match="checkpoint needs an agent with a log"):
        mob.Agent(RandomChoice(), arms=3, features=0, objectives=1).checkpoint()


def test_a_snapshot_that_cannot_be_written_undoes_no_call(tmp_path, monkeypatch, caplog):
    path = tmp_path / "router.db"
    options = {"arms": 3, "features": 0, "objectives": 1}
    agent = mob.Agent(RandomChoice(), **options, log=path, snapshot_every=2)

    def full(self, state):
        raise LogError(f"{path} cannot be written to: database or disk is full")

    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING, "mobandits"):
        patch.setattr(Store, "snapshot", full)
        made = [agent.decide().id for _ in range(5)]
        agent.close()
    assert made == list(range(5))
    assert "a snapshot of the agent could not be written" in caplog.text
    assert "the last snapshot of the agent could not be written" in caplog.text
    with mob.Agent(RandomChoice(), **options, log=path) as again:
        assert again.waiting == 5


@pytest.mark.long
@pytest.mark.parametrize("closed", [True, False], ids=["snapshot", "events"])
@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"arms": ["b", "a"]}, "arms"),
        ({"seed": 1}, "seed"),
        ({"recipe": MolUcb(scale=0.4)}, "recipe"),
        ({"objectives": ["x", Objective("y", low=0.0, high=3.0)]}, "ranges"),
        ({"remembered": 7}, "remembered"),
        ({"propensity": "none"}, "propensity"),
    ],
)
def test_another_agent_is_refused_by_name(tmp_path, changed, name, closed):
    path = tmp_path / "router.db"
    options = {"recipe": MolUcb(scale=0.3), "arms": ["a", "b"], "features": 2}
    options["objectives"] = ["x", Objective("y", low=0.0, high=2.0)]
    agent = mob.Agent(**options, log=path)
    agent.learn(agent.decide([0.0, 1.0]).id, [1.0, 0.5])
    if closed:
        agent.close()
    else:
        let_go(agent)
    with pytest.raises(LogError, match=f"has an agent with {name} = "):
        mob.Agent(**{**options, **changed}, log=path)
    with mob.Agent(**options, log=path) as again:
        assert again.lessons == 1


def test_an_agent_from_a_file_begins_a_store_with_a_snapshot(tmp_path):
    clock = Clock()
    agent = agent_of(clock)
    program = Program(agent, clock, own=True, seed=3)
    program.run(100)
    agent.save(tmp_path / "agent")
    program.agent = mob.Agent.load(tmp_path / "agent", log=tmp_path / "log", clock=clock)
    program.run(100)
    let_go(program.agent)
    again = mob.Agent.load(tmp_path / "agent", log=tmp_path / "log", clock=clock)
    assert everything(again) == everything(program.agent)
    again.close()


def test_what_is_no_log_says_what_to_do(tmp_path):
    options = {"arms": 3, "features": 0, "objectives": 1}
    with pytest.raises(LogError, match="must be a store or a new file, got an empty folder"):
        mob.Agent(RandomChoice(), **options, log=tmp_path)
    journal = tmp_path / "journal"
    journal.mkdir()
    (journal / "000000.jsonl").write_text("{}")
    for opening in (
        lambda: mob.Agent(RandomChoice(), **options, log=journal),
        lambda: replaying.opened(journal),
    ):
        with pytest.raises(LogError, match=r"must be a store.*version 0\.1 has$") as caught:
            opening()
        assert "\n" not in str(caught.value)
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(LogError, match="must be a store or a new file"):
        mob.Agent(RandomChoice(), **options, log=tmp_path / "table.csv")
    with (
        Store(tmp_path / "log") as store,
        pytest.raises(ValueError, match="durability must be given to the Store itself"),
    ):
        mob.Agent(RandomChoice(), **options, log=store, durability="disk")
    with pytest.raises(ValueError, match="durability must go with a log"):
        mob.Agent(RandomChoice(), **options, durability="disk")
    with pytest.raises(ValueError, match="snapshot_every must be an integer of at least 1, got 0"):
        mob.Agent(RandomChoice(), **options, log=tmp_path / "log", snapshot_every=0)


@pytest.mark.parametrize("durability", ["disk", "system", "buffered"])
def test_a_store_of_any_durability_leads_to_the_same_agent(tmp_path, durability):
    clock, path = Clock(), tmp_path / "log"
    agent = agent_of(clock, log=path, durability=durability)
    Program(agent, clock, own=False, seed=9).run(60)
    agent.close()
    with agent_of(clock, log=path) as again:
        assert everything(again) == everything(agent)
        np.testing.assert_equal(again.core.now, agent.core.now)
