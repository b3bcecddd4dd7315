"""Slow and obvious: estimators and their spread one round at a time, recipes taught in Python, regressions by least
squares."""

import numpy as np
from scipy import optimize, stats

from mobandits.contracts.protocols import Shape


def estimate(name, log, law, predictions, bound=np.inf):
    """(objectives,) one estimator, as its formula reads; `bound` is the clip, or the threshold of switch-dr."""
    out = []
    for l in range(len(log.objective_names)):
        above = below = 0.0
        for t in range(len(log)):
            r, arm = log.rewards[t, l], log.arms[t]
            modelled = sum(law[t, a] * predictions[t, a, l] for a in range(law.shape[1]))
            if name == "dm":
                above, below = above + modelled, below + 1.0
                continue
            if np.isnan(r):
                continue
            w, error = law[t, arm] / log.propensities[t], r - predictions[t, arm, l]
            cut = min(w, bound)
            if name == "ips":
                above, below = above + cut * r, below + 1.0
            elif name == "snips":
                above, below = above + cut * r, below + cut
            elif name == "dr":
                above, below = above + modelled + cut * error, below + 1.0
            elif name == "switch-dr":
                above, below = above + modelled + (w * error if w <= bound else 0.0), below + 1.0
            elif name == "replay":
                above, below = above + law[t, arm] * r, below + law[t, arm]
        out.append(above / below if below else np.nan)
    return np.array(out)


def spread(effects):
    """(covariance, freedom, joint freedom, skew, joint skew) of influences, as the docstring of `Spread` reads."""
    n, p = effects.shape
    covariance = sum(np.outer(e, e) for e in effects) / (n * (n - 1))
    freedoms, skew = [], []
    for l in range(p):
        second, third, fourth = (np.mean([e[l] ** power for e in effects]) for power in (2, 3, 4))
        freedoms.append(min(2 * n / (fourth / second**2 - 1), n - 1))
        skew.append(third / (3 * n * second) * (n - 1) / n)
    inverse = np.linalg.inv(covariance * (n - 1))
    lengths = [e @ inverse @ e for e in effects]
    kurtosis = 3 * np.mean([length**2 for length in lengths]) / (p * (p + 2))
    joint_freedom = min(max(2 * n / (kurtosis - 1), 2 * p), n - 1)
    pull = sum(e * length for e, length in zip(effects, lengths, strict=True)) / n
    joint_skew = pull * (n - 1) / n / (n * (p + 2))
    return covariance, min(freedoms), joint_freedom, np.array(skew), joint_skew


def ends(value, error, skew, freedom, probability):
    """The interval of one objective, whose ends have this probability each of being on the right side."""
    q = stats.t.ppf(probability, freedom)
    low = value - q * error + (q**2 * skew if skew < 0 else 0.0)
    high = value + q * error + (q**2 * skew if skew > 0 else 0.0)
    return low, high


def tail(value, error, skew, freedom, bound):
    """The p-value of "above the bound": at what probability the lower end of the interval meets it."""
    if value <= bound:
        return stats.t.sf((value - bound) / error, freedom)
    return optimize.brentq(
        lambda p: ends(value, error, skew, freedom, 1.0 - p)[0] - bound, 1e-12, 0.5, xtol=1e-15
    )


def ridge(log, folds, penalty):
    """(rounds, arms, objectives) the predictions of `RidgePerArm`, by augmented least squares."""
    out = np.empty((len(log), len(log.arm_names), len(log.objective_names)))
    rows = (
        log.contexts
        if log.contexts.ndim == 3
        else np.repeat(log.contexts[:, None], out.shape[1], axis=1)
    )
    for fold in np.unique(folds):
        for l in range(out.shape[2]):
            train = (folds != fold) & ~np.isnan(log.rewards[:, l])
            mean = log.rewards[train, l].mean() if train.any() else 0.0
            for a in range(out.shape[1]):
                its = train & (log.arms == a)
                z = np.hstack([np.ones((its.sum(), 1)), rows[its, a]])
                above = np.vstack([z, np.sqrt(penalty) * np.eye(z.shape[1])])
                right = np.concatenate([log.rewards[its, l] - mean, np.zeros(z.shape[1])])
                theta = np.linalg.lstsq(above, right, rcond=None)[0]
                now = folds == fold
                out[now, a, l] = mean + np.hstack([np.ones((now.sum(), 1)), rows[now, a]]) @ theta
    return out


