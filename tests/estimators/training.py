"""Loops that teach and ask an estimator, to be compiled once and cached."""

import numpy as np

from mobandits.compiling.compiled import compile_loop


def train(estimator, state, xs, arms, rewards):
    for t in range(len(xs)):
        state = estimator.update(state, xs[t], arms[t], rewards[t])
    return state


def ask(estimator, state, context, arms):
    return (
        estimator.mean(state, context, arms),
        estimator.width(state, context, arms),
        estimator.evidence(state, context, arms),
    )


def draw(estimator, state, context, arms, draws, radius, rng, out):
    for i in range(len(out)):
        sample = estimator.sample(state, context, arms, draws, radius, rng)
        for a in range(len(sample)):
            for l in range(sample.shape[1]):
                out[i, a, l] = sample[a, l]


def trained(estimator, xs, arms, rewards, state=None):
    """The state after these lessons; (lessons, features), (lessons,), (lessons, objectives)."""
    state = estimator.init() if state is None else state
    return compile_loop(train, estimator)(
        estimator, state, np.ascontiguousarray(xs), arms, np.ascontiguousarray(rewards)
    )


def asked(estimator, state, context, arms):
    """Means, widths and evidence."""
    return compile_loop(ask, estimator)(estimator, state, np.ascontiguousarray(context), arms)


def drawn(estimator, state, context, arms, draws, radius, samples, seed, objectives=None):
    """(samples, arms, objectives)."""
    out = np.empty((samples, len(arms), objectives or estimator.objectives))
    rng = np.random.default_rng(seed)
    compile_loop(draw, estimator)(
        estimator, state, np.ascontiguousarray(context), arms, draws, radius, rng, out
    )
    return out


def lessons(n, features, arms, objectives, seed):
    """Random feature rows, arms and rewards."""
    rng = np.random.default_rng(seed)
    xs = rng.standard_normal((n, features)) / np.sqrt(features)
    return xs, rng.integers(arms, size=n), rng.standard_normal((n, objectives))


def in_parts(xs, arms, rewards, seed):
    """The same lessons with every reward in up to three parts, in any order."""
    rng = np.random.default_rng(seed)
    owner = rng.integers(3, size=rewards.shape)
    parts = [np.where(owner == part, rewards, np.nan) for part in range(3)]
    order = rng.permutation(3 * len(xs))
    return np.tile(xs, (3, 1))[order], np.tile(arms, 3)[order], np.concatenate(parts)[order]
