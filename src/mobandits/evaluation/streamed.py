"""Many targets on a log that does not fit in memory: an answer made of sums over its chunks.

The log is read twice. Where something is fitted to other folds it is read before: once to count its
rounds, once for a reward model, and once for all recipes. The first pass adds up the terms, from
which values follow; the second the moments of their influences, which need the values. Chunks are
added in the order of the log, so that the answer depends on nothing else.
"""

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.evaluation.case import EvaluationCase, ValueEstimator, refuse_dependent
from mobandits.evaluation.diagnostics import (
    WeightSums,
    diagnosis,
    uncovered_sums,
    weight_sums,
)
from mobandits.evaluation.direct_method import DirectMethod
from mobandits.evaluation.doubly_robust import DoublyRobust
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.folds import PieceParts
from mobandits.evaluation.frozen import Frozen
from mobandits.evaluation.ips import Ips
from mobandits.evaluation.reliability import (
    Evidence,
    cautions_of_sums,
    common_rewards,
    evidence_of,
)
from mobandits.evaluation.reward_model import (
    CrossFitted,
    Model,
    RidgePerArm,
    RidgeSums,
    coefficients,
    ridge_sums,
)
from mobandits.evaluation.sequence import LookSums, declared_ranges, has_sequence, look_sums
from mobandits.evaluation.snips import Snips
from mobandits.evaluation.spread import Moments, axes_of, contrasts, moment_sums
from mobandits.evaluation.switch_dr import SwitchDr
from mobandits.evaluation.targets import (
    LoggingPolicy,
    StoredProbabilities,
    Target,
    check_target,
    learner_of,
    naming_target,
    probabilities_of,
)
from mobandits.evaluation.terms import (
    Terms,
    TermSums,
    added,
    influence,
    no_sums,
    ratio_of_sums,
    term_sums,
)
from mobandits.evaluation.trained_in_pieces import TrainedInPieces, survey, train
from mobandits.logs import Feedback
from mobandits.logs.objectives import Objective
from mobandits.logs.streams import LogStream, ParquetTable, Stream, beginning_of, steady
from mobandits.support.checks import integer
from mobandits.support.naming import quoted, wrong_value

OF_TABLES = (LoggingPolicy, StoredProbabilities)  # targets that need no arms
COMMON = 10_000  # rounds in which the most common reward is looked for
STREAMED = (Ips, Snips, DoublyRobust, SwitchDr, DirectMethod)


class TermTotals(NamedTuple):
    """What an estimator adds in the first pass.

    Attributes:
        terms: of each target.
        products: sums of products of the terms of all targets.
    """

    terms: tuple[TermSums, ...]
    products: Array


class EffectTotals(NamedTuple):
    """What an estimator adds in the second pass.

    Attributes:
        spreads: of each contrast, the sums that `spread_from` takes.
        looks: of each target, for intervals at any time; empty where there are none.
    """

    spreads: tuple[tuple[Array, Array], ...]
    looks: tuple[LookSums, ...]


class ChunkSums(NamedTuple):
    """The sums of the first pass.

    Attributes:
        weights: of each target.
        evidence: of each target.
        totals: of each estimator.
    """

    weights: tuple[WeightSums, ...]
    evidence: tuple[Evidence, ...]
    totals: tuple[TermTotals, ...]


class MomentSums(NamedTuple):
    """The sums of the second pass.

    Attributes:
        uncovered: (targets, 2) rounds and plays with an arm that occurs nowhere in the log.
        totals: of each estimator.
    """

    uncovered: Array
    totals: tuple[EffectTotals, ...]


Found = tuple[Sequence[Objective], dict[tuple[str, str], Estimate]]
Divide = Callable[[int, Any], IntArray]