def context_of(log, t):
    """The context of a round as policies see it, and the ids of the eligible arms."""
    arms = (
        np.arange(len(log.arm_names)) if log.eligible is None else np.flatnonzero(log.eligible[t])
    )
    context = log.contexts[t] if log.contexts.ndim == 3 else log.contexts[t][None]
    return (context[arms] if len(context) > 1 else context), arms


def taught(recipe, log, rounds, rng):
    """A policy without notes and without stages, and its state after these rounds."""
    features = log.contexts.shape[-1]
    shared = log.contexts.ndim == 2 and features > 0
    policy = recipe.bind(
        Shape(len(log.arm_names), features, len(log.objective_names), len(rounds), shared)
    )
    state = policy.init()
    for t in rounds:
        context, arms = context_of(log, t)
        x = context[list(arms).index(log.arms[t]) if len(context) > 1 else 0]
        state = policy.update(state, x, int(log.arms[t]), 0.0, log.rewards[t], rng)
    return policy, state


def replayed(recipe, log, kept, horizon, rng):
    """(rounds,) which of the rounds `kept` count when a recipe is replayed."""
    features = log.contexts.shape[-1]
    shared = log.contexts.ndim == 2 and features > 0
    policy = recipe.bind(
        Shape(len(log.arm_names), features, len(log.objective_names), horizon, shared)
    )
    state, counted = policy.init(), np.zeros(len(log), bool)
    for t in kept:
        context, arms = context_of(log, t)
        choice = policy.draw(policy.beliefs(state, context, arms, rng), rng)
        if arms[choice.arm] == log.arms[t]:
            counted[t] = True
            x = context[choice.arm if len(context) > 1 else 0]
            state = policy.update(state, x, int(log.arms[t]), choice.note, log.rewards[t], rng)
    return counted


def extremes(light, heavy, rewards):
    """(least, largest) weighted mean of rewards over all weights between two bounds: a fractional linear program as a
    linear one, in weights divided by their sum and in 1 over that sum (Charnes and Cooper)."""
    n = len(rewards)
    # weight - heavy scale <= 0 and light scale - weight <= 0
    above = np.hstack([np.eye(n), -heavy[:, None]])
    below = np.hstack([-np.eye(n), light[:, None]])
    sums = np.append(np.ones(n), 0.0)[None]
    found = []
    for sign in (1.0, -1.0):
        program = optimize.linprog(
            np.append(sign * rewards, 0.0),
            np.vstack([above, below]),
            np.zeros(2 * n),
            sums,
            [1.0],
        )
        found.append(sign * program.fun)
    return found


def logit_loss(flat, log, rounds, penalty):
    """The penalised negative log-likelihood of the arms played in these rounds, one round at a time."""
    arms = len(log.arm_names)
    theta = flat.reshape(arms, -1)
    rows = log.contexts if log.contexts.ndim == 3 else np.repeat(log.contexts[:, None], arms, 1)
    axes = tuple(range(log.contexts.ndim - 1))
    mean, deviation = log.contexts.mean(axes), log.contexts.std(axes)
    total = penalty / 2.0 * (theta[:, 1:] ** 2).sum()
    for t in rounds:
        probabilities = logit_law(theta, (rows[t] - mean) / deviation, log, t)
        total -= np.log(probabilities[log.arms[t]])
    return total


def logit_law(theta, rows, log, t):
    """(arms,) probabilities of a multinomial logit in one round."""
    scores = np.array([b + row @ own for (b, *own), row in zip(theta, rows, strict=True)])
    weights = np.exp(scores)
    if log.eligible is not None:
        weights = weights * log.eligible[t]
    return weights / weights.sum()
