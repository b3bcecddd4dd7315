"""An agent as a target: its law is that of its decisions, on a log as a whole and in pieces."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logs_for_tests import make_log
from test_streamed import assert_equal, in_pieces

import mobandits as mob
from mobandits.compiling import session
from mobandits.evaluation import Frozen, compare, evaluate
from mobandits.policies import MolTs, MolUcb, WithFloor

UCB = WithFloor(MolUcb(scale=0.3, check=False), 0.1)
OBJECTIVES = ("u", "v")


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    """Agents whose policies run in Python."""
    monkeypatch.setattr(session, "is_compiled", lambda policy: False)


def agent_of(log, recipe=UCB, arms=("c", "gone", "a", "only the agent's"), **options):
    """An agent whose arms have other slots than the arms of the log, and that lacks one of them."""
    agent = mob.Agent(recipe, arms=arms, features=2, objectives=OBJECTIVES, seed=3, **options)
    known = [place for place, name in enumerate(log.arm_names) if name in arms]
    agent.learn_log(log[np.isin(log.arms, known)])
    agent.remove_arm("gone")
    return agent


def decided(agent, log, t):
    """The law of one decision."""
    core = agent.core
    names = [name for a, name in enumerate(log.arm_names) if log.eligible[t, a] and name != "b"]
    rows = log.contexts[t]
    if rows.ndim == 2:
        rows = np.array([rows[log.arm_names.index(name)] for name in names])
    slots = np.array([core.arms.slot(name) for name in names])
    probabilities = core.bound.probabilities(np.atleast_2d(rows), slots, np.random.default_rng(0))
    law = np.zeros(len(log.arm_names))
    law[[log.arm_names.index(name) for name in names]] = probabilities
    return law


@settings(deadline=None, max_examples=8)
@given(
    seed=st.integers(0, 10**6),
    own_rows=st.booleans(),
    size=st.integers(1, 70),
    missing=st.sampled_from([0.0, 0.3]),
)
def test_its_law_is_that_of_its_decisions_in_pieces_of_any_size(seed, own_rows, size, missing):
    log = make_log(seed, rounds=50, own_rows=own_rows, missing=missing, eligible=True)
    log = log[log.eligible[:, [0, 2]].any(1)]
    agent = agent_of(log)
    target = Frozen(agent)
    law = target(log)
    for t in range(len(log)):
        np.testing.assert_array_equal(law[t], decided(agent, log, t))

    pieces = [target(log[first : first + size]) for first in range(0, len(log), size)]
    np.testing.assert_array_equal(np.concatenate(pieces), law)


def test_a_stream_gives_the_answer_of_the_log_in_memory():
    learned, log = make_log(1, rounds=80), make_log(2, rounds=300)
    targets = {"frozen": Frozen(agent_of(learned)), "sharper": Frozen(agent_of(learned[:20]))}
    found = compare(in_pieces(log, 70), targets, ["ips", "snips"])
    for key, wanted in compare(log, targets, ["ips", "snips"]).estimates.items():
        assert_equal(found[key], wanted)


def test_what_it_learns_later_changes_nothing():
    log = make_log(3)
    agent = agent_of(log)
    target = Frozen(agent)
    before = target(log)
    agent.learn_log(make_log(4)[np.flatnonzero(make_log(4).arms == 0)])
    agent.add_arm("b")
    assert (target(log) == before).all()
    assert (Frozen(agent)(log) != before).any()


def test_beliefs_that_are_drawn_are_drawn_alike():
    log = make_log(5, rounds=30)
    agent = agent_of(log, MolTs(scale=0.5, check=False), propensity="none")
    law = Frozen(agent, draws=20)(log)
    np.testing.assert_allclose(law.sum(1), 1.0)
    assert (law == Frozen(agent, draws=20)(log)).all()
    assert (law != Frozen(agent, draws=20, seed=1)(log)).any()


@pytest.mark.long
def test_pieces_have_draws_of_their_own():
    log = make_log(8, rounds=40)
    agent = agent_of(log, MolTs(scale=0.5, check=False), propensity="none")
    same_round = log[np.zeros(400, np.int64)]
    exact = Frozen(agent, draws=2000)(log[:1])[0]
    target = Frozen(agent, draws=4)
    means = np.mean([target.law(same_round[:1], number) for number in range(400)], axis=0)
    # 1,600 draws: five standard errors of a share are at most 0.0625.
    np.testing.assert_allclose(means[0], exact, atol=0.1)
    assert (target.law(log, 3) == target.law(log, 3)).all()
    assert np.isfinite(evaluate(in_pieces(log, 1), target, "snips").value).all()


def test_what_does_not_fit_is_refused():
    log = make_log(6)
    agent = agent_of(log)
    with pytest.raises(ValueError, match="decided or learned something"):
        Frozen(mob.Agent(UCB, arms=2, features=2, objectives=OBJECTIVES))
    with pytest.raises(ValueError, match="log must have 2 features, got 3"):
        evaluate(make_log(features=3), Frozen(agent), "ips")
    with pytest.raises(ValueError, match="one row for all arms"):
        evaluate(in_pieces(make_log(own_rows=True), 9), Frozen(agent), "ips")
    only_b = make_log(7, arms=2)
    with pytest.raises(ValueError, match="arms eligible in every round, got none in round 0"):
        Frozen(agent_of(log, arms=("c", "gone")))(only_b)
    with pytest.raises(ValueError, match=r"Frozen.agent must be an Agent, got 'agent'"):
        Frozen("agent")
    with pytest.raises(ValueError, match=r"Frozen.draws must be"):
        Frozen(agent, draws=0)
    assert "Frozen(Agent(WithFloor(" in repr(Frozen(agent))
