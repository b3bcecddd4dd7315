"""One decision between very many arms: MolUcb and MolTs with 20 features and 3 objectives, against NumPy.

Both sides decide in the same state, which an agent learned in LESSONS rounds. NumPy's products are BLAS's, on one
thread; its front is a filter that drops in one vectorised pass all that the next strong arm dominates, and its
effective front is asked of HiGHS, an arm of the Pareto front at a time in random order, as ours is.

    python benchmarks/bench_many_arms.py [--arms 50 1000] [--repeats 7]
"""

import argparse
from typing import NamedTuple

import harness

if __name__ == "__main__":
    harness.one_thread()

import naive_numpy
import numpy as np

import mobandits as mob
from mobandits.compiling.compiled import compile_loop

ARMS = (50, 1000, 10_000, 100_000)
FEATURES, OBJECTIVES = 20, 3
LESSONS, CHECKS, SCALE = 60, 20, 0.3
RECIPES = {"MolUcb": mob.policies.MolUcb(scale=SCALE), "MolTs": mob.policies.MolTs(scale=SCALE)}
AGENT = (
    "An agent copies the context too, which its decision keeps, and checks every number. With few arms its call is the "
    "cheaper one: it hands over policy and state in compiled form."
)


# --- NumPy


def pareto_arms(values):
    """The arms of the Pareto front."""
    left = np.argsort(-values.sum(1), kind="stable")
    table, place = values[left], 0
    while place < len(table):
        strong = table[place]
        stays = (table > strong).any(1) | (table == strong).all(1)
        left, table = left[stays], table[stays]
        place = np.count_nonzero(stays[:place]) + 1
    return left


class Estimates(NamedTuple):
    theta: np.ndarray  # (objectives, features)
    inverse: np.ndarray  # (features, features)


def numpy_bounds(context, known):
    squares = np.einsum("kd,kd->k", context @ known.inverse, context)
    return context @ known.theta.T + SCALE * np.sqrt(squares)[:, None]


def numpy_samples(context, known, draws, rng):
    root = np.linalg.cholesky(known.inverse)
    normals = np.stack([rng.standard_normal((draws, FEATURES)) for _ in range(OBJECTIVES)])
    thetas = known.theta[:, None] + SCALE * normals @ root.T
    sampled = context @ thetas.reshape(-1, FEATURES).T
    return sampled.reshape(len(context), OBJECTIVES, draws).max(2)


def effective_arm(values, rng):
    """A uniform arm of the effective front: the first in a random order that no mixture beats."""
    front = pareto_arms(values)
    table = values[front]
    for place in rng.permutation(len(front)):
        if naive_numpy.mixture_excess(table, place) <= 1e-9:
            return front[place]
    raise AssertionError("the effective front is never empty")


# --- ours


def believe(policy, state, context, arms, rng):
    return policy.beliefs(state, context, arms, rng).high


def decide(policy, state, context, arms, rng):
    beliefs = policy.beliefs(state, context, arms, rng)
    return policy.draw(beliefs, rng).arm


class Setting(NamedTuple):
    """An agent that has learned, its policy and state, what it knows, and the context of the next decision."""

    agent: mob.Agent
    policy: object
    state: object
    known: Estimates
    context: np.ndarray
    arms: np.ndarray


def setting(recipe, arms):
    rng = np.random.default_rng(arms)
    context = rng.standard_normal((arms, FEATURES)) / np.sqrt(FEATURES)
    theta = rng.standard_normal((OBJECTIVES, FEATURES)) / np.sqrt(FEATURES)
    agent = mob.Agent(recipe, arms=arms, features=FEATURES, objectives=OBJECTIVES, seed=0)
    for _ in range(LESSONS):
        decision = agent.decide(context)
        noise = 0.1 * rng.standard_normal(OBJECTIVES)
        agent.learn(decision.id, context[decision.arm] @ theta.T + noise)
    bound = agent.core.bound
    state = bound.state()
    known = Estimates(state.theta[0], state.inverse[0, 0])
    return Setting(agent, bound.policy, state, known, context, np.arange(arms))


