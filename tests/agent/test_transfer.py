"""What one agent has learned, taken over by another one."""

import sqlite3

import numpy as np
import pytest

from mobandits.agent import Agent
from mobandits.agent.replaying import description_of
from mobandits.agent.transfer import take_over
from mobandits.errors import LogError, StateError
from mobandits.orders import Lexicographic
from mobandits.policies import Doubling, Exp3P, MolTs, MolUcb

NAMES = ["a", "b", "c"]
RECIPE = MolUcb(scale=0.3)


def agent_of(recipe=RECIPE, arms=NAMES, **more):
    options = {"features": 2, "objectives": ["x", "y"], "propensity": "exact"}
    return Agent(recipe, arms=arms, **{**options, **more})


def played(agent, rounds, seed=0):
    """Decisions, of which every second one is rewarded."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(rounds):
        decision = agent.decide(rng.random(2))
        made.append((decision.arm, decision.propensity))
        if number % 2:
            agent.learn(decision.id, rng.random(2))
    return made


@pytest.mark.parametrize("before", [0, 7])
@pytest.mark.parametrize("order", [None, Lexicographic(0.1)], ids=str)
def test_the_agent_goes_on_as_the_other_one_would(tmp_path, before, order):
    other = agent_of(seed=3)
    played(other, 20, seed=1)
    other.preference = order
    data = other.to_bytes()
    with agent_of(log=tmp_path / "log.db") as agent:
        played(agent, before, seed=2)
        waiting = agent.waiting
        take_over(agent.core, data)
        assert (agent.waiting, agent.lessons, agent.preference) == (
            waiting,
            other.lessons,
            other.preference,
        )
        assert played(agent, 20, seed=5) == played(Agent.from_bytes(data), 20, seed=5)
        # What waited before is learned from as well, and ids count on.
        if before:
            agent.learn(0, [0.5, 0.25])
        assert agent.decide([0.1, 0.2]).id == before + 20
        state = agent.to_bytes()

    with agent_of(log=tmp_path / "log.db") as agent:
        assert agent.to_bytes() == state

    # As after a kill: no snapshot, and everything from the log.
    connection = sqlite3.connect(tmp_path / "log.db")
    connection.execute("DELETE FROM snapshots")
    connection.commit()
    connection.close()
    with agent_of(log=tmp_path / "log.db") as agent:
        assert agent.to_bytes() == state
        assert [event.kind for event in agent.core.writer.store.events()].count("state") == 1


def test_an_agent_that_knows_nothing_is_taken_over(tmp_path):
    fresh = agent_of()
    with agent_of(log=tmp_path / "log.db") as agent:
        played(agent, 10)
        take_over(agent.core, fresh.to_bytes())
        assert agent.lessons == 0
        assert played(agent, 10, seed=4) == played(agent_of(), 10, seed=4)
        state = agent.to_bytes()
    with agent_of(log=tmp_path / "log.db") as agent:
        assert agent.to_bytes() == state


def test_what_is_of_another_kind_is_refused_and_nothing_changes(tmp_path):
    agent = agent_of()
    played(agent, 10)
    per_arm = agent_of()
    per_arm.decide(np.ones((3, 2)))
    moved = agent_of()
    moved.remove_arm("a")
    moved.remove_arm("b")
    moved.add_arm("b")
    moved.add_arm("a")
    others = {
        "recipe": agent_of(MolUcb(scale=0.5)),
        "arms": agent_of(arms=["a", "b", "d"]),
        "places of arms": moved,
        "objectives": agent_of(objectives=["x", "z"]),
        "features": agent_of(features=3),
        "contexts": per_arm,
    }
    before = agent.to_bytes()
    for word, other in others.items():
        with pytest.raises(ValueError, match=word):
            take_over(agent.core, other.to_bytes())
    for data in (b"", b"nothing", before[:-1]):
        with pytest.raises(StateError):
            take_over(agent.core, data)
    assert agent.to_bytes() == before


def test_recipes_in_stages_and_notes_that_do_not_fit_are_refused():
    staged = agent_of(Doubling(MolUcb(scale=0.3)), propensity="none")
    with pytest.raises(ValueError, match="stages"):
        take_over(staged.core, staged.to_bytes())

    exp3 = {"features": 0, "objectives": 1, "rounds": 100}
    agent = agent_of(Exp3P(), **exp3)
    for _ in range(3):
        agent.decide()
    take_over(agent.core, agent.to_bytes())
    assert agent.waiting == 3


def test_a_log_that_brought_a_state_is_not_learned_again(tmp_path):
    other = agent_of()
    played(other, 10)
    options = {"propensity": "none"}
    with agent_of(log=tmp_path / "log.db") as agent:
        played(agent, 4)
        take_over(agent.core, other.to_bytes())
        with pytest.raises(LogError, match="learned elsewhere"):
            agent.retune(MolTs(scale=0.1, penalty=3.0), **options)
        assert "MolUcb" in description_of(agent.core, agent.arms)["recipe"]
