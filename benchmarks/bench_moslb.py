"""MOSLB-PL on the fixed arms of moslb2024: a whole play of 3,000 rounds, the environment apart."""

import time

import harness

if __name__ == "__main__":
    harness.one_thread()

import numpy as np

from mobandits import environments, policies
from mobandits.compiling.compiled import compile_loop
from mobandits.simulation.blocks import trial_blocks
from mobandits.simulation.play import play

ROUNDS, FEATURES, REPEATS = 3000, (5, 10, 15), 60
LEVELS = ((0, 1, 2), (3, 4))


def run(features, seed=0):
    """Microseconds of the play and of the environment, and the arms that were played."""
    rng, own = np.random.default_rng(seed), np.random.default_rng(1)
    place = environments.Linear(5 * features, features, 5, fixed_arms=True, theta="ball")
    start = time.perf_counter()
    problem = place.problem(ROUNDS, rng)
    data = [block for _, block in trial_blocks(problem, ROUNDS, None, rng)]
    drawn = time.perf_counter() - start
    policy, arms, chosen = policies.MoslbPl(LEVELS).bind(problem.shape), np.arange(5 * features), []
    loop, state, playing = compile_loop(play, policy), policy.init(), 0.0
    for block in data:
        chosen.append(np.empty(len(block.rewards), np.int64))
        start = time.perf_counter()
        state = loop(policy, state, block.contexts, block.rewards, arms, own, chosen[-1], None)
        playing += time.perf_counter() - start
    return 1e6 * playing, 1e6 * drawn, np.concatenate(chosen)


def main():
    rows = []
    for features in FEATURES:
        first = run(features)[2]
        assert len(first) == ROUNDS
        assert np.unique(first).size > 1
        assert (first == run(features)[2]).all(), "two runs with the same seed differ"
        found = [run(features) for _ in range(REPEATS)]
        parts = {"environment": harness.summary([drawn for _, drawn, _ in found])}
        case = f"d = {features}, {5 * features} arms, 5 objectives in 2 levels"
        rows.append(harness.own_row(case, [played for played, _, _ in found], parts=parts))
    harness.write("moslb", f"MOSLB-PL with fixed arms, {ROUNDS:,} rounds", rows, [NOTE])


NOTE = "Times are of the whole play; the environment is drawn before and given beside it."

if __name__ == "__main__":
    main()