def stream_estimates(
    stream: Stream,
    targets: Mapping[str, Target],
    by_label: Mapping[str, ValueEstimator],
    divide: Divide,
    *,
    model: Model,
    seed: int,
    forward: bool = False,
) -> Found:
    """The objectives, and {(target, estimator): estimate}.

    Args:
        stream: the log.
        targets: recipes, and others whose probabilities in a round depend on that round only.
        by_label: {label: estimator}.
        divide: the part of every round, from their number and the type of the parts' numbers.
        model: None for the default one.
        seed: of what recipes draw.
        forward: whether only earlier parts teach. The first one is not valued then.

    Raises:
        ValueError: naming what needs the log as a whole.
    """
    integer("seed", seed, at_least=0)
    if isinstance(stream, LogStream):
        stream = LogStream(steady(stream.chunks))

    first = beginning_of(stream)
    check_streamed(stream, first, targets, by_label, model)
    learners = {}
    for name, target in targets.items():
        learner = learner_of(target)
        if learner is not None:
            learners[name] = learner

    reading = StreamedCases(targets)
    needs_model = any(each.needs_model for each in by_label.values())
    if isinstance(stream, LogStream) and (needs_model or learners):
        known = survey(stream, learners)
        ends = np.cumsum([0, *known.sizes])
        parts = PieceParts(divide(int(ends[-1]), np.int16), ends, forward)
        if needs_model:
            reading.fit(stream, parts, model if isinstance(model, RidgePerArm) else RidgePerArm())

        reading.targets |= train(stream, learners, known, parts, seed)
        if forward:
            stream = reading.skip_first(stream, parts)
            first = beginning_of(stream)

    passes = _Passes(reading, by_label, stream)
    chunk_sums = passes.know(stream.each(passes.first))
    moments = functools.reduce(added, stream.each(passes.second))

    return first.objectives, passes.estimates(chunk_sums, moments)


def check_streamed(
    stream: Stream,
    first: Feedback,
    targets: Mapping[str, Target],
    by_label: Mapping[str, ValueEstimator],
    model: Model,
) -> None:
    """Refuse what is no sum over chunks.

    Args:
        stream: the log.
        first: its first chunk.
        targets: as in `stream_estimates`, as are the others.
        by_label: the estimators.
        model: of the rewards.

    Raises:
        ValueError: naming it.
    """
    for label, estimator in by_label.items():
        # What clipping takes from a weighted mean depends on that mean.
        is_clipped_mean = isinstance(estimator, Snips) and estimator.clip is not None
        if is_clipped_mean or not isinstance(estimator, STREAMED):
            names = ", ".join(kind.name for kind in STREAMED)
            rule = f"estimators must be of {names}, and snips without clip, for a stream"
            raise ValueError(f"{rule}, got {label}")
        if estimator.needs_model and isinstance(stream, ParquetTable):
            rule = "estimators must need no reward model for a table without contexts"
            raise ValueError(f"{rule}, got {label}")

    if model is not None and not isinstance(model, RidgePerArm):
        raise wrong_value("model must be a RidgePerArm for a stream", model)

    for name, target in targets.items():
        learns = learner_of(target) is not None
        is_of_rounds = callable(target) or isinstance(target, LoggingPolicy | StoredProbabilities)
        if not learns and not is_of_rounds:
            rule = "must be a recipe or a function of a chunk, such as Uniform(), for a stream"
            advice = "what has a row per round needs the log as a whole"
            raise ValueError(f"target {quoted(name)}: it {rule}, got {quoted(target)}; {advice}")
        if isinstance(stream, ParquetTable) and not isinstance(target, OF_TABLES):
            rule = "must be LoggingPolicy() or StoredProbabilities(column) for a table without arms"
            raise wrong_value(f"target {quoted(name)}: it {rule}", target)

        with naming_target(name):
            check_target(target, first)


class StreamedCases:
    """The cases of a chunk: every target on it, with the reward model where there is one.

    Args:
        targets: {name: target}.
    """

    def __init__(self, targets: Mapping[str, Target]) -> None:
        self.targets = dict(targets)
        self.model: tuple[PieceParts, Array, Array] | None = None

    def fit(self, stream: LogStream, parts: PieceParts, model: RidgePerArm) -> None:
        """Fit the reward model."""

        def sums_of(number: int, chunk: Feedback) -> RidgeSums:
            return ridge_sums(chunk, parts.of(number), parts.part_count)

        sums_by_part = functools.reduce(added, stream.each(sums_of))
        sums = sums_by_part.that_teach(forward=parts.forward)
        means = sums.means
        theta = coefficients(sums, means, model.penalty)
        self.model = parts, means, theta

    def skip_first(self, stream: LogStream, parts: PieceParts) -> LogStream:
        """The log without the first part, which nothing can be learned before."""
        rest = parts.later()
        for target in self.targets.values():
            if isinstance(target, TrainedInPieces):
                target.parts = rest
        if self.model is not None:
            self.model = (rest, *self.model[1:])

        def chunks() -> Iterator[Feedback]:
            skipped = parts.first
            for chunk in stream:
                refuse_dependent(chunk)
                if skipped < len(chunk):
                    yield chunk[skipped:]

                skipped = max(0, skipped - len(chunk))

        return LogStream(chunks)

    def cases(self, number: int, chunk: Feedback) -> list[EvaluationCase]:
        """A case per target."""
        refuse_dependent(chunk)
        predictions = None
        if self.model is not None:
            parts, means, theta = self.model
            predictions = CrossFitted(chunk, parts.of(number), means, theta)

        no_folds = np.zeros(len(chunk), np.int64)
        cases = []
        for target in self.targets.values():
            if isinstance(target, StoredProbabilities):
                cases.append(target.case(chunk))
                continue

            has_law = isinstance(target, Frozen | TrainedInPieces)
            given = target.law(chunk, number) if has_law else target
            law = probabilities_of(given, chunk, no_folds)
            cases.append(EvaluationCase(chunk, law, predictions))

        return cases


