"""Is one target better than another in every objective?"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mobandits.contracts.protocols import Array, Mask
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.regions import FLAT
from mobandits.evaluation.spread import spread_of, tail
from mobandits.evaluation.terms import influence
from mobandits.support.checks import as_float_array, number
from mobandits.support.naming import quoted

Decision = Literal["dominates", "dominated", "incomparable", "undecided"]


@dataclass(frozen=True, eq=False)
class Verdict:
    """What the log says of two targets, the first against the second.

    Attributes:
        decision: "dominates", "dominated" or "incomparable", where that was shown; else "undecided".
        difference: (objectives,) value of the first less that of the second.
        standard_error: (objectives,) of the difference, from the same rounds.
        p_dominates: p-value of "dominates".
        p_dominated: p-value of "dominated".
        p_incomparable: p-value of "incomparable".
    """

    decision: Decision
    difference: Array
    standard_error: Array
    p_dominates: float
    p_dominated: float
    p_incomparable: float


def dominance(
    first: Estimate, second: Estimate, *, margin: Any = 0.0, level: float = 0.95
) -> Verdict:
    """Does the first target dominate the second?

    With D_l the difference of their values in objective l and e_l >= 0 the margin, the claims are::

        dominates      D_l > -e_l in every objective, and D_l > 0 in one
        dominated      D_l <  e_l in every objective, and D_l < 0 in one
        incomparable   D_l >  e_l in one objective, and D_l < -e_l in another

    Each is shown against its opposite by an intersection-union test: every part of the claim has a one-sided test of
    its own, on the differences of the same rounds, and the largest p-value counts. A part that says "in one objective"
    has the least p-value of the p objectives, times p; where a margin is 0, the first part of "dominates" already holds
    it. So each claim is wrong with probability at most 1 - level for many rounds, without further correction. With
    margin 0 a target can only be shown to dominate where it is better in every objective; a tie in one needs a margin,
    the loss in that objective that does not matter. Targets that differ by less than the margins may dominate each
    other: where both claims are shown, none is made.

    The one-sided tests are those of one-sided intervals for the differences, see `Spread`. With few effective rounds
    and skewed rewards they err more often than 1 - level; the reference page of this room has numbers.

    Args:
        first: an estimate.
        second: an estimate by the same estimator from the same rounds.
        margin: e, a number or (objectives,).
        level: 1 - the probability of a wrong claim, each.

    Raises:
        ValueError: where the estimates are not of the same rounds, objectives and estimator; where a margin is
            negative.

    Reference:
        Berger, Technometrics 24, 1982 (intersection-union tests); Laska and Meisner, Biometrics 45, 1989 (better than
        all).

    Example:
        >>> from mobandits.evaluation import Always, compare
        >>> from mobandits.logs import Feedback
        >>> rng = np.random.default_rng(0)
        >>> arms = rng.integers(0, 2, 1000)
        >>> rewards = arms[:, None] + rng.normal(size=(1000, 2))
        >>> log = Feedback(np.ones((1000, 1)), arms, rewards, [0.5] * 1000, "ab", ("quality", "thrift"))
        >>> found = compare(log, {"a": Always("a"), "b": Always("b")}, ["snips"])
        >>> dominance(found["b", "snips"], found["a", "snips"]).decision
        'dominates'
    """
    number("level", level, above=0.0, below=1.0)
    _check_pair(first, second)
    margins = np.broadcast_to(as_float_array("margin", margin), first.value.shape)
    if not (margins >= 0.0).all():
        raise ValueError(f"margin must be at least 0, got {quoted(margins.tolist())}")
    effects = influence(first.terms) - influence(second.terms)
    size = np.abs(first.value) + np.abs(second.value)
    difference = first.value - second.value
    difference = np.where(np.abs(difference) <= FLAT * size, 0.0, difference)  # rounding is no lead
    ahead = spread_of(effects, size)
    behind = ahead._replace(skew=-ahead.skew)

    def above(bound: Array, sign: float) -> Array:
        """(objectives,) p-values of sign * D_l > bound_l."""
        return tail(ahead if sign > 0.0 else behind, sign * difference - bound)

    better, worse = (
        _dominating(above(-margins, sign), above(0.0 * margins, sign), margins == 0.0)
        for sign in (1, -1)
    )
    split = max(_in_one(above(margins, 1.0)), _in_one(above(margins, -1.0)))
    claims: dict[Decision, float] = {"dominates": better, "dominated": worse, "incomparable": split}
    shown = [claim for claim, value in claims.items() if value <= 1.0 - level]
    return Verdict(
        shown[0] if len(shown) == 1 else "undecided", difference, ahead.error, better, worse, split
    )


def _dominating(not_worse: Array, better: Array, exact: Mask) -> float:
    everywhere = float(not_worse.max())
    return everywhere if exact.any() else max(everywhere, _in_one(better))


def _in_one(values: Array) -> float:
    """The p-value of "in one objective", by Bonferroni."""
    return min(len(values) * float(values.min()), 1.0)


def _check_pair(first: Estimate, second: Estimate) -> None:
    for name, one in (("first", first), ("second", second)):
        if not isinstance(one, Estimate):
            wanted = "an estimate such as found[target, estimator]"
            raise ValueError(f"{name} must be {wanted}, got {quoted(one)}")
    ours, theirs = ((one.rounds, one.objectives, one.estimator) for one in (first, second))
    for name, mine, other in zip(("rounds", "objectives", "estimator"), ours, theirs, strict=True):
        if mine != other:
            raise ValueError(
                f"{name} must be the same in both estimates, got {quoted(mine)} and {quoted(other)}"
            )
