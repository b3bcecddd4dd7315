"""The honest denominator: what a researcher would write for MOL-UCB, MOL-eps-Greedy and MOL-TS with NumPy and one
HiGHS linear program per arm."""

import math
import time

import numpy as np
from scipy.optimize import linprog


def pareto_mask(values):
    weakly = (values[None, :, :] >= values[:, None, :]).all(2)
    strictly = (values[None, :, :] > values[:, None, :]).any(2)
    return ~(weakly & strictly).any(1)


def mixture_excess(values, arm):
    """max sum s such that a mixture of all arms equals the arm plus s >= 0: positive where a mixture dominates the
    arm."""
    arms, objectives = values.shape
    equalities = np.zeros((objectives + 1, arms + objectives))
    (
        equalities[:objectives, :arms],
        equalities[:objectives, arms:],
        equalities[objectives, :arms],
    ) = (
        values.T,
        -np.eye(objectives),
        1.0,
    )
    costs = np.r_[np.zeros(arms), -np.ones(objectives)]
    return -linprog(
        costs, A_eq=equalities, b_eq=np.r_[values[arm], 1.0], bounds=(0, None), method="highs"
    ).fun


def effective_arms(values):
    return np.array([arm for arm in range(len(values)) if mixture_excess(values, arm) <= 1e-9])


def pareto_gap(means, arm):
    return max(0.0, (means - means[arm]).min(1).max())


def effective_gap(means, arm):
    arms, objectives = means.shape
    inequalities = np.hstack([-(means - means[arm]).T, np.ones((objectives, 1))])
    costs = np.zeros(arms + 1)
    costs[-1] = -1.0
    bounds = [(0, None)] * arms + [(None, None)]
    one = np.r_[np.ones(arms), 0.0][None]
    return max(
        0.0,
        -linprog(
            costs,
            A_ub=inequalities,
            b_ub=np.zeros(objectives),
            A_eq=one,
            b_eq=[1.0],
            bounds=bounds,
            method="highs",
        ).fun,
    )


def run(
    algorithm,
    arms,
    features,
    objectives,
    rounds,
    *,
    seed=0,
    scale=0.1,
    draws=None,
    pareto=True,
    effective=True,
    prefilter=False,
):
    """Microseconds per round, and both regrets."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=(objectives, features))
    theta /= np.linalg.norm(theta, axis=1, keepdims=True)
    draws = draws or math.ceil(1 - math.log(objectives) / math.log(0.85))
    gram, moment, regret, effective_regret = (
        np.eye(features),
        np.zeros((objectives, features)),
        0.0,
        0.0,
    )
    start = time.perf_counter()
    for t in range(1, rounds + 1):
        x = rng.normal(size=(arms, features))
        x *= (rng.random(arms) ** (1 / features) / np.linalg.norm(x, axis=1))[:, None]
        means, inverse = x @ theta.T, np.linalg.inv(gram)
        estimate = moment @ inverse
        radius = scale * (
            math.sqrt(features * math.log((1 + (t - 1) / features) * objectives / 0.01)) + 1
        )
        if algorithm == "ucb":
            bounds = (
                x @ estimate.T + radius * np.sqrt(np.einsum("ki,ij,kj->k", x, inverse, x))[:, None]
            )
            front = np.flatnonzero(pareto_mask(bounds))
        elif algorithm == "eps":
            front = (
                np.arange(arms)
                if rng.random() < 0.05
                else np.flatnonzero(pareto_mask(x @ estimate.T))
            )
        else:
            samples = np.stack(
                [
                    rng.multivariate_normal(estimate[l], radius**2 * inverse, size=draws)
                    for l in range(objectives)
                ]
            )
            values = np.einsum("kd,lmd->klm", x, samples).max(2)
            if prefilter:
                plain = np.flatnonzero(pareto_mask(values))
                front = plain[effective_arms(values[plain])]
            else:
                front = effective_arms(values)
        arm = rng.choice(front)
        reward = means[arm] + rng.normal(size=objectives)
        gram += np.outer(x[arm], x[arm])
        moment += np.outer(reward, x[arm])
        regret += pareto_gap(means, arm) if pareto else 0.0
        effective_regret += effective_gap(means, arm) if effective else 0.0
    return (time.perf_counter() - start) / rounds * 1e6, regret, effective_regret
