"""Logs that are read in pieces: equality with the whole log in memory, then rows per second beside bare sums of Polars.

The Parquet file has a reward, a propensity and a policy's probabilities of the arms that were played. The doubly robust
estimate is of rounds with 10 features and 10 arms: a reward model is fitted, and the policy's law computed, in pieces.
An agent learns these rounds, too, and is then evaluated on them, with intervals at any time. All on one thread.

    python benchmarks/bench_sums.py [--rows 4000000]
    python benchmarks/bench_sums.py --many 100000000 [--threads 2]

With --many, a folder of names of one Parquet file of a million rows is evaluated once by ips and snips.
"""

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

import harness

os.environ.setdefault("POLARS_MAX_THREADS", "1")
if __name__ == "__main__":
    harness.one_thread()

import numpy as np
import polars as pl

from mobandits.agent import Agent
from mobandits.evaluation import Frozen, StoredProbabilities, compare
from mobandits.logs import Feedback, LogStream, ParquetTable
from mobandits.logs.objectives import Objective
from mobandits.policies import MolUcb

CHECKED = 300_000  # rows that also fit in memory
ROUNDS = 400_000  # of the doubly robust estimate
ARMS, FEATURES = 10, 10
REPEATS = 3
TARGETS = {"new": StoredProbabilities("new")}


def table_of(rows, seed=0):
    """Clicks, their propensities, and the probabilities of another policy."""
    rng = np.random.default_rng(seed)
    propensity = rng.uniform(0.1, 0.6, rows)
    new = np.clip(propensity + rng.normal(0.0, 0.02, rows), 0.01, 1.0)
    click = (rng.random(rows) < 0.1).astype(np.float64)
    return pl.DataFrame({"click": click, "propensity": propensity, "new": new})


def parquet(path, threads=1):
    return ParquetTable(path, ["click"], "propensity", ["new"], threads=threads)


def bare_sums(path):
    """The sums of a value and its standard error to first order, in one pass."""
    weight = pl.col("new") / pl.col("propensity")
    paid = weight * pl.col("click")
    sums = {"w": weight.sum(), "ww": (weight * weight).sum(), "wr": paid.sum()}
    return pl.scan_parquet(path).select(**sums, squares=(paid * paid).sum()).collect()


def in_memory(table):
    """The same log as Feedback: the arm that was played, and another."""
    click, propensity, new = (table[name].to_numpy() for name in table.columns)
    rows = len(table)
    log = Feedback(
        np.ones((rows, 1)), np.zeros(rows, int), click[:, None], propensity, "ab", ["click"]
    )
    return log, np.column_stack([new, 1.0 - new])


def softmax(log):
    """A policy that computes its law."""
    scores = np.exp(log.contexts @ np.linspace(-0.5, 0.5, ARMS * FEATURES).reshape(FEATURES, ARMS))
    return scores / scores.sum(1, keepdims=True)


def rounds_with_contexts():
    rng = np.random.default_rng(1)
    contexts = rng.normal(size=(ROUNDS, FEATURES))
    arms = rng.integers(0, ARMS, ROUNDS)
    rewards = contexts[:, :1] * 0.1 * arms[:, None] + rng.normal(size=(ROUNDS, 1))
    objectives = [Objective("reward", low=-10.0, high=10.0)]
    return Feedback(contexts, arms, rewards, np.full(ROUNDS, 1 / ARMS), range(ARMS), objectives)


def learned(source):
    """A new agent that has learned a log."""
    agent = Agent(
        MolUcb(scale=0.3, check=False), arms=ARMS, features=FEATURES, objectives=["reward"]
    )
    agent.learn_log(source)
    return agent


