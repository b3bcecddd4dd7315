"""What was compared becomes an agent: the one that is made by hand and has learned the log."""

import msgspec
import numpy as np
import polars as pl
import pytest
from logs_for_tests import make_law, make_log

import mobandits as mob
from mobandits.agent import Objective
from mobandits.agent.file_layout import parsed_file
from mobandits.agent.saving import copied_state, encoded_state
from mobandits.cli import program as cli
from mobandits.compiling import session
from mobandits.evaluation import (
    Comparison,
    ConstantTarget,
    LoggingPolicy,
    Trained,
    Uniform,
    compare,
)
from mobandits.logs import Feedback, Store, read
from mobandits.policies import Doubling, MolTs, MolUcb, ScalarizedUcb1

UCB = MolUcb(scale=0.3, check=False)


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    """Agents whose policies run in Python."""
    monkeypatch.setattr(session, "is_compiled", lambda policy: False)


def everything(agent):
    header, arrays = parsed_file(encoded_state(copied_state(agent.core)))
    return [
        msgspec.structs.replace(header, now=0.0, logged=0),
        [array.tobytes() for array in arrays],
    ]


@pytest.mark.long
@pytest.mark.parametrize("own_rows", [True, False])
@pytest.mark.parametrize("logged", [True, False])
def test_it_is_the_agent_that_learned_the_log(tmp_path, own_rows, logged):
    log = make_log(own_rows=own_rows, missing=0.2, eligible=True)
    targets = {"ucb": UCB, "ts": Trained(MolTs(scale=0.2, check=False), draws=2)}
    found = compare(log, targets, "ips")
    for name, recipe in (("ucb", UCB), ("ts", targets["ts"].recipe)):
        options = {"seed": 7, "propensity": "none" if name == "ts" else "exact"}
        store = tmp_path / name if logged else None
        agent = found.agent(name, store, **options)
        shape = {"arms": log.arm_names, "features": 2, "objectives": log.objective_names}
        with mob.Agent(recipe, **shape, **options) as by_hand:
            by_hand.learn_log(log)
            assert everything(agent) == everything(by_hand)
            context = np.full((3, 2) if own_rows else 2, 0.25)
            assert agent.decide(context) == by_hand.decide(context)
        agent.close()
        if logged:
            with mob.Agent(recipe, **shape, **options, log=store) as again:
                assert everything(again) == everything(agent)
                assert len(read(store)) == len(log) + 1


def test_objectives_have_their_own_directions():
    frame = pl.DataFrame(
        {
            "arm": ["a", "b"] * 4,
            "x": np.arange(8) / 8,
            "click": [0.0, 1.0] * 4,
            "cost": [2.0, 1.0] * 4,
        }
    )
    columns = {"arm": "arm", "context": "x", "rewards": ["click", "cost"], "minimise": "cost"}
    log = mob.logs.frames.feedback_of_frame(frame, **columns)
    assert (log.minimised, log[:3].minimised) == (("cost",), ("cost",))
    found = compare(log, {"ucb": UCB}, "dm", folds=2)
    cost = Objective("cost", minimise=True)
    by_hand = mob.Agent(UCB, arms=["a", "b"], features=1, objectives=["click", cost])
    by_hand.learn_log(log)
    agent = found.agent("ucb")
    assert everything(agent) == everything(by_hand)
    # What is told of a new decision has the unit and direction of the log.
    agent.learn(agent.decide([0.5]).id, {"click": 1.0, "cost": 1.5})
    ranged = found.agent("ucb", objectives=["click", Objective("cost", True, low=0.0, high=4.0)])
    assert ranged.objectives[1].high == 4.0


