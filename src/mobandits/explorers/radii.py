"""Confidence radii, cited: the factor from an unscaled width to the half-width of an interval."""

import math
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Evidence, IntArray


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

    def of(self, estimator: Any, state: Any, context: Array, arms: IntArray) -> Array:
        """(slots or 1, grams or 1) the radii of an estimator's models: 1 where they are all the same."""
        evidence = estimator.evidence(state, context, arms)
        return self.each(evidence)


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
        return np.full((1, 1), self.value)


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
        growth = math.log(1.0 + count / (self.penalty * self.features))
        confidence_constant = math.log(self.models / self.delta)
        printed = self.features * (growth + confidence_constant)
        proved = self.features * growth + 2.0 * confidence_constant
        deviation = self.noise * math.sqrt(max(printed, proved))
        # The penalty's bias, for parameters of norm at most 1.
        return deviation + math.sqrt(self.penalty)


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
        confidence_constant = math.log(self.models * rounds / self.delta)
        deviation = self.noise * math.sqrt(self.features * confidence_constant)
        return self.scale * (deviation + 1.0)


@compiled
class Drugan(Radius):
    """The radius of Pareto-UCB1, scale sqrt(2 ln(n (L A)^(1/4))), to multiply the width 1/sqrt(N_a).

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
        growth = math.log(max(count, 1.0)) + 0.25 * math.log(self.product)
        return self.scale * math.sqrt(2.0 * growth)


@compiled
class TunedNewton(Radius):
    """sqrt(gamma_t) of moglb2019 with gamma_t = c log(det Z_t / det Z_1), as its experiments tune it.

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
        return math.sqrt(self.factor * volume)


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
        growth = 0.5 * math.log1p(4.0 * self.bound * self.bound * count)
        confidence_constant = math.log(self.models / self.delta) + growth
        bias = self.penalty * self.bound * self.bound + 0.5 * self.curvature
        square = 16.0 * noise * confidence_constant + 2.0 * noise * volume + bias
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
        confidence_constant = math.log(2.0 * self.models * rounds / self.delta)
        deviation = self.noise * math.sqrt(self.features * confidence_constant)
        return self.scale * (deviation + self.bound)


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
        n = max(count, 1.0)
        estimates = self.models * math.sqrt(1.0 + n)
        confidence_constant = 1.0 + 2.0 * math.log(estimates / self.delta)
        return self.scale * math.sqrt((1.0 + n) / n * confidence_constant)
