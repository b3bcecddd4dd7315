"""Two threads against one, and two processes of Ray's: a workload like Figure 2 of molts2025, whole trials.

The tables are asserted to be equal before anything is timed. Linear algebra is kept to one thread, so that one worker
is one thread.
"""

import time

import harness

if __name__ == "__main__":
    harness.one_thread()

import mobandits as mob
from mobandits.simulation.ray_engine import cluster

ENVIRONMENT = mob.environments.Linear(arms=50, features=5, objectives=4)
RECIPES = [
    mob.policies.MolUcb(scale=0.7),
    mob.policies.MolEpsGreedy(),
    mob.policies.MolTs(scale=0.7),
]
ROUNDS, TRIALS, REPEATS = 4096, 40, 5
OPERATIONS = ROUNDS * TRIALS * len(RECIPES)


def play(workers, trials=TRIALS, engine="threads"):
    return mob.simulate(
        RECIPES,
        ENVIRONMENT,
        rounds=ROUNDS,
        trials=trials,
        metrics=["pareto_regret", "effective_pareto_regret"],
        record=100,
        workers=workers,
        engine=engine,
    ).table


def timed(*arguments):
    """Microseconds per round and policy, and the table."""
    start = time.perf_counter()
    table = play(*arguments)
    return 1e6 * (time.perf_counter() - start) / OPERATIONS, table


def main():
    one = play(1)  # compiles, too
    assert one.equals(play(2)), "two threads must give the table of one"
    sides = {1: lambda: timed(1)[0], 2: lambda: timed(2)[0]}
    times = harness.readings(sides, REPEATS)
    start = time.perf_counter()
    with cluster(None, 2):
        started = time.perf_counter() - start
        play(2, 2, "ray")  # both processes import and load what is compiled
        warmed = time.perf_counter() - start - started
        per_round, table = timed(2, TRIALS, "ray")
        assert one.equals(table), "Ray must give the table of one thread"
    rows = [
        harness.row("two threads", "one thread", times[1], "two threads", times[2]),
        harness.row(
            "two processes of Ray's, once", "one thread", times[1], "two processes", [per_round]
        ),
    ]
    notes = [
        f"{TRIALS} trials of {ROUNDS} rounds, {len(RECIPES)} policies, 50 arms, 4 objectives, both regrets.",
        "Microseconds are per round and policy, environment and regrets included.",
        f"Apart from that, Ray takes {started:.1f} s to start, and its processes {warmed:.1f} s to import and load.",
        "All tables were equal, bit for bit.",
    ]
    harness.write("threads", "Two workers against one: whole trials", rows, notes)


if __name__ == "__main__":
    main()
