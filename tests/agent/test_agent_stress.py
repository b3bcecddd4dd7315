"""Long lives of agents: the state of a slow twin, nothing lost, and memory that stays."""

import gc
import resource
import tracemalloc

import pytest
from slow_twin import Clock, Program, SlowTwin, agent_of, differences

from mobandits.agent import Objective
from mobandits.logs import Store

EXACT = 1e-9
MANY = 20_000  # decisions; twice as many messages
LITTLE = 40_000  # bytes


def life(*, own, pairs, seed, **options):
    clock = Clock()
    agent, twin = agent_of(clock, seed=seed, **options), SlowTwin(own=not own)
    program = Program(agent, clock, own=own, twin=twin, seed=seed)
    program.run(pairs)
    assert agent.waiting > 10
    assert differences(agent, twin) < EXACT  # while decisions wait
    program.finish()
    assert differences(agent, twin) < EXACT
    assert min(agent.dropped.values()) > pairs / 1000
    assert min(program.told.values()) > pairs / 100
    return agent, twin


@pytest.mark.parametrize("own", [True, False], ids=["own", "shared"])
def test_ends_where_the_slow_twin_ends(own):
    life(own=own, pairs=MANY, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("own", [True, False], ids=["own", "shared"])
def test_ends_where_the_slow_twin_ends_after_a_million(own):
    life(own=own, pairs=1_000_000, seed=2)


def life_on_a_store(path, *, own, pairs):
    """A life that is closed, and opened again: with all that it had learned."""
    agent, twin = life(
        own=own, pairs=pairs, seed=3, log=path, durability="buffered", propensity="none"
    )
    agent.close()
    events = store_events(path)
    assert events > 2 * pairs
    clock = Clock()
    clock.now = agent.core.now
    with agent_of(clock, seed=3, log=path) as again:
        assert differences(again, twin) < EXACT


def store_events(path):
    with Store(path) as store:
        return len(store)


@pytest.mark.parametrize("own", [True, False], ids=["own", "shared"])
def test_a_life_on_a_store_goes_on_after_opening(tmp_path, own):
    life_on_a_store(tmp_path / "log.db", own=own, pairs=2_000)


@pytest.mark.slow
@pytest.mark.parametrize("own", [True, False], ids=["own", "shared"])
def test_a_life_of_a_million_on_a_store_goes_on_after_opening(tmp_path, own):
    life_on_a_store(tmp_path / "log.db", own=own, pairs=1_000_000)


def test_memory_stays(allocated):
    clock = Clock()
    program = Program(agent_of(clock), clock, own=False)
    tracemalloc.start()
    try:
        program.run(2000)
        before = held(allocated)
        program.run(4000)
        after = held(allocated)
    finally:
        tracemalloc.stop()
    assert after[0] - before[0] < LITTLE
    assert after[1] - before[1] < 4000 * 48


def test_memory_stays_where_one_reward_never_comes(allocated):
    objectives = [Objective("click", default=0.0, after=1e9)]
    agent = agent_of(Clock(), objectives=[*objectives, "revenue"], max_age=None, remembered=0)
    agent.decide([0.0] * 3)

    def use(rounds):
        for _ in range(rounds):
            agent.learn(agent.decide([0.0] * 3).id, [0.0, 1.0])
        return held(allocated)

    tracemalloc.start()
    try:
        before, after = use(500), use(4000)
    finally:
        tracemalloc.stop()
    assert agent.waiting == 1
    assert after[0] - before[0] < 10_000
    assert after[1] - before[1] < 4000 * 48


def held(allocated):
    """Bytes that files of the agent hold, and bytes of the C library, where arrays of compiled code are."""
    gc.collect()
    snapshot = tracemalloc.take_snapshot().filter_traces(
        [tracemalloc.Filter(True, "*/mobandits/agent/*")]
    )
    return sum(trace.size for trace in snapshot.traces), allocated()


@pytest.mark.slow
@pytest.mark.parametrize("has_log", [False, True], ids=["in memory", "on a store"])
def test_memory_of_the_process_stays_for_a_million(tmp_path, has_log):
    clock = Clock()
    options = {"log": tmp_path / "log.db", "durability": "buffered"} if has_log else {}
    with agent_of(clock, **options) as agent:
        program = Program(agent, clock, own=False)
        program.run(100_000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        program.run(900_000)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 4_000  # kB
