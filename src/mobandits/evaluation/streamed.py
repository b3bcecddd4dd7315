"""Many targets on a log that does not fit in memory: an answer made of sums over its chunks.

The log is read twice, and once more where a reward model is fitted. The first pass adds up the
terms, from which values follow; the second the moments of their influences, which need the values.
Chunks are added in the order of the log, so that the answer depends on nothing else.
"""

import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.evaluation.case import EvaluationCase, ValueEstimator, refuse_ranks
from mobandits.evaluation.diagnostics import (
    WeightSums,
    diagnosis,
    uncovered_sums,
    weight_sums,
)
from mobandits.evaluation.direct_method import DirectMethod
from mobandits.evaluation.doubly_robust import DoublyRobust
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.folds import folds_of_chunk
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
from mobandits.evaluation.spread import axes_of, moment_sums, spread_from
from mobandits.evaluation.switch_dr import SwitchDr
from mobandits.evaluation.targets import (
    LoggingPolicy,
    StoredProbabilities,
    Target,
    check_target,
    learner_of,
    probabilities_of,
)
from mobandits.evaluation.terms import (
    Largest,
    Terms,
    TermSums,
    added,
    influence,
    no_sums,
    ratio_of_sums,
    term_sums,
)
from mobandits.logs import Feedback
from mobandits.logs.objectives import Objective
from mobandits.logs.streams import LogStream, ParquetTable
from mobandits.support.naming import quoted

STREAMED = (Ips, Snips, DoublyRobust, SwitchDr, DirectMethod)
Stream = LogStream | ParquetTable


class ChunkSums(NamedTuple):
    """The sums of the first pass.

    Attributes:
        weights: of each target.
        evidence: of each target.
        terms: of each estimator, those of each target.
        largest: (estimators, targets, objectives) denominators.
        products: of each estimator, sums of products of the terms of all targets.
    """

    weights: tuple[WeightSums, ...]
    evidence: tuple[Evidence, ...]
    terms: tuple[tuple[TermSums, ...], ...]
    largest: Largest
    products: tuple[Array, ...]


class MomentSums(NamedTuple):
    """The sums of the second pass.

    Attributes:
        uncovered: (targets, 2) rounds and plays with an arm that occurs nowhere in the log.
        spreads: of each estimator and contrast, the sums that `spread_from` takes.
        looks: of each target, for intervals at any time; empty where there are none.
    """

    uncovered: Array
    spreads: tuple[tuple[Array, Array], ...]
    looks: tuple[LookSums, ...]


def stream_estimates(
    stream: Stream,
    targets: Mapping[str, Target],
    by_label: Mapping[str, ValueEstimator],
    *,
    model: Model,
    folds: int,
    seed: int,
) -> tuple[Sequence[Objective], dict[tuple[str, str], Estimate]]:
    """The objectives, and {(target, estimator): estimate}.

    Args:
        stream: the log.
        targets: whose probabilities in a round depend on that round only.
        by_label: {label: estimator}.
        model: None for the default one.
        folds: as in `compare`; each chunk is divided by itself.
        seed: of the folds.

    Raises:
        ValueError: naming what needs the log as a whole.
    """
    first = next(iter(stream), None)
    if first is None:
        raise ValueError("log must have at least one round, got none")

    check_streamed(stream, first, targets, by_label, model)
    reading = StreamedCases(targets, folds, seed)
    if any(each.needs_model for each in by_label.values()):
        sums = functools.reduce(added, stream.each(reading.ridge_sums))
        reading.fit(sums, model if isinstance(model, RidgePerArm) else RidgePerArm())

    passes = _Passes(reading, by_label, first)
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
        raise ValueError(f"model must be a RidgePerArm for a stream, got {quoted(model)}")

    for name, target in targets.items():
        is_of_rounds = callable(target) or isinstance(target, LoggingPolicy | StoredProbabilities)
        if learner_of(target) is not None or not is_of_rounds:
            rule = "must be a function of a chunk, such as Uniform() or Frozen(agent), for a stream"
            advice = "what learns from it, or has a row per round, needs the log as a whole"
            got = quoted(target)
            raise ValueError(f"target {quoted(name)}: it {rule}, got {got}; {advice}")

        check_target(target, first)


