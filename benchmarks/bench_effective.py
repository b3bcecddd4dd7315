"""The effective Pareto front: its mask, a uniform draw from it, and one arm's gap, against HiGHS, one program
per arm.

Means are those of the Linear environment with new arms each round; gaps are asked for the arms that MOL-TS plays, which
are mostly on the front or near it. Our side runs inside one compiled function over many rounds, so that the call from
Python does not count; notes say what such a call costs.

    python benchmarks/bench_effective.py [--repeats 7]
"""

import argparse

import harness

if __name__ == "__main__":
    harness.one_thread()

import naive_numpy
import numpy as np

import mobandits as mob
from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Beliefs
from mobandits.simulation.play import play, score

SIZES = ((50, 5, 4), (200, 15, 4), (200, 15, 8))  # arms, features, objectives
WARM, ROUNDS = 2048, 512
ORDER = mob.orders.EffectivePareto()


def masks(order, means, sizes):
    for t in range(len(means)):
        mask = order.front(Beliefs(means[t], means[t], means[t]))
        for member in mask:
            sizes[t] += member


def draws(order, means, rng, counts):
    for t in range(len(counts)):
        table = means[t % len(means)]
        counts[t, order.draw(Beliefs(table, table, table), rng)] += 1


def rounds_of(arms, features, objectives):
    """(ROUNDS, arms, objectives) means, and the arms that MOL-TS plays there after WARM other rounds."""
    rng, own = np.random.default_rng(0), np.random.default_rng(1)
    problem = mob.environments.Linear(arms=arms, features=features, objectives=objectives).problem(
        WARM + ROUNDS, rng
    )
    policy = mob.policies.MolTs(scale=0.3).bind(problem.shape)
    state, loop = policy.init(), compile_loop(play, policy)
    for first in range(0, WARM + ROUNDS, ROUNDS):
        block, chosen = problem.block(first, ROUNDS, rng), np.empty(ROUNDS, np.int64)
        state = loop(
            policy, state, block.contexts, block.rewards, np.arange(arms), own, chosen, None
        )
    return np.ascontiguousarray(block.means), chosen


def assert_equal(means, chosen):
    """The same front and gaps on both sides; draws on all of the front, equally often."""
    tables, arms = means[:3], means.shape[1]
    for t, table in enumerate(tables):
        front = np.isin(np.arange(arms), naive_numpy.effective_arms(table))
        np.testing.assert_array_equal(mob.front(table, ORDER), front)
        gaps = mob.gaps(table, ORDER)[:, 0]
        for arm in (chosen[t], *range(t, arms, 10)):
            assert abs(gaps[arm] - naive_numpy.effective_gap(table, arm)) <= 1e-9
        counts = np.zeros((20_000, arms))
        compile_loop(draws, ORDER)(ORDER, tables[t : t + 1], rng(), counts)
        drawn, expected = counts.sum(0), 20_000 / front.sum()
        assert not drawn[~front].any()
        assert np.abs(drawn[front] - expected).max() <= 6 * np.sqrt(expected)


def rng():
    return np.random.default_rng(2)


def highs_mask(table):
    return naive_numpy.effective_arms(table)


def highs_draw(table, stream):
    return stream.choice(naive_numpy.effective_arms(table))


def case(arms, features, objectives, repeats):
    """Rows of one size, and a note."""
    means, chosen = rounds_of(arms, features, objectives)
    assert_equal(means, chosen)
    label = f"{arms} arms, {objectives} objectives"
    sizes, counts, lost = np.zeros(ROUNDS), np.zeros((ROUNDS, arms)), np.empty((ROUNDS, 1))
    stream, step = rng(), iter(range(10**9))
    mask_loop, draw_loop, gap_loop = (compile_loop(each, ORDER) for each in (masks, draws, score))

    def highs_gap():
        t = next(step) % ROUNDS
        naive_numpy.effective_gap(means[t], chosen[t])

    some = means[:64]
    sides = {
        "whole mask": (
            lambda: highs_mask(means[next(step) % ROUNDS]),
            lambda: mask_loop(ORDER, some, sizes),
            64,
        ),
        "uniform draw": (
            lambda: highs_draw(means[next(step) % ROUNDS], stream),
            lambda: draw_loop(ORDER, means, stream, counts),
            ROUNDS,
        ),
        "gap of the arm that MOL-TS plays": (
            highs_gap,
            lambda: gap_loop(ORDER, means, chosen, lost),
            ROUNDS,
        ),
    }
    rows = []
    for what, (theirs, ours, operations) in sides.items():
        times = harness.interleaved(theirs, ours, repeats, 0.02, (1, operations))
        rows.append(
            harness.row(
                f"{what}, {label}", "HiGHS, one LP per arm", times[0], "EffectivePareto", times[1]
            )
        )
    table = means[0]
    call = harness.in_turn(
        {"gaps": lambda: mob.gaps(table, ORDER), "front": lambda: mob.front(table, ORDER)}, repeats
    )
    face = ", ".join(f"{harness.duration(min(times))} mob.{name}" for name, times in call.items())
    return (
        rows,
        f"One call from Python for all arms, checks of the input included, {label}: {face}.",
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=7)
    repeats, rows, notes = parser.parse_args().repeats, [], []
    for size in SIZES:
        more, note = case(*size, repeats)
        rows, notes = rows + more, [*notes, note]
    notes += [
        "Means of the Linear environment; theirs for one gap is one program, for a mask or a draw one per arm.",
        "Equal results first: masks, gaps to 1e-9, and 20,000 draws per table.",
        f"Ours: {ROUNDS} rounds per compiled call (64 for masks), each with means of its own.",
    ]
    harness.write(
        "effective", "The effective Pareto front, draw and gap against HiGHS", rows, notes
    )


if __name__ == "__main__":
    main()
