"""The play loop: compiled against the same source interpreted, and against the naive NumPy baseline. Equal results
are asserted before anything is timed.

Run it as `make bench`. Only the ratios count: both sides run in this process (or its child), one thread, interleaved.
"""

import argparse
import hashlib
import json
import math
import os
import platform
import subprocess
import sys
import time

import naive_numpy
import numpy as np

from mobandits import environments, orders, policies
from mobandits.face import front, gaps
from mobandits.kernel.compiled import compile_loop
from mobandits.kernel.protocols import Beliefs
from mobandits.simulation.play import play, score

ARMS, FEATURES, OBJECTIVES, BLOCK = 50, 5, 4, 256
RECIPES = {"ucb": policies.MolUcb(scale=0.3), "eps": policies.MolEpsGreedy(), "ts": policies.MolTs(scale=0.3)}
NAMES = {"ucb": "MOL-UCB", "eps": "MOL-eps-Greedy", "ts": "MOL-TS"}


def blocks(rounds, seed=0):
    rng = np.random.default_rng(seed)
    problem = environments.Linear(arms=ARMS, features=FEATURES, objectives=OBJECTIVES).problem(rounds, rng)
    return problem.shape, [problem.block(t, min(BLOCK, rounds - t), rng) for t in range(0, rounds, BLOCK)]


def run(name, shape, data, regrets=()):
    """Play the blocks; the digest of all arms and of the last state, and the seconds of the play and of the regrets."""
    policy = RECIPES[name].bind(shape)
    state, rng, arms = policy.init(), np.random.default_rng(1), np.arange(ARMS)
    digest, playing, scoring, total = hashlib.sha256(), 0.0, 0.0, np.zeros(len(regrets))
    for block in data:
        chosen = np.empty(len(block.rewards), np.int64)
        start = time.perf_counter()
        state = compile_loop(play, policy)(policy, state, block.contexts, block.rewards, arms, rng, chosen, None)
        middle = time.perf_counter()
        for i, order in enumerate(regrets):
            lost = np.empty((len(chosen), 1))
            compile_loop(score, order)(order, block.means, chosen, lost)
            total[i] += lost.sum()
        scoring += time.perf_counter() - middle
        playing += middle - start
        digest.update(chosen.tobytes())
    for array in state:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest(), playing, scoring, total


