"""Agents that threads share, that a process forks with, or that somebody tries to copy."""

import copy
import os
import pickle
import random
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sharing import forks, in_a_child, together
from slow_twin import ARMS, Clock, D, agent_of
from test_recording import everything

import mobandits as mob
from mobandits.compiling.session import Session
from mobandits.contracts.protocols import Shape
from mobandits.logs import Store
from mobandits.orders import Lexicographic
from mobandits.policies import MolUcb, RandomChoice

CALLS = 150
ONE_LOCK = 1e-6  # seconds, five times what it may take on a quiet machine


def busy(agent, number):
    """Decisions and rewards of a thread, some late, some in a batch; arms come and go, preferences change."""
    chance, rng, mine = random.Random(number), np.random.default_rng(number), []
    for i in range(CALLS):
        if chance.random() < 0.1:
            mine += [decision.id for decision in agent.decide_batch(rng.normal(size=(3, D)))]
        else:
            mine.append(agent.decide(rng.normal(size=D)).id)
        if chance.random() < 0.7:
            agent.learn(
                mine.pop(chance.randrange(len(mine))),
                {"click": chance.random(), ("revenue", 2): 1.0},
            )
        if i % 50 == 20 + number:
            agent.add_arm(f"new {number} {i}")
        if i % 50 == 40:
            agent.preference = chance.choice([None, Lexicographic()])
            assert agent.waiting <= agent.core.pending.limit
    for identity in mine:
        agent.learn(identity, {"click": 0.5})


def options():
    """An agent that drops nothing: which decisions wait would depend on the order of the threads."""
    return {"max_age": None, "pending": 10_000, "remembered": 10_000, "propensity": "none"}


@pytest.mark.long
def test_threads_share_an_agent_and_its_log(tmp_path):
    clock = Clock()
    agent = agent_of(clock, log=Store(tmp_path / "log", "buffered"), **options())
    together(lambda number: busy(agent, number))
    made = [event.id for event in agent.core.writer.store.events() if event.kind == "decide"]
    assert made == list(range(agent.core.pending.next_id))
    agent.close()
    again = agent_of(clock, log=tmp_path / "log", **options())
    assert everything(again) == everything(agent)
    again.close()


@pytest.mark.long
def test_threads_share_an_agent_without_a_log():
    agent = agent_of(Clock(), **options())
    together(lambda number: busy(agent, number))
    ids = sorted([*agent.core.pending.open, *agent.core.pending.settled])
    assert ids == list(range(agent.core.pending.next_id))
    assert set(ARMS) < set(agent.arms)


@pytest.mark.long
def test_a_second_process_is_refused_and_told_who_has_the_log(tmp_path):
    path = tmp_path / "log"
    code = (
        "import sys, mobandits as mob\n"
        "recipe = mob.policies.RandomChoice()\n"
        "mob.Agent(recipe, arms=2, features=0, objectives=1, log=sys.argv[1])\n"
    )
    with mob.Agent(RandomChoice(), arms=2, features=0, objectives=1, log=path) as agent:
        agent.decide()
        done = subprocess.run(
            [sys.executable, "-c", code, str(path)],
            env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        used = f"{path} is in use by process {os.getpid()}: one process writes at a time"
        said = f"UnavailableError: {used}"
        assert said in done.stderr
        agent.decide()
    with Store(path) as store:
        assert [event.id for event in store.events()] == [0, 1]


def test_two_agents_merge_into_each_other_at_once():
    agents = [mob.Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=2) for _ in range(2)]
    for agent in agents:
        agent.learn(agent.decide([0.5, 1.0]).id, [1.0, 2.0])
    together(lambda number: agents[number % 2].merge(agents[1 - number % 2]))
    assert all(agent.lessons >= 2 for agent in agents)


def test_a_lock_costs_next_to_nothing():
    lock = mob.Agent(RandomChoice(), arms=2, features=0, objectives=1).core.lock
    best = min(timed(lock) for _ in range(50))
    assert best < ONE_LOCK


def timed(lock, calls=1000):
    start = time.perf_counter()
    for _ in range(calls):
        with lock:
            pass
    return (time.perf_counter() - start) / calls


