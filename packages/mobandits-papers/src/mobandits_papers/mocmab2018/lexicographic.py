"""What mocmab2018 says of lexicographic optima, checked on random tables of mean rewards."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, Rng
from mobandits.orders import Lexicographic, Pareto
from mobandits.simulation.streams import INSTANCE, stream
from mobandits_papers.described import described
from mobandits_papers.experiment import Computed, RunOptions
from mobandits_papers.numbers import (
    Part,
    Parts,
    final_values,
    mean_part,
)
from mobandits_papers.outcome import Outcome
from mobandits_papers.rows import front_of, rows_of_counts

TABLES = 1000  # per batch and kind
BATCHES = 10  # they are the trials of the intervals
ARMS = (2, 10)  # fewest and most


class Ties(NamedTuple):
    """The ties of a kind of tables, whose means are uniform on [0, 1].

    Attributes:
        best: in how many objectives, from the first on, two arms are best.
        decimals: of the means, where these are rounded: ties everywhere, but not by design.
    """

    best: int = 0
    decimals: int | None = None


KINDS: Mapping[str, Ties] = {
    "no ties": Ties(),
    "tie in the first objective": Ties(best=1),
    "means of one decimal": Ties(decimals=1),
    "tie in the first two": Ties(best=2),
}


def drawn(kind: str, rng: Rng, arms: int, objectives: int) -> Array:
    """(arms, objectives) a random table of means, of one of `KINDS`."""
    ties = KINDS[kind]
    means = rng.random((arms, objectives))
    means[:2, : ties.best] = 1.0  # above all others, which are less than 1
    return means if ties.decimals is None else np.round(means, ties.decimals)


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


def random_tables(objectives: Sequence[int], measures: Sequence[str]) -> Computed:
    """How many of 1,000 random tables of two to ten arms per kind have a property.

    Args:
        objectives: the numbers of objectives to draw from.
        measures: keys of `MEASURES`.
    """

    def random_table(kind: str, rng: Rng) -> Array:
        fewest, most = ARMS
        arms = rng.integers(fewest, most + 1)
        number_of_objectives = rng.choice(objectives)
        return drawn(kind, rng, int(arms), int(number_of_objectives))

    def compute(batch: int, options: RunOptions) -> pl.DataFrame:
        counts = {}
        for kind in KINDS:
            # A stream of its own, so that the tables of a kind do not depend on the other kinds.
            rng = stream(options.seed, batch, INSTANCE, kind)
            tables = [random_table(kind, rng) for _ in range(TABLES)]
            for name in measures:
                counts[kind, name] = float(sum(map(MEASURES[name], tables)))

        return rows_of_counts(counts, TABLES)

    # What is not in the manifest could change without a note in the results.
    settings = {
        "tables": TABLES,
        "arms": list(ARMS),
        "objectives": list(objectives),
        "kinds": list(KINDS),
    }

    return Computed("random tables", compute, BATCHES, settings)


def frequencies(metric: str, kinds: Iterable[str], exactly: float | None = None) -> Parts:
    """The shares of the tables of some kinds that have a property, in per cent.

    Args:
        metric: the property, a key of `MEASURES`.
        kinds: of tables.
        exactly: the per cent that is claimed of every batch; None: it is only reported.
    """

    def one(outcome: Outcome, kind: str) -> Part:
        percent = final_values(outcome, kind, metric) * (100.0 / TABLES)
        part = mean_part(f"{kind}, % of {len(percent) * TABLES:,} tables", percent)
        if exactly is None:
            return part

        # Every batch must have exactly so many, whatever the interval of the mean.
        return part._replace(holds=bool((percent == exactly).all()))

    return lambda outcome: [one(outcome, kind) for kind in kinds]


LEXICOGRAPHIC = described(
    "mocmab2018/lexicographic",
    [random_tables((3, 4, 5), ("degenerate",))],
    {
        "one-tie": frequencies("degenerate", ("no ties", "tie in the first objective"), 100.0),
        "two-ties": frequencies("degenerate", ("tie in the first two",), 0.0),
        "coarse": frequencies("degenerate", ("means of one decimal",)),
    },
)

PARETO = described(
    "mocmab2018/pareto",
    [random_tables((2, 3, 4, 5), ("outside_pareto_front", "pareto_gap_above_dominant_gap"))],
    {
        "in-front": frequencies("outside_pareto_front", KINDS, 0.0),
        "gap": frequencies("pareto_gap_above_dominant_gap", KINDS, 0.0),
    },
)
