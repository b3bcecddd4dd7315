"""Confidence radii, cited: the factor from an unscaled width to the half-width of an interval."""

import math
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Evidence, IntArray
from mobandits.numerics.linalg import dot


class Radius:
    """The base of radii: a radius for every model of an estimator, by what that model has seen."""

    def at(self, count: float, volume: float) -> float:
        """The radius after `count` rewards, where the features span `volume`."""
        raise NotImplementedError

    def each(self, evidence: Evidence) -> Array:
        """(slots, grams) the radius of every model."""
        slots, grams = evidence.seen.shape
        out = np.empty((slots, grams))
        for s in range(slots):
            for g in range(grams):
                count = evidence.seen[s, g]
                volume = evidence.volume[s, g]
                out[s, g] = self.at(count, volume)

        return out

    def of_models(self, estimator: Any, state: Any, context: Array, arms: IntArray) -> Array:
        """(slots, grams or objectives) the radius of every model of an estimator."""
        evidence = estimator.evidence(state, context, arms)
        return self.each(evidence)

    def of(self, estimator: Any, state: Any, context: Array, arms: IntArray) -> Array:
        """The same; an axis of length 1 stands for models or objectives that are all the same."""
        return self.of_models(estimator, state, context, arms)

    def leeway(self, estimator: Any, state: Any, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) what is added to radius times width; (0, 0): nothing."""
        shape = (0, 0)
        return np.zeros(shape)


@compiled
class Constant(Radius):
    """The same radius in every round, a constant that the papers' experiments tune.

    Example:
        >>> Constant(0.3).at(10.0, 2.0)
        0.3
    """

    value: float

    def at(self, count: float, volume: float) -> float:
        """The radius after `count` rewards."""
        return self.value

    def of(self, estimator: Any, state: Any, context: Array, arms: IntArray) -> Array:
        """(1, 1) the radius."""
        # No evidence is asked for, which would be counted in every round for nothing.
        shape = (1, 1)
        return np.full(shape, self.value)


@compiled
class FromData(Radius):
    """A multiple of the rewards' standard deviation, which a `Scaled` estimator estimates.

    It needs no rescaling: rewards c times as large have intervals c times as large, objective by
    objective.

    Where arms share one model, the penalty draws the mean of an arm towards 0 in directions that
    were never played, by more than rewards deviate: the radius would be too small for such an arm
    ever to be tried. There, the interval of an arm with features x and width w = ||x||_{V^-1} has
    the half-width

        multiple s_l w + q_l penalty w^2 / |x|^2

    with q_l the root mean square of the objective's rewards. The last factor is the share of x that
    is not determined yet: 1 where nothing is known, and about penalty / n after n rewards. So the
    second term, the leeway, is an estimate of the regression's bias, penalty |x' V^-1 theta|.
    Samples have as much normal noise of the arm's own.

    Args:
        multiple: of the standard deviation.
        penalty: of the regression.

    Reference:
        Ours. The bias is that of ridge regression; no regret bound is proven.

    Example:
        >>> from mobandits.estimators import Ridge, Scaled
        >>> estimator, x = Scaled(Ridge(features=1, objectives=1)), np.array([1.0])
        >>> state = estimator.update(estimator.init(), x, 0, np.array([20.0]))
        >>> FromData(0.5).of_models(estimator, state, x, np.arange(1)).round(3).tolist()
        [[7.071]]
    """

    multiple: float
    penalty: float = 1.0

    def of_models(self, estimator: Any, state: Any, context: Array, arms: IntArray) -> Array:
        """(slots, objectives) the radius of every model and objective."""
        radii: Array = estimator.deviations(state)
        slots, objectives = radii.shape
        for s in range(slots):
            for l in range(objectives):
                radii[s, l] *= self.multiple

        return radii

    def of(self, estimator: Any, state: Any, context: Array, arms: IntArray) -> Array:
        """(slots, objectives); of a model that arms share, a row per arm, by their numbers."""
        radii = self.of_models(estimator, state, context, arms)
        if len(radii) > 1:
            return radii

        per_width = self.leeway_per_width(estimator, state, context, arms)
        last = 0
        for arm in arms:
            last = max(last, arm)

        # One row would stand for all arms.
        out = np.zeros((max(last + 1, 2), radii.shape[1]))
        for a in range(len(arms)):
            for l in range(radii.shape[1]):
                out[arms[a], l] = radii[0, l] + per_width[a, l]

        return out

    def leeway(self, estimator: Any, state: Any, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) q_l penalty w^2 / |x|^2, for a model that arms share."""
        out = self.leeway_per_width(estimator, state, context, arms)
        width = estimator.width(state, context, arms)
        for a in range(len(arms)):
            for l in range(out.shape[1]):
                column = l if width.shape[1] > 1 else 0
                out[a, l] *= width[a, column]

        return out

    def leeway_per_width(self, estimator: Any, state: Any, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) q_l penalty w / |x|^2."""
        sizes = estimator.sizes(state)
        width = estimator.width(state, context, arms)
        objectives = len(sizes)
        out = np.zeros((len(arms), objectives))
        for a in range(len(arms)):
            x = context[a] if len(context) > 1 else context[0]
            square = dot(x, x)
            # A row of zeros has the mean 0, without any bias.
            if square == 0.0:
                continue

            for l in range(objectives):
                column = l if width.shape[1] > 1 else 0
                out[a, l] = sizes[l] * self.penalty * width[a, column] / square

        return out


@compiled
class SelfNormalised(Radius):
    """c1_t(delta), the width of the confidence ellipsoid of molts2025.

    With t - 1 = `count` rewards seen, d = `features`, N = `models` (estimates that must hold
    together: objectives, times arms where each arm has its own), R = `noise`, lambda = `penalty`::

        c1 = R sqrt( max( d ln((1 + count/(lambda d)) N/delta),  d ln(1 + count/(lambda d)) + 2
        ln(N/delta) ) ) + sqrt(lambda)

    The paper prints the first form, which is too small for d = 1; the second is what the
    self-normalised bound gives. The larger of the two always holds.

    Args:
        features: d.
        models: number of estimates in the union bound.
        delta: probability that some interval fails, in (0, 1).
        noise: sub-Gaussian constant R of the rewards.
        penalty: ridge penalty lambda.

    Reference:
        molts2025, equation of c1_t(delta); yadkori2011, Theorem 2.

    Example:
        >>> round(SelfNormalised(features=1, models=4, delta=0.01).at(999.0, 0.0), 2)
        5.35
    """

    features: int
    models: int
    delta: float = 0.01
    noise: float = 1.0
    penalty: float = 1.0

    def at(self, count: float, volume: float) -> float:
        """The radius after `count` rewards."""
        d = self.features
        prior = self.penalty * d
        growth = math.log(1.0 + count / prior)
        confidence_constant = math.log(self.models / self.delta)
        printed = d * (growth + confidence_constant)
        proved = d * growth + 2.0 * confidence_constant
        square = max(printed, proved)
        deviation = self.noise * math.sqrt(square)
        # The penalty's bias, for parameters of norm at most 1.
        bias = math.sqrt(self.penalty)

        return deviation + bias


@compiled
class Levelled(Radius):
    """alpha gamma_t of moslb2024, gamma_t = R sqrt(d ln(N (1 + t)/delta)) + 1 with t = `count` + 1.

    Args:
        features: d.
        models: N, the number of estimates: objectives, times arms where each arm has its own.
        delta: probability that some interval fails, in (0, 1).
        scale: alpha.
        noise: sub-Gaussian constant R.

    Reference:
        moslb2024, Algorithms 1 and 3.

    Example:
        >>> round(Levelled(features=5, models=5, delta=0.05, scale=1.0).at(0.0, 0.0), 3)
        6.147
    """

    features: int
    models: int
    delta: float
    scale: float
    noise: float = 1.0

    def at(self, count: float, volume: float) -> float:
        """The radius after `count` rewards."""
        # 1 + t, and t counts the round that is decided.
        rounds = 2.0 + count
        events = self.models * rounds
        confidence_constant = math.log(events / self.delta)
        deviation = math.sqrt(self.features * confidence_constant)
        half_width = self.noise * deviation + 1.0

        return self.scale * half_width


@compiled
class Drugan(Radius):
    """The radius of Pareto-UCB1, scale sqrt(2 ln(n (L A)^(1/4))).

    It is to multiply the width 1/sqrt(N_a) of an arm with N_a plays.

    Args:
        product: L A, objectives times the number of arms believed optimal (all K where that is
            unknown).
        scale: multiplies the whole width.

    Reference:
        drugan2013, Algorithm 1.

    Example:
        >>> round(Drugan(product=4.0).at(100.0, 0.0), 3)
        3.147
    """

    product: float
    scale: float = 1.0

    def at(self, count: float, volume: float) -> float:
        """The radius after `count` plays of all arms together."""
        # The logarithm of n (L A)^(1/4); before the first play n counts as 1.
        plays = math.log(max(count, 1.0))
        union = 0.25 * math.log(self.product)
        deviation = math.sqrt(2.0 * (plays + union))
        return self.scale * deviation


@compiled
class TunedNewton(Radius):
    """sqrt(gamma_t) of moglb2019 with gamma_t = c log(det Z_t / det Z_1), tuned by the factor c.

    Args:
        factor: c, searched within [1e-3, 1]; it scales the square of the radius.

    Reference:
        moglb2019, section 4.

    Example:
        >>> TunedNewton(0.25).at(10.0, 4.0)
        1.0
    """

    factor: float

    def at(self, count: float, volume: float) -> float:
        """The radius where log(det Z_t / det Z_1) is `volume`."""
        square = self.factor * volume
        return math.sqrt(square)


@compiled
class NewtonEllipsoid(Radius):
    """sqrt(gamma_t) of moglb2019, the confidence ellipsoid of the online Newton step.

    With t = `count` rewards seen and N = `models`::

        gamma = 16 (R + U)^2 / kappa ln( (N / delta) sqrt(1 + 4 D^2 t) ) + lambda D^2
                + 2 (R + U)^2 / kappa ln(det Z / det Z_1) + kappa / 2

    The formula is damaged in the published text; this is what the proof gives, with the printed
    factor 16 (4 would do).

    Args:
        models: N, the number of estimates in the union bound.
        delta: probability that some ellipsoid fails, in (0, 1).
        reach: R + U, the largest reward plus the largest mean, in absolute value.
        curvature: kappa.
        bound: D.
        penalty: lambda.

    Reference:
        moglb2019, Theorem 1.

    Example:
        >>> reach, curvature = 1.841345, 0.196612
        >>> ellipsoid = NewtonEllipsoid(5, 0.01, reach, curvature, bound=1.0, penalty=1.0)
        >>> round(ellipsoid.at(0.0, 0.0) ** 2)
        1716
    """

    models: int
    delta: float
    reach: float
    curvature: float
    bound: float
    penalty: float

    def at(self, count: float, volume: float) -> float:
        """The radius after `count` rewards, where log(det Z / det Z_1) is `volume`."""
        noise = self.reach * self.reach / self.curvature
        # The logarithm of the square root, by log1p: count is 0 at first.
        squared_ranges = 4.0 * self.bound * self.bound * count
        growth = 0.5 * math.log1p(squared_ranges)
        confidence_constant = math.log(self.models / self.delta) + growth
        # What is there without any reward: the penalty's part, and the proof's constant.
        start = self.penalty * self.bound * self.bound
        bias = start + 0.5 * self.curvature
        square = 16.0 * noise * confidence_constant
        square += 2.0 * noise * volume
        square += bias

        return math.sqrt(square)


@compiled
class Xue(Radius):
    """gamma_t of STLO, scale (R sqrt(d ln(2 N t / delta)) + U) with t = `count` + 1.

    Args:
        features: d.
        models: N, the number of estimates: objectives, times arms where each arm has its own.
        delta: probability that some interval fails, in (0, 1).
        noise: sub-Gaussian constant R.
        bound: U, an upper bound of the norms of the parameters.
        scale: multiplies the whole radius.

    Reference:
        xue2025, Algorithms 1 and 2.

    Example:
        >>> round(Xue(features=5, models=5, delta=0.05).at(0.0, 0.0), 3)
        6.147
    """

    features: int
    models: int
    delta: float
    noise: float = 1.0
    bound: float = 1.0
    scale: float = 1.0

    def at(self, count: float, volume: float) -> float:
        """The radius after `count` rewards."""
        # t counts the round that is decided.
        rounds = count + 1.0
        events = 2.0 * self.models * rounds
        confidence_constant = math.log(events / self.delta)
        deviation = math.sqrt(self.features * confidence_constant)
        half_width = self.noise * deviation + self.bound

        return self.scale * half_width


@compiled
class SelfNormalisedMean(Radius):
    """The radius of PF-LEX, scale sqrt((1 + N)/N (1 + 2 ln(M sqrt(1 + N) / delta))).

    It is to multiply the width 1/sqrt(N) of an arm with N plays.

    Args:
        models: M, the number of estimates: arms times objectives.
        delta: probability that some interval fails, in (0, 1).
        scale: multiplies the whole radius.

    Reference:
        huyuk2021, as described by xue2025; yadkori2011 with a union over the estimates.

    Example:
        >>> round(SelfNormalisedMean(models=8, delta=0.05).at(99.0, 0.0), 3)
        3.989
    """

    models: int
    delta: float
    scale: float = 1.0

    def at(self, count: float, volume: float) -> float:
        """The radius of an arm with `count` plays."""
        # The width of an arm without plays is infinite: its radius only has to be a number.
        plays = max(count, 1.0)
        root = math.sqrt(1.0 + plays)
        estimates = self.models * root
        confidence_constant = 1.0 + 2.0 * math.log(estimates / self.delta)
        inflation = (1.0 + plays) / plays
        deviation = math.sqrt(inflation * confidence_constant)

        return self.scale * deviation
