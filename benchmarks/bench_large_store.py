"""An agent on a large store: opening it, and shortening it while the agent goes on.

A million events unless a number is given: `python benchmarks/bench_large_store.py 10000000`.
"""

import contextlib
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import harness
import numpy as np

import mobandits as mob
from mobandits.policies import MolUcb

FEATURES = 5
TAIL = 20  # events after the last snapshot
BATCH = 1000
WORST = 99.0  # percentile of calls

# A process of its own, as `mobandits export --delete` is: threads would share the agent's time.
SHORTEN = """
import sys
from mobandits.logs import export
path, out, before = sys.argv[1], sys.argv[2], float(sys.argv[3])
export(path, out, "parquet", before, True)
"""


class Clock:
    """Seconds that pass with every call, so that "the first nine tenths" is a time."""

    def __init__(self, now=0.0):
        self.now = now

    def __call__(self):
        self.now += 1.0
        return self.now


def agent_on(path, clock):
    """An agent that decides among ten arms by five features, for two rewards."""
    return mob.Agent(
        MolUcb(scale=0.3),
        arms=10,
        features=FEATURES,
        objectives=["quality", "cost"],
        log=path,
        durability="buffered",
        clock=clock,
    )


def fill(path, events, clock):
    """Decisions and as many lessons."""
    rng = np.random.default_rng(0)
    with agent_on(path, clock) as agent:
        for _ in range(events // (2 * BATCH)):
            contexts = rng.normal(size=(BATCH, FEATURES))
            rewards = rng.normal(size=(BATCH, 2)).tolist()
            for context, reward in zip(contexts, rewards, strict=True):
                decision = agent.decide(context)
                agent.learn(decision.id, reward)


def leave_a_tail(path, clock):
    """So many events after the last snapshot, as a killed process would leave them."""
    agent = agent_on(path, clock)
    for _ in range(TAIL // 2):
        decision = agent.decide(np.zeros(FEATURES))
        agent.learn(decision.id, [0.0, 0.0])
    agent.core.writer.flush()
    # Without `close`, which would take a snapshot: the lock goes with the store's connection.
    agent.core.writer.store.close()


def opening(path, clock):
    """Microseconds until an agent on the store has decided; with the state that it had."""
    start = time.perf_counter()
    agent = agent_on(path, clock)
    seconds = time.perf_counter() - start
    waiting = agent.waiting
    agent.core.writer.store.close()
    assert waiting == 0
    return 1e6 * seconds


def calls_while_shortened(path, folder, before, clock):
    """Microseconds of a decision and its lesson, before and while the store is shortened."""
    context = np.ones(FEATURES)

    def pair():
        start = time.perf_counter()
        decision = agent.decide(context)
        agent.learn(decision.id, [0.0, 0.0])
        return 1e6 * (time.perf_counter() - start)

    with agent_on(path, clock) as agent:
        agent.checkpoint()
        alone = [pair() for _ in range(BATCH)]
        command = [sys.executable, "-c", SHORTEN, path, folder / "archive.parquet", str(before)]
        start = time.perf_counter()
        child = subprocess.Popen([str(part) for part in command])
        meanwhile = []
        while child.poll() is None:
            meanwhile.append(pair())

        seconds = time.perf_counter() - start
        assert child.returncode == 0

    return alone, meanwhile, 1e6 * seconds


def decisions_in(path):
    """How many decisions a store has."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM decisions").fetchone()
        return count


def main():
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory(dir=harness.ROOT) as name:
        folder = Path(name)
        clock = Clock()
        small = folder / "small.db"
        fill(small, 20_000, clock)
        leave_a_tail(small, clock)
        few = [opening(small, clock) for _ in range(7)]

        clock = Clock()
        large = folder / "large.db"
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        fill(large, events, clock)
        filled = 1e6 * (time.perf_counter() - start)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        leave_a_tail(large, clock)
        many = [opening(large, clock) for _ in range(7)]
        size = large.stat().st_size / 1e6
        nine_tenths = 0.9 * clock.now
        alone, meanwhile, shortened = calls_while_shortened(large, folder, nine_tenths, clock)
        left = decisions_in(large)

    title = f"A store of {events:,} events"
    tail = f"opened by an agent, with a tail of {TAIL} events"
    slowest = [float(np.percentile(times, WORST)) for times in (alone, meanwhile)]
    rows = [
        harness.own_row("written by an agent, all events", [filled]),
        harness.row(tail, "a store of 20,000 events", few, "this store", many),
        harness.own_row("shortened to a tenth, beside the agent", [shortened]),
        harness.own_row("a decision and its lesson", alone),
        harness.own_row("a decision and its lesson, beside the shortening", meanwhile),
    ]
    usual = f"{WORST:.0f} % of decisions with their lesson took at most"
    longest = max(meanwhile) / 1000
    notes = [
        f"{size:,.0f} MB on disk; the process that wrote it grew by {grown / 1000:.0f} MB.",
        f"Shortened, it has {left:,} decisions; {len(meanwhile):,} were made meanwhile.",
        f"{usual} {slowest[0]:.0f} µs alone, {slowest[1]:.0f} µs meanwhile, one {longest:.0f} ms.",
    ]
    harness.write("large_store", title, rows, notes)


if __name__ == "__main__":
    main()
