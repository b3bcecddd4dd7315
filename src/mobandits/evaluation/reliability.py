"""Rules for when an estimate is not reliable, with their thresholds, and the warnings they give."""

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.case import EvaluationCase, ValueEstimator
from mobandits.evaluation.diagnostics import Diagnostics, plays_of
from mobandits.evaluation.direct_method import DirectMethod
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.estimated_propensities import ESTIMATED, FLOOR
from mobandits.evaluation.regions import FLAT
from mobandits.evaluation.replay import Replay
from mobandits.evaluation.sensitivity import Sensitivity
from mobandits.evaluation.sequence import declared_ranges
from mobandits.evaluation.spread import spread_of
from mobandits.evaluation.terms import influence, term_sums
from mobandits.logs import Feedback

# docs/reference/evaluation.md counts how often regions hold: with few effective rounds and skewed
# rewards less often than their level, and most of those estimates break one of these rules.
FEW = 100  # effective rounds
FREEDOM = 10  # degrees of freedom of the standard error
SHARE = 0.05  # of all weight in one round
STRAYED = 3.0  # standard errors of the mean weight from 1
EVENTS = 30  # effective rounds whose reward is not the most common one
UNEVEN = 0.1  # difference between arms in the share of missing rewards
CONSTANT = 1e-6  # relative difference between propensities that is rounding
MODEL_ALONE = (
    "model alone: the region of DirectMethod shows how contexts vary, not how wrong the model is"
)
UNEVEN_LOGGING = (
    "uneven logging: Replay is biased where arms were not equally likely, or propensities are not "
    "known"
)

ESTIMATED_PROPENSITIES = (
    "estimated propensities: they lack every reason for a choice that is not in the contexts, and "
    "intervals treat them as exact"
)


def estimate_case(
    name: str, case: EvaluationCase, estimator: ValueEstimator, diagnostics: Diagnostics
) -> Estimate:
    """The estimate of a target's value, with its warnings."""
    terms = estimator.terms(case)
    sums = term_sums(terms)
    effects = influence(terms, sums)
    was_observed = ~np.isnan(case.rewards)
    sensitivity = None
    if has_estimated_weights(case):
        sensitivity = Sensitivity(case.log, case.played)

    estimate = Estimate(
        target=name,
        estimator=estimator,
        objectives=case.log.objective_names,
        sums=sums,
        spread=spread_of(effects, np.abs(sums.value)),
        seen=was_observed.sum(0),
        diagnostics=diagnostics,
        ranges=declared_ranges(case.log.objectives),
        kept=terms,
        sensitivity=sensitivity,
    )
    return estimate.warned(cautions(case, estimate))


class Evidence(NamedTuple):
    """Sums over rounds on which warnings about rewards rest; those of two parts of a log add up.

    Attributes:
        plays: (arms,) rounds in which each was played.
        missing: (objectives, arms) those of them without a reward.
        counted: (objectives,) rounds with a weight and a reward.
        rare: (objectives, 2) sums of w and w^2 over those without the most common reward.
    """

    plays: Array
    missing: Array
    counted: Array
    rare: Array


def evidence_of(case: EvaluationCase, weights: Array, common: Array) -> Evidence:
    """The sums of a case.

    Args:
        case: the target on the log.
        weights: (rounds,).
        common: (objectives,) the most common rewards.
    """
    log = case.log
    objectives = len(common)
    counted = np.zeros(objectives)
    rare = np.zeros((objectives, 2))
    is_weighted = weights > 0.0
    for l, rewards in enumerate(case.rewards.T):
        counts = is_weighted & ~np.isnan(rewards)
        counted[l] = np.count_nonzero(counts)
        rare_weights = weights[counts & (rewards != common[l])]
        rare[l] = rare_weights.sum(), rare_weights @ rare_weights

    return Evidence(plays_of(log), missing_plays(log), counted, rare)


def missing_plays(log: Feedback) -> Array:
    """(objectives, arms) the rounds in which each arm was played without a reward."""
    arms = len(log.arm_names)
    missing = np.zeros((len(log.objectives), arms))
    for l, is_missing in enumerate(np.isnan(log.rewards.T)):
        if is_missing.any():
            missing[l] = np.bincount(log.arms, weights=is_missing, minlength=arms)

    return missing


