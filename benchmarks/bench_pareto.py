"""The Pareto front of a table of means: mob.front against the non-dominated filters of moocore, paretoset and pymoo.

Every case has up to 50 different tables, so that no side's branches can be learnt by heart; all sides must give the
same masks, with equal points kept, before anything is timed. Rivals minimise: they get the negated tables, made
beforehand. A rival that needs more than 20 seconds for a table is left out of the larger ones.

    python benchmarks/bench_pareto.py [--arms 50 200] [--objectives 2 4] [--points random front]
"""

import argparse
import importlib.metadata
import time

import harness

if __name__ == "__main__":
    harness.in_environment("pareto", "moocore==0.3.2", "paretoset==1.2.5", "pymoo==0.6.2")

import moocore
import numpy as np
from paretoset import paretoset
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

import mobandits as mob

ARMS = (50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
PATIENCE = 20.0  # seconds
NOTES = [
    "random: uniform in the unit cube; front: uniform on the positive part of the unit sphere, all on the front.",
    "theirs is the fastest; `rivals` holds each that was timed: moocore.is_nondominated(keep_weakly=True),",
    "paretoset(distinct=False, use_numba=True), pymoo's NonDominatedSorting().do(only_non_dominated_front=True).",
    "Up to 50 different tables a case, one after the other; microseconds are per table, checks of the input included.",
]


def table(points, arms, objectives, seed):
    """(arms, objectives), maximised."""
    rng = np.random.default_rng(seed)
    if points == "random":
        return rng.random((arms, objectives))
    sphere = np.abs(rng.standard_normal((arms, objectives)))
    return sphere / np.linalg.norm(sphere, axis=1, keepdims=True)


def by_moocore(costs):
    return moocore.is_nondominated(costs, keep_weakly=True)


def by_paretoset(costs):
    return paretoset(costs, distinct=False, use_numba=True)


def by_pymoo(costs):
    return NonDominatedSorting().do(costs, only_non_dominated_front=True)


def rivals():
    """How to call each rival, by name with its version."""
    calls = {"moocore": by_moocore, "paretoset": by_paretoset, "pymoo": by_pymoo}
    return {f"{name} {importlib.metadata.version(name)}": call for name, call in calls.items()}


def as_mask(front, arms):
    """pymoo says who is on the front, the others whether."""
    return front if front.dtype == bool else np.isin(np.arange(arms), front)


def over(function, tables):
    """A call that answers all tables."""

    def call():
        for each in tables:
            function(each)

    return call


def case(points, arms, objectives, sides, slow):
    """One row; rivals that lose patience are added to `slow`."""
    tables = [
        table(points, arms, objectives, seed) for seed in range(max(1, min(50, 20_000 // arms)))
    ]
    costs = [-each for each in tables]
    expected = mob.front(tables[0])
    timed = {}
    for name, rival in sides.items():
        if name in slow:
            continue
        rival(costs[0][:40].copy())  # paretoset compiles
        start = time.perf_counter()
        np.testing.assert_array_equal(as_mask(rival(costs[0].copy()), arms), expected)
        spent = time.perf_counter() - start
        if spent > PATIENCE:
            slow[name] = (
                f"{name} needed {spent:.0f} s for {arms} points and is left out of larger tables ({points})."
            )
        elif not timed or spent < 1.0:  # who is far behind is not worth the wait
            timed[name] = rival
    calls = {name: over(rival, costs) for name, rival in timed.items()} | {
        "ours": over(mob.front, tables)
    }
    times = harness.in_turn(
        calls, 7 if arms <= 10_000 else 5, 0.02, dict.fromkeys(calls, len(tables))
    )
    ours = times.pop("ours")
    fastest = min(times, key=lambda name: min(times[name]))
    label = f"{points}, {arms} points, {objectives} objectives"
    all_sides = {name: harness.summary(each) for name, each in times.items()}
    row = harness.row(label, fastest, times[fastest], "mob.front", ours, rivals=all_sides)
    print(label, row["ratio"], flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--arms", type=int, nargs="+", default=ARMS)
    parser.add_argument("--objectives", type=int, nargs="+", default=(2, 4, 8))
    parser.add_argument(
        "--points", nargs="+", choices=("random", "front"), default=("random", "front")
    )
    arguments = parser.parse_args()
    rows, notes, sides = [], list(NOTES), rivals()
    for points in arguments.points:
        for objectives in arguments.objectives:
            slow = {}
            rows += [case(points, arms, objectives, sides, slow) for arms in sorted(arguments.arms)]
            notes += slow.values()
    harness.write("pareto", "The Pareto front of a table", rows, notes)


if __name__ == "__main__":
    main()
