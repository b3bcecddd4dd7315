"""Sessions: one decision per session, by its key; and what that saves where prompts are cached."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_twin import Clock

import mobandits as mob
from mobandits.policies import MolUcb

ARMS = ["small", "medium", "large"]
ROOT = Path(__file__).parents[2]
# Turns of four sessions, ends of sessions with their rewards, restarts, and an arm that leaves.
EVENTS = st.one_of(
    st.tuples(st.just("turn"), st.integers(0, 3)),
    st.tuples(st.just("end"), st.integers(0, 3)),
    st.tuples(st.just("restart"), st.just(0)),
    st.tuples(st.just("remove"), st.just(0)),
)
pytestmark = pytest.mark.usefixtures("interpreted")


def agent_of(log=None):
    return mob.Agent(
        MolUcb(scale=0.3),
        arms=ARMS,
        features=1,
        objectives=["quality", "saved"],
        seed=3,
        clock=Clock(),
        log=log,
    )


@settings(max_examples=25, deadline=None)
@given(events=st.lists(EVENTS, min_size=5, max_size=25))
def test_a_session_keeps_its_arm(tmp_path_factory, events):
    """Twin: a dictionary of the first decisions. An agent without restarts draws the same ones."""
    folder = tmp_path_factory.mktemp("sessions")
    agent = agent_of(folder / "log")
    unbroken = agent_of(folder / "unbroken")
    first = {}
    ended = set()
    arms = set(ARMS)
    for kind, session in events:
        key = f"session {session}"
        if kind == "turn":
            decision = agent.decide([1.0], key=key)
            other = unbroken.decide([1.0], key=key)
            assert (decision.id, decision.arm) == (other.id, other.arm)
            assert decision.replayed is (session in first)
            # A session keeps the arm that it began with, also where no other session may play it.
            assert first.setdefault(session, decision).arm == decision.arm
            assert decision.arm in arms or decision.replayed
        elif kind == "end" and session in first and session not in ended:
            ended.add(session)
            for each in (agent, unbroken):
                each.learn(first[session].id, {"quality": 0.1 * session, "saved": 0.5})
        elif kind == "remove" and "large" in arms:
            arms.remove("large")
            for each in (agent, unbroken):
                each.remove_arm("large")
        elif kind == "restart":
            agent.close()
            agent = agent_of(folder / "log")

    numbers = [decision.id for decision in first.values()]
    assert numbers == list(range(len(first)))
    new = agent.decide([1.0], key="new")
    other = unbroken.decide([1.0], key="new")
    assert new == other
    np.testing.assert_array_equal(new.scores, other.scores)
    agent.close()
    unbroken.close()


@pytest.fixture(scope="module")
def bills():
    """The names of the benchmark."""
    return runpy.run_path(str(ROOT / "benchmarks" / "compare_sessions.py"))


def slow_bill(problem, turns, arms):
    """The sum of the bills of turns, each from all turns before it."""
    total = 0.0
    for place, (turn, arm) in enumerate(zip(turns, arms, strict=True)):
        model = problem.models[arm]
        cached = 0
        for earlier, played in zip(turns[:place], arms[:place], strict=True):
            if earlier.session != turn.session:
                continue
            is_warm = turn.time - earlier.time < 300.0
            if played == arm:
                cached = earlier.tokens if is_warm else 0
            elif problem.single:
                cached = 0

        fresh = turn.tokens - cached
        tokens = fresh + model.cached * cached + 5.0 * turn.output
        total += model.price * tokens / 1e6

    return total


@pytest.mark.parametrize("place", range(4))
def test_bills_are_those_of_a_slow_twin(bills, place):
    problem = bills["PROBLEMS"][place]
    turns = bills["trace"](5, 1)
    rng = np.random.default_rng(2)
    chosen = rng.choice(list(problem.models), len(turns))
    caches = bills["Caches"](problem.models, single=problem.single)
    arms = chosen.tolist()
    total = sum(caches.bill(turn, arm) for turn, arm in zip(turns, arms, strict=True))
    assert total == pytest.approx(slow_bill(problem, turns, arms), rel=1e-12)


def test_once_a_session_costs_little_more_than_the_best_fixed_model(bills):
    """Measured over 20 seeds: +1.1 % with a worst seed of +2.4 %, and +103 % by list prices."""
    problem = bills["PROBLEMS"][0]
    once = []
    by_list_price = []
    for seed in range(5):
        turns = bills["trace"](seed, bills["SESSIONS"])
        best = bills["played"](problem, turns, bills["Fixed"]("small")).dollars[-20:].sum()
        router = bills["PerSession"](problem, seed)
        once.append(bills["played"](problem, turns, router).dollars[-20:].sum() / best)
        rule = bills["Rule"](problem)
        by_list_price.append(bills["played"](problem, turns, rule).dollars[-20:].sum() / best)

    assert 1.0 <= np.mean(once) < 1.02
    assert 1.9 < np.mean(by_list_price) < 2.2
