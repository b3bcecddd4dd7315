"""Models of the rewards: a ridge regression per arm and objective, fitted on other folds, or a user's own numbers."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.logs import Feedback
from mobandits.support.checks import as_float_array, number

CHUNK = 10_000  # rounds at a time: all of them would need many times the memory of the contexts


class OwnPredictions:
    """Predictions that come from elsewhere.

    Args:
        predictions: (rounds, arms, objectives), finite. For unbiased doubly robust estimates, those of a round must not
            have been fitted on its own reward.
        log: the logged decisions.

    Raises:
        ValueError: where `predictions` has another shape, or a number that is not finite.

    Example:
        >>> log = Feedback(np.ones((1, 1)), [0], [[0.5]], [0.5], ("a", "b"), ("quality",))
        >>> own = OwnPredictions([[[0.5], [1.0]]], log)
        >>> own.logged().tolist(), own.expected(np.array([[0.5, 0.5]])).tolist()
        ([[0.5]], [[0.75]])
    """

    def __init__(self, predictions: Array, log: Feedback) -> None:
        table = as_float_array("predictions", predictions)
        wanted = (len(log), len(log.arm_names), len(log.objective_names))
        if table.shape != wanted:
            raise ValueError(
                f"predictions must have shape (rounds, arms, objectives) = {wanted}, got {table.shape}"
            )
        if not np.isfinite(table).all():
            raise ValueError("predictions must be finite, got a number that is not")
        self._table = table
        self._arms = log.arms

    def logged(self) -> Array:
        """Of the arms that were played."""
        out: Array = self._table[np.arange(len(self._table)), self._arms]
        return out

    def expected(self, probabilities: Array) -> Array:
        """Of arms drawn with these probabilities."""
        out: Array = np.einsum("na,nal->nl", probabilities, self._table)
        return out


@dataclass(frozen=True, kw_only=True)
class RidgePerArm:
    """A ridge regression of each objective on the context, for every arm by itself, fitted on the other folds.

    With m the mean reward of the training rounds, and z = (1, x)::

        q(x, a) = m + z . theta_a,   theta_a = argmin sum over rounds of a of (r - m - z . theta)^2 + penalty |theta|^2

    so an arm that was hardly played is believed to pay what the others pay. A reward that is missing teaches nothing
    about its objective. Where every arm has a context row of its own, x is the arm's.

    Args:
        penalty: above 0, in units of squared context coordinates: standardise contexts of other scales.

    Raises:
        ValueError: where `penalty` is not above 0.
    """

    penalty: float = 1.0

    def __post_init__(self) -> None:
        number("RidgePerArm.penalty", self.penalty, above=0.0)

    def fit(self, log: Feedback, folds: IntArray) -> "CrossFitted":
        """The regression of every fold on all the others.

        Args:
            log: the logged decisions.
            folds: (rounds,) the fold of each.

        Example:
            >>> log = Feedback(np.ones((4, 0)), [0, 0, 1, 1], [[1.0]] * 4, [0.5] * 4, ("a", "b"), ("quality",))
            >>> RidgePerArm().fit(log, np.array([0, 1, 0, 1])).logged().ravel().tolist()
            [1.0, 1.0, 1.0, 1.0]
        """
        seen = ~np.isnan(log.rewards)
        count = int(folds.max()) + 1
        means = np.array(
            [_means(log.rewards[folds != fold], seen[folds != fold]) for fold in range(count)]
        )
        return CrossFitted(log, folds, means, self._theta(log, seen, folds, means))

    def _theta(self, log: Feedback, seen: Array, folds: IntArray, means: Array) -> Array:
        """(folds, arms, features + 1, objectives), from sums over each fold's rounds, which are taken once.

        Where all rewards of an arm were observed, one Gram matrix serves every objective.
        """
        whole = bool(seen.all())
        (count, objectives) = means.shape
        size = log.contexts.shape[-1] + 1
        grams = 1 if whole else objectives
        rewards = np.where(seen, log.rewards, 0.0)
        gram = np.zeros((count, len(log.arm_names), grams, size, size))
        moment, mass = (np.zeros((count, len(log.arm_names), objectives, size)) for _ in range(2))
        for fold, arm, rounds in _groups(folds, log.arms, count, len(log.arm_names)):
            z = _features(log, rounds, arm)
            for one in range(grams):
                gram[fold, arm, one] = z.T @ (z if whole else z * seen[rounds, one, None])
            moment[fold, arm] = rewards[rounds].T @ z
            mass[fold, arm] = seen[rounds].T.astype(np.float64) @ z
        others = [table.sum(0) - table for table in (gram, moment, mass)]
        wanted = others[1] - means[:, None, :, None] * others[2]
        ridge = others[0] + self.penalty * np.eye(size)
        if whole:
            return np.linalg.solve(ridge[:, :, 0], wanted.swapaxes(2, 3))
        return np.linalg.solve(ridge, wanted[..., None])[..., 0].swapaxes(2, 3)


class CrossFitted:
    """A regression per fold, which predicts the rewards of its fold; see `RidgePerArm`.

    Args:
        log: the logged decisions.
        folds: (rounds,) the fold of each.
        means: (folds, objectives) mean rewards of the other folds.
        theta: (folds, arms, features + 1, objectives) coefficients, fitted on the other folds.
    """

    def __init__(self, log: Feedback, folds: IntArray, means: Array, theta: Array) -> None:
        self._log = log
        self._folds = folds
        self._means = means
        self._theta = theta

    def logged(self) -> Array:
        """Of the arms that were played."""
        out = self._means[self._folds]
        for fold, arm, rounds in _groups(self._folds, self._log.arms, *self._theta.shape[:2]):
            out[rounds] += _features(self._log, rounds, arm) @ self._theta[fold, arm]
        return out

    def expected(self, probabilities: Array) -> Array:
        """Of arms drawn with these probabilities; never holds (rounds, arms, objectives) at once."""
        out = self._means[self._folds]
        shared = self._log.contexts.ndim == 2
        for fold, theta in enumerate(self._theta):
            rounds = np.flatnonzero(self._folds == fold)
            for first in range(0, len(rounds), CHUNK):
                some = rounds[first : first + CHUNK]
                out[some] += (self._of_shared if shared else self._of_rows)(
                    some, probabilities[some], theta
                )
        return out

    def _of_shared(self, rounds: IntArray, law: Array, theta: Array) -> Array:
        """sum_a pi(a) z . theta_a = z . sum_a pi(a) theta_a: one product of matrices."""
        mixed = (law @ theta.reshape(len(theta), -1)).reshape(len(rounds), *theta.shape[1:])
        out: Array = np.einsum("nd,ndl->nl", _features(self._log, rounds, 0), mixed)
        return out

    def _of_rows(self, rounds: IntArray, law: Array, theta: Array) -> Array:
        out: Array = np.zeros((len(rounds), theta.shape[2]))
        for arm in range(len(theta)):
            out += law[:, arm, None] * (_features(self._log, rounds, arm) @ theta[arm])
        return out


def _means(rewards: Array, seen: Array) -> Array:
    """(objectives,) the mean of what was observed; 0 where nothing was."""
    total: Array = np.where(seen, rewards, 0.0).sum(0) / np.maximum(seen.sum(0), 1)
    return total


def _features(log: Feedback, rounds: IntArray, arm: int) -> Array:
    """(rounds, features + 1) of an arm, with the constant 1 first."""
    x = log.contexts[rounds] if log.contexts.ndim == 2 else log.contexts[rounds, arm]
    return np.hstack([np.ones((len(rounds), 1)), x])


def _groups(
    folds: IntArray, played: IntArray, count: int, arms: int
) -> Iterator[tuple[int, int, IntArray]]:
    """(fold, arm, rounds) of every fold and arm, by one sort."""
    order = np.argsort(folds * arms + played, kind="stable")
    borders = np.searchsorted((folds * arms + played)[order], np.arange(count * arms + 1))
    for group in range(count * arms):
        yield group // arms, group % arms, order[borders[group] : borders[group + 1]]
