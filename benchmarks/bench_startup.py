"""What a new process waits for: the import, the first decision, and the compilation of every built-in recipe.

Every measurement is a process of its own. "Cold" is a fresh cache of compiled code, "cached" the next process with the
same cache.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import harness

IMPORTS = (
    "pass",
    "import numpy",
    "import numba",
    "import mobandits",
    "from mobandits import Agent, policies",
)
REPEATS = 5
FIRST = """
import json, time
import numpy as np
import mobandits as mob
recipe = mob.policies.{recipe}(scale=1.0)
agent = mob.Agent(recipe, arms=50, features=5, objectives=4, seed=0)
decision = agent.decide(np.ones((50, 5)))
decided = time.time()
agent.learn(decision.id, [0.0] * 4)
times = {{"decision": decided - {start}, "lesson": time.time() - decided}}
print(json.dumps(times))
"""


def child(arguments, cache):
    """Seconds of a Python process, and what it printed."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return time.perf_counter() - start, done.stdout


def imports(cache):
    """Rows of what an import takes, the start of Python included; modules are in the cache of byte code."""
    for line in IMPORTS:
        child(["-c", line], cache)
    runs = [{line: child(["-c", line], cache)[0] for line in IMPORTS} for _ in range(2 * REPEATS)]
    return [
        harness.own_row(f"python -c '{line}'", [1e6 * run[line] for run in runs])
        for line in IMPORTS
    ]


def first_decisions(recipe):
    """Rows of the first decision, from the start of Python, and the first lesson: 50 arms, 5 features, 4 objectives."""
    found = {"cold": [], "cached": []}
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            for times in found.values():
                script = FIRST.format(recipe=recipe, start=time.time())
                times.append(json.loads(child(["-c", script], cache)[1]))
    return [
        harness.own_row(f"{recipe}: the first {what}, {how}", [1e6 * run[what] for run in runs])
        for how, runs in found.items()
        for what in ("decision", "lesson")
    ]


def recipes():
    """{name: recipe with its defaults} of the built-in recipes that have defaults."""
    from mobandits import policies  # noqa: PLC0415 - the parent times the import

    found = {}
    for name in policies.__all__:
        try:
            found[name] = getattr(policies, name)()
        except TypeError:  # it needs a parameter, such as a recipe
            continue
    return found


def compile_one(name):
    """Seconds until 8 rounds are played, after Numba itself has compiled something; None where nothing is compiled."""
    import numpy as np  # noqa: PLC0415
    from numba import njit  # noqa: PLC0415

    from mobandits.compiling.compiled import compile_loop, is_compiled  # noqa: PLC0415
    from mobandits.contracts.protocols import Shape  # noqa: PLC0415
    from mobandits.simulation.play import play  # noqa: PLC0415

    njit(lambda x: x + 1.0)(1.0)
    recipe, rng = recipes()[name], np.random.default_rng(0)
    for shared in (False, True):
        try:
            policy = recipe.bind(Shape(4, 2, 2, 8, shared))
        except ValueError:  # some need a context that arms share
            continue
        if not is_compiled(policy):
            return None
        contexts, rewards = (
            rng.random((8, 1 if shared else 4, 2)) / 2,
            rng.integers(0, 2, (8, 4, 2)).astype(float),
        )
        start = time.perf_counter()
        compile_loop(play, policy)(
            policy, policy.init(), contexts, rewards, np.arange(4), rng, np.empty(8, np.int64), None
        )
        return time.perf_counter() - start
    return None


def compilations():
    """A row per recipe: cold, and cached beside it."""
    rows = []
    for name in recipes():
        with tempfile.TemporaryDirectory() as cache:
            cold, cached = (json.loads(child([__file__, name], cache)[1]) for _ in range(2))
        if cold is not None:
            rows.append(
                harness.row(
                    f"{name}: compiled, or loaded", "cold", [1e6 * cold], "cached", [1e6 * cached]
                )
            )
    return rows


def main():
    with tempfile.TemporaryDirectory() as cache:
        rows = imports(cache)
    rows += [row for recipe in ("MolUcb", "MolTs") for row in first_decisions(recipe)]
    notes = [
        "Every measurement is a process of its own; `mobandits warm` fills the cache once per machine.",
        "A first decision counts from the start of Python, imports included, a first lesson from that decision.",
        "The seconds of a recipe are those of the play loop of a small problem, Numba's own start apart.",
    ]
    harness.write("startup", "What a new process waits for", [*rows, *compilations()], notes)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(compile_one(sys.argv[1])))
    else:
        main()
