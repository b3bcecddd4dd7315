"""The findings of independent runs about theorems, and the counts that they add up to."""

import itertools
import math
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mobandits.contracts.protocols import Array, Block, Environment, IntArray, Problem, Rng
from mobandits.simulation.streams import INSTANCE, POLICY, ROUNDS, stream
from mobandits.simulation.truth import BlockGroundTruth
from mobandits.support.checks import integer

# Events may fail with this probability: often enough that 200 runs can tell it from a mistake.
DELTA = 0.1
ROUNDING = 1e-9  # relative: what sums of floats may be off by
POINTS = 50  # of curves

Kind = Literal["event", "inequality", "bound", "doubted", "expectation"]
KINDS: dict[Kind, str] = {
    "event": "fails in no more runs than promised",
    "inequality": "holds in every round of every run in which the event holds",
    "bound": "is not exceeded in any run in which the event holds",
    "doubted": "a bound whose proof has a gap: reported, whether it is exceeded or not",
    "expectation": (
        "is not exceeded by the mean over all runs, whether their events hold or not, by more than "
        "three standard errors"
    ),
}
ERRORS = 3.0  # standard errors that the mean of an expectation is granted


class Curve(NamedTuple):
    """A run's regret beside its bound, at some rounds; (points,) each."""

    rounds: IntArray
    regret: Array
    bound: Array


class Finding(NamedTuple):
    """The finding of one run about one statement.

    Attributes:
        kind: an event, an inequality that holds on the event in every round, a bound on the
            regret, doubted or not, or a bound on its expectation.
        name: in words.
        source: theorem or lemma.
        cases: how often the statement was looked at: rounds, or 1 for an event or an expectation.
        broken: how often it was false; 0 for an expectation, of which one run says nothing.
        closest: the largest ratio of the two sides; above 1 it is false. Of an expectation, the
            run's own ratio.
        promise: the probability with which an event may fail.
        curve: of a bound.
    """

    kind: Kind
    name: str
    source: str
    cases: int
    broken: int
    closest: float
    promise: float = 0.0
    curve: Curve | None = None


class Count(NamedTuple):
    """The count of all runs about one statement: the fields of `Finding`, added up.

    Attributes:
        paper: its key.
        kind: of statement.
        name: in words.
        source: theorem or lemma.
        runs: how many runs looked at it; inequalities and bounds only where the event held.
        cases: how often it was looked at; once for an expectation.
        broken: how often it was false.
        promise: the probability with which an event may fail.
        allowed: up to how many `broken` agree with the promise, with three standard deviations.
        closest: the largest ratio of the two sides; of an expectation, the ratio of the mean.
        holds: whether `broken` is allowed.
    """

    paper: str
    kind: Kind
    name: str
    source: str
    runs: int
    cases: int
    broken: int
    promise: float
    allowed: float
    closest: float
    holds: bool

    def __str__(self) -> str:
        """One line."""
        start = f"{self._verdict()}  {self.source}: {self.name}"
        if self.kind == "expectation":
            return f"{start}: the mean of {self.runs} runs is {self.closest:.3g} times its bound"

        where = f"cases in {self.runs} runs"
        if self.kind == "event":  # which has one case per run
            where = f"runs (up to {self.allowed:.1f} allowed)"

        counted = f"false in {self.broken} of {self.cases} {where}"

        return f"{start}: {counted}; largest ratio {self.closest:.3g}"

    def _verdict(self) -> str:
        if self.holds:
            return "holds"
        # A doubted bound may be exceeded without a mistake of ours.
        return "doubt" if self.kind == "doubted" else "FAILS"


class Report(NamedTuple):
    """The counts of one paper, and the curves of its bounds, {name: one per run}."""

    counts: tuple[Count, ...]
    curves: dict[str, tuple[Curve, ...]]

    @property
    def holds(self) -> bool:
        """Whether everything is as promised; what is doubted need not be."""
        firm = [count for count in self.counts if count.kind != "doubted"]
        return all(count.holds for count in firm)


