"""Ways to make joint regions, to be compared on coverage and width: each one from terms, slow and plain.

A candidate takes terms and the truth, and returns whether its region holds it and how far the region reaches in every
objective, (objectives,).
"""

import numpy as np
from scipy import optimize, stats

from mobandits.evaluation import Ips
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.spread import spread_of
from mobandits.evaluation.terms import influence, term_sums

LEVEL = 0.95


def parts(terms, leverage=False):
    """Value, influences and covariance by the delta method, or by the jackknife."""
    value = terms.numerator.sum(0) / terms.denominator.sum(0)
    effects = (terms.numerator - value * terms.denominator) / terms.denominator.mean(0)
    rounds = len(effects)
    if leverage:
        effects = (
            effects / (1.0 - terms.denominator / terms.denominator.sum(0)) * (1.0 - 1.0 / rounds)
        )
    return value, effects, effects.T @ effects / (rounds * (rounds - 1))


def square_radius(objectives, freedom):
    """Of Hotelling's region; before, degrees of freedom were rounds - 1."""
    left = max(freedom - objectives + 1.0, 1.0)
    return objectives * freedom / left * stats.f.ppf(LEVEL, objectives, left)


def square_distance(value, covariance, truth):
    """Of the truth from the estimate, in units of the covariance."""
    return (value - truth) @ np.linalg.solve(covariance, value - truth)


def ellipsoid(value, covariance, square, truth):
    """The region of that squared radius."""
    width = 2.0 * np.sqrt(square * np.diag(covariance))
    return square_distance(value, covariance, truth) <= square, width


def satterthwaite(effects):
    """The smallest of the objectives' degrees of freedom."""
    kurtosis = (effects**4).mean(0) / (effects**2).mean(0) ** 2
    return (2.0 * len(effects) / (kurtosis - 1.0)).min()


def before(terms, truth):
    """Hotelling's region with rounds - 1 degrees of freedom."""
    value, effects, covariance = parts(terms)
    rounds, objectives = effects.shape
    return ellipsoid(value, covariance, square_radius(objectives, rounds - 1), truth)


def effective_rounds(terms, truth):
    """With (sum w)^2 / sum w^2 - 1 degrees of freedom, as if weights and not influences counted.

    Where nothing is clipped, `terms.lost` is free to hold the weights.
    """
    value, effects, covariance = parts(terms)
    weights = terms.lost[:, 0]
    effective = weights.sum() ** 2 / (weights**2).sum()
    return ellipsoid(value, covariance, square_radius(effects.shape[1], effective - 1.0), truth)


def jackknife(terms, truth):
    """Hotelling's region with the jackknife's covariance (HC3)."""
    value, effects, covariance = parts(terms, leverage=True)
    rounds, objectives = effects.shape
    return ellipsoid(value, covariance, square_radius(objectives, rounds - 1), truth)


def without_skew(terms, truth):
    """The jackknife's covariance and Satterthwaite's degrees of freedom."""
    value, effects, covariance = parts(terms, leverage=True)
    square = square_radius(effects.shape[1], satterthwaite(effects))
    return ellipsoid(value, covariance, square, truth)


def bootstrap(terms, truth, samples=300):
    """The quantile of the squared distance over resampled logs, each in units of its own covariance."""
    value, effects, covariance = parts(terms)
    rounds = len(effects)
    rng = np.random.default_rng(0)
    squares = []
    for _ in range(samples):
        rows = rng.integers(0, rounds, rounds)
        again = type(terms)(terms.numerator[rows], terms.denominator[rows])
        moved, _, theirs = parts(again)
        squares.append(square_distance(moved, theirs, value))
    return ellipsoid(value, covariance, np.quantile(squares, LEVEL), truth)


def likelihood(terms, truth):
    """Empirical likelihood with a chi-squared quantile."""
    return likelihood_region(terms, truth, stats.chi2.ppf(LEVEL, terms.numerator.shape[1]))


def likelihood_t(terms, truth):
    """Empirical likelihood with the squared radius of `without_skew`."""
    _, effects, _ = parts(terms, leverage=True)
    square = square_radius(effects.shape[1], satterthwaite(effects))
    return likelihood_region(terms, truth, square)


def likelihood_region(terms, truth, square):
    """All means of reweighted rounds whose likelihood ratio is at most `square`.

    Reference: Owen, Biometrika 75, 1988, and Annals of Statistics 18, 1990.
    """
    value, effects, _ = parts(terms, leverage=True)
    holds = likelihood_ratio(value + effects - truth) <= square
    ends = [(likelihood_end(one, square), likelihood_end(-one, square)) for one in effects.T]
    return holds, np.array([above + below for above, below in ends])


def likelihood_ratio(rows):
    """-2 log of the empirical likelihood ratio of mean 0, by Newton's method on the dual."""
    rows = rows / rows.std(0)
    dual = np.zeros(rows.shape[1])
    least = 1.0 / len(rows)
    for _ in range(60):
        inner = 1.0 + rows @ dual
        kept = np.maximum(inner, least)
        gradient = rows.T @ np.where(inner < least, 2.0 / least - inner / least**2, 1.0 / kept)
        hessian = (rows / kept[:, None] ** 2).T @ rows
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-6 and extended(rows, dual + size * step, least) < extended(
            rows, dual, least
        ):
            size /= 2.0
        dual = dual + size * step
        if np.abs(step).max() < 1e-9:
            break
    return 2.0 * extended(rows, dual, least)


def extended(rows, dual, least):
    """sum log(1 + dual . row), continued by a parabola below `least`."""
    inner = 1.0 + rows @ dual
    below = np.log(least) - 1.5 + 2.0 * inner / least - (inner / least) ** 2 / 2.0
    return np.where(inner < least, below, np.log(np.maximum(inner, least))).sum()


def likelihood_end(effects, square):
    """The largest mean of reweighted effects: weights 1 / (pole - effect), the pole beyond them all."""
    top, unit = effects.max(), effects.std()

    def weights(log_gap):
        found = 1.0 / (top + unit * np.exp(log_gap) - effects)
        return found / found.sum()

    def excess(log_gap):
        return -2.0 * np.log(len(effects) * weights(log_gap)).sum() - square

    found = optimize.brentq(excess, -25.0, 20.0)
    return weights(found) @ effects


def now(terms, truth):
    """What the library does."""
    names = tuple(range(terms.numerator.shape[1]))
    sums = term_sums(terms)
    spread = spread_of(influence(terms, sums), np.abs(sums.value))
    region = Estimate("target", Ips(), names, sums, spread, None, None, None).ellipsoid(LEVEL)
    return region.contains(truth), region.high - region.low


CANDIDATES = {
    "Hotelling, n - 1 degrees of freedom (before)": before,
    "Hotelling, effective rounds - 1": effective_rounds,
    "the jackknife's covariance (HC3)": jackknife,
    "studentised bootstrap, 300 logs": bootstrap,
    "empirical likelihood, chi-squared": likelihood,
    "empirical likelihood, Satterthwaite's degrees of freedom": likelihood_t,
    "HC3, Satterthwaite's degrees of freedom": without_skew,
    "HC3, Satterthwaite's degrees of freedom, skew (now)": now,
}
