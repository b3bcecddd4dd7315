"""Rows of tables that are computed, and claims that count what must never be."""

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, Beliefs, IntArray, Mask, Order, Rng
from mobandits.simulation.trial import SCHEMA
from mobandits_papers.experiment import Computed, RunOptions
from mobandits_papers.numbers import Part, Parts, exact_part
from mobandits_papers.outcome import Outcome

# Means of one decimal have ties, without which an order of priorities is decided by its first
# objective.
LAWS = ("normal means", "means of one decimal, with ties")


def random_means(law: str, arms: int, objectives: int, rng: Rng) -> Array:
    """(arms, objectives) a random table of means, by one of `LAWS`."""
    means = rng.standard_normal((arms, objectives))
    if law == LAWS[0]:
        return means

    # Half as wide before rounding, so that the values are fewer and ties more.
    return np.asarray(np.round(means / 2.0, 1))


# {(row, metric): how often something is so of a table of means}.
Judge = Callable[[str, Array], Mapping[tuple[str, str], float]]


def random_tables(judge: Judge, tables: int, arms: int, objectives: Sequence[int]) -> Computed:
    """What is counted on random tables of means of every law and number of objectives.

    Args:
        judge: counts on one table, from its law and its means.
        tables: per law and number of objectives.
        arms: of every table.
        objectives: their numbers.
    """

    def compute(trial: int, options: RunOptions) -> pl.DataFrame:
        rng = np.random.default_rng([options.seed, trial])
        counts: Counter[tuple[str, str]] = Counter()
        for law, number in itertools.product(LAWS, objectives):
            for _ in range(tables):
                means = random_means(law, arms, number, rng)
                counts.update(judge(law, means))

        return rows_of_counts(counts)

    settings = {"tables": tables, "arms": arms, "objectives": list(objectives)}
    return Computed("random tables", compute, settings=settings)


def front_of(means: Array, order: Order) -> Mask:
    """(arms,) what an order calls optimal, given true means."""
    # True means are known exactly: an interval is a point.
    beliefs = Beliefs(means, means, means)
    front: Mask = order.front(beliefs)
    return front


def rows_of(
    policy: str,
    metric: str,
    values: Sequence[float] | Array,
    rounds: int | IntArray = 1,
    component: int | None = None,
) -> pl.DataFrame:
    """The rows of a metric; tables hold no NaN.

    Args:
        policy: the row.
        metric: its name.
        values: one per component or round.
        rounds: of every value, or of all of them.
        component: of all values; None: a component per value.

    Example:
        >>> rows_of("a", "quality", [0.5, 0.75], 10).rows()
        [('a', 'quality', 0, 10, 0.5), ('a', 'quality', 1, 10, 0.75)]
        >>> rows_of("a", "regret", [0.5, 0.75], np.array([1, 9]), component=0).rows()
        [('a', 'regret', 0, 1, 0.5), ('a', 'regret', 0, 9, 0.75)]
    """
    count = len(values)
    components = range(count) if component is None else component
    columns = {
        "policy": policy,
        "metric": metric,
        "component": np.broadcast_to(components, count),
        "round": np.broadcast_to(rounds, count),
        "value": np.asarray(values, np.float64),
    }
    return pl.DataFrame(columns).filter(pl.col("value").is_not_nan())


def labelled(rows: pl.DataFrame, experiment: str, environment: str, trial: int) -> pl.DataFrame:
    """Rows as a table of results has them, from those of one trial."""
    labels = {"experiment": pl.lit(experiment), "environment": pl.lit(environment)}
    columns = [pl.col(column).cast(kind) for column, kind in SCHEMA.items()]
    return rows.with_columns(**labels, trial=pl.lit(trial)).select(columns)


def rows_of_counts(
    counts: Mapping[tuple[str, str], float], rounds: int = 1, component: int = 0
) -> pl.DataFrame:
    """The rows of numbers of one component, {(row, metric): number}."""
    tables = []
    for (row, metric), count in counts.items():
        tables.append(rows_of(row, metric, [count], rounds, component))

    return pl.concat(tables)


def never(counts: Mapping[str, tuple[str, str]], cases: int) -> Parts:
    """Counts that are to be 0: a single contradiction refutes the claim.

    Args:
        counts: {number: the row and the metric that count it}.
        cases: in which it is counted.
    """

    def parts(outcome: Outcome) -> list[Part]:
        run = outcome.runs()[0]
        numbers = []
        for label, (row, metric) in counts.items():
            _, values = outcome.curves(run, row, metric)
            count = float(values[:, -1].sum())
            numbers.append(exact_part(label, count, holds=count == 0.0, trials=cases))

        return numbers

    return parts
