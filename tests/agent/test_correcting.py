"""A description that changes: corrected rewards, other objectives, arms with other names."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from slow_twin import Clock
from test_recording import everything
from test_retuning import states_close
from typer.testing import CliRunner

import mobandits as mob
from mobandits.agent import Budget, Objective
from mobandits.cli.program import app
from mobandits.errors import LogError
from mobandits.logs import Store, export, read
from mobandits.monitoring import summary, write_page
from mobandits.orders import Lexicographic, Weighted
from mobandits.policies import Forgetting, MolTs, MolUcb, Paced, Rollout, ScalarizedUcb1

ARMS = ("a", "b", "c")
COST = Objective("cost", minimise=True)
CLICK = Objective("click", default=0.0, after=10.0)
RECIPE = MolUcb(scale=0.3)
pytestmark = [
    pytest.mark.usefixtures("interpreted"),
    pytest.mark.filterwarnings("ignore::mobandits.errors.InputWarning"),
    pytest.mark.filterwarnings("ignore:.* decisions in the log were certain"),
]


def agent_of(log=None, clock=None, recipe=RECIPE, objectives=(COST, CLICK), **other):
    options = {"arms": ARMS, "features": 2, "objectives": objectives, "seed": 4}
    return mob.Agent(recipe, **{**options, **other}, clock=clock or Clock(), log=log)


def lived(agent, clock, twin=None, wrong=(), told=("cost", "click")):
    """Decisions, rewards and defaults; a twin adopts them, and is told of the objectives in `told`.

    The agent is told 9 too much of decisions in `wrong`, and the twin is told the truth.
    """
    rng = np.random.default_rng(2)
    for i in range(40):
        clock.now += 1.0
        context = rng.normal(size=(len(agent.arms), 2)) / 3.0
        made = agent.decide(context)
        rewards = {"cost": float(rng.random())}
        if i % 3 == 0:
            rewards["click"] = 1.0
        if i % 5:
            false = {name: value + 9.0 * (made.id in wrong) for name, value in rewards.items()}
            agent.learn(made.id, false)
        if twin is not None:
            twin.adopt(context, made.arm)
            known = {name: rewards[name] for name in rewards if name in told}
            if i % 5 and known:
                twin.learn(made.id, known)
        for each in (agent, twin) if twin is not None else (agent,):
            change_arms(each, i)
    clock.now += 20.0
    agent.tick()
    if twin is not None:
        twin.tick()


def change_arms(agent, i):
    if i == 15:
        agent.add_arm("d", like="a")
    elif i == 25:
        agent.remove_arm("b")


def without_snapshots(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM snapshots")


@pytest.mark.long
@pytest.mark.parametrize("recipe", [RECIPE, MolTs(scale=0.2), Forgetting(RECIPE, discount=0.9)])
def test_a_corrected_agent_is_the_one_that_was_told_the_truth(tmp_path, recipe):
    clock = Clock()
    agent, twin = agent_of(tmp_path / "log", clock, recipe), agent_of(None, clock, recipe)
    lived(agent, clock, twin, wrong={3, 7})
    truth = {number: twin.core.pending.settled[number] for number in (3, 7)}
    agent.correct(3, {"cost": truth[3][0], "click": truth[3][1]})
    with pytest.raises(AssertionError):
        states_close(agent, twin)
    agent.correct(7, {"cost": 5.0})
    agent.correct(7, {"cost": truth[7][0]})
    states_close(agent, twin)
    assert agent.core.pending.settled == twin.core.pending.settled
    with pytest.raises(ValueError, match="must not change"):
        agent.learn(3, {"cost": truth[3][0] + 9.0})
    agent.close()


def test_a_default_that_was_learned_can_be_corrected(tmp_path):
    clock = Clock()
    agent, twin = agent_of(tmp_path / "log", clock), agent_of(clock=clock)
    for each in (agent, twin):
        for number in range(2):
            each.decide([0.1, 0.2])
            each.learn(number, {"cost": 0.5})
    twin.learn(0, {"click": 3.0})
    clock.now += 20.0
    for each in (agent, twin):
        each.tick()
    agent.correct(0, {"click": 3.0})
    states_close(agent, twin)
    assert agent.core.pending.settled == twin.core.pending.settled
    # One that waits for its cost knows the corrected click, when the cost comes.
    made = agent.decide([0.1, 0.2])
    clock.now += 20.0
    agent.tick()
    agent.correct(made.id, {"click": 1.0})
    agent.learn(made.id, {"cost": 0.5})
    assert agent.core.pending.settled[made.id] == (0.5, 1.0)
    agent.close()


CHANGED = {
    "range": ((replace(COST, low=0.0, high=2.0), CLICK), ("cost", "click"), None),
    "unit and direction": ((Objective("cost", unit="USD"), CLICK), ("cost", "click"), None),
    "default and delay": (
        (COST, replace(CLICK, default=0.5, after=3.0)),
        ("cost", "click"),
        None,
    ),
    "added": ((COST, CLICK, Objective("stars", low=0.0, high=5.0)), ("cost", "click"), None),
    "dropped": ((CLICK,), ("click",), RECIPE),
    "in another place": ((CLICK, COST), ("cost", "click"), MolUcb(scale=0.1)),
}


@pytest.mark.long
@pytest.mark.parametrize("change", CHANGED, ids=str)
def test_it_is_the_agent_that_had_the_objectives_from_the_start(tmp_path, change):
    objectives, told, recipe = CHANGED[change]
    clock = Clock()
    agent = agent_of(tmp_path / "log", clock)
    twin = agent_of(None, clock, recipe or RECIPE, objectives)
    lived(agent, clock, twin, told=told)
    agent.retune(recipe, objectives=objectives)
    assert agent.objectives == objectives
    states_close(agent, twin)
    waiting = list(agent.core.pending.open)
    if change != "added":  # of what came before nothing is waited for
        assert waiting == list(twin.core.pending.open)
    for number in waiting[:3]:
        agent.learn(number, {told[0]: 0.25})
    agent.close()


def test_what_is_added_was_not_observed_and_has_no_default_before(tmp_path):
    clock = Clock()
    later = Objective("sale", default=0.0, after=5.0)
    agent = agent_of(tmp_path / "log", clock, objectives=(COST,))
    first = agent.decide([0.1, 0.2])
    agent.learn(first.id, {"cost": 0.5})
    waiting = agent.decide([0.1, 0.2])
    agent.retune(objectives=[COST, later])
    assert np.isnan(agent.core.pending.settled[first.id][1])
    clock.now += 6.0
    agent.tick()
    state = agent.core.bound.state()
    assert state.seen[:, 1].sum() == 1.0  # the default of the one that waits
    made = agent.decide([0.1, 0.2])
    agent.learn(made.id, {"cost": 0.5, "sale": 3.0})
    # Learned again from all of it: what was there first has no default all the same.
    agent.retune(objectives=[COST, replace(later, low=0.0, high=3.0)])
    assert agent.core.bound.state().seen[:, 1].sum() == 2.0
    agent.learn(waiting.id, {"cost": 0.25})
    log = read(tmp_path / "log")
    assert np.isnan(log.rewards[:, 1]).tolist() == [True, True, False]
    with pytest.raises(ValueError, match="needs a recipe that learns rewards in part"):
        agent.retune(MolTs(scale=0.2, selection="uniform", links="logit"))
    agent.close()


def test_an_objective_that_comes_back_has_its_past(tmp_path):
    clock = Clock()
    agent, twin = agent_of(tmp_path / "log", clock), agent_of(clock=clock)
    lived(agent, clock, twin)
    agent.retune(RECIPE, objectives=[CLICK])
    assert read(tmp_path / "log").objective_names == ("click",)
    assert summary(tmp_path / "log")["objectives"][0]["name"] == "click"
    agent.retune(RECIPE, objectives=[COST, CLICK])
    states_close(agent, twin)
    agent.close()
    without_snapshots(tmp_path / "log")
    with agent_of(tmp_path / "log", clock) as again:
        states_close(again, twin)


@pytest.mark.long
@pytest.mark.parametrize("way", ["close", "kill", "from the start", "file"])
def test_all_changes_are_replayed_bit_for_bit(tmp_path, way):
    path, clock = tmp_path / "log", Clock()
    agent = agent_of(path, clock)
    lived(agent, clock)
    agent.save(tmp_path / "file")
    agent.correct(3, {"cost": 0.125})
    agent.rename_arm("a", "alpha")
    agent.rename_arm("d", "delta")
    agent.retune(objectives=[replace(COST, low=0.0, high=2.0), CLICK, "stars"])
    agent.add_arm("a")
    lived_on(agent, clock)
    agent.correct(6, {"cost": 0.25})
    agent.retune(MolTs(scale=0.2), objectives=["stars", replace(COST, low=0.0, high=2.0)])
    agent.rename_arm("alpha", "omega")
    lived_on(agent, clock)
    agent.correct(6, {"cost": 0.5})
    expected = everything(agent)
    if way == "close":
        agent.close()
    else:
        agent.core.writer.store.close()
    if way in {"from the start", "file"}:
        without_snapshots(path)
    if way == "file":
        again = mob.Agent.load(tmp_path / "file", log=path, clock=clock)
        assert everything(again) == expected
        again.close()
        return
    objectives = ["stars", replace(COST, low=0.0, high=2.0)]
    for names in (ARMS, ("omega", "b", "c")):
        options = {"arms": names, "objectives": objectives, "propensity": "sampled"}
        with agent_of(path, clock, MolTs(scale=0.2), **options) as again:
            assert everything(again) == expected
            assert again.arms == ("omega", "c", "delta", "a")
    with pytest.raises(LogError, match="has an agent with objectives"):
        agent_of(path, clock, MolTs(scale=0.2), propensity="sampled")


def lived_on(agent, clock):
    for i in range(10):
        clock.now += 1.0
        made = agent.decide(np.full((len(agent.arms), 2), i / 20.0))
        agent.learn(made.id, dict.fromkeys([each.name for each in agent.objectives], i / 10.0))


@pytest.mark.long
def test_whoever_reads_the_log_finds_what_is_right(tmp_path):
    path, clock = tmp_path / "log", Clock()
    agent = agent_of(path, clock)
    lived(agent, clock, wrong={3})
    agent.rename_arm("c", "third")
    agent.correct(3, {"cost": 0.5, "click": 0.75})
    agent.checkpoint()
    store = agent.core.writer.store
    assert store.decision(3).rewards == {"cost": 0.5, "click": 0.75}
    log = read(path)
    assert log.own_rewards[3].tolist() == [0.5, 0.75]
    assert log.arm_names == ("a", "b", "third", "d")
    agent.close()
    export(path, tmp_path / "archive.parquet")
    archived = read(tmp_path / "archive.parquet")
    assert archived.own_rewards[3].tolist() == [0.5, 0.75]
    assert archived.arm_names == log.arm_names
    page = write_page(path, tmp_path / "page").read_text(encoding="utf-8")
    assert "third" in page


def test_spending_changes_with_the_bill(tmp_path):
    clock = Clock()
    options = {"budgets": [Budget("cost", 100.0, per="hour", most=20.0)]}
    agent = agent_of(tmp_path / "log", clock, objectives=(COST,), **options)
    numbers = [agent.decide([0.1, 0.2]).id for _ in range(3)]
    for number in numbers:
        agent.learn(number, {"cost": 10.0})
    agent.correct(1, {"cost": 1.0})
    assert agent.balances[0].spent == 21.0
    assert agent.core.writer.store.spent_since("cost", 0.0) == 21.0
    clock.now += 3600.0
    agent.correct(2, {"cost": 1.0})
    agent.decide([0.1, 0.2])
    assert agent.balances[0].spent == 0.0
    agent.close()


@pytest.mark.long
def test_announced_prices_follow_an_arm_to_its_new_name(tmp_path):
    clock = Clock()
    recipe = Paced(RECIPE, {"cost": 0.5})
    agent = agent_of(tmp_path / "log", clock, recipe, (Objective("q"), COST))
    twin = agent_of(tmp_path / "twin", clock, recipe, (Objective("q"), COST))
    for each in (agent, twin):
        rng = np.random.default_rng(3)
        for i in range(60):
            made = each.adopt(rng.random(2), ARMS[i % 3], propensity=1.0 / 3.0)
            each.learn(made.id, rng.random(2))
        each.reprice("a", 0.5)
    agent.rename_arm("a", "alpha")
    for each in (agent, twin):
        each.retune(Paced(RECIPE, {"cost": 0.25}))
    states_close(agent, twin)
    agent.correct(5, {"cost": 0.5})
    agent.close()
    twin.close()


def test_what_cannot_be_is_refused_and_changes_nothing(tmp_path):
    clock = Clock()
    agent = agent_of(tmp_path / "log", clock)
    lived(agent, clock)
    before = everything(agent)
    with pytest.raises(ValueError, match="decision_id must be of a decision"):
        agent.correct(10**6, {"cost": 0.5})
    with pytest.raises(ValueError, match=r"must correct what decision 0 was told.*'cost'"):
        agent.correct(0, {"cost": 0.5})
    with pytest.raises(ValueError, match="must have at least one number"):
        agent.correct(1, [None, None])
    with pytest.raises(ValueError, match="recipe must be given where objectives go"):
        agent.retune(objectives=[CLICK])
    with pytest.raises(ValueError, match="to must be a new name, got 'c'"):
        agent.rename_arm("a", "c")
    with pytest.raises(LogError, match="renamed to a name that was none before, got 'b'"):
        agent.rename_arm("a", "b")  # which left, and has a past of its own
    with pytest.raises(ValueError, match="arm must name arms"):
        agent.rename_arm("nobody", "x")
    assert everything(agent) == before
    agent.preference = Weighted([0.5, 0.5])
    with pytest.raises(ValueError, match="preference must be None where objectives go"):
        agent.retune(RECIPE, objectives=[CLICK, COST])
    agent.preference = Lexicographic()
    agent.close()
    without_log = agent_of(clock=Clock())
    without_log.learn(without_log.decide([0.1, 0.2]).id, [0.5, 1.0])
    for call in (
        lambda: without_log.correct(0, {"cost": 1.0}),
        lambda: without_log.retune(objectives=[COST]),
    ):
        with pytest.raises(ValueError, match=r"needs an agent with a log|recipe must be given"):
            call()
    named = agent_of(recipe=Rollout(RECIPE, baseline="a", share=0.5))
    with pytest.raises(ValueError, match="arm must not be one that the recipe names"):
        named.rename_arm("a", "alpha")
    recipe = ScalarizedUcb1(check=False)
    alone = agent_of(tmp_path / "notes", recipe=recipe, features=0)
    alone.learn(alone.decide().id, [0.5, 0.5])
    with pytest.raises(ValueError, match="adopt needs a recipe"):
        alone.correct(0, [0.25, None])
    alone.close()


def test_a_budget_s_objective_stays(tmp_path):
    options = {"budgets": [Budget("cost", 100.0, most=20.0)]}
    agent = agent_of(tmp_path / "log", **options)
    agent.learn(agent.decide([0.1, 0.2]).id, [0.5, 1.0])
    with pytest.raises(ValueError, match=r"Budget.objective must be one of the agent's"):
        agent.retune(RECIPE, objectives=[CLICK])
    agent.close()


@pytest.mark.long
def test_the_commands_change_an_agent(tmp_path):
    path, clock = tmp_path / "log", Clock()
    agent = agent_of(path, clock)
    lived(agent, clock)
    agent.close()
    cost = "cost:minimise=true,low=0,high=2"
    calls = [
        ["correct", str(path), "3", "--reward", "cost=0.25"],
        ["rename-arm", str(path), "a", "alpha"],
        ["retune", str(path), "--objective", cost, "--objective", "click:default=0,after=10"],
    ]
    for call in calls:
        done = CliRunner().invoke(app, call)
        assert (done.exit_code, str(path) in done.output) == (0, True), done.output
    with Store(path) as store:
        assert store.decision(3).rewards["cost"] == 0.25
        assert store.arm_names[0] == "alpha"
        assert store.description["ranges"] == [[0, 2], [None, None]]
    for call in (
        ["correct", str(path), "3", "--reward", "cost"],
        ["correct", str(path), "99", "--reward", "cost=1"],
        ["rename-arm", str(path), "nobody", "x"],
        ["retune", str(path), "--objective", "cost:colour=1"],
    ):
        assert CliRunner().invoke(app, call).exit_code == 2