def common_rewards(rewards: Array, weights: Array) -> Array:
    """(objectives,) the most common reward of rounds with a weight; NaN without any."""
    common = np.full(rewards.shape[1], np.nan)
    for l, column in enumerate(rewards.T):
        counts = (weights > 0.0) & ~np.isnan(column)
        values, sizes = np.unique(column[counts], return_counts=True)
        if len(values):
            common[l] = values[sizes.argmax()]

    return common


def has_estimated_weights(case: EvaluationCase) -> bool:
    """Whether weights rest on estimated propensities: those of the logging policy are always 1."""
    return case.log.propensity_mode == ESTIMATED and case.probabilities is not None


def cautions(case: EvaluationCase, estimate: Estimate) -> tuple[str, ...]:
    """Why an estimate may not be trusted, a sentence for every rule that is broken.

    ================== =============================================================================
    rule               broken where
    ================== =============================================================================
    few rounds         fewer than 100 effective rounds (`Replay`: fewer than 100 rounds matched)
    heavy tails        fewer than 10 degrees of freedom: the standard error rests on few rounds, see
                       `Spread`
    one round          one round has more than 5 % of all weight
    wrong propensities the mean weight is more than 3 standard errors from 1
    overlap            the target plays arms that the logging policy could not, or never did, play
    few events         fewer than 30 effective rounds paid anything but the most common reward
    missing rewards    an objective was never observed, or its share of missing rewards differs by
                       more than 0.1 between two arms with at least 30 rounds each
    clipping           its bias may be larger than the standard error
    uneven logging     `Replay` on a log whose propensities differ, or are not known
    model alone        `DirectMethod`, always: its region does not show how wrong the model is
    estimated          weights from estimated propensities, always; also how many of these were
    propensities       below 0.01 and raised to it, where some were
    ================== =============================================================================

    Args:
        case: the target on the log.
        estimate: of its value.

    Example:
        >>> from mobandits.evaluation import Uniform, evaluate
        >>> from mobandits.logs import Feedback
        >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.25], ["a", "b"], ["q"])
        >>> evaluate(log, Uniform(), "ips").warnings[0].partition(";")[0]
        'few rounds: the log tells as much as 1.8 rounds of the target would'
    """
    estimator = estimate.estimator
    if isinstance(estimator, DirectMethod):
        return cautions_of_sums(estimate, None)

    is_replay = isinstance(estimator, Replay)
    weights = case.played if is_replay else case.weights
    common = common_rewards(case.rewards, weights)
    evidence = evidence_of(case, weights, common)
    if is_replay:
        return (*_of_replay(case), *_of_overlap(estimate), *_of_rewards(estimate, evidence))

    estimated = list(_of_estimated_propensities(case))
    return cautions_of_sums(estimate, evidence, estimated)


def cautions_of_sums(
    estimate: Estimate, evidence: Evidence | None, of_propensities: Sequence[str] = ()
) -> tuple[str, ...]:
    """As `cautions`, of an estimate by weights or the direct method.

    Args:
        estimate: with its diagnostics.
        evidence: of the rewards; not used by the direct method, whose terms are predictions:
            neither weights nor missing rewards reach them.
        of_propensities: further warnings.
    """
    if evidence is None or isinstance(estimate.estimator, DirectMethod):
        return (MODEL_ALONE, *_of_overlap(estimate), *_of_clipping(estimate))

    return (
        *_of_weights(estimate),
        *of_propensities,
        *_of_overlap(estimate),
        *_of_rewards(estimate, evidence),
    )


def _of_rewards(estimate: Estimate, evidence: Evidence) -> Iterator[str]:
    yield from _of_tails(estimate)
    yield from _of_events(estimate, evidence)
    yield from cautions_of_missing(estimate.objectives, evidence.missing, evidence.plays)
    yield from _of_clipping(estimate)


def doubts_of_weights(estimate: Estimate) -> list[str]:
    """The broken rules that weights alone can break: those of all estimators by weights."""
    return [*_of_weights(estimate), *_of_overlap(estimate)]


def _of_weights(estimate: Estimate) -> Iterator[str]:
    diagnostics = estimate.diagnostics
    rounds = diagnostics.effective_rounds
    if rounds < FEW:
        yield (
            f"few rounds: the log tells as much as {rounds:.3g} rounds of the target would; below "
            f"{FEW}, regions are not reliable"
        )

    if diagnostics.largest_share > SHARE:
        percent = 100 * diagnostics.largest_share
        limit = 100 * SHARE
        yield f"one round: it has {percent:.0f} % of all weight, more than {limit:g} %"
    if diagnostics.strayed > STRAYED:
        weight = diagnostics.mean_weight
        distance = diagnostics.strayed
        yield (
            f"wrong propensities: the mean weight is {weight:.3g}, {distance:.3g} standard errors "
            "from 1; propensities are wrong, or the logging policy could not play what the target "
            "plays"
        )


