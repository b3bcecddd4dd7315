"""Another recipe for an agent that goes on: statistics are kept, or learned again from the log."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from slow_twin import Clock, Program
from slow_twin import agent_of as agent_of_program
from test_recording import everything
from typer.testing import CliRunner

import mobandits as mob
from mobandits.agent import Objective
from mobandits.agent.resize_state import arrays
from mobandits.cli.program import app
from mobandits.errors import LogError
from mobandits.logs import Store
from mobandits.orders import Lexicographic
from mobandits.policies import Doubling, Forgetting, MolTs, MolUcb, Paced, ScalarizedUcb1

OLD = MolUcb(scale=0.3)
# The first of each pair learns what MolUcb does; the others learn it again.
NEW = [MolUcb(scale=0.1), MolTs(scale=0.2), MolUcb(scale=0.3, penalty=2.5)]
NEW += [Forgetting(MolUcb(scale=0.3), discount=0.9)]
pytestmark = [
    pytest.mark.usefixtures("interpreted"),
    pytest.mark.filterwarnings("ignore::mobandits.errors.InputWarning"),
]


def agent_of(recipe=OLD, log=None, clock=None, **other):
    objectives = [Objective("x", default=0.25, after=10.0), Objective("y", minimise=True)]
    options = {"arms": ["a", "b", "c"], "features": 2, "objectives": objectives, "seed": 4}
    return mob.Agent(recipe, **{**options, **other}, clock=clock or Clock(), log=log)


def lived(agent, clock, twin=None, n=60):
    """Decisions and late rewards; a twin adopts what was decided."""
    rng = np.random.default_rng(2)
    agents = [agent] if twin is None else [agent, twin]
    for i in range(n):
        clock.now += 1.0
        context = rng.normal(size=(len(agent.arms), 2)) / 3.0
        made = agent.decide(context)
        if twin is not None:
            twin.adopt(context, made.arm)
        number = made.id - i % 2
        for each in agents:
            if i % 3:
                each.learn(number, {"y": float(number % 7)})
        if i == 20:
            for each in agents:
                each.add_arm("d", like="a")
        if i == 40:
            for each in agents:
                each.remove_arm("b")


def states_close(mine, theirs):
    pairs = zip(arrays(mine.core.bound.state()), arrays(theirs.core.bound.state()), strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("recipe", NEW, ids=str)
def test_it_is_the_agent_that_had_the_recipe_from_the_start(tmp_path, recipe):
    clock = Clock()
    agent = agent_of(log=tmp_path / "log", clock=clock)
    twin = agent_of(recipe, clock=clock)
    lived(agent, clock, twin)
    waiting = list(agent.core.pending.open)
    agent.retune(recipe)
    assert agent.recipe == recipe
    assert list(agent.core.pending.open) == waiting == list(twin.core.pending.open)
    states_close(agent, twin)
    for number in waiting[:5]:
        for each in (agent, twin):
            each.learn(number, {"y": 0.5})
    states_close(agent, twin)
    agent.close()


@pytest.mark.long
@pytest.mark.parametrize("way", ["close", "kill", "damaged", "from the start"])
@pytest.mark.parametrize("recipe", [NEW[1], NEW[2]], ids=str)
def test_a_retuned_agent_is_opened_again(tmp_path, recipe, way):
    path, clock = tmp_path / "log", Clock()
    agent = agent_of(log=path, clock=clock)
    lived(agent, clock)
    agent.checkpoint()
    agent.retune(recipe, pending=15, max_age=50.0, propensity="none")
    agent.preference = Lexicographic()
    for i in range(20):
        clock.now += 1.0
        agent.decide(np.full((3, 2), i / 20.0))
    agent.retune(pending=40, max_age=None)
    if way == "close":
        agent.close()
    else:
        agent.core.writer.store.close()
    if way in {"damaged", "from the start"}:
        query = (
            "DELETE FROM snapshots"
            if way == "from the start"
            else ("DELETE FROM snapshots WHERE seq > (SELECT min(seq) FROM snapshots)")
        )
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(query)
    options = {"pending": 40, "clock": clock, "propensity": "none"}
    with agent_of(recipe, log=path, **options) as again:
        assert everything(again) == everything(agent)
    with pytest.raises(LogError, match="has an agent with recipe = "):
        agent_of(OLD, log=path, **options)


def test_without_a_log_statistics_are_kept_or_it_is_refused():
    clock = Clock()
    agent = agent_of(clock=clock)
    lived(agent, clock)
    state = everything(agent)
    with pytest.raises(ValueError, match="retune to MolUcb needs an agent with a log"):
        agent.retune(MolUcb(scale=0.3, penalty=2.5))
    with pytest.raises(ValueError, match="retune needs recipes that play without stages"):
        agent.retune(Doubling(OLD, first=4))
    with pytest.raises(ValueError, match="pending must be an integer of at least 1"):
        agent.retune(pending=0)
    with pytest.raises(ValueError, match="propensity must be 'sampled' or 'none'"):
        agent.retune(MolTs(scale=0.1), propensity="exact")
    assert everything(agent) == state
    lessons = agent.lessons
    agent.retune(MolTs(scale=0.1), propensity="sampled")
    assert (agent.lessons, agent.propensity) == (lessons, "sampled")
    assert agent.decide(np.zeros((3, 2))).propensity > 0.0


def test_notes_stay_with_their_recipe():
    """Only the propensities change: decisions that wait are learned from as before."""
    options = {"arms": 4, "features": 0, "objectives": 2}
    agents = [mob.Agent(ScalarizedUcb1(check=False), **options) for _ in range(2)]
    for agent in agents:
        for _ in range(12):
            agent.decide()
    agents[0].retune(propensity="sampled")
    for agent in agents:
        for number in range(12):
            agent.learn(number, [number / 12.0, 0.5])
    states_close(*agents)
    assert agents[0].decide().propensity is not None


def test_a_smaller_limit_drops_the_oldest():
    agent = agent_of()
    for _ in range(5):
        agent.decide([0.1, 0.2])
    agent.retune(pending=2)
    assert (agent.waiting, agent.dropped["limit"]) == (2, 3)
    assert list(agent.core.pending.open) == [3, 4]


def test_a_shortened_log_cannot_teach_again(tmp_path):
    clock = Clock()
    agent = agent_of(log=tmp_path / "log", clock=clock)
    lived(agent, clock)
    agent.close()
    with closing(sqlite3.connect(tmp_path / "log", isolation_level=None)) as connection:
        connection.execute("UPDATE agents SET complete_after = 5")
    agent = agent_of(log=tmp_path / "log", clock=clock)
    with pytest.raises(LogError, match="has no longer all of its first 5 events"):
        agent.retune(MolUcb(scale=0.3, penalty=2.5))
    agent.retune(MolTs(scale=0.1))
    agent.close()


@pytest.mark.long
@pytest.mark.parametrize("way", ["close", "kill"])
@pytest.mark.parametrize("recipe", [NEW[1], NEW[2]], ids=str)
def test_a_file_from_before_the_change_is_caught_up_with(tmp_path, recipe, way):
    """With the snapshot that came with the change, or by the change itself, where that is lost."""
    path, clock = tmp_path / "log", Clock()
    agent = agent_of(log=path, clock=clock)
    lived(agent, clock)
    agent.save(tmp_path / "before")
    clock.now += 1.0
    agent.decide(np.full((3, 2), 0.3))
    agent.retune(recipe, pending=15, max_age=50.0)
    agent.decide(np.full((3, 2), 0.1))
    agent.save(tmp_path / "between")
    agent.retune(pending=40, max_age=None)
    agent.decide(np.full((3, 2), 0.2))
    if way == "close":
        agent.close()
    else:
        agent.core.writer.store.close()
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("DELETE FROM snapshots")
    for name in ("before", "between"):
        again = mob.Agent.load(tmp_path / name, log=path, clock=clock)
        assert everything(again) == everything(agent)
        again.core.writer.store.close()


def test_a_file_that_is_not_of_the_store_is_refused(tmp_path):
    path, clock = tmp_path / "log", Clock()
    agent = agent_of(log=path, clock=clock)
    lived(agent, clock, n=10)
    agent.save(tmp_path / "before")
    fork = agent.branch(tmp_path / "not retuned")
    fork.close()
    agent.retune(NEW[1])
    agent.decide(np.full((3, 2), 0.3))
    agent.save(tmp_path / "after")
    agent.close()
    # A file of later than all that the store has.
    with pytest.raises(LogError, match=r"has an agent with recipe = 'MolUcb.*, now 'MolTs"):
        mob.Agent.load(tmp_path / "after", log=tmp_path / "not retuned", clock=clock)
    # A file of another agent, which was not what was changed.
    other = agent_of(MolUcb(scale=0.7), clock=clock)
    lived(other, clock, n=10)
    other.save(tmp_path / "other")
    with pytest.raises(LogError, match=r"has an agent with recipe = .*0\.3.*, now .*0\.7"):
        mob.Agent.load(tmp_path / "other", log=path, clock=clock)
    with mob.Agent.load(tmp_path / "after", log=path, clock=clock) as again:
        assert again.recipe == NEW[1]


def test_a_branch_goes_its_own_way(tmp_path):
    clock = Clock()
    agent = agent_of_program(clock, log=tmp_path / "log")
    Program(agent, clock, own=True, seed=3).run(100)
    fork = agent.branch(tmp_path / "what-if.db")
    assert everything(fork) == everything(agent)
    before = everything(agent)
    fork.retune(MolUcb(scale=0.3, penalty=7.0))
    fork.decide(np.zeros((len(fork.arms), 3)))
    assert everything(agent) == before
    with pytest.raises(LogError, match="must be a new file, got"):
        agent.branch(tmp_path / "what-if.db")
    fork.close()
    agent.close()


def test_the_command_retunes(tmp_path):
    path, clock = tmp_path / "log", Clock()
    agent = agent_of(log=path, clock=clock)
    lived(agent, clock)
    agent.close()
    done = CliRunner().invoke(
        app, ["retune", str(path), "--policy", "mol-ts:scale=0.2", "--pending", "30"]
    )
    assert (done.exit_code, done.output.strip()) == (0, f"{path}: MolTs(scale=0.2)")
    with agent_of(NEW[1], log=path, clock=clock, pending=30) as again:
        assert again.lessons >= agent.lessons  # the command's clock is that of the machine
        assert again.waiting > 0
    with Store(path) as store:
        assert "retune" in {event.kind for event in store.events()}
    for arguments in (["--policy", "nobody"], ["--propensity", "always"]):
        assert CliRunner().invoke(app, ["retune", str(path), *arguments]).exit_code != 0
    missing = CliRunner().invoke(app, ["retune", str(tmp_path / "missing"), "--pending", "3"])
    assert missing.exit_code != 0
    assert not (tmp_path / "missing").exists()


def test_budgets_begin_when_an_agent_is_retuned_to_them():
    """What was learned stays; what was spent before counts for no budget."""
    clock = Clock()
    agent, twin = agent_of(clock=clock), agent_of(clock=clock)
    lived(agent, clock, twin)
    learned = arrays(agent.core.bound.state())
    paced = Paced(OLD, {"y": 0.5}, start={"y": 0.125})
    agent.retune(recipe=paced)
    state = agent.core.bound.state()
    assert state.price.tolist() == [0.125]
    assert state.spent.tolist() == [0.0]
    for mine, theirs in zip(arrays(state.model), learned, strict=True):
        assert np.array_equal(mine, theirs)

    lived(agent, clock, twin, n=20)
    assert agent.core.bound.state().settled[0] > 0
    agent.retune(recipe=Paced(OLD, {"y": 0.25}))
    assert agent.core.bound.state().spent.tolist() == [0.0]
    agent.retune(recipe=OLD)
    mine, theirs = arrays(agent.core.bound.state()), arrays(twin.core.bound.state())
    for one, other in zip(mine, theirs, strict=True):
        assert np.allclose(one, other)


def test_budgets_for_another_penalty_need_a_log():
    clock = Clock()
    agent = agent_of(clock=clock)
    lived(agent, clock)
    with pytest.raises(ValueError, match="retune to Paced needs an agent with a log"):
        agent.retune(recipe=Paced(MolUcb(scale=0.3, penalty=2.5), {"y": 0.5}))


def test_a_constant_takes_the_place_of_the_data_s_scale_without_a_log():
    """The statistics of a scaled regression are those of a plain one, and sums of squares beside."""
    agents = []
    for recipe in (MolUcb(), MolUcb(scale=0.3)):
        agent = mob.Agent(recipe, arms=3, features=2, objectives=2, seed=1)
        rng = np.random.default_rng(0)
        for number in range(30):
            agent.adopt(rng.random((3, 2)), number % 3, rewards=rng.random(2))
        agents.append(agent)

    agents[0].retune(MolUcb(scale=0.3))
    contexts = np.random.default_rng(1).random((20, 3, 2))
    chosen = [[agent.decide(context).arm for context in contexts] for agent in agents]
    assert chosen[0] == chosen[1]
    # The other way round the squares are missing.
    with pytest.raises(ValueError, match="needs an agent with a log"):
        agents[1].retune(MolUcb())