class StreamedCases:
    """The cases of a chunk: every target on it, with the reward model where there is one.

    Args:
        targets: {name: target}.
        folds: their number.
        seed: of the folds.
    """

    def __init__(self, targets: Mapping[str, Target], folds: int, seed: int) -> None:
        self.targets = targets
        self.folds = folds
        self.seed = seed
        self.model: tuple[Array, Array] | None = None

    def folds_of(self, number: int, chunk: Feedback) -> IntArray:
        """(rounds,) the folds of a chunk."""
        return folds_of_chunk(len(chunk), self.folds, self.seed, number)

    def ridge_sums(self, number: int, chunk: Feedback) -> RidgeSums:
        """What a chunk adds to the reward model."""
        return ridge_sums(chunk, self.folds_of(number, chunk), self.folds)

    def fit(self, sums: RidgeSums, model: RidgePerArm) -> None:
        """Fit the reward model."""
        means = sums.means()
        self.model = means, coefficients(sums, means, model.penalty)

    def cases(self, number: int, chunk: Feedback) -> list[EvaluationCase]:
        """A case per target."""
        refuse_ranks(chunk)
        predictions = None
        if self.model is not None:
            predictions = CrossFitted(chunk, self.folds_of(number, chunk), *self.model)

        no_folds = np.zeros(len(chunk), np.int64)
        cases = []
        for target in self.targets.values():
            if isinstance(target, StoredProbabilities):
                cases.append(target.case(chunk))
                continue

            law = probabilities_of(target, chunk, no_folds)
            cases.append(EvaluationCase(chunk, law, predictions))

        return cases