def change_preference(agent):
    agent.preference = None


@pytest.mark.long
@forks
@pytest.mark.parametrize("logged", [True, False])
def test_a_child_is_refused_and_the_parent_goes_on(tmp_path, logged):
    clock = Clock()
    agent = agent_of(clock, log=tmp_path / "log" if logged else None, **options())
    twin = agent_of(clock, **options())
    contexts = np.random.default_rng(0).normal(size=(6, D))
    decision = agent.decide(contexts[0])
    twin.decide(contexts[0])
    calls = [
        lambda: agent.decide(contexts[1]),
        lambda: agent.decide_batch(contexts),
        lambda: agent.learn(0, [1.0, 2.0]),
        lambda: agent.add_arm("new"),
        lambda: agent.remove_arm("a"),
        lambda: change_preference(agent),
        lambda: agent.explain(decision),
        lambda: agent.merge(twin),
        lambda: twin.merge(agent),
        lambda: agent.save(tmp_path / "agent"),
        agent.to_bytes,
        agent.tick,
        lambda: agent.decide(contexts[1], key="one"),
        lambda: agent.activate(0),
        lambda: agent.abandon(0),
        lambda: agent.adopt(contexts[1], "a"),
        lambda: agent.learn_log("missing.csv"),
        lambda: agent.retune(pending=5),
        lambda: agent.branch(tmp_path / "branch"),
    ]
    for call in calls:
        said = in_a_child(call)
        assert said.startswith(
            f"RuntimeError: this agent belongs to process {os.getpid()}, from which process "
        )
        assert said.endswith(
            "make another agent in the child, or `Agent.load` what was saved before the fork"
        )
    assert (
        in_a_child(agent.close) == "None"
    )  # a block that ends in the child does the parent no harm
    for each in (agent, twin):
        each.learn(0, [1.0, 2.0])
    assert agent.decide_batch(contexts) == twin.decide_batch(contexts)
    agent.close()
    if logged:
        again = agent_of(clock, log=tmp_path / "log", **options())
        assert everything(again) == everything(agent)
        again.close()


@forks
def test_a_child_does_not_wait_for_a_thread_that_it_does_not_have():
    agent, held, done = agent_of(Clock()), threading.Event(), threading.Event()

    def hold():
        with agent.core.lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        assert in_a_child(lambda: agent.decide(np.zeros(D))).startswith(
            "RuntimeError: this agent belongs to process"
        )
    finally:
        done.set()
        thread.join()


@forks
def test_a_child_may_have_agents_of_its_own(tmp_path):
    saved = mob.Agent(RandomChoice(), arms=2, features=0, objectives=1)
    saved.decide()
    saved.save(tmp_path / "agent")
    assert in_a_child(lambda: mob.Agent.load(tmp_path / "agent").decide().id) == "1"


COPIES = [copy.copy, copy.deepcopy, pickle.dumps]


@pytest.mark.parametrize("copied", COPIES, ids=lambda function: function.__name__)
def test_copies_of_agents_say_what_to_do(tmp_path, copied):
    agent = mob.Agent(RandomChoice(), arms=2, features=0, objectives=1, log=tmp_path / "log")
    agent.decide()
    said = "Agent cannot be copied or pickled: write it with `save`, and make another with `Agent.load`"
    with pytest.raises(TypeError, match=said):
        copied(agent)
    agent.close()


@pytest.mark.parametrize("copied", COPIES, ids=lambda function: function.__name__)
def test_copies_of_sessions_say_what_to_do(copied):
    policy, rng = (
        MolUcb(scale=0.3).bind(Shape(arms=3, features=2, objectives=2)),
        np.random.default_rng(0),
    )
    with pytest.raises(TypeError, match="sessions cannot be copied or pickled: open another one"):
        copied(Session(policy, rng))


@pytest.mark.parametrize("copied", [*COPIES[:2], lambda part: pickle.loads(pickle.dumps(part))])
def test_what_is_compiled_can_be_copied(copied):
    policy = MolUcb(scale=0.3).bind(Shape(arms=3, features=2, objectives=2))
    assert copied(policy) == policy