class Trial(NamedTuple):
    """A run to be played: a problem, all of its rounds at once, and the policy's stream."""

    problem: Problem
    block: Block
    rng: Rng

    @property
    def truth(self) -> BlockGroundTruth:
        """The truth behind the rounds, as metrics ask for it."""
        return BlockGroundTruth(self.block)


def trial(environment: Environment, rounds: int, seed: int, run: int, text: str) -> Trial:
    """One run's problem and rounds; the policy's stream depends on its text, as in simulations."""
    instance_rng = stream(seed, run, INSTANCE)
    rounds_rng = stream(seed, run, ROUNDS)
    problem = environment.problem(rounds, instance_rng)
    block = problem.block(0, rounds, rounds_rng)
    policy_rng = stream(seed, run, POLICY, text)

    return Trial(problem, block, policy_rng)


def event(name: str, source: str, left: ArrayLike, right: ArrayLike, promise: float) -> Finding:
    """An event: left <= right at all times, but for a probability of `promise`."""
    broken, closest = compared(left, right)
    failed = bool(broken.any())
    # An event fails once per run, however often it is false there.
    return Finding("event", name, source, 1, int(failed), closest, promise)


def inequality(
    name: str, source: str, left: ArrayLike, right: ArrayLike, where: ArrayLike = True
) -> Finding:
    """An inequality: left <= right in every round that `where` says."""
    lefts = np.asarray(left)
    rights = np.asarray(right)
    wheres = np.asarray(where, np.bool_)
    # One shape for all three: a side may be the same in all rounds, and `where` in all columns.
    shape = np.broadcast_shapes(lefts.shape, rights.shape)
    is_asked = np.broadcast_to(wheres, shape)
    left_asked = np.broadcast_to(lefts, shape)[is_asked]
    right_asked = np.broadcast_to(rights, shape)[is_asked]

    return held_against("inequality", name, source, left_asked, right_asked)


def held_against(
    kind: Kind,
    name: str,
    source: str,
    left: ArrayLike,
    right: ArrayLike,
    curve: Curve | None = None,
) -> Finding:
    """A statement that left <= right, looked at in every case, with the curve of a bound."""
    broken, closest = compared(left, right)
    return Finding(kind, name, source, broken.size, int(broken.sum()), closest, curve=curve)


def bound(name: str, source: str, per_round: Array, right: Array, kind: Kind = "bound") -> Finding:
    """The sums of `per_round` (rounds,) against a bound after every round, (rounds,)."""
    regret = np.cumsum(per_round)
    bounds = np.broadcast_to(right, regret.shape)
    return held_against(kind, name, source, regret, bounds, curve_of(regret, bounds))


def curve_of(regret: Array, bounds: Array) -> Curve:
    """The curve of a regret and its bound after every round, (rounds,) each."""
    # Evenly spread on logarithmic axes.
    spaced = np.geomspace(1, len(regret), POINTS)
    points = np.unique(spaced.astype(np.int64))
    at_points = points - 1
    return Curve(points, regret[at_points], bounds[at_points])


def doubted(name: str, source: str, per_round: Array, right: Array) -> Finding:
    """The same as `bound`, where the bound's proof has a gap."""
    return bound(name, source, per_round, right, "doubted")


def expectation(name: str, source: str, per_round: Array, limit: float) -> Finding:
    """The sum of `per_round` (rounds,) of one run, whose expectation a bound limits."""
    regret = float(np.sum(per_round))
    ratio = regret / limit
    return Finding("expectation", name, source, 1, 0, ratio)


def compared(left: ArrayLike, right: ArrayLike) -> tuple[Any, float]:
    """Where left > right by more than rounding, and the largest ratio left / right.

    Example:
        >>> compared([1.0, 2.0], [2.0, 2.0])
        (array([False, False]), 1.0)
    """
    lefts = np.asarray(left, np.float64)
    rights = np.asarray(right, np.float64)
    smaller, larger = np.broadcast_arrays(lefts, rights)

    with np.errstate(divide="ignore", invalid="ignore"):
        # What is at most 0 is no strain on any bound, even on one of 0.
        ratios = np.where(smaller <= 0.0, 0.0, smaller / larger)

    largest = float(np.nanmax(ratios, initial=0.0))

    tolerance = ROUNDING * np.maximum(1.0, np.abs(larger))
    broken = smaller > larger + tolerance

    return broken, largest