def refuse_differences(folder):
    """Nothing is timed that is not equal to 1e-9, or depends on the number of threads."""
    table = table_of(CHECKED)
    path = folder / "small.parquet"
    table.write_parquet(path, row_group_size=50_000)
    log, law = in_memory(table)
    wanted = compare(log, {"new": law}, ["ips", "snips"])
    small = ParquetTable(path, ["click"], "propensity", ["new"], rows=50_000)
    found = compare(small, TARGETS, ["ips", "snips"])
    for key, estimate in wanted.estimates.items():
        np.testing.assert_allclose(found[key].value, estimate.value, rtol=1e-9)
        np.testing.assert_allclose(found[key].covariance, estimate.covariance, rtol=1e-9)
        for name in ("freedom", "joint_freedom", "skew", "joint_skew"):
            spread, whole = getattr(found[key].spread, name), getattr(estimate.spread, name)
            np.testing.assert_allclose(spread, whole, rtol=1e-9)

    threaded = ParquetTable(path, ["click"], "propensity", ["new"], rows=50_000, threads=2)
    assert compare(threaded, TARGETS, ["ips", "snips"]).table().equals(found.table())


def per_row(function, rows):
    """Microseconds per row, some times."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        function()
        times.append(1e6 * (time.perf_counter() - start) / rows)

    return times


def many(rows, threads):
    """The rate and the memory of one evaluation of so many rows."""
    part = 1_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table_of(part).write_parquet(folder / "0000.parquet")
        for number in range(1, rows // part):
            os.link(folder / "0000.parquet", folder / f"{number:04}.parquet")

        compare(parquet(folder / "0000.parquet", threads), TARGETS, ["ips", "snips"])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter(), time.process_time()
        compare(parquet(folder, threads), TARGETS, ["ips", "snips"])
        seconds = time.perf_counter() - start[0]
        busy = time.process_time() - start[1]

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{rows:,} rows, {threads} threads: {seconds:.1f} s, {rows / seconds / 1e6:.2f} million rows per second, "
        f"{rows / busy / 1e6:.2f} per second of a core; peak memory {peak / 1e6:.2f} GB, {before / 1e6:.2f} GB before"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--many", type=int)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    rows = given.rows
    if given.many:
        many(given.many, given.threads)
        return

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        refuse_differences(folder)
        path = folder / "rounds.parquet"
        parts = []
        for seed, first in enumerate(range(0, rows, 1_000_000)):
            parts.append(folder / f"{seed}.parquet")
            table_of(min(rows - first, 1_000_000), seed).write_parquet(parts[-1])

        pl.scan_parquet(parts).sink_parquet(path)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        bare = per_row(lambda: bare_sums(path), rows)
        cases = {"ips": ["ips"], "snips": ["snips"], "ips and snips": ["ips", "snips"]}
        timed = {}
        for case, estimators in cases.items():
            timed[case] = per_row(
                lambda estimators=estimators: compare(parquet(path), TARGETS, estimators), rows
            )

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    log = rounds_with_contexts()
    chunks = [log[first : first + 50_000] for first in range(0, ROUNDS, 50_000)]
    target = {"softmax": softmax}
    pieces = per_row(lambda: compare(LogStream(lambda: chunks), target, "dr"), ROUNDS)
    whole = per_row(lambda: compare(log, target, "dr", progress=False), ROUNDS)
    results = [
        harness.row(case, "bare Polars sums", bare, case, times) for case, times in timed.items()
    ]
    results.append(harness.row("dr, the law computed", "in memory", whole, "in pieces", pieces))
    stream = LogStream(lambda: chunks)
    agent = {"agent": Frozen(learned(stream))}
    for case, call in {
        "an agent learns": learned,
        "ips of an agent": lambda source: compare(source, agent, "ips", progress=False),
    }.items():
        in_memory = per_row(lambda call=call: call(log), ROUNDS)
        in_pieces = per_row(lambda call=call: call(stream), ROUNDS)
        results.append(harness.row(case, "in memory", in_memory, "in pieces", in_pieces))

    rates = [f"{case} {1 / min(times):.1f}" for case, times in timed.items()]
    notes = [
        (
            f"Million rows per second: bare sums {1 / min(bare):.1f}, {', '.join(rates)}; "
            f"dr in pieces {1 / min(pieces):.2f}, in memory {1 / min(whole):.2f}."
        ),
        f"Peak memory {peak / 1e6:.2f} GB with {rows:,} rows, {before / 1e6:.2f} GB before.",
    ]
    harness.write("sums", "Logs that are read in pieces, per row", results, notes)


if __name__ == "__main__":
    main()
