"""An estimate of a target's value: a vector, with its standard errors and joint regions."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.evaluation import bernstein, bootstrap, sequence
from mobandits.evaluation.case import ValueEstimator
from mobandits.evaluation.diagnostics import Diagnostics
from mobandits.evaluation.regions import Box, Ellipsoid
from mobandits.evaluation.sensitivity import Sensitivity
from mobandits.evaluation.sequence import LookSums
from mobandits.evaluation.spread import Moments, Spread, joint_reach
from mobandits.evaluation.terms import Terms, TermSums, no_sums
from mobandits.statistics.quantiles import hotelling_square
from mobandits.support.checks import number


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """The value of a target, by one estimator: sums over rounds, however many pieces they came in.

    All regions are for the vector of values; see `ellipsoid`, `box`, `bootstrap`, `bernstein` and
    `sequence`. All but the last take rounds as independent draws of one distribution; all take the
    target, the reward model and the propensities as given.

    Args:
        target: its name.
        estimator: what estimated.
        objectives: their names.
        sums: of what every round adds, on which the value rests.
        spread: how far the estimate may be off: all regions rest on it.
        seen: (objectives,) the number of rounds whose reward was observed.
        diagnostics: how much the log can tell of the target.
        ranges: (2, objectives) the least and the largest reward, as objectives declare them, infinite
            where they do not.
        kept: what every round adds, of a log in memory.
        looks: further sums for `sequence`, of a stream whose objectives have ranges.
        warnings: why the estimate may not be trusted, in words; empty where no rule was broken.
        sensitivity: of the target's self-normalised estimate to odds that are not the estimated
            ones; None where propensities were not estimated, or the target is the logging policy.
        moments: the sums of the spread, where rounds are not kept.
        differences: {other target: those of the difference to it}, where rounds are not kept.

    Example:
        >>> from mobandits.evaluation import Uniform, evaluate
        >>> from mobandits.logs import Feedback
        >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.25], ["a", "b"], ["q"])
        >>> evaluate(log, Uniform(), "ips").value.tolist()
        [1.25]
    """

    target: str
    estimator: ValueEstimator
    objectives: tuple[Hashable, ...]
    sums: TermSums
    spread: Spread
    seen: IntArray
    diagnostics: Diagnostics
    ranges: Array
    kept: Terms | None = None
    looks: LookSums | None = None
    warnings: tuple[str, ...] = ()
    sensitivity: Sensitivity | None = None
    moments: Moments | None = None
    differences: Mapping[str, Moments] = field(default_factory=dict)

    def __repr__(self) -> str:
        """The value and its standard error, without the terms of a million rounds."""
        value = self.value.tolist()
        error = self.standard_error.tolist()
        numbers = f"value={value}, standard_error={error}"
        if self.sensitivity is not None:
            numbers += ", estimated propensities"

        return f"Estimate({self.target!r}, {self.estimator!r}, {numbers})"

    @cached_property
    def value(self) -> Array:
        """(objectives,) the estimate; NaN where no round speaks of an objective."""
        return self.sums.value

    @property
    def terms(self) -> Terms:
        """What every round adds.

        Raises:
            ValueError: of a stream, whose rounds are not kept.
        """
        if self.kept is None:
            needs = "what needs its rounds (bootstrap, front, sequence of new ranges)"
            rule = f"estimate must be of a log in memory for {needs}"
            raise ValueError(f"{rule}, got one of a stream")
        return self.kept

    @property
    def covariance(self) -> Array:
        """The covariance of the estimate, (objectives, objectives).

        It is that of the rounds' influences, divided by their number.
        """
        return self.spread.covariance

    @property
    def standard_error(self) -> Array:
        """Square roots of the covariance's diagonal, (objectives,).

        NaN where one round has all the weight.
        """
        return self.spread.error

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the standard errors, at most rounds - 1.

        Few where few rounds decide.
        """
        return self.spread.freedom

    def warned(self, warnings: tuple[str, ...]) -> "Estimate":
        """The same estimate with these warnings."""
        return replace(self, warnings=warnings)

    @property
    def rounds(self) -> int:
        """Length of the log."""
        return self.sums.rounds

    @property
    def bias_bound(self) -> Array:
        """How far clipping, or switching, may have moved the estimate, (objectives,).

        It is itself an estimate; 0 where nothing is clipped.
        """
        rounds = np.maximum(self.seen, 1)  # an objective without rewards has lost nothing
        bound: Array = self.sums.lost / rounds

        return bound

    def ellipsoid(self, level: float = 0.95) -> Ellipsoid:
        """The joint region: an ellipsoid that reaches further towards the longer tail.

        With V the value, C the covariance, p the number of objectives, m and f the joint degrees of
        freedom and those of the least known objective, and s the joint skew (see `Spread`), it is::

            (v - V)' C^-1 (v - V) <= r^2,  r^2 = p m / (m - p + 1) F_{p, min(f, m - p + 1)}(level)

        stretched by the vector r^2 s. Normal rounds make it Hotelling's region, and so do many
        rounds of any kind. Bias by clipping is not in it.

        Raises:
            ValueError: where `level` is not between 0 and 1.

        Reference:
            Hotelling, Ann. Math. Stat. 2, 1931. Degrees of freedom and skew: see `Spread`.
        """
        number("level", level, above=0.0, below=1.0)
        spread = self.spread
        value_is_known = np.isfinite(self.value).all()
        covariance_is_known = np.isfinite(self.covariance).all()
        if not value_is_known or not covariance_is_known:
            return Ellipsoid(self.value, self.covariance, np.inf)

        objectives = len(self.objectives)
        square = hotelling_square(level, objectives, spread.joint_freedom, spread.freedom)
        symmetric = Ellipsoid(self.value, self.covariance, square**0.5)

        return symmetric.stretched(square * spread.joint_skew)

    def box(self, level: float = 0.95) -> Box:
        """An interval for every objective, all of them right at once: V_l +- q s_l.

        s_l is the standard error. q is the quantile of Student's t at (1 + level^(1 / p)) / 2,
        which is enough however the p objectives are correlated, with as many degrees of freedom as
        `Spread` says; the end on the side of the longer tail is further away by q^2 times the skew.

        Raises:
            ValueError: where `level` is not between 0 and 1.

        Reference:
            Sidak, JASA 62, 1967. Degrees of freedom and skew: see `Spread`.
        """
        number("level", level, above=0.0, below=1.0)
        below, above = joint_reach(self.spread, level)

        return _box(self.value, below, above)

    def bootstrap(self, level: float = 0.95, samples: int = 1000, seed: int = 0) -> Box:
        """As `box`, with a quantile over resampled logs in the place of q.

        It is that of max_l |V*_l - V_l| / s*_l, with V* and s* those of a resampled log, and
        follows the correlations. Where few rounds carry the estimate it is too narrow more often
        than `box`: a resampled log has no round with a larger weight than those of the log. Reward
        models and targets are not fitted anew.

        Args:
            level: of the joint region.
            samples: number of resampled logs; each costs a pass over the rounds, 35 ms for a
                million.
            seed: of the resampling.

        Raises:
            ValueError: naming parameter, rule and value.

        Reference:
            The studentised bootstrap: Hall, The bootstrap and Edgeworth expansion, 1992; the
            maximum: Romano and Wolf, Econometrica 73, 2005.
        """
        number("level", level, above=0.0, below=1.0)
        # In units of standard errors, each resampled log's own: that is what "studentised" means.
        quantile = bootstrap.largest_quantile(self.terms, level, samples, seed)
        distance = quantile * self.standard_error

        return _box(self.value, distance, distance)

    def bernstein(
        self,
        level: float = 0.95,
        *,
        low: float | Array,
        high: float | Array,
        weight_bound: float | None = None,
    ) -> Box:
        """A box that holds the value with probability `level` for any number of rounds.

        See `bernstein.box`.

        Args:
            level: of the joint region.
            low: (objectives,) or a number: the least reward that can be.
            high: the largest.
            weight_bound: the largest weight that can be; the estimator's `clip` where None.

        Raises:
            ValueError: where the estimator is not `Ips`, or a range is broken.
        """
        number("level", level, above=0.0, below=1.0)
        return bernstein.box(self.sums, self.spread, self.estimator, level, low, high, weight_bound)

    def sequence(
        self,
        level: float = 0.95,
        *,
        low: float | Array | None = None,
        high: float | Array | None = None,
    ) -> Box:
        """A box that is right at every look at a growing log, with probability `level` for all looks.

        The rounds must be in the order of time; the logging policy may learn from earlier ones, and
        weights need no bound. See `sequence.box`, and `Monitor` for decisions.

        Args:
            level: of all objectives and all looks at once.
            low: (objectives,) or a number: the least reward that can be; None: as objectives declare
                it, which is all that a log in pieces can take.
            high: the largest.

        Raises:
            ValueError: where the estimator is not `Ips` without `clip`, or a range is not known or
                broken.
        """
        number("level", level, above=0.0, below=1.0)
        sequence.check_estimator(self.estimator)
        ranges = sequence.ranges_within(low, high, self.ranges)
        looks = self.looks
        if looks is None or (ranges != self.ranges).any():
            before = no_sums(len(self.objectives))
            looks = sequence.look_sums(self.terms, before, ranges)

        return sequence.box(self.sums, looks, level, ranges)


def _box(value: Array, below: Array, above: Array) -> Box:
    """The box from `below` the value to `above` it; the whole line where either is not known."""
    low = value - below
    high = value + above
    known = np.isfinite(low) & np.isfinite(high)
    low = np.where(known, low, -np.inf)
    high = np.where(known, high, np.inf)

    return Box(low, high)
