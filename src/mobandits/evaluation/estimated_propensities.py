"""Propensities of a log without any: a multinomial logistic regression on the contexts."""

from dataclasses import replace

import numpy as np
from scipy.special import log_softmax

from mobandits.contracts.protocols import Array, IntArray, Mask
from mobandits.logs import Feedback
from mobandits.support.naming import shortened

ESTIMATED = "estimated"  # the propensity mode of a log whose propensities are these
PENALTIES = (1000.0, 100.0, 10.0, 1.0)
FLOOR = 0.01  # so that no weight is above 100
OPTIONS = {"maxiter": 1000, "gtol": 1e-5, "ftol": 1e-9}


def with_estimated_propensities(log: Feedback, folds: IntArray) -> Feedback:
    """The same log with estimated propensities in place of its own.

    The probabilities of a fold are fitted on all others, by maximum likelihood with a ridge::

        p(a | x) = exp(b_a + z_a . theta_a) / sum over eligible c of exp(b_c + z_c . theta_c)
        b, theta = argmin sum over rounds of -ln p(a_i | x_i) + penalty |theta|^2 / 2

    z_a are the features of arm a, or those that all arms share, less their mean and divided by
    their standard deviation. The penalty is that of 1, 10, 100 and 1000 which makes the arms that
    were played most likely on the rounds left out. Probabilities below 0.01 are raised to it. They
    are right only where the choice depended on the contexts and on nothing that matters to the
    rewards besides.

    Args:
        log: the logged decisions, with contexts; every arm was played.
        folds: (rounds,) the fold of each.

    Raises:
        ValueError: where there are no contexts, or an arm was never played.

    Reference:
        McFadden, Conditional logit analysis of qualitative choice behavior, 1974. Fitting on other
        folds: Chernozhukov and others, Econometrics Journal 21, 2018. Penalties and the floor are
        ours.

    Example:
        >>> arms = np.array([0, 0, 1, 0] * 50)
        >>> log = Feedback(np.ones((200, 1)), arms, arms[:, None], [np.nan] * 200, "ab", ["q"])
        >>> estimated = with_estimated_propensities(log, np.arange(200) // 4 % 2)
        >>> estimated.propensities[:4].round(3).tolist(), estimated.propensity_mode
        ([0.75, 0.75, 0.25, 0.75], 'estimated')
    """
    check_estimable(log)
    features = _standardised(log.contexts)
    candidates = [_held_out(log, features, folds, penalty) for penalty in PENALTIES]
    best = max(candidates, key=np.sum)
    # Not above 1, which a sum of rounded numbers may be.
    propensities = np.clip(np.exp(best), FLOOR, 1.0)

    return replace(log, propensities=propensities, propensity_mode=ESTIMATED)


def check_estimable(log: Feedback) -> None:
    """Refuse a log from which propensities cannot be estimated.

    Raises:
        ValueError: where there are no contexts, or an arm was never played.

    Example:
        >>> log = Feedback(np.ones((1, 1)), [0], [[0.5]], [np.nan], ["a", "b"], ["q"])
        >>> check_estimable(log)
        Traceback (most recent call last):
        ValueError: estimated propensities need every arm to be played in the log, got none of b
    """
    if not log.contexts.shape[-1]:
        rule = "estimated propensities need contexts, got a log without any"
        raise ValueError(f"{rule}; read it with context=")

    plays = np.bincount(log.arms, minlength=len(log.arm_names))
    never = [str(name) for name, count in zip(log.arm_names, plays, strict=True) if not count]
    if never:
        rule = "estimated propensities need every arm to be played in the log"
        raise ValueError(f"{rule}, got none of {shortened(', '.join(never))}")


def _held_out(log: Feedback, features: Array, folds: IntArray, penalty: float) -> Array:
    """(rounds,) logarithms of the probabilities of the played arms, fitted on the other folds."""
    played = np.empty(len(log))
    # The coefficients of one fold are nearly those of the next, which begins there.
    theta = np.zeros((len(log.arm_names), features.shape[-1]))
    for fold in range(int(folds.max()) + 1):
        held_out = folds == fold
        theta = _fitted(theta, log, features, ~held_out, penalty)
        eligible = None if log.eligible is None else log.eligible[held_out]
        logarithms = _log_probabilities(theta, features[held_out], eligible)
        rounds = np.arange(len(logarithms))
        played[held_out] = logarithms[rounds, log.arms[held_out]]

    return played


def _standardised(contexts: Array) -> Array:
    """The contexts with the constant 1 first; other columns have mean 0 and deviation 1."""
    axes = tuple(range(contexts.ndim - 1))
    mean = contexts.mean(axes)
    deviation = contexts.std(axes)
    # A column that never changes becomes 0: the constant says what it says.
    scale = np.where(deviation > 0.0, deviation, np.inf)
    standardised = (contexts - mean) / scale
    constant = np.ones((*contexts.shape[:-1], 1))

    return np.concatenate([constant, standardised], axis=-1)


def _fitted(start: Array, log: Feedback, features: Array, training: Mask, penalty: float) -> Array:
    """(arms, features + 1) the coefficients, from training rounds."""
    from scipy.optimize import minimize  # noqa: PLC0415 - a third of a second

    rows = features[training]
    arms = log.arms[training]
    eligible = None if log.eligible is None else log.eligible[training]
    rounds = np.arange(len(rows))
    # Without the constant: a penalty on it would make rare arms look common.
    penalties = np.full(rows.shape[-1], penalty)
    penalties[0] = 0.0

    def loss(flat: Array) -> tuple[float, Array]:
        """The mean loss of a round and its slope."""
        theta = flat.reshape(start.shape)
        logarithms = _log_probabilities(theta, rows, eligible)
        misfit = -logarithms[rounds, arms].sum()
        ridge = (penalties * theta * theta).sum() / 2.0
        residuals = np.exp(logarithms)
        residuals[rounds, arms] -= 1.0
        slope = _summed(residuals, rows) + penalties * theta

        return (misfit + ridge) / len(rows), slope.ravel() / len(rows)

    found = minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", options=OPTIONS)
    theta: Array = found.x.reshape(start.shape)

    return theta


def _log_probabilities(theta: Array, features: Array, eligible: Mask | None) -> Array:
    """(rounds, arms) logarithms of probabilities, -inf where an arm is not eligible."""
    if features.ndim == 2:
        scores = features @ theta.T
    else:
        scores = np.einsum("nad,ad->na", features, theta)
    if eligible is not None:
        scores = np.where(eligible, scores, -np.inf)

    logarithms: Array = log_softmax(scores, axis=1)

    return logarithms


def _summed(residuals: Array, features: Array) -> Array:
    """(arms, features) sums over rounds of residuals times features."""
    if features.ndim == 2:
        return residuals.T @ features

    sums: Array = np.einsum("na,nad->ad", residuals, features)

    return sums