@pytest.mark.long
def test_what_is_no_recipe_is_refused_by_name(tmp_path):
    log = make_log()
    targets = {
        "uniform": Uniform(),
        "always b": ConstantTarget("b"),
        "now": LoggingPolicy(),
        "table": make_law(log),
        "call": make_law,
        "notes": ScalarizedUcb1(check=False),
        "stages": Doubling(UCB, first=4),
    }
    found = compare(log, targets, "ips")
    for name in ("uniform", "always b", "now", "table", "call"):
        with pytest.raises(ValueError, match=f"target '{name}': an agent needs a recipe such as"):
            found.agent(name, tmp_path / "log")
    with pytest.raises(ValueError, match=r"target 'notes': adopt needs a recipe that learns from"):
        found.agent("notes", tmp_path / "log")
    with pytest.raises(ValueError, match=r"target 'stages': adopt needs a recipe that plays"):
        found.agent("stages", tmp_path / "log")
    with pytest.raises(ValueError, match="name must be a target of uniform, always b, now, table"):
        found.agent("nobody")
    assert not (tmp_path / "log").exists()
    without = Comparison(found.objectives, found.estimates, {"ucb": UCB})
    with pytest.raises(ValueError, match="an agent needs the log that was compared on"):
        without.agent("ucb")


def test_a_store_with_events_is_refused(tmp_path):
    log = make_log()
    found = compare(log, {"ucb": UCB}, "ips")
    found.agent("ucb", tmp_path / "log", durability="buffered").close()
    with pytest.raises(ValueError, match="log must be a new store, got one with 120 events"):
        found.agent("ucb", tmp_path / "log")
    # It was let go of.
    with Store(tmp_path / "log") as store:
        assert len(store) == 120


# --- the command


@pytest.fixture
def table(tmp_path):
    """A log as a .csv file, and what its columns mean."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "item": ["a", "b"] * 30,
            "x": rng.random(60),
            "click": rng.random(60),
            "cost": rng.random(60),
            "p": [0.5] * 60,
        }
    )
    frame.write_csv(tmp_path / "log.csv")
    meanings = ["arm=item", "context=x", "rewards=click,cost", "propensity=p", "minimise=cost"]
    return ["evaluate", tmp_path / "log.csv", *(f"--column={meaning}" for meaning in meanings)]


def run(capsys, *arguments):
    status = cli.call([str(argument) for argument in arguments])
    return status, capsys.readouterr().err


@pytest.mark.long
def test_the_command_deploys(tmp_path, table, capsys):
    policies = ["--policy=wide=mol-ucb:scale=0.3", "--policy=uniform"]
    out = tmp_path / "out"
    for name, said in (("uniform", "policy that learns, got 'uniform'"), ("x", "must be one of")):
        status, err = run(capsys, *table, *policies, "--out", out, "--deploy", name)
        assert (status, said in err, len(err.splitlines())) == (2, True, 1)
    assert not out.exists()
    status, err = run(capsys, *table, *policies, "--out", out, "--deploy", "wide")
    assert status == 0, err
    cost = Objective("cost", minimise=True)
    options = {"arms": ["a", "b"], "features": 1, "objectives": ["click", cost]}
    with mob.Agent(MolUcb(scale=0.3), **options, log=out / "agent.db") as agent:
        assert (agent.lessons, agent.waiting) == (60, 0)
        agent.learn(agent.decide([0.5]).id, {"click": 1.0, "cost": 0.5})
    for deploy in ([], ["--deploy", "wide"]):
        # Neither is the agent replaced, nor does it lie beside the page of another evaluation.
        before = (out / "report.html").read_bytes()
        status, err = run(capsys, *table, *policies[:1], "--out", out, *deploy)
        assert (status, "--out must be a new folder" in err) == (2, True)
        assert (out / "report.html").read_bytes() == before


@pytest.mark.long
def test_the_command_leaves_further_ranks_out(tmp_path, capsys, monkeypatch):
    log = make_log(rounds=60)
    columns = log.columns() | {"ranks": np.arange(60) % 2}
    ranked = Feedback(**columns, arm_names=log.arm_names, objectives=log.objective_names)
    monkeypatch.setattr("mobandits.evaluation.command_arguments.read", lambda path: ranked)
    warned = []
    monkeypatch.setattr("warnings.warn", lambda message, *_, **__: warned.append(str(message)))
    out = tmp_path / "out"
    arguments = ["evaluate", "x.db", "--policy=mol-ucb:scale=0.3", "--policy=uniform", "--out", out]
    status, err = run(capsys, *arguments, "--deploy", "mol-ucb:scale=0.3", "--estimator=snips")
    assert status == 0, err
    assert any("x.db: 30 of 60 rounds are of further ranks" in message for message in warned)
    assert '"rounds": 30' in (out / "evaluation.json").read_text()
    assert len(read(out / "agent.db")) == 60
