"""Models of the rewards: a ridge regression per arm and objective, or a user's own numbers."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.evaluation.case import Predictions
from mobandits.logs import Feedback
from mobandits.support.checks import as_float_array, number

CHUNK = 10_000  # rounds at a time: all of them would need many times the memory of the contexts


class OwnPredictions:
    """Predictions of a model outside of this library.

    Args:
        predictions: (rounds, arms, objectives), finite. For unbiased doubly robust estimates, those
            of a round must not have been fitted on its own reward.
        log: the logged decisions.

    Raises:
        ValueError: where `predictions` has another shape, or a number that is not finite.

    Example:
        >>> log = Feedback(np.ones((1, 1)), [0], [[0.5]], [0.5], ["a", "b"], ["q"])
        >>> own = OwnPredictions([[[0.5], [1.0]]], log)
        >>> own.logged().tolist(), own.expected(np.array([[0.5, 0.5]])).tolist()
        ([[0.5]], [[0.75]])
    """

    def __init__(self, predictions: Array, log: Feedback) -> None:
        table = as_float_array("predictions", predictions)
        wanted = (len(log), len(log.arm_names), len(log.objective_names))
        if table.shape != wanted:
            rule = f"predictions must have shape (rounds, arms, objectives) = {wanted}"
            raise ValueError(f"{rule}, got {table.shape}")
        if not np.isfinite(table).all():
            raise ValueError("predictions must be finite, got a number that is not")

        self._table = table
        self._arms = log.arms

    def after(self, rounds: int) -> "OwnPredictions":
        """The same without the first rounds."""
        later = copy.copy(self)
        later._table = self._table[rounds:]
        later._arms = self._arms[rounds:]
        return later

    def logged(self) -> Array:
        """Of the arms that were played."""
        rounds = np.arange(len(self._table))
        predicted: Array = self._table[rounds, self._arms]
        return predicted

    def expected(self, probabilities: Array) -> Array:
        """Of arms drawn with these probabilities."""
        predicted: Array = np.einsum("na,nal->nl", probabilities, self._table)
        return predicted


@dataclass(frozen=True, kw_only=True)
class RidgePerArm:
    """A ridge regression of each objective on the context, for every arm by itself.

    It is fitted on the other folds. With m the mean reward of the training rounds, and z = (1, x)::

        q(x, a) = m + z . theta_a
        theta_a = argmin sum over rounds of a of (r - m - z . theta)^2 + penalty |theta|^2

    so an arm that was hardly played is believed to pay what the others pay. A reward that is
    missing teaches nothing about its objective. Where every arm has a context row of its own, x is
    the arm's.

    Args:
        penalty: above 0, in units of squared context coordinates: standardise contexts of other
            scales.

    Raises:
        ValueError: where `penalty` is not above 0.
    """

    penalty: float = 1.0

    def __post_init__(self) -> None:
        number("RidgePerArm.penalty", self.penalty, above=0.0)

    def fit(self, log: Feedback, folds: IntArray, *, forward: bool = False) -> "CrossFitted":
        """The regression of every fold on all the others, or only on those before it.

        Args:
            log: the logged decisions.
            folds: (rounds,) the fold of each.
            forward: fit on the folds before, for the rounds after the first fold; folds must not
                decrease then.

        Example:
            >>> arms = ["a", "a", "b", "b"]
            >>> rewards = [[1.0], [1.0], [2.0], [2.0]]
            >>> log = Feedback(np.ones((4, 0)), arms, rewards, [0.5] * 4, ["a", "b"], ["q"])
            >>> RidgePerArm().fit(log, np.array([0, 1, 0, 1])).logged().ravel().tolist()
            [1.25, 1.25, 1.75, 1.75]
            >>> RidgePerArm().fit(log, np.array([0, 0, 1, 1]), forward=True).logged().tolist()
            [[1.0], [1.0]]
        """
        observed = ~np.isnan(log.rewards)
        means_by_fold = []
        for fold in range(int(folds.max()) + 1):
            training = folds < fold if forward else folds != fold
            mean = _observed_means(log.rewards[training], observed[training])
            means_by_fold.append(mean)

        means = np.array(means_by_fold)
        sums = ridge_sums(log, folds, len(means))
        theta = coefficients(sums.that_teach(forward=forward), means, self.penalty)
        if not forward:
            return CrossFitted(log, folds, means, theta)

        # The first fold has none before it: what it would be predicted from is not there.
        first = int(np.searchsorted(folds, 1))
        later_folds = folds[first:] - 1

        return CrossFitted(log[first:], later_folds, means[1:], theta[1:])


class RidgeSums(NamedTuple):
    """Sums over rounds on which ridge regressions rest; those of two parts of a log add up.

    Attributes:
        gram: (folds, arms, 1 or objectives, features + 1, features + 1) of z z', one for all
            objectives where all rewards were observed.
        moment: (folds, arms, objectives, features + 1) of r z.
        mass: (folds, arms, objectives, features + 1) of z where r was observed.
    """

    gram: Array
    moment: Array
    mass: Array

    def that_teach(self, *, forward: bool) -> "RidgeSums":
        """The sums that teach each fold: those of the other folds, or only of those before it.

        Those of the others are the total less its own, so that each round is read once however
        many folds there are.
        """
        return RidgeSums(*map(_of_earlier_folds if forward else _of_other_folds, self))

    @property
    def means(self) -> Array:
        """(folds, objectives) the mean rewards; 0 where there is none."""
        total = self.moment[..., 0].sum(1)
        count = self.mass[..., 0].sum(1)
        means: Array = total / np.maximum(count, 1.0)
        return means


def ridge_sums(log: Feedback, folds: IntArray, fold_count: int) -> RidgeSums:
    """The sums of every fold, arm and objective.

    Args:
        log: the logged decisions.
        folds: (rounds,) the fold of each.
        fold_count: their number.
    """
    observed = ~np.isnan(log.rewards)
    objectives = log.rewards.shape[1]
    arms = len(log.arm_names)
    size = log.contexts.shape[-1] + 1
    complete = bool(observed.all())
    # Where all rewards were observed, one Gram matrix serves every objective.
    grams = 1 if complete else objectives
    rewards = np.where(observed, log.rewards, 0.0)
    gram = np.zeros((fold_count, arms, grams, size, size))
    moment = np.zeros((fold_count, arms, objectives, size))
    mass = np.zeros((fold_count, arms, objectives, size))
    for fold, arm, rounds in _groups(folds, log.arms, fold_count, arms):
        features = _features(log, rounds, arm)
        present = observed[rounds]
        for objective in range(grams):
            counted = features
            if not complete:
                counted = features * present[:, objective, None]

            gram[fold, arm, objective] = features.T @ counted

        moment[fold, arm] = rewards[rounds].T @ features
        mass[fold, arm] = present.T.astype(np.float64) @ features

    return RidgeSums(gram, moment, mass)


def coefficients(sums: RidgeSums, means: Array, penalty: float) -> Array:
    """The coefficients theta, (folds, arms, features + 1, objectives).

    Args:
        sums: of the rounds that teach each fold.
        means: (folds, objectives) mean rewards of these rounds.
        penalty: as in `RidgePerArm`.
    """
    size = sums.mass.shape[-1]
    # The regression is on rewards less their mean: sum z (r - m) = sum z r - m sum z.
    shift = means[:, None, :, None] * sums.mass
    centred = sums.moment - shift
    ridge = sums.gram + penalty * np.eye(size)
    if ridge.shape[2] == 1:
        # One factorisation for the right-hand sides of all objectives.
        solution = np.linalg.solve(ridge[:, :, 0], centred.swapaxes(2, 3))
    else:
        by_objective = np.linalg.solve(ridge, centred[..., None])[..., 0]
        solution = by_objective.swapaxes(2, 3)

    return np.asarray(solution, np.float64)


class CrossFitted:
    """A regression per fold, which predicts the rewards of its fold; see `RidgePerArm`.

    Args:
        log: the logged decisions.
        folds: (rounds,) the fold of each.
        means: (folds, objectives) mean rewards of the rounds that each was fitted on.
        theta: (folds, arms, features + 1, objectives) coefficients.
    """

    def __init__(self, log: Feedback, folds: IntArray, means: Array, theta: Array) -> None:
        self._log = log
        self._folds = folds
        self._means = means
        self._theta = theta

    def logged(self) -> Array:
        """Of the arms that were played."""
        predicted = self._means[self._folds]
        played = self._log.arms
        fold_count, arms = self._theta.shape[:2]
        # Group by group, since rounds of a fold and an arm share their coefficients.
        for fold, arm, rounds in _groups(self._folds, played, fold_count, arms):
            features = _features(self._log, rounds, arm)
            theta = self._theta[fold, arm]
            predicted[rounds] += features @ theta

        return predicted

    def expected(self, probabilities: Array) -> Array:
        """Of arms drawn with these probabilities."""
        # By chunks: (rounds, arms, objectives) at once would be many times the size of the log.
        predicted = self._means[self._folds]
        shared = self._log.contexts.ndim == 2
        effect = self._effect_of_shared if shared else self._effect_of_rows
        for fold, theta in enumerate(self._theta):
            rounds = np.flatnonzero(self._folds == fold)
            for first in range(0, len(rounds), CHUNK):
                last = first + CHUNK
                chunk = rounds[first:last]
                predicted[chunk] += effect(chunk, probabilities[chunk], theta)

        return predicted

    def _effect_of_shared(self, rounds: IntArray, probabilities: Array, theta: Array) -> Array:
        """sum_a pi(a) z . theta_a = z . sum_a pi(a) theta_a: one product of matrices."""
        arms, size, objectives = theta.shape
        flat = theta.reshape(arms, size * objectives)
        mixed = probabilities @ flat
        coefficients = mixed.reshape(len(rounds), size, objectives)
        features = _features(self._log, rounds, 0)
        effect: Array = np.einsum("nd,ndl->nl", features, coefficients)

        return effect

    def _effect_of_rows(self, rounds: IntArray, probabilities: Array, theta: Array) -> Array:
        """sum_a pi(a) z_a . theta_a, arm by arm: every arm has features of its own."""
        arms, _, objectives = theta.shape
        effect: Array = np.zeros((len(rounds), objectives))
        for arm in range(arms):
            features = _features(self._log, rounds, arm)
            predicted = features @ theta[arm]
            effect += probabilities[:, arm, None] * predicted

        return effect


Model = RidgePerArm | Array | None


def predictions_of(
    model: Model, log: Feedback, folds: IntArray, *, forward: bool = False
) -> Predictions:
    """The rewards that a model expects.

    Args:
        model: a regression, None for the default one, or predictions of a model of the user's.
        log: the logged decisions.
        folds: (rounds,) the fold of each.
        forward: as in `RidgePerArm.fit`: predictions are of the rounds after the first fold.

    Raises:
        ValueError: where a user's predictions do not fit the log.
    """
    if model is None or isinstance(model, RidgePerArm):
        return (model or RidgePerArm()).fit(log, folds, forward=forward)

    own = OwnPredictions(model, log)

    return own.after(int(np.searchsorted(folds, 1))) if forward else own


def _observed_means(rewards: Array, observed: Array) -> Array:
    """(objectives,) the mean of what was observed; 0 where nothing was."""
    filled = np.where(observed, rewards, 0.0)
    total = filled.sum(0)
    count = np.maximum(observed.sum(0), 1)
    means: Array = total / count

    return means


def _of_other_folds(sums: Array) -> Array:
    """The sums over all folds but each, from those of each."""
    others: Array = sums.sum(0) - sums
    return others


def _of_earlier_folds(sums: Array) -> Array:
    """The sums over all folds before each, from those of each."""
    earlier: Array = np.zeros_like(sums)
    earlier[1:] = np.cumsum(sums[:-1], axis=0)
    return earlier


def _features(log: Feedback, rounds: IntArray, arm: int) -> Array:
    """(rounds, features + 1) of an arm, with the constant 1 first."""
    if log.contexts.ndim == 2:
        rows = log.contexts[rounds]
    else:
        rows = log.contexts[rounds, arm]

    constant = np.ones((len(rounds), 1))
    return np.hstack([constant, rows])


def _groups(
    folds: IntArray, played: IntArray, fold_count: int, arms: int
) -> Iterator[tuple[int, int, IntArray]]:
    """(fold, arm, rounds) of every fold and arm, by one sort."""
    group_of_round = folds * arms + played
    # Stable, so that sums over a group add up its rounds in the order of the log.
    order = np.argsort(group_of_round, kind="stable")
    groups = fold_count * arms
    edges = np.arange(groups + 1)
    bounds = np.searchsorted(group_of_round[order], edges)
    for group in range(groups):
        fold, arm = divmod(group, arms)
        first = bounds[group]
        last = bounds[group + 1]
        yield fold, arm, order[first:last]
