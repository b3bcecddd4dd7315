"""What a new process waits for: the import, the first decision, and the compilation of every built-in recipe.

Every measurement is a process of its own. "Cold" is a fresh cache of compiled code, "cached" the next process with the
same cache.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import harness

IMPORTS = (
    "pass",
    "import numpy",
    "import numba",
    "import mobandits_client",
    "import mobandits",
    "from mobandits import Agent, policies",
)
REPEATS = 5
BESIDE = ("MolUcb", "MolEpsGreedy")  # a recipe is compiled once more after the first other one
TYPICAL = {
    "MolUcb": "MolUcb(scale=0.3)",
    "MolTs": "MolTs(scale=0.3)",
    "MolEpsGreedy": "MolEpsGreedy(epsilon=0.1)",
    "WithFloor(MolUcb)": "WithFloor(MolUcb(scale=0.3), epsilon=0.1)",
    "Paced(MolUcb)": "Paced(MolUcb(scale=0.3, order=Weighted([1.0, 0.0])), {1: 0.5}, horizon=1000)",
    "MoslbPl": "MoslbPl(levels=[[0], [1]], epsilon=0.1)",
}
COMMON = """
import json, resource, time
import numpy as np
import mobandits as mob
from mobandits.orders import Weighted
from mobandits.policies import *

def processor():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)

recipe = {recipe}
"""
AGENT = (
    COMMON
    + """
objectives = ["quality", mob.Objective("cost", minimise=True, low=0.0, high=1.0)]
names = [f"arm {{number}}" for number in range(5)]
if "Paced" in type(recipe).__name__:
    recipe = type(recipe)(recipe.recipe, {{"cost": 0.5}})
agent = mob.Agent(recipe, arms=names, features=5, objectives=objectives, seed=0)
context = np.ones(5)
decision = agent.decide(context)
found = {{"first decision": time.time() - {start}}}
agent.learn(decision.id, [0.5, 0.5])
found["first lesson"] = time.time() - {start} - found["first decision"]
found["processor"] = processor()
"""
)
WARM_AGENT = """
# Until the compiled code has taken over, wherever it comes from.
until = time.monotonic() + {seconds}
while time.monotonic() < until:
    agent.learn(agent.decide(context).id, [0.5, 0.5])
began = time.perf_counter()
for _ in range(200):
    agent.decide(context)
found["later decision"] = (time.perf_counter() - began) / 200
print(json.dumps(found))
"""
SIMULATION = (
    COMMON
    + """
environment = mob.environments.Linear(arms=5, features=5, objectives=2)
mob.simulate(recipe, environment, rounds=1000, trials=2, seed=0, progress=False, workers=1)
found = {{"simulation": time.time() - {start}}}
found["processor"] = processor()
began = time.perf_counter()
mob.simulate(recipe, environment, rounds=1000, trials=2, seed=1, progress=False, workers=1)
found["later simulation"] = time.perf_counter() - began
print(json.dumps(found))
"""
)
PLAYED = {
    "cold": 0.0,
    "cached": 2.0,
}  # seconds of decisions and lessons before later ones are timed


def child(arguments, cache, more=None):
    """Seconds of a Python process, and what it printed."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        env={
            **os.environ,
            "MOBANDITS_COMPILING": "auto",
            "NUMBA_CACHE_DIR": str(cache),
            **(more or {}),
        },
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


def typical():
    """Rows of six typical policies: agents and simulations, cold and cached, and what comes later.

    A first decision, and a simulation, count from the start of Python.
    """
    rows = []
    for name, recipe in TYPICAL.items():
        for what, script in (("agent", AGENT + WARM_AGENT), ("simulation", SIMULATION)):
            with tempfile.TemporaryDirectory() as cache:
                for how, seconds in PLAYED.items():
                    if how == "cached":
                        fill(script, recipe, cache)
                    text = script.format(recipe=recipe, start=time.time(), seconds=seconds)
                    found = json.loads(child(["-c", text], cache)[1])
                    for part, taken in found.items():
                        rows.append(
                            harness.own_row(f"{name}, {what}, {how}: {part}", [1e6 * taken])
                        )

    return rows


def fill(script, recipe, cache):
    """Have everything compiled that a script needs, and wait for it."""
    text = script.format(recipe=recipe, start=time.time(), seconds=0.0)
    child(["-c", text], cache, {"MOBANDITS_COMPILING": "now"})


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
    """Rows per recipe: cold, and cached beside it; then cold again where another recipe is cached."""
    rows = []
    further_rows = []
    with tempfile.TemporaryDirectory() as folder:
        for other in BESIDE:
            child([__file__, other], f"{folder}/{other}")

        for name in recipes():
            with tempfile.TemporaryDirectory() as cache:
                cold, cached = (json.loads(child([__file__, name], cache)[1]) for _ in range(2))
            if cold is None:
                continue

            other = next(each for each in BESIDE if each != name)
            with tempfile.TemporaryDirectory() as parent:
                shutil.copytree(f"{folder}/{other}", f"{parent}/cache")
                further = json.loads(child([__file__, name], f"{parent}/cache")[1])

            label = f"{name}: compiled, or loaded"
            rows.append(harness.row(label, "cold", [1e6 * cold], "cached", [1e6 * cached]))
            label = f"{name}: compiled, or compiled after {other}"
            further_rows.append(harness.row(label, "cold", [1e6 * cold], "after", [1e6 * further]))

    return rows + further_rows


def main():
    with tempfile.TemporaryDirectory() as cache:
        rows = imports(cache)
    rows += typical()
    notes = [
        "Every measurement is a process of its own; `mobandits warm` fills the cache once per machine.",
        "A first decision and a simulation count from the start of Python, imports included; 1,000 rounds, two trials.",
        "Processor: of the process and its children until then. Later: once the compiled code is there, where cached.",
        "The seconds of a recipe are those of the play loop of a small problem, Numba's own start apart.",
    ]
    harness.write("startup", "What a new process waits for", [*rows, *compilations()], notes)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(compile_one(sys.argv[1])))
    else:
        main()