class _EstimatorPasses:
    """The two passes of one estimator, and what one hands to the next.

    Args:
        estimator: of all targets.
        cases: the targets on the first chunk, which says about where values lie.
        ranges: (2, objectives) as objectives declare them.
    """

    def __init__(
        self, estimator: ValueEstimator, cases: Sequence[EvaluationCase], ranges: Array
    ) -> None:
        self.estimator = estimator
        self.ranges = ranges
        about_values = map(ratio_of_sums, self.terms(cases))
        self.shifts = [np.nan_to_num(value) for value in about_values]
        # Intervals at any time need ranges, and this estimator.
        has_ranges = bool(np.isfinite(ranges).all())
        self.has_looks = has_sequence(estimator) and has_ranges
        objectives = ranges.shape[1]
        self.before = [tuple(no_sums(objectives) for _ in cases)]

    def terms(self, cases: Sequence[EvaluationCase]) -> list[Terms]:
        """The terms of each target."""
        return [self.estimator.terms(case) for case in cases]

    def first(self, cases: Sequence[EvaluationCase]) -> TermTotals:
        """What a chunk adds in the first pass."""
        all_terms = self.terms(cases)
        columns = []
        for terms, shift in zip(all_terms, self.shifts, strict=True):
            # Less about their value, so that hardly anything cancels in what follows.
            columns.append(terms.numerator - shift * terms.denominator)
            columns.append(terms.denominator)

        table = np.hstack(columns)

        return TermTotals(tuple(map(term_sums, all_terms)), table.T @ table)

    def know(self, totals: TermTotals) -> None:
        """Take over the sums of the first pass."""
        self.sums = totals.terms
        rounds = self.sums[0].rounds
        sizes = [np.abs(sums.value) for sums in self.sums]
        leads = [self._lead(target) for target in range(len(self.sums))]
        sizes_of_contrasts = contrasts(sizes, np.add)
        self.axes = []
        for lead, size in zip(contrasts(leads), sizes_of_contrasts, strict=True):
            products = lead @ totals.products @ lead.T
            axes = axes_of(products, rounds, size)
            self.axes.append(axes)

    def _lead(self, target: int) -> Array:
        """(objectives, columns) from the columns of the first pass to influences, to first order."""
        sums = self.sums[target]
        shift = self.shifts[target]
        objectives = np.arange(len(shift))
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = (sums.rounds - 1) / sums.denominator

        # What one round alone decides has no influences.
        scale = np.where(sums.largest.value[2] == sums.denominator, np.nan, scale)
        lead = np.zeros((len(shift), len(self.sums), 2, len(shift)))
        lead[objectives, target, 0, objectives] = scale
        lead[objectives, target, 1, objectives] = scale * (shift - sums.value)

        return lead.reshape(len(shift), -1)

    def second(self, number: int, cases: Sequence[EvaluationCase]) -> EffectTotals:
        """What a chunk adds in the second pass."""
        all_terms = self.terms(cases)
        influences = list(map(influence, all_terms, self.sums))
        spreads = []
        for effects, axes in zip(contrasts(influences), self.axes, strict=True):
            spreads.append((effects.T @ effects, moment_sums(effects, axes)))

        looks: list[LookSums] = []
        if self.has_looks:
            for terms, before in zip(all_terms, self.before[number], strict=True):
                looks.append(look_sums(terms, before, self.ranges))

        return EffectTotals(tuple(spreads), tuple(looks))

    def moments(self, totals: EffectTotals) -> list[Moments]:
        """The sums of each contrast."""
        rounds = self.sums[0].rounds
        folded = zip(self.axes, totals.spreads, strict=True)
        return [Moments(rounds, products, axes, sums) for axes, (products, sums) in folded]