class _Passes:
    """The two passes over a stream, and what one hands to the next.

    Args:
        reading: makes the cases.
        by_label: {label: estimator}.
        first: the first chunk, which says about where values lie, and which reward is common.
    """

    def __init__(
        self, reading: StreamedCases, by_label: Mapping[str, ValueEstimator], first: Feedback
    ) -> None:
        self.reading = reading
        self.by_label = by_label
        self.objectives = first.objective_names
        self.are_weighted = any(each.needs_propensities for each in by_label.values())
        cases = reading.cases(0, first)
        self.ranges = declared_ranges(first.objectives)
        # Intervals at any time need ranges, and one estimator has them.
        has_ranges = np.isfinite(self.ranges).all()
        estimators = enumerate(by_label.values())
        self.looked = [e for e, each in estimators if has_ranges and has_sequence(each)]
        self.before = [tuple(no_sums(len(self.objectives)) for _ in cases)]
        self.common = [common_rewards(first.rewards, self.weights(case)) for case in cases]
        self.shifts = [
            [np.nan_to_num(ratio_of_sums(terms)) for terms in of_targets]
            for of_targets in self.terms(cases)
        ]
        targets = range(len(cases))
        alone = [(each, None) for each in targets]
        self.contrasts: list[tuple[int, int | None]] = [*alone, *itertools.combinations(targets, 2)]

    def weights(self, case: EvaluationCase) -> Array:
        """(rounds,) weights; something in their place where no estimator asks for them."""
        return case.weights if self.are_weighted else case.played

    def terms(self, cases: Sequence[EvaluationCase]) -> list[list[Terms]]:
        """The terms of each estimator and case."""
        return [[each.terms(case) for case in cases] for each in self.by_label.values()]

    def first(self, number: int, chunk: Feedback) -> ChunkSums:
        """What a chunk adds in the first pass."""
        cases = self.reading.cases(number, chunk)
        evidence = []
        for case, common in zip(cases, self.common, strict=True):
            evidence.append(evidence_of(case, self.weights(case), common))

        all_terms = self.terms(cases)
        products = []
        for of_targets, shifts in zip(all_terms, self.shifts, strict=True):
            columns = []
            for terms, shift in zip(of_targets, shifts, strict=True):
                # Less about their value, so that hardly anything cancels in what follows.
                columns.append(terms.numerator - shift * terms.denominator)
                columns.append(terms.denominator)

            table = np.hstack(columns)
            products.append(table.T @ table)

        largest = [[terms.denominator.max(0) for terms in each] for each in all_terms]

        return ChunkSums(
            weights=tuple(map(weight_sums, cases)),
            evidence=tuple(evidence),
            terms=tuple(tuple(map(term_sums, of_targets)) for of_targets in all_terms),
            largest=Largest(np.array(largest)),
            products=tuple(products),
        )

    def know(self, chunks: Iterable[ChunkSums]) -> ChunkSums:
        """Take over the sums of the first pass, and return those of the log."""
        for sums in itertools.accumulate(chunks, added):
            # Guesses of the chunk that follows rest on all rounds until here.
            self.before.extend(sums.terms[e] for e in self.looked)

        self.sums = sums.terms
        self.unplayed = sums.weights[0].plays == 0
        self.axes = []
        for e, of_targets in enumerate(sums.terms):
            leads = []
            for t, each in enumerate(of_targets):
                leads.append(self._lead(t, each, sums.largest.value[e, t], self.shifts[e][t]))

            for first, second in self.contrasts:
                lead = leads[first]
                size = np.abs(of_targets[first].value)
                if second is not None:
                    lead = lead - leads[second]
                    size = size + np.abs(of_targets[second].value)

                products = lead @ sums.products[e] @ lead.T
                self.axes.append(axes_of(products, of_targets[0].rounds, size))

        return sums

    def _lead(self, target: int, sums: TermSums, largest: Array, shift: Array) -> Array:
        """(objectives, columns) from the columns of the first pass to influences, to first order."""
        objectives = np.arange(len(shift))
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = (sums.rounds - 1) / sums.denominator

        # What one round alone decides has no influences.
        scale = np.where(largest == sums.denominator, np.nan, scale)
        lead = np.zeros((len(shift), len(self.common), 2, len(shift)))
        lead[objectives, target, 0, objectives] = scale
        lead[objectives, target, 1, objectives] = scale * (shift - sums.value)

        return lead.reshape(len(shift), -1)

    def second(self, number: int, chunk: Feedback) -> MomentSums:
        """What a chunk adds in the second pass."""
        cases = self.reading.cases(number, chunk)
        all_terms = self.terms(cases)
        axes = iter(self.axes)
        spreads = []
        for of_targets, sums in zip(all_terms, self.sums, strict=True):
            influences = list(map(influence, of_targets, sums))
            for first, second in self.contrasts:
                effects = influences[first]
                if second is not None:
                    effects = effects - influences[second]

                spreads.append((effects.T @ effects, moment_sums(effects, next(axes))))

        uncovered = [uncovered_sums(case, self.unplayed) for case in cases]
        looks: list[LookSums] = []
        for e in self.looked:
            for terms, before in zip(all_terms[e], self.before[number], strict=True):
                looks.append(look_sums(terms, before, self.ranges))

        return MomentSums(np.array(uncovered), tuple(spreads), tuple(looks))

    def estimates(self, sums: ChunkSums, moments: MomentSums) -> dict[tuple[str, str], Estimate]:
        """{(target, estimator): estimate}."""
        names = list(self.reading.targets)
        folded = iter(zip(self.axes, moments.spreads, strict=True))
        rounds = sums.weights[0].rounds
        found = {}
        for e, (label, estimator) in enumerate(self.by_label.items()):
            of_targets = self.sums[e]
            spreads = {}
            for contrast in self.contrasts:
                axes, (products, moment) = next(folded)
                spreads[contrast] = spread_from(rounds, products, axes, moment)

            for t, name in enumerate(names):
                evidence = sums.evidence[t]
                seen = evidence.plays.sum() - evidence.missing.sum(1)
                later = range(t + 1, len(names))
                estimate = Estimate(
                    target=name,
                    estimator=estimator,
                    objectives=self.objectives,
                    sums=of_targets[t],
                    spread=spreads[t, None],
                    seen=seen.astype(np.int64),
                    diagnostics=diagnosis(sums.weights[t], moments.uncovered[t]),
                    ranges=self.ranges,
                    looks=moments.looks[t] if e in self.looked else None,
                    differences={names[other]: spreads[t, other] for other in later},
                )
                found[name, label] = estimate.warned(cautions_of_sums(estimate, evidence))

        return found