def assert_equal(name, one):
    """The same beliefs as NumPy; arms of its front, the agent's too, which are the policy's."""
    beliefs = compile_loop(believe, one.policy)
    ours = compile_loop(decide, one.policy)
    for seed in range(CHECKS):
        mine, theirs, again = (np.random.default_rng(seed) for _ in range(3))
        found = beliefs(one.policy, one.state, one.context, one.arms, mine)
        if name == "MolUcb":
            expected = numpy_bounds(one.context, one.known)
        else:
            draws = one.policy.explorer.draws
            expected = numpy_samples(one.context, one.known, draws, theirs)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        arm = ours(one.policy, one.state, one.context, one.arms, again)
        front = pareto_arms(found)
        assert arm in front
        if name == "MolTs":
            excess = naive_numpy.mixture_excess(found[front], np.flatnonzero(front == arm)[0])
            assert excess <= 1e-9
    stream = np.random.default_rng()
    for _ in range(CHECKS):
        stream.bit_generator.state = one.agent.core.bound.rng.bit_generator.state
        assert one.agent.decide(one.context).arm == ours(
            one.policy, one.state, one.context, one.arms, stream
        )


def case(name, arms, repeats):
    """Two rows of one policy and size: the policy's decision beside NumPy's, and the agent's."""
    one = setting(RECIPES[name], arms)
    assert_equal(name, one)
    loop, own, other = compile_loop(decide, one.policy), *map(np.random.default_rng, (1, 2))

    def theirs():
        if name == "MolUcb":
            return other.choice(pareto_arms(numpy_bounds(one.context, one.known)))
        draws = one.policy.explorer.draws
        return effective_arm(numpy_samples(one.context, one.known, draws, other), other)

    sides = {
        "theirs": theirs,
        "policy": lambda: loop(one.policy, one.state, one.context, one.arms, own),
        "agent": lambda: one.agent.decide(one.context),
    }
    times = harness.in_turn(sides, repeats, 0.1)
    label = f"{name}, {arms:,} arms"
    more = {"policy": name, "arms": arms}
    return [
        harness.row(
            f"{label}: policy", "NumPy", times["theirs"], "mobandits", times["policy"], **more
        ),
        harness.own_row(f"{label}: Agent.decide", times["agent"], **more),
    ]


def exponent(rows, policy, fewest):
    """The slope of a straight line through a policy's own decisions, from so many arms, on logarithmic axes."""
    mine = [row for row in rows if row["policy"] == policy and "ratio" in row]
    x, y = np.array(
        [(row["arms"], row["ours_us"]["min"]) for row in mine if row["arms"] >= fewest]
    ).T
    return float(np.polyfit(np.log(x), np.log(y), 1)[0]) if len(x) > 1 else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--arms", type=int, nargs="+", default=ARMS)
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    rows = [
        row for name in RECIPES for k in arguments.arms for row in case(name, k, arguments.repeats)
    ]
    slopes = "; ".join(
        f"{name} {exponent(rows, name, 0):.2f}, from 1,000 arms on {exponent(rows, name, 1000):.2f}"
        for name in RECIPES
    )
    notes = [
        f"{FEATURES} features, {OBJECTIVES} objectives, one thread, in a state that {LESSONS} lessons led to.",
        f"Equal first: beliefs to 1e-9, and {CHECKS} decisions on NumPy's fronts, the agent's being the policy's.",
        "A decision is the beliefs of all arms and a uniform draw from the front that MolUcb or MolTs plays.",
        AGENT,
        f"Exponent of the policy's time in the number of arms: {slopes}.",
    ]
    harness.write("many_arms", "One decision between very many arms, against NumPy", rows, notes)


if __name__ == "__main__":
    main()
