"""How fast a regret grows: the exponent of T, read from runs, beside the power of a theorem."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits_papers.claims import Claim, Texts
from mobandits_papers.numbers import Part, below, resampled_part
from mobandits_papers.outcome import Outcome

ALLOWED = 0.1  # added to a theorem's power for its logarithms, which a fit takes for growth


def exponent(rounds: Array, means: Array) -> Array:
    """The slope of the logarithm of means over that of the rounds, by least squares.

    Args:
        rounds: (points,) ascending; all the same: there is no slope, and it is NaN.
        means: (points, n) above 0; where one is not, the slope is not finite.

    Returns:
        (n,).

    Example:
        >>> rounds = np.array([10.0, 100.0, 1000.0])
        >>> exponent(rounds, np.stack([rounds**0.5, 3.0 * rounds], axis=1)).round(6).tolist()
        [0.5, 1.0]
    """
    logarithms = np.log(rounds)
    x = logarithms - logarithms.mean()
    # A regret of 0 has no logarithm, and a single round no slope: both are looked at by the caller.
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(means)
        slopes = x @ y / (x @ x)

    return np.asarray(slopes)


def within_run(outcome: Outcome, run: str, row: str, metric: str) -> tuple[Array, Array]:
    """The recorded rounds of the last nine tenths of a run, and the regrets (trials, points)."""
    points, values = outcome.curves(run, row, metric)
    # The first rounds explore, at a rate of their own.
    is_late = points >= points[-1] / 10.0
    rounds = np.asarray(points[is_late], np.float64)

    return rounds, values[:, is_late]


def over_runs(outcome: Outcome, rows: Mapping[str, str], metric: str) -> tuple[Array, Array]:
    """The horizons of several runs, {run: row}, and the regrets at their ends, (trials, runs)."""
    # Policies that know their horizon are played anew for each: no single run shows their rate.
    horizons = []
    regrets = []
    for run, row in rows.items():
        points, values = outcome.curves(run, row, metric)
        horizons.append(float(points[-1]))
        regrets.append(values[:, -1])

    return np.array(horizons), np.stack(regrets, axis=1)


def growing(
    metric: str, power: float, number: str, curves: Mapping[str, str], **texts: Texts
) -> Claim:
    """The exponent of a regret, from the means over trials: at most a power of T and logarithms.

    Args:
        metric: the regret, of which the first component is read.
        power: of T in a theorem, which bounds exponents from above alone.
        number: what the exponent is called.
        curves: {run: row}, one within which it is read, or several of different horizons.
        texts: the other arguments of `Claim`.
    """

    def parts(outcome: Outcome) -> list[Part]:
        if len(curves) > 1:
            rounds, regrets = over_runs(outcome, curves, metric)
        else:
            ((run, row),) = curves.items()
            rounds, regrets = within_run(outcome, run, row, metric)

        rule = below(power + ALLOWED)
        return [resampled_part(number, regrets, partial(exponent, rounds), rule)]

    return Claim(parts=parts, **texts)