def _of_estimated_propensities(case: EvaluationCase) -> Iterator[str]:
    if not has_estimated_weights(case):
        return

    yield ESTIMATED_PROPENSITIES
    raised = (case.log.propensities <= FLOOR).mean()
    if raised > 0.0:
        percent = 100.0 * raised
        yield f"estimated propensities: {percent:.2g} % were below {FLOOR:g}, and were raised to it"


def _of_tails(estimate: Estimate) -> Iterator[str]:
    if estimate.freedom < FREEDOM:
        freedom = f"{estimate.freedom:.2g} degrees of freedom"
        yield (
            f"heavy tails: few rounds decide; the standard error has {freedom}, and below "
            f"{FREEDOM} regions may be too small"
        )


def _of_replay(case: EvaluationCase) -> Iterator[str]:
    matched = float(case.played.sum())
    if matched < FEW:
        yield (
            f"few rounds: the target matches {matched:.3g} rounds; below {FEW}, regions are not "
            "reliable"
        )

    # The logging policy itself matches every round, however uneven it is.
    if case.probabilities is not None and not is_even(case.log):
        yield UNEVEN_LOGGING


def is_even(log: Feedback) -> bool:
    """Whether all rounds have one known propensity.

    Example:
        >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.25], ["a", "b"], ["q"])
        >>> is_even(log)
        False
    """
    propensities = log.propensities
    rounding = CONSTANT * propensities.max()
    return bool(np.ptp(propensities) <= rounding)  # NaN compares False


def _of_overlap(estimate: Estimate) -> Iterator[str]:
    diagnostics = estimate.diagnostics
    if diagnostics.uncovered_mass > 0.0:
        rounds = 100 * diagnostics.uncovered_rounds
        plays = 100 * diagnostics.uncovered_mass
        yield (
            f"overlap: in {rounds:.1f} % of the rounds the target may play an arm that the "
            f"logging policy could not or never did play; {plays:.2f} % of its plays are beyond "
            "the log"
        )


def _of_events(estimate: Estimate, evidence: Evidence) -> Iterator[str]:
    # One click among a thousand rounds: the standard error is as uncertain as the click rate.
    names = estimate.objectives
    for name, rounds, (total, squares) in zip(names, evidence.counted, evidence.rare, strict=True):
        # How many rounds of equal weight tell as much as those without the most common reward.
        events = 0.0 if squares == 0.0 else total**2 / squares
        if events < EVENTS:
            yield (
                f"few events: in {name}, only {events:.3g} effective of {rounds:.0f} rounds with a "
                "weight brought a reward other than the most common one; "
                f"below {EVENTS}, regions are not reliable"
            )


def cautions_of_missing(
    objectives: Sequence[Hashable], missing: Array, plays: Array
) -> Iterator[str]:
    """Why missing rewards may mislead, a sentence for an objective.

    Args:
        objectives: their names.
        missing: (objectives, arms) plays without a reward.
        plays: (arms,) all plays.
    """
    for name, missing_plays in zip(objectives, missing, strict=True):
        if missing_plays.sum() == plays.sum():
            yield f"missing rewards: {name} was never observed"
            continue

        difference = _largest_difference(missing_plays, plays)
        if difference > UNEVEN:
            yield (
                f"missing rewards: in {name} the share that is missing differs by {difference:.2f} "
                "between arms; rounds are left out as if that did not depend on the arm"
            )


def _largest_difference(missing_plays: Array, plays: Array) -> float:
    """The largest difference between arms in the share of missing rewards."""
    often_played = plays >= EVENTS  # the share of a rarely played arm is mostly chance
    if not often_played.any():
        return 0.0

    shares = missing_plays[often_played] / plays[often_played]

    return float(np.ptp(shares))


def _of_clipping(estimate: Estimate) -> Iterator[str]:
    bias_bound = estimate.bias_bound
    errors = estimate.standard_error
    roundings = FLAT * np.abs(estimate.value)
    limits = np.maximum(errors, roundings)
    moved = zip(estimate.objectives, bias_bound, errors, limits, strict=True)
    for name, bias, error, limit in moved:
        if bias > limit:
            yield (
                f"clipping: in {name} it may have moved the estimate by {bias:.3g}, "
                f"its standard error is {error:.3g}"
            )
