"""When an estimate is not to be trusted: rules with thresholds, and what is said where one is broken."""

from collections.abc import Iterator

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Mask
from mobandits.evaluation.case import Case
from mobandits.evaluation.direct_method import DirectMethod
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.replay import Replay
from mobandits.logs import Feedback

FEW = 100  # effective rounds
FREEDOM = 10  # degrees of freedom of the standard error
SHARE = 0.05  # of all weight in one round
STRAYED = 3.0  # standard errors of the mean weight from 1
EVENTS = 30  # effective rounds whose reward is not the most common one
UNEVEN = 0.1  # difference between arms in the share of missing rewards
CONSTANT = 1e-6  # relative difference between propensities that is rounding
UNEVEN_LOGGING = "uneven logging: Replay is biased where arms were not equally likely, or propensities are not known"


def cautions(case: Case, estimate: Estimate) -> tuple[str, ...]:
    """Why an estimate may not be trusted, a sentence for every rule that is broken.

    ================== ==========================================================================================
    rule               broken where
    ================== ==========================================================================================
    few rounds         fewer than 100 effective rounds (`Replay`: fewer than 100 rounds matched)
    heavy tails        fewer than 10 degrees of freedom: the standard error rests on few rounds, see `Spread`
    one round          one round has more than 5 % of all weight
    wrong propensities the mean weight is more than 3 standard errors from 1
    overlap            the target plays arms that the logging policy could not, or never did, play
    few events         fewer than 30 effective rounds paid anything but the most common reward
    missing rewards    an objective was never observed, or its share of missing rewards differs by more than 0.1
                       between two arms with at least 30 rounds each
    clipping           its bias may be larger than the standard error
    uneven logging     `Replay` on a log whose propensities differ, or are not known
    model alone        `DirectMethod`, always: its region does not show how wrong the model is
    ================== ==========================================================================================

    Args:
        case: the target on the log.
        estimate: of its value.

    Example:
        >>> from mobandits.evaluation import Uniform, evaluate
        >>> from mobandits.logs import Feedback
        >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.25], ("a", "b"), ("quality",))
        >>> evaluate(log, Uniform(), "ips").warnings[0]
        'few rounds: the log tells as much as 1.8 rounds of the target would; below 100, regions are not reliable'
    """
    alone = isinstance(estimate.estimator, DirectMethod)
    replay = isinstance(estimate.estimator, Replay)
    said: list[str] = []
    if alone:
        said.append(
            "model alone: the region of DirectMethod shows how contexts vary, not how wrong the model is"
        )
    elif replay:
        said += _of_replay(case)
    else:
        said += _of_weights(estimate)
    said += _of_overlap(estimate)
    if not alone:
        said += _of_tails(estimate)
        said += [
            *_of_events(case, estimate, case.played if replay else case.weights),
            *_of_missing(case, estimate),
        ]
    return (*said, *_of_clipping(estimate))


def _of_weights(estimate: Estimate) -> Iterator[str]:
    found = estimate.diagnostics
    if found.effective_rounds < FEW:
        yield (
            f"few rounds: the log tells as much as {found.effective_rounds:.3g} rounds of the target would; "
            f"below {FEW}, regions are not reliable"
        )
    if found.largest_share > SHARE:
        yield f"one round: it has {100 * found.largest_share:.0f} % of all weight, more than {100 * SHARE:g} %"
    if found.strayed > STRAYED:
        yield (
            f"wrong propensities: the mean weight is {found.mean_weight:.3g}, {found.strayed:.3g} standard errors from "
            "1; propensities are wrong, or the logging policy could not play what the target plays"
        )


def _of_tails(estimate: Estimate) -> Iterator[str]:
    if estimate.freedom < FREEDOM:
        yield (
            f"heavy tails: few rounds decide; the standard error has {estimate.freedom:.2g} degrees of freedom, and "
            f"below {FREEDOM} regions may be too small"
        )


def _of_replay(case: Case) -> Iterator[str]:
    matched = float(case.played.sum())
    if matched < FEW:
        yield f"few rounds: the target matches {matched:.3g} rounds; below {FEW}, regions are not reliable"
    if case.probabilities is not None and not is_even(case.log):
        yield UNEVEN_LOGGING


def is_even(log: Feedback) -> bool:
    """Whether all rounds have one known propensity.

    Example:
        >>> is_even(Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.25], ("a", "b"), ("quality",)))
        False
    """
    return bool(np.ptp(log.propensities) <= CONSTANT * log.propensities.max())  # NaN compares False


def _of_overlap(estimate: Estimate) -> Iterator[str]:
    found = estimate.diagnostics
    if found.uncovered_mass > 0.0:
        yield (
            f"overlap: in {100 * found.uncovered_rounds:.1f} % of the rounds the target may play an arm that the "
            f"logging policy could not or never did play; {100 * found.uncovered_mass:.2f} % of its plays are beyond "
            "the log"
        )


def _of_events(case: Case, estimate: Estimate, weights: Array) -> Iterator[str]:
    for name, rewards in zip(estimate.objectives, case.rewards.T, strict=True):
        counts = (weights > 0.0) & ~np.isnan(rewards)
        kinds, sizes = np.unique(rewards[counts], return_counts=True)
        rare = weights[counts & (rewards != kinds[sizes.argmax()])] if len(kinds) else weights[:0]
        events = (
            rare.sum() ** 2 / (rare**2).sum() if len(rare) else 0.0
        )  # as many of equal weight tell as much
        if events < EVENTS:
            yield (
                f"few events: in {name}, {counts.sum()} rounds that count hold {events:.3g} effective ones that paid "
                f"anything but the most common reward; below {EVENTS}, regions are not reliable"
            )


def _of_missing(case: Case, estimate: Estimate) -> Iterator[str]:
    plays = np.bincount(case.log.arms, minlength=len(case.log.arm_names))
    for name, rewards in zip(estimate.objectives, case.rewards.T, strict=True):
        missing = np.isnan(rewards)
        if missing.all():
            yield f"missing rewards: {name} was never observed"
        elif missing.any() and (spread := _spread(missing, case.log.arms, plays)) > UNEVEN:
            yield (
                f"missing rewards: in {name} the share that is missing differs by {spread:.2f} between arms; rounds "
                "are left out as if that did not depend on the arm"
            )


def _spread(missing: Mask, arms: IntArray, plays: IntArray) -> float:
    often = plays >= EVENTS
    shares = np.bincount(arms, weights=missing, minlength=len(plays))[often] / plays[often]
    return float(np.ptp(shares)) if len(shares) else 0.0


def _of_clipping(estimate: Estimate) -> Iterator[str]:
    for name, bias, error in zip(
        estimate.objectives, estimate.bias_bound, estimate.standard_error, strict=True
    ):
        if bias > error:
            yield f"clipping: in {name} it may have moved the estimate by {bias:.3g}, its standard error is {error:.3g}"
