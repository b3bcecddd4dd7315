"""The play loop: compiled, against the same source interpreted, which runs in a child process."""

import hashlib
import json
import os
import subprocess
import sys
import time
from functools import partial

import harness
import numpy as np

from mobandits import environments, policies
from mobandits.compiling.compiled import compile_loop
from mobandits.simulation.blocks import trial_blocks
from mobandits.simulation.play import play

ARMS, FEATURES, OBJECTIVES = 50, 5, 4
ROUNDS, LONG, REPEATS = 256, 4096, 5
RECIPES = {
    "MOL-TS": policies.MolTs(scale=0.3),
    "MOL-UCB": policies.MolUcb(scale=0.3),
    "MOL-eps-Greedy": policies.MolEpsGreedy(),
}


def run(recipe, rounds):
    """Microseconds per round, and a digest of all arms and of the last state."""
    rng = np.random.default_rng(0)
    problem = environments.Linear(ARMS, FEATURES, OBJECTIVES).problem(rounds, rng)
    policy, own, arms, digest, seconds = (
        recipe.bind(problem.shape),
        np.random.default_rng(1),
        np.arange(ARMS),
        [],
        0.0,
    )
    loop, state = compile_loop(play, policy), policy.init()
    for _, block in trial_blocks(problem, rounds, None, rng):
        chosen = np.empty(len(block.rewards), np.int64)
        start = time.perf_counter()
        state = loop(policy, state, block.contexts, block.rewards, arms, own, chosen, None)
        seconds += time.perf_counter() - start
        digest.append(chosen.tobytes())
    digest += [np.ascontiguousarray(array).tobytes() for array in state]
    return 1e6 * seconds / rounds, hashlib.sha256(b"".join(digest)).hexdigest()


def interpreted(name):
    """`run` in a child process with NUMBA_DISABLE_JIT=1."""
    child = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, __file__, name], env=child, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)


def main():
    rows = []
    for name, recipe in RECIPES.items():
        assert run(recipe, ROUNDS)[1] == interpreted(name)[1], (
            f"{name}: interpreted and compiled runs differ"
        )
        found = harness.readings(
            {"theirs": partial(interpreted, name), "ours": partial(run, recipe, LONG)}, REPEATS
        )
        times = [[us for us, _ in found[side]] for side in ("theirs", "ours")]
        rows.append(harness.row(name, "interpreted", times[0], "compiled", times[1]))
    title = f"The play loop, a round: {ARMS} arms, {FEATURES} features, {OBJECTIVES} objectives"
    checked = f"Checked first: in {ROUNDS} rounds both choose the same arms and end in the same state, bit for bit."
    harness.write("play", title, rows, [checked, "Environment and regrets are not in these times."])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(run(RECIPES[sys.argv[1]], ROUNDS)))
    else:
        harness.one_thread()
        main()
