"""A policy plays; a slow twin watches, says in every round which set it would draw from, and learns what came of it."""

from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compile_loop
from mobandits.simulation.play import play


class Replay(NamedTuple):
    contexts: np.ndarray
    rewards: np.ndarray
    chosen: np.ndarray
    fronts: np.ndarray
    state: object


def uniform_rewards(shape, rounds, seed):
    """Contexts in the unit cube and in the unit ball, and rewards in [0, 1] without ties; arms differ."""
    rng = np.random.default_rng([seed, 7])
    rows = 1 if shape.shared or shape.features == 0 else shape.arms
    contexts = rng.random((rounds, rows, shape.features)) / np.sqrt(max(shape.features, 1))
    if shape.fixed_arms is not None:
        contexts = np.tile(shape.fixed_arms, (rounds, 1, 1))
    level = rng.random((shape.arms, shape.objectives))
    return contexts, level * rng.random((rounds, shape.arms, shape.objectives)) ** 0.3


def replay(recipe, shape, rounds=300, seed=0, given=None, compiled=False):
    """`rounds` of a problem, or of (contexts, rewards) that are given.

    Up to 400 are interpreted unless `compiled` is wanted: that is faster, and the conformance suite shows it to be the
    same.
    """
    contexts, rewards = given or uniform_rewards(shape, rounds, seed)
    policy, n = recipe.bind(shape), len(rewards)
    chosen, fronts = np.empty(n, np.int64), np.empty((n, shape.arms), np.bool_)
    rng = np.random.default_rng([seed, 8])
    loop = compile_loop(play, policy) if compiled or n > 400 else play
    state = loop(
        policy, policy.init(), contexts, rewards, np.arange(shape.arms), rng, chosen, fronts
    )
    return Replay(contexts, rewards, chosen, fronts, state)


def watched(run, twin):
    """The twin agrees with every round: `twin.front(context)` is the set that was drawn from."""
    for t, arm in enumerate(run.chosen):
        context = run.contexts[t if len(run.contexts) > 1 else 0]
        np.testing.assert_array_equal(run.fronts[t], twin.front(context), err_msg=f"round {t}")
        assert run.fronts[t, arm]
        twin.learn(context[arm if len(context) > 1 else 0], arm, run.rewards[t, arm])


def pareto_front(values):
    """(arms,) who is not dominated, by the definition."""
    at_least = (values[:, None] >= values[None]).all(2)
    better = (values[:, None] > values[None]).any(2)
    return ~(at_least & better).any(0)


def believe(policy, state, context, arms, rng, out):
    for i in range(len(out)):
        beliefs = policy.beliefs(state, context, arms, rng)
        for a in range(out.shape[1]):
            for l in range(out.shape[2]):
                out[i, a, l] = beliefs.high[a, l]


def decide(policy, state, context, arms, rng, out):
    for i in range(len(out)):
        law = policy.probabilities(policy.beliefs(state, context, arms, rng))
        for a in range(out.shape[1]):
            out[i, a] = law[a]


def believed(policy, state, context, n, objectives, seed=0):
    """(n, arms, objectives) upper bounds of beliefs, again and again from one state."""
    out, arms = np.empty((n, len(context), objectives)), np.arange(len(context))
    compile_loop(believe, policy)(policy, state, context, arms, np.random.default_rng(seed), out)
    return out


def decided(policy, state, context, n, seed=0):
    """(arms,) the mean law of the draw over beliefs."""
    out, arms = np.empty((n, len(context))), np.arange(len(context))
    compile_loop(decide, policy)(policy, state, context, arms, np.random.default_rng(seed), out)
    return out.mean(0)


def teach(estimator, state, xs, arms, rewards):
    for t in range(len(xs)):
        state = estimator.update(state, xs[t], arms[t], rewards[t])
    return state


def taught(estimator, xs, arms, rewards):
    """The state of an estimator after some rewards."""
    return compile_loop(teach, estimator)(estimator, estimator.init(), xs, arms, rewards)
