"""What mocmab2018 says of lexicographic optima, checked on random tables of mean rewards."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, Beliefs, Mask, Rng
from mobandits.orders import Lexicographic, Pareto
from mobandits.papers.claim_parts import Parts, curves_of, only_mean, resampled_part
from mobandits.papers.claims import Claim, Outcome, Part
from mobandits.papers.experiment import Computed, Experiment, RunOptions
from mobandits.papers.mocmab2018.shared import joint_parts
from mobandits.simulation.streams import INSTANCE, stream

TABLES = 1000  # per batch and kind
BATCHES = 10  # they are the trials of the intervals
ARMS = (2, 10)  # fewest and most


def continuous(rng: Rng, arms: int, objectives: int) -> Array:
    """(arms, objectives) uniform means: no ties."""
    return rng.random((arms, objectives))


def tied_once(rng: Rng, arms: int, objectives: int) -> Array:
    """Means of which two are best in the first objective, and do not tie in any other."""
    means = rng.random((arms, objectives))
    means[:2, 0] = 1.0  # above all others, which are less than 1
    return means


def coarse(rng: Rng, arms: int, objectives: int) -> Array:
    """Means of 0, 0.1, ..., 1: ties everywhere, but not by design."""
    means = rng.random((arms, objectives))
    return np.round(means, 1)


def tied_twice(rng: Rng, arms: int, objectives: int) -> Array:
    """Means of which two are best in both of the first two objectives."""
    means = rng.random((arms, objectives))
    means[:2, :2] = 1.0
    return means


KINDS: Mapping[str, Callable[[Rng, int, int], Array]] = {
    "no ties": continuous,
    "tie in the first objective": tied_once,
    "means of one decimal": coarse,
    "tie in the first two": tied_twice,
}


def front_of(means: Array, order: Lexicographic | Pareto) -> Mask:
    """(arms,) what an order calls optimal, given true means."""
    # True means are known exactly: an interval is a point.
    beliefs = Beliefs(means, means, means)
    front: Mask = order.front(beliefs)
    return front


def degenerate(means: Array) -> bool:
    """Whether the first two objectives alone decide which arms are lexicographically optimal.

    Example:
        >>> degenerate(np.array([[1.0, 0.5, 0.0], [1.0, 0.5, 1.0]]))
        False
        >>> degenerate(np.array([[1.0, 0.5], [1.0, 0.4]]))
        True
    """
    order = Lexicographic()
    first_two = np.ascontiguousarray(means[:, :2])
    front_of_two = front_of(first_two, order)
    return bool(np.array_equal(front_of_two, front_of(means, order)))


def off_pareto_front(means: Array) -> bool:
    """Whether a lexicographically optimal arm is not Pareto optimal; the paper says that none is.

    Example:
        >>> off_pareto_front(np.array([[1.0, 0.5], [1.0, 0.4], [0.0, 1.0]]))
        False
    """
    optimal = front_of(means, Lexicographic())
    undominated = front_of(means, Pareto())
    return bool((optimal & ~undominated).any())


def farther(means: Array) -> bool:
    """Whether an arm is farther from the Pareto front than from the leader of the first objective.

    Example:
        >>> farther(np.array([[1.0, 0.5], [0.9, 0.2]]))
        False
    """
    gaps = Pareto().gaps(means)
    pareto_gaps = gaps[:, 0]
    dominant = means[:, 0]
    dominant_gaps = dominant.max() - dominant

    return bool((pareto_gaps > dominant_gaps).any())


MEASURES: Mapping[str, Callable[[Array], bool]] = {
    "degenerate": degenerate,
    "outside_pareto_front": off_pareto_front,
    "pareto_gap_above_dominant_gap": farther,
}


def tables(
    objectives: Sequence[int], measures: Sequence[str]
) -> Callable[[int, RunOptions], pl.DataFrame]:
    """The function that makes the rows of a batch of random tables.

    The rows say how many of 1,000 random tables of two to ten arms per kind have a property.

    Args:
        objectives: the numbers of objectives to draw from.
        measures: keys of `MEASURES`.
    """

    def random_table(kind: str, rng: Rng) -> Array:
        draw = KINDS[kind]
        fewest, most = ARMS
        arms = rng.integers(fewest, most + 1)
        number_of_objectives = rng.choice(objectives)

        return draw(rng, int(arms), int(number_of_objectives))

    def compute(batch: int, options: RunOptions) -> pl.DataFrame:
        rows: list[tuple[str, int, str, int, float]] = []
        for kind in KINDS:
            # A stream of its own, so that the tables of a kind do not depend on the other kinds.
            rng = stream(options.seed, batch, INSTANCE, kind)
            drawn = [random_table(kind, rng) for _ in range(TABLES)]
            for name in measures:
                count = sum(map(MEASURES[name], drawn))
                rows.append((kind, TABLES, name, 0, float(count)))

        columns = ["policy", "round", "metric", "component", "value"]

        return pl.DataFrame(rows, columns, orient="row")

    return compute


def table_settings(objectives: Sequence[int]) -> dict[str, Any]:
    """The settings that decide the tables, for the manifest."""
    # What is not in the manifest could change without a note in the results.
    return {
        "tables": TABLES,
        "arms": list(ARMS),
        "objectives": list(objectives),
        "kinds": list(KINDS),
    }


def frequency(metric: str, kind: str, exactly: float | None) -> Parts:
    """The share of the tables of a kind that have a property, in per cent.

    Args:
        metric: the property, a key of `MEASURES`.
        kind: of tables.
        exactly: the per cent that is claimed of every batch; None: it is only reported.
    """

    def parts(outcome: Outcome) -> list[Part]:
        _, counts = curves_of(outcome, kind, metric)
        percent = counts[:, -1:] * (100.0 / TABLES)
        name = f"{kind}, % of {len(percent) * TABLES:,} tables"
        part = resampled_part(name, percent, only_mean)
        if exactly is None:
            return [part]

        # Every batch must have exactly so many, whatever the interval of the mean.
        holds = bool((percent == exactly).all())

        return [Part(part.said, part.measured, part.interval, holds, part.trials)]

    return parts


LEXICOGRAPHIC = Experiment(
    "mocmab2018/lexicographic",
    "How often two objectives decide what is lexicographically optimal among more",
    "mocmab2018, section VI-B",
    (
        (
            "A problem with more than two objectives is degenerate where the first two already "
            "decide which arms are lexicographically optimal. The paper argues that other problems "
            "are uncommon: they need two arms that tie in both. Here this is counted: 10,000 "
            "random tables of means per kind, with two to ten arms and three to five objectives."
        ),
    ),
    [
        Computed(
            "random tables",
            tables((3, 4, 5), ("degenerate",)),
            BATCHES,
            table_settings((3, 4, 5)),
        )
    ],
    [],
    (
        Claim(
            "mocmab2018/lexicographic/one-tie",
            "Without ties, or with a tie in the first objective only, every problem is degenerate",
            "the non-degenerate case needs two arms that tie in the first two objectives",
            "all tables are degenerate",
            joint_parts(
                frequency("degenerate", "no ties", 100.0),
                frequency("degenerate", "tie in the first objective", 100.0),
            ),
            kind="check",
        ),
        Claim(
            "mocmab2018/lexicographic/two-ties",
            "With a tie in the first two objectives, no problem is degenerate unless all of them "
            "tie",
            "not in the paper, which says that such a tie is needed",
            "no table is degenerate",
            frequency("degenerate", "tie in the first two", 0.0),
            note="The third objective of the two arms is drawn, and equal with probability 0.",
            kind="check",
        ),
        Claim(
            "mocmab2018/lexicographic/coarse",
            "How many problems are degenerate where means have one decimal, so that ties happen",
            "non-degenerate problems are uncommon",
            "none: the paper counts nothing",
            frequency("degenerate", "means of one decimal", None),
        ),
    ),
)

PARETO = Experiment(
    "mocmab2018/pareto",
    "What is lexicographically optimal is Pareto optimal",
    "mocmab2018, Remark 1 and Theorem 3",
    (
        (
            "The remark: no arm dominates a lexicographically optimal arm. And, which is why "
            "Theorem 3 follows from Theorem 1: an arm is never farther from the Pareto front than "
            "from the leader of the dominant objective. Both are checked on 10,000 random tables "
            "of means per kind, with two to ten arms and two to five objectives."
        ),
    ),
    [
        Computed(
            "random tables",
            tables((2, 3, 4, 5), ("outside_pareto_front", "pareto_gap_above_dominant_gap")),
            BATCHES,
            table_settings((2, 3, 4, 5)),
        )
    ],
    [],
    (
        Claim(
            "mocmab2018/pareto/in-front",
            "The lexicographic optimum lies in the Pareto front",
            "no exception",
            "no table is an exception",
            joint_parts(*[frequency("outside_pareto_front", kind, 0.0) for kind in KINDS]),
            kind="check",
        ),
        Claim(
            "mocmab2018/pareto/gap",
            "The Pareto gap of an arm is at most its gap in the dominant objective",
            "no exception",
            "no table is an exception",
            joint_parts(*[frequency("pareto_gap_above_dominant_gap", kind, 0.0) for kind in KINDS]),
            kind="check",
        ),
    ),
)