def on_the_event(first: Finding, others: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """An event's finding, and what holds on the event where it did."""
    # Where the event failed, the theorems promise nothing.
    if first.broken:
        return [first]
    return [first, *others()]


def repeat(
    paper: str,
    one: Callable[[int], Sequence[Finding]],
    runs: int,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """The findings of `one(run)` for run = 0, 1, ..., added up.

    The report is the same for any number of workers.

    Raises:
        ValueError: where `runs` is not an integer of at least 1.
    """
    integer("runs", runs, at_least=1)
    done: list[Sequence[Finding]] = []
    pool = ThreadPoolExecutor(workers or os.cpu_count())
    try:
        # The first run compiles what all of them need: threads that compile together wait for each
        # other.
        first = [one(0)]
        others = pool.map(one, range(1, runs))
        for findings in itertools.chain(first, others):
            done.append(findings)
            if progress is not None:
                progress(len(done), runs)
    finally:
        pool.shutdown(cancel_futures=True)

    return added_up(paper, done)


def added_up(paper: str, runs: Sequence[Sequence[Finding]]) -> Report:
    """One count per statement, in the order of their first appearance.

    Args:
        paper: its key.
        runs: the findings of each.
    """
    # A run has no findings on what follows from an event that failed in it: statements differ in
    # their runs.
    statements: dict[tuple[str, str], list[Finding]] = {}
    for finding in itertools.chain.from_iterable(runs):
        statements.setdefault((finding.kind, finding.name), []).append(finding)

    counts = []
    curves = {}
    for (kind, name), findings in statements.items():
        counts.append(_count(paper, findings))
        if kind in ("bound", "doubted"):
            own = [finding.curve for finding in findings if finding.curve is not None]
            curves[name] = tuple(own)

    return Report(tuple(counts), curves)


def _count(paper: str, findings: Sequence[Finding]) -> Count:
    first = findings[0]
    runs = len(findings)
    cases = sum(finding.cases for finding in findings)
    broken = sum(finding.broken for finding in findings)
    closest = max(finding.closest for finding in findings)
    allowed = allowance(runs, first.promise)
    holds = broken <= allowed
    if first.kind == "expectation":
        closest, holds = mean_ratio([finding.closest for finding in findings])
        cases = 1
        broken = int(not holds)

    return Count(
        paper=paper,
        kind=first.kind,
        name=first.name,
        source=first.source,
        runs=runs,
        cases=cases,
        broken=broken,
        promise=first.promise,
        allowed=allowed,
        closest=closest,
        holds=holds,
    )


def mean_ratio(ratios: Sequence[float]) -> tuple[float, bool]:
    """The mean of the runs' ratios to a bound, and whether it is at most 1, but for its error.

    Example:
        >>> mean_ratio([0.5, 0.7]), mean_ratio([9.0])
        ((0.6, True), (9.0, True))
    """
    mean = float(np.mean(ratios))
    # The standard error is unknown after one run, which then cannot contradict a bound.
    error = math.inf
    if len(ratios) > 1:
        error = float(np.std(ratios, ddof=1)) / math.sqrt(len(ratios))

    return mean, mean - ERRORS * error <= 1.0 + ROUNDING


def allowance(runs: int, promise: float) -> float:
    """The most failures of an event that agree with its promise.

    With n runs and a promise of delta, this is n delta + 3 sqrt(n delta (1 - delta)).

    Example:
        >>> round(allowance(200, 0.1), 2)
        32.73
    """
    expected = runs * promise
    deviation = math.sqrt(expected * (1.0 - promise))
    return expected + 3.0 * deviation
