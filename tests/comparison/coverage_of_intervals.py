"""How often intervals of a mean hold it: Student's, studentised bootstrap, and BCa.

`python tests/comparison/coverage_of_intervals.py` prints the table of
docs/measurements.md.
"""

import numpy as np
from scipy import stats
from scipy.special import ndtr, ndtri

from mobandits.statistics.bootstrap import MEAN, counts, studentised

SETS = 300
DRAWS = 4000
LAWS = {
    "normal": (lambda rng, n: rng.normal(size=n), 0.0),
    "gamma": (lambda rng, n: rng.gamma(4.0, size=n), 4.0),
    "exponential": (lambda rng, n: rng.exponential(size=n), 1.0),
    "log-normal": (lambda rng, n: rng.lognormal(0.0, 1.0, size=n), np.exp(0.5)),
    "difference of log-normals": (
        lambda rng, n: rng.lognormal(0.0, 1.2, size=n) - rng.lognormal(0.0, 1.2, size=n),
        0.0,
    ),
}


def student(sample):
    return stats.t.interval(0.95, len(sample) - 1, sample.mean(), stats.sem(sample))


def bootstrap_t(sample):
    _, interval = studentised(sample[:, None], MEAN, resamples=DRAWS)
    return student(sample) if interval is None else interval


def bca(sample):
    """Efron and Tibshirani 1993, section 14.3."""
    n = len(sample)
    means = counts(n, DRAWS) @ sample / n
    below = ((means < sample.mean()).mean() + (means <= sample.mean()).mean()) / 2
    bias = ndtri(np.clip(below, 1 / DRAWS, 1 - 1 / DRAWS))
    left_out = (sample.sum() - sample) / (n - 1)
    deviations = left_out.mean() - left_out
    acceleration = (deviations**3).sum() / (6 * ((deviations**2).sum()) ** 1.5 + 1e-300)
    shifted = bias + ndtri([0.025, 0.975])
    return np.quantile(means, ndtr(bias + shifted / (1 - acceleration * shifted)))


def main():
    methods = (student, bootstrap_t, bca)
    for name, (draw, truth) in LAWS.items():
        for trials in (6, 8, 10, 20):
            rng = np.random.default_rng(trials)
            inside = np.zeros(len(methods))
            widths = [[] for _ in methods]
            for _ in range(SETS):
                sample = draw(rng, trials)
                for i, method in enumerate(methods):
                    low, high = method(sample)
                    inside[i] += low <= truth <= high
                    widths[i].append(high - low)
            held = ", ".join(f"{100 * share:.0f}" for share in inside / SETS)
            wide = ", ".join(f"{np.median(width):.2f}" for width in widths)
            print(f"| {name} | {trials} | {held} | {wide} |", flush=True)


if __name__ == "__main__":
    main()