class _Passes:
    """The two passes over a stream.

    Args:
        reading: makes the cases.
        by_label: {label: estimator}.
        stream: the log, whose first rounds say which rewards are common.
    """

    def __init__(
        self, reading: StreamedCases, by_label: Mapping[str, ValueEstimator], stream: Stream
    ) -> None:
        first = beginning_of(stream)
        self.reading = reading
        self.objectives = first.objective_names
        self.ranges = declared_ranges(first.objectives)
        self.are_weighted = any(each.needs_propensities for each in by_label.values())
        cases = reading.cases(0, first)
        self.common = self._common(stream)
        self.by_label = {
            label: _EstimatorPasses(each, cases, self.ranges) for label, each in by_label.items()
        }

    def _common(self, stream: Stream) -> list[Array]:
        """(objectives,) the most common rewards of every target, in the first rounds."""
        rewards = []
        weights = []
        count = 0
        for number, chunk in enumerate(stream):
            rewards.append(chunk.rewards)
            weights.append([self.weights(case) for case in self.reading.cases(number, chunk)])
            count += len(chunk)
            if count >= COMMON:
                break

        first_rewards = np.concatenate(rewards)
        by_target = map(np.concatenate, zip(*weights, strict=True))

        return [common_rewards(first_rewards, each) for each in by_target]

    def weights(self, case: EvaluationCase) -> Array:
        """(rounds,) weights; something in their place where no estimator asks for them."""
        return case.weights if self.are_weighted else case.played

    def first(self, number: int, chunk: Feedback) -> ChunkSums:
        """What a chunk adds in the first pass."""
        cases = self.reading.cases(number, chunk)
        evidence = []
        for case, common in zip(cases, self.common, strict=True):
            evidence.append(evidence_of(case, self.weights(case), common))

        return ChunkSums(
            weights=tuple(map(weight_sums, cases)),
            evidence=tuple(evidence),
            totals=tuple(each.first(cases) for each in self.by_label.values()),
        )

    def know(self, chunks: Iterable[ChunkSums]) -> ChunkSums:
        """Take over the sums of the first pass, and return those of the log."""
        estimators = self.by_label.values()
        for sums in itertools.accumulate(chunks, added):
            for each, totals in zip(estimators, sums.totals, strict=True):
                if each.has_looks:
                    # Guesses of the chunk that follows rest on all rounds until here.
                    each.before.append(totals.terms)

        for each, totals in zip(estimators, sums.totals, strict=True):
            each.know(totals)

        self.unplayed = sums.weights[0].plays == 0
        return sums

    def second(self, number: int, chunk: Feedback) -> MomentSums:
        """What a chunk adds in the second pass."""
        cases = self.reading.cases(number, chunk)
        uncovered = [uncovered_sums(case, self.unplayed) for case in cases]
        totals = [each.second(number, cases) for each in self.by_label.values()]

        return MomentSums(np.array(uncovered), tuple(totals))

    def estimates(self, sums: ChunkSums, moments: MomentSums) -> dict[tuple[str, str], Estimate]:
        """{(target, estimator): estimate}."""
        names = list(self.reading.targets)
        found = {}
        for (label, each), totals in zip(self.by_label.items(), moments.totals, strict=True):
            all_moments = each.moments(totals)
            pairs = itertools.combinations(names, 2)
            of_pairs = dict(zip(pairs, all_moments[len(names) :], strict=True))
            for t, name in enumerate(names):
                evidence = sums.evidence[t]
                seen = evidence.plays.sum() - evidence.missing.sum(1)
                estimate = Estimate(
                    target=name,
                    estimator=each.estimator,
                    objectives=self.objectives,
                    sums=each.sums[t],
                    spread=all_moments[t].spread,
                    seen=seen.astype(np.int64),
                    diagnostics=diagnosis(sums.weights[t], moments.uncovered[t]),
                    ranges=self.ranges,
                    moments=all_moments[t],
                    looks=totals.looks[t] if each.has_looks else None,
                    differences={other: of_pairs[name, other] for other in names[t + 1 :]},
                )
                found[name, label] = estimate.warned(cautions_of_sums(estimate, evidence))

        # In the order of a log in memory.
        return {(name, label): found[name, label] for name in names for label in self.by_label}