def median_us(function, rounds, repeats):
    times = sorted(function() for _ in range(repeats))
    return 1e6 * times[len(times) // 2] / rounds


def interpreted(rounds, repeats):
    """The same functions in a child process with NUMBA_DISABLE_JIT=1."""
    command = [sys.executable, __file__, "--child", "--rounds", str(rounds), "--repeats", str(repeats)]
    done = subprocess.run(
        command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def measure(rounds, repeats):
    shape, data = blocks(rounds)
    out = {}
    for name in RECIPES:
        digest = run(name, shape, data)[0]
        out[name] = {"digest": digest, "us": median_us(lambda name=name: run(name, shape, data)[1], rounds, repeats)}
    return out


def assert_equal_to_naive(instances=40):
    """Fronts and gaps of both sides on the same means; and MOL-UCB's beliefs, round by round along one run."""
    rng = np.random.default_rng(2)
    for _ in range(instances):
        means = rng.normal(size=(ARMS, OBJECTIVES))
        assert (front(means) == naive_numpy.pareto_mask(means)).all()
        effective = front(means, orders.EffectivePareto())
        assert np.flatnonzero(effective).tolist() == naive_numpy.effective_arms(means).tolist()
        ours, ours_effective = gaps(means)[:, 0], gaps(means, orders.EffectivePareto())[:, 0]
        for arm in range(0, ARMS, 10):
            assert math.isclose(ours[arm], naive_numpy.pareto_gap(means, arm), abs_tol=1e-12)
            assert math.isclose(ours_effective[arm], naive_numpy.effective_gap(means, arm), abs_tol=1e-9)
    shape, (block, *_) = blocks(BLOCK)
    policy = RECIPES["ucb"].bind(shape)
    loop, state, arms = compile_loop(play, policy), policy.init(), np.arange(ARMS)
    gram, moment, chosen = np.eye(FEATURES), np.zeros((OBJECTIVES, FEATURES)), np.empty(1, np.int64)
    fronts = np.empty((1, ARMS), np.bool_)
    for t in range(BLOCK):
        x, inverse = block.contexts[t], np.linalg.inv(gram)
        width = np.sqrt(np.einsum("ki,ij,kj->k", x, inverse, x))[:, None]
        naive = naive_numpy.pareto_mask(x @ (moment @ inverse).T + 0.3 * width)
        one = slice(t, t + 1)
        state = loop(policy, state, block.contexts[one], block.rewards[one], arms, rng, chosen, fronts)
        assert (fronts[0] == naive).all()
        gram += np.outer(x[chosen[0]], x[chosen[0]])
        moment += np.outer(block.rewards[t, chosen[0]], x[chosen[0]])


def environment_us(rounds):
    start = time.perf_counter()
    blocks(rounds)
    return 1e6 * (time.perf_counter() - start) / rounds


def effective_primitives():
    """Microseconds of one effective gap and one mask, ours and through HiGHS."""
    rng, order, rows = np.random.default_rng(3), orders.EffectivePareto(), []
    for arms, objectives in [(50, 4), (200, 8)]:
        means = rng.normal(size=(arms, objectives))
        beliefs, chosen, lost = Beliefs(means, means, means), np.arange(arms), np.empty((arms, 1))
        gap_loop, many = compile_loop(score, order), means[None]
        gap_loop(order, many, chosen, lost)
        start = time.perf_counter()
        for _ in range(20):
            gap_loop(order, many, chosen, lost)
        ours = (time.perf_counter() - start) / 20 / arms * 1e6
        start = time.perf_counter()
        theirs_gaps = [naive_numpy.effective_gap(means, arm) for arm in range(20)]
        theirs = (time.perf_counter() - start) / 20 * 1e6
        assert np.allclose(lost[:20, 0], theirs_gaps, atol=1e-9), "effective gaps differ"
        del beliefs
        rows.append((f"effective gap, {arms} arms, {objectives} objectives", theirs, ours))
    return rows


def table(rows):
    print(f"{'':52s}{'theirs us':>12s}{'ours us':>12s}{'ratio':>10s}")
    for name, theirs, ours in rows:
        print(f"{name:52s}{theirs:12.1f}{ours:12.2f}{theirs / ours:9.0f}x")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2048)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(options.rounds, options.repeats)))
        return
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}")
    print(f"{ARMS} arms, {FEATURES} features, {OBJECTIVES} objectives")
    assert_equal_to_naive()
    few = 256
    slow, fast = interpreted(few, 1), measure(few, 3)
    for name in RECIPES:
        assert slow[name]["digest"] == fast[name]["digest"], f"{name}: interpreted and compiled runs differ"
    print("results are equal; now the times, in us per round")
    print("\nplay loop: interpreted against compiled (same source, same arms)")
    fast = measure(options.rounds, options.repeats)
    table([(NAMES[name], slow[name]["us"], fast[name]["us"]) for name in RECIPES])

    print("\nenvironment, policy and both regrets: naive NumPy with one HiGHS program per arm against mobandits")
    shape, data = blocks(options.rounds)
    environment = min(environment_us(options.rounds) for _ in range(3))
    regrets, rows = (orders.Pareto(), orders.EffectivePareto()), []
    for name in RECIPES:
        run(name, shape, data, regrets)
        _, playing, scoring, _ = min(
            (run(name, shape, data, regrets) for _ in range(options.repeats)), key=lambda r: r[1] + r[2]
        )
        ours = environment + 1e6 * (playing + scoring) / options.rounds
        theirs = naive_numpy.run(name, ARMS, FEATURES, OBJECTIVES, 40 if name == "ts" else 300)[0]
        rows.append((NAMES[name], theirs, ours))
    table(rows)
    print(f"(the environment is {environment:.1f} us of ours; the policies of one trial share it)")

    print("\nwithout any linear program: MOL-UCB and Pareto regret, environment included")
    _, playing, scoring, _ = min(
        (run("ucb", shape, data, regrets[:1]) for _ in range(options.repeats)), key=lambda r: r[1] + r[2]
    )
    theirs = naive_numpy.run("ucb", ARMS, FEATURES, OBJECTIVES, 2000, effective=False)[0]
    table([("MOL-UCB", theirs, environment + 1e6 * (playing + scoring) / options.rounds)])

    print("\nprimitives: HiGHS against the exact small solver")
    table(effective_primitives())


if __name__ == "__main__":
    main()
