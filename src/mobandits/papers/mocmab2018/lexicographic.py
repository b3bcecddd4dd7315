"""What mocmab2018 says of lexicographic optima, checked on random tables of mean rewards."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, Beliefs, Mask, Rng
from mobandits.orders import Lexicographic, Pareto
from mobandits.papers.claims import Claim, Outcome, Part, resample
from mobandits.papers.experiment import Computed, Experiment, RunOptions
from mobandits.papers.mocmab2018.shared import every
from mobandits.simulation.streams import INSTANCE, stream

TABLES = 1000
BATCHES = 10
ARMS = (2, 10)  # fewest and most


def continuous(rng: Rng, arms: int, objectives: int) -> Array:
    """Uniform means: no ties."""
    return rng.random((arms, objectives))


def tied_once(rng: Rng, arms: int, objectives: int) -> Array:
    """Two arms tie for the best in the first objective, and in no other."""
    means = rng.random((arms, objectives))
    means[:2, 0] = 1.0
    return means


def coarse(rng: Rng, arms: int, objectives: int) -> Array:
    """Means of 0, 0.1, ..., 1: ties everywhere, but not by design."""
    return np.round(rng.random((arms, objectives)), 1)


def tied_twice(rng: Rng, arms: int, objectives: int) -> Array:
    """Two arms tie for the best in the first two objectives."""
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
    front: Mask = order.front(Beliefs(means, means, means))
    return front


def degenerate(means: Array) -> bool:
    """Whether the first two objectives alone decide which arms are lexicographically optimal.

    Example:
        >>> degenerate(np.array([[1.0, 0.5, 0.0], [1.0, 0.5, 1.0]])), degenerate(np.array([[1.0, 0.5], [1.0, 0.4]]))
        (False, True)
    """
    order = Lexicographic()
    return bool(
        np.array_equal(front_of(np.ascontiguousarray(means[:, :2]), order), front_of(means, order))
    )


def outside(means: Array) -> bool:
    """Whether a lexicographically optimal arm is not Pareto optimal; the paper says that none is.

    Example:
        >>> outside(np.array([[1.0, 0.5], [1.0, 0.4], [0.0, 1.0]]))
        False
    """
    return bool((front_of(means, Lexicographic()) & ~front_of(means, Pareto())).any())


def farther(means: Array) -> bool:
    """Whether an arm is farther from the Pareto front than from the leader of the first objective.

    Example:
        >>> farther(np.array([[1.0, 0.5], [0.9, 0.2]]))
        False
    """
    return bool((Pareto().gaps(means)[:, 0] > means[:, 0].max() - means[:, 0]).any())


MEASURES: Mapping[str, Callable[[Array], bool]] = {
    "degenerate": degenerate,
    "outside_pareto_front": outside,
    "pareto_gap_above_dominant_gap": farther,
}


def tables(
    objectives: Sequence[int], measures: Sequence[str]
) -> Callable[[int, RunOptions], pl.DataFrame]:
    """Makes the rows of a batch: of 1,000 random tables of two to ten arms per kind, how many have a property."""

    def compute(batch: int, options: RunOptions) -> pl.DataFrame:
        found = []
        for kind, draw in KINDS.items():
            rng = stream(options.seed, batch, INSTANCE, kind)
            drawn = [
                draw(rng, int(rng.integers(ARMS[0], ARMS[1] + 1)), int(rng.choice(objectives)))
                for _ in range(TABLES)
            ]
            found += [
                (kind, TABLES, name, 0, float(sum(map(MEASURES[name], drawn)))) for name in measures
            ]
        return pl.DataFrame(
            found, ["policy", "round", "metric", "component", "value"], orient="row"
        )

    return compute


def said(objectives: Sequence[int]) -> dict[str, Any]:
    """What decides the tables, for the manifest."""
    return {
        "tables": TABLES,
        "arms": list(ARMS),
        "objectives": list(objectives),
        "kinds": list(KINDS),
    }


def frequency(metric: str, kind: str, exactly: float | None) -> Callable[[Outcome], list[Part]]:
    """The number of tables of a kind that have a property, in per cent, and whether it is exactly so many."""

    def parts(outcome: Outcome) -> list[Part]:
        values = outcome.curves(outcome.runs()[0], kind, metric)[1][:, -1:] * (100.0 / TABLES)
        value, ends = resample(values, lambda means: means[0])
        holds = None if exactly is None else bool((values == exactly).all())
        return [
            Part(f"{kind}, % of {len(values) * TABLES:,} tables", value, ends, holds, len(values))
        ]

    return parts


LEXICOGRAPHIC = Experiment(
    "mocmab2018/lexicographic",
    "How often two objectives decide what is lexicographically optimal among more",
    "mocmab2018, section VI-B",
    (
        (
            "A problem with more than two objectives is degenerate where the first two already decide which arms are "
            "lexicographically optimal. The paper argues that other problems are uncommon: they need two arms that tie "
            "in both. Here this is counted: 10,000 random tables of means per kind, with two to ten arms and three to "
            "five objectives."
        ),
    ),
    [Computed("random tables", tables((3, 4, 5), ("degenerate",)), BATCHES, said((3, 4, 5)))],
    [],
    (
        Claim(
            "mocmab2018/lexicographic/one-tie",
            "Without ties, or with a tie in the first objective only, every problem is degenerate",
            "the non-degenerate case needs two arms that tie in the first two objectives",
            "all tables are degenerate",
            every(
                *(
                    frequency("degenerate", kind, 100.0)
                    for kind in ("no ties", "tie in the first objective")
                )
            ),
            kind="check",
        ),
        Claim(
            "mocmab2018/lexicographic/two-ties",
            "With a tie in the first two objectives, no problem is degenerate unless all of them tie",
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
            "The remark: no arm dominates a lexicographically optimal arm. And, which is why Theorem 3 follows from "
            "Theorem 1: an arm is never farther from the Pareto front than from the leader of the dominant objective. "
            "Both are checked on 10,000 random tables of means per kind, with two to ten arms and two to five "
            "objectives."
        ),
    ),
    [
        Computed(
            "random tables",
            tables((2, 3, 4, 5), ("outside_pareto_front", "pareto_gap_above_dominant_gap")),
            BATCHES,
            said((2, 3, 4, 5)),
        )
    ],
    [],
    (
        Claim(
            "mocmab2018/pareto/in-front",
            "The lexicographic optimum lies in the Pareto front",
            "no exception",
            "no table is an exception",
            every(*(frequency("outside_pareto_front", kind, 0.0) for kind in KINDS)),
            kind="check",
        ),
        Claim(
            "mocmab2018/pareto/gap",
            "The Pareto gap of an arm is at most its gap in the dominant objective",
            "no exception",
            "no table is an exception",
            every(*(frequency("pareto_gap_above_dominant_gap", kind, 0.0) for kind in KINDS)),
            kind="check",
        ),
    ),
)
