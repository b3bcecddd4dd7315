"""Keys in batches: a row is decided once, whatever call brings its key."""

import numpy as np
import pytest
from slow_twin import Clock
from test_all_or_nothing import full_disk
from test_recording import everything

import mobandits as mob
from mobandits.policies import Doubling, MolTs, MolUcb

ARMS = ["a", "b", "c"]
pytestmark = pytest.mark.usefixtures("interpreted")


def agent_of(log=None, recipe=None, **other):
    options = {"arms": ARMS, "features": 2, "objectives": 2, "seed": 4, "clock": Clock()}
    return mob.Agent(recipe or MolTs(scale=0.3), **options | other, log=log)


def contexts(n, own=False, seed=1):
    shape = (n, 3, 2) if own else (n, 2)
    return np.random.default_rng(seed).normal(size=shape) / 3.0


@pytest.mark.parametrize("logged", [True, False])
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("propensity", ["none", "sampled"])
def test_a_repeated_row_is_the_decision_that_was_made(tmp_path, logged, own, propensity):
    log = tmp_path / "log" if logged else None
    agent = agent_of(log, propensity=propensity, samples=3)
    rows = contexts(6, own)
    rows[3] = rows[1]
    single = agent.decide(rows[0], key="zero")
    keys = ["zero", "one", None, "one", None, "five"]
    made = agent.decide_batch(rows, keys=keys)
    assert [each.id for each in made] == [0, 1, 2, 1, 3, 4]
    assert [each.replayed for each in made] == [True, False, False, True, False, False]
    assert (made[0], made[3]) == (single, made[1])
    for row, each in zip(rows, made, strict=True):
        np.testing.assert_array_equal(each.context, row if own else row[None])
    assert made[3].context is not made[1].context
    again = agent.decide_batch(rows.tolist(), keys=["zero", "one", "two", "one", None, "five"])
    assert [each.id for each in again] == [0, 1, 5, 1, 6, 4]
    agent.close()


def test_a_batch_decides_what_is_new_and_no_more():
    """The others draw nothing: the new ones are those of a batch without them."""
    agents = [agent_of() for _ in range(2)]
    rows = contexts(5)
    for agent in agents:
        agent.decide_batch(rows[:2], keys=["p", "q"])
    made = agents[0].decide_batch(rows[[0, 2, 1, 3, 4]], keys=["p", "r", "q", None, "s"])
    new = agents[1].decide_batch(rows[2:])
    assert [made[1], made[3], made[4]] == new
    assert everything(agents[0]) == everything(agents[1])
    before = everything(agents[0])
    agents[0].decide_batch(rows[:2], keys=["p", "q"])
    assert agents[0].decide_batch(rows[:0], keys=[]) == []
    assert everything(agents[0]) == before


@pytest.mark.long
@pytest.mark.parametrize("snapshot", [True, False])
@pytest.mark.parametrize(
    "recipe", [MolTs(scale=0.3), Doubling(MolUcb(scale=0.3), first=2)], ids=str
)
def test_a_store_knows_the_keys_of_batches(tmp_path, snapshot, recipe):
    path = tmp_path / "log"
    rows = contexts(5, own=True)
    keys = ["v", None, "w", "v", "x"]
    rows[3] = rows[0]
    agent = agent_of(path, recipe)
    made = agent.decide_batch(rows, ["c", "a"], keys=keys)
    # Recipes in stages take no arms more.
    if isinstance(recipe, Doubling):
        agent.remove_arm("b")
    else:
        agent.add_arm("d")
    if snapshot:
        agent.close()
    else:
        agent.core.writer.store.close()
    again = agent_of(path, recipe)
    assert everything(again) == everything(agent)
    before = everything(again)
    known = [0, 2, 3, 4]
    # Rows of three arms, where there are four or two now.
    same = again.decide_batch(rows[known], ["c", "a"], keys=[keys[i] for i in known])
    assert same == [made[i] for i in known]
    assert again.decide(rows[2], ["c", "a"], key="w") == made[2]
    assert everything(again) == before
    again.close()


@pytest.mark.long
@pytest.mark.parametrize("logged", [True, False])
def test_one_wrong_row_undoes_the_batch(tmp_path, monkeypatch, logged):
    agent = agent_of(tmp_path / "log" if logged else None)
    rows = contexts(3)
    agent.decide(rows[0], key="zero")
    before = everything(agent)
    mistakes = [
        (
            ["a", "zero", "b"],
            None,
            "key must be another one for another context, arms, `active` or session, got 'zero' again",
        ),
        (["a", "b", "a"], None, "keys must be different for different contexts, got 'a' twice"),
        (["a", 5, "b"], None, "key must be a text of 1 to 255 characters, got 5"),
        (["a", "b"], None, "keys must be a list of a text or None per context, of which there are"),
        ("abc", None, "of which there are 3, got 'abc'"),
        (["a", "b", "c"], ["nobody"], "eligible must name arms of the agent"),
    ]
    for keys, eligible, said in mistakes:
        with pytest.raises(ValueError, match=said):
            agent.decide_batch(rows, eligible, keys=keys)
        assert everything(agent) == before
    with pytest.raises(ValueError, match="contexts must"):
        agent.decide_batch([0.5, 0.1], keys=["a", "b"])
    with pytest.raises(ValueError, match="of which there are 0, got 1 of them"):
        agent.decide_batch([], keys=["a"])
    if logged:
        with full_disk(agent, monkeypatch), pytest.raises(ValueError, match="disk is full"):
            agent.decide_batch(rows, keys=["a", "b", "c"])
    assert everything(agent) == before
    made = agent.decide_batch(rows, keys=["a", "b", "c"])
    assert [each.id for each in made] == [1, 2, 3]
    agent.close()
