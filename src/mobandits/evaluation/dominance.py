"""Tests of whether one target is better than another in every objective."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mobandits.contracts.protocols import Array, Mask
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.regions import FLAT
from mobandits.evaluation.spread import Spread, spread_of, tail
from mobandits.evaluation.terms import influence
from mobandits.support.checks import as_float_array, number
from mobandits.support.naming import quoted, wrong_value

Decision = Literal["dominates", "dominated", "incomparable", "undecided"]


@dataclass(frozen=True, eq=False)
class Verdict:
    """The result of a test of two targets, the first against the second.

    Attributes:
        decision: "dominates", "dominated" or "incomparable", where that was shown; else
            "undecided".
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
    """Test whether the first target dominates the second, or the reverse, or neither.

    With D_l the difference of their values in objective l and e_l >= 0 the margin, the claims are::

        dominates      D_l > -e_l in every objective, and D_l > 0 in one
        dominated      D_l <  e_l in every objective, and D_l < 0 in one
        incomparable   D_l >  e_l in one objective, and D_l < -e_l in another

    Each is shown against its opposite by an intersection-union test: every part of the claim has a
    one-sided test of its own, on the differences of the same rounds, and the largest p-value
    counts. A part that says "in one objective" has the least p-value of the p objectives, times p;
    where a margin is 0, the first part of "dominates" already holds it. So each claim is wrong with
    probability at most 1 - level for many rounds, without further correction. With margin 0 a
    target can only be shown to dominate where it is better in every objective; a tie in one needs a
    margin, the loss in that objective that does not matter. Targets that differ by less than the
    margins may dominate each other: where both claims are shown, none is made.

    The one-sided tests are those of one-sided intervals for the differences, see `Spread`. With few
    effective rounds and skewed rewards they err more often than 1 - level; the reference page of
    this room has numbers.

    Args:
        first: an estimate.
        second: an estimate by the same estimator from the same rounds.
        margin: e, a number or (objectives,).
        level: 1 - the probability of a wrong claim, each.

    Raises:
        ValueError: where the estimates are not of the same rounds, objectives and estimator; where
            a margin is negative.

    Reference:
        Berger, Technometrics 24, 1982 (intersection-union tests); Laska and Meisner, Biometrics 45,
        1989 (better than all).

    Example:
        >>> from mobandits.evaluation import ConstantTarget, compare
        >>> from mobandits.logs import Feedback
        >>> rng = np.random.default_rng(0)
        >>> arms = rng.integers(0, 2, 1000)
        >>> rewards = arms[:, None] + rng.normal(size=(1000, 2))
        >>> log = Feedback(np.ones((1000, 1)), arms, rewards, [0.5] * 1000, "ab", ("q", "c"))
        >>> targets = {"a": ConstantTarget("a"), "b": ConstantTarget("b")}
        >>> comparison = compare(log, targets, ["snips"])
        >>> dominance(comparison["b", "snips"], comparison["a", "snips"]).decision
        'dominates'
    """
    number("level", level, above=0.0, below=1.0)
    _check_pair(first, second)
    margins = np.broadcast_to(as_float_array("margin", margin), first.value.shape)
    if not (margins >= 0.0).all():
        raise wrong_value("margin must be at least 0", margins.tolist())

    size = np.abs(first.value) + np.abs(second.value)
    difference = first.value - second.value
    is_rounding = np.abs(difference) <= FLAT * size
    difference = np.where(is_rounding, 0.0, difference)
    ahead = _spread_of_difference(first, second, size)
    behind = ahead.mirrored()

    def p_first_above(bound: Array) -> Array:
        """(objectives,) p-values of D_l > bound_l."""
        return tail(ahead, difference - bound)

    def p_second_above(bound: Array) -> Array:
        """(objectives,) p-values of -D_l > bound_l."""
        return tail(behind, -difference - bound)

    zero = 0.0 * margins
    exact = margins == 0.0
    p_dominates = _p_dominates(p_first_above(-margins), p_first_above(zero), exact)
    p_dominated = _p_dominates(p_second_above(-margins), p_second_above(zero), exact)
    p_first_better = _p_in_one(p_first_above(margins))
    p_second_better = _p_in_one(p_second_above(margins))
    p_incomparable = max(p_first_better, p_second_better)
    claims: dict[Decision, float] = {
        "dominates": p_dominates,
        "dominated": p_dominated,
        "incomparable": p_incomparable,
    }
    shown = [claim for claim, p_value in claims.items() if p_value <= 1.0 - level]
    # Two claims at once: the targets differ by less than the margins.
    decision = shown[0] if len(shown) == 1 else "undecided"

    return Verdict(
        decision=decision,
        difference=difference,
        standard_error=ahead.error,
        p_dominates=p_dominates,
        p_dominated=p_dominated,
        p_incomparable=p_incomparable,
    )


def _spread_of_difference(first: Estimate, second: Estimate, size: Array) -> Spread:
    """The spread of the first value less the second, from the same rounds."""
    # Of a stream, rounds are not kept, and spreads are.
    if second.target in first.differences:
        return first.differences[second.target].spread
    if first.target in second.differences:
        return second.differences[first.target].spread.mirrored()

    # Round by round: what both targets owe to the same rounds cancels.
    effects = influence(first.terms) - influence(second.terms)

    return spread_of(effects, size)


def _p_dominates(not_worse: Array, better: Array, exact: Mask) -> float:
    """The p-value of "not worse in every objective, and better in one"."""
    everywhere = float(not_worse.max())
    if exact.any():
        # Not to be worse by a margin of 0 is to be better in that objective: the second part holds.
        return everywhere

    return max(everywhere, _p_in_one(better))


def _p_in_one(p_values: Array) -> float:
    """The p-value of "in one objective", by Bonferroni."""
    objectives = len(p_values)
    least = float(p_values.min())
    return min(objectives * least, 1.0)


def _check_pair(first: Estimate, second: Estimate) -> None:
    for name, estimate in (("first", first), ("second", second)):
        if not isinstance(estimate, Estimate):
            wanted = "an estimate such as comparison[target, estimator]"
            raise wrong_value(f"{name} must be {wanted}", estimate)

    # Differences are taken round by round, so that both must come from one log in one way.
    for name in ("rounds", "objectives", "estimator"):
        left = getattr(first, name)
        right = getattr(second, name)
        if left != right:
            got = f"{quoted(left)} and {quoted(right)}"
            raise ValueError(f"{name} must be the same in both estimates, got {got}")
