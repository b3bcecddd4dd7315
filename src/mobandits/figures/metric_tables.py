"""Results in tables and sentences: a row per policy, the best first, and which policy is best."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from mobandits.figures.contents import distinct
from mobandits.figures.formatting import (
    EXACT,
    UNKNOWN,
    best_value,
    component_name,
    digits_after_point,
    folded,
    format_number,
    spoken,
    title_of,
    with_ends,
)
from mobandits.figures.page import Table
from mobandits.metrics.traits import traits_of
from mobandits.statistics.bands import bands
from mobandits.support.naming import number_spans

Row = Mapping[str, Any]  # of a frame

ONLY = ""  # the name of a column that stands alone
DIGITS = 4  # of a number without an interval
UNEVEN = 0.02  # of the half-width: an interval whose ends are so much more uneven is shown by them
HOW = "± is half of a 95 % interval of the mean"
MOST_COLUMNS = 8  # such as objectives; more of them, such as arms, are rows
# Why no page shows the Pareto regret without a word: Guan and Xu, arXiv:2604.07096, 2026.
ALONE = (
    " Read it with the effective Pareto regret, the max-min regret or the front recall: a policy that "
    "always plays the same arm of the front has none, however bad its other objectives are."
)
NAMED = 2  # policies in a sentence about the best ones


class Ranking(NamedTuple):
    """The rows of a table in order, and how they were ordered.

    Attributes:
        names: of the rows.
        how: a sentence; empty: nothing orders them, and they stand as they were given.
    """

    names: list[str]
    how: str


def final_means(table: pl.DataFrame, metric: str) -> pl.DataFrame:
    """The means over trials of one metric where each policy ended.

    Args:
        table: rows as `simulate` records them.
        metric: a name in its column `metric`.

    Returns:
        `environment`, `policy`, `component`, `round`, `early` bool (whether others of the same
        environment went on), `mean`, `low`, `high`, `trials`; in order of appearance.
    """
    measured = table.filter(metric=metric)
    end = pl.col("round").max()
    own_end = end.over("environment", "policy")
    last = measured.filter(round=own_end).with_columns(
        early=pl.col("round") < end.over("environment")
    )

    keys = ["environment", "policy", "component", "round", "early"]
    traits = traits_of(metric)

    return bands(last, keys, traits.least, traits.most)


def with_columns_of_components(
    means: pl.DataFrame, metric: str, names: Mapping[int, str] | None = None
) -> pl.DataFrame:
    """The same with `column`: the name of the component, where there are several.

    Args:
        means: of one metric, `component` among its columns.
        metric: its name.
        names: of the components; None: what they are, with their numbers from 0.
    """
    components = means["component"].unique().sort().to_list()
    if len(components) < 2:
        return means.with_columns(column=pl.lit(ONLY))

    if names is None:
        names = {i: f"{component_name(metric)} {i}" for i in components}

    label = pl.col("component").replace_strict(names, return_dtype=pl.String)

    return means.sort("component", maintain_order=True).with_columns(column=label)


def results_table(means: pl.DataFrame, metric: str, caption: str = "") -> Table:
    """A row per policy, the best first; a column per value of `column`.

    Args:
        means: `policy`, `column` str, `mean`, `low`, `high` float, `trials` int; in the order of
            the columns. `early` bool and `round` int where some rows ended before others.
        metric: what they are means of.
        caption: a sentence before those on intervals and order.
    """
    columns = distinct(means, "column")
    ranking = ranked(means, metric)
    several_trials = means["trials"].n_unique() > 1
    header = ["policy", *(column or spoken(metric) for column in columns)]
    if several_trials:
        header.append("trials")

    cells = {(row["policy"], row["column"]): row for row in means.rows(named=True)}
    rows = []
    for name in ranking.names:
        own = [cells.get((name, column)) for column in columns]
        known = [row for row in own if row is not None]
        values = [UNKNOWN if row is None else mean_cell(row) for row in own]
        line = [with_early_end(name, known[0]), *values]
        if several_trials:
            line.append(str(known[0]["trials"]))

        rows.append(line)

    how = "One trial, so that nothing says how sure the numbers are."
    if several_trials:
        how = f"Means over trials; {HOW}."
    elif means["trials"][0] > 1:
        how = f"Means over {means['trials'][0]} trials; {HOW}."

    sentences = filter(None, [caption, how, ranking.how])
    result = Table(header, rows, " ".join(sentences))
    if len(columns) > MOST_COLUMNS and len(columns) > len(rows):
        return transposed(result)

    return result


def ranking_table(means: pl.DataFrame, metric: str, caption: str, ranking: Sequence[Row]) -> Table:
    """The ranks of policies, with their means, mean ranks, and the ranks that they surely beat.

    Args:
        means: as in `results_table`, of a single column.
        metric: what they are means of.
        caption: as in `results_table`.
        ranking: rows of `Comparison.ranking`, of one environment.
    """
    plain = results_table(means, metric, caption)
    cells = {row[0]: row[1] for row in plain.rows}
    rank_of = {row["policy"]: row["rank"] for row in ranking}
    rows = []
    for row in ranking:
        name = row["policy"]
        mean_rank = format_number(row["mean_rank"], 1)
        # Names would be as long as the table.
        beaten = number_spans([rank_of[other] for other in row["better_than"]])
        rows.append([str(row["rank"]), name, cells[name], mean_rank, beaten or UNKNOWN])

    header = ["rank", *plain.header[:2], "mean rank", "better than ranks"]
    return Table(header, rows, plain.caption, head=1, style="ranking")


def transposed(table: Table) -> Table:
    """A table whose columns are rows.

    Example:
        >>> transposed(Table(["policy", "arm 0", "arm 1"], [["a", "1", "2"]])).rows
        [['arm 0', '1'], ['arm 1', '2']]
    """
    by_column = list(zip(*table.rows, strict=True))
    policies, *values = by_column
    header = ["", *map(str, policies)]
    columns = zip(table.header[1:], values, strict=True)
    rows = [[column, *cells] for column, cells in columns]

    return Table(header, rows, table.caption)


def ranked(means: pl.DataFrame, metric: str) -> Ranking:
    """The policies, the best first; those that ended early, or have no mean, last.

    Args:
        means: as in `results_table`.
        metric: of which one knows which values are better, or not.

    Example:
        >>> row = {"column": "", "low": 0.0, "high": 0.0, "trials": 1}
        >>> means = pl.DataFrame([{"policy": "a", "mean": 2.0, **row}, {"policy": "b", "mean": 1.0,
        ...     **row}])
        >>> ranked(means, "pareto_regret")
        Ranking(names=['b', 'a'], how='Sorted by Pareto regret, lowest first.')
        >>> ranked(means, "plays").names
        ['a', 'b']
    """
    names = distinct(means, "policy")
    better = best_value(metric)
    if better is None:
        return Ranking(names, "")

    # One number decides: in orders of importance it is the first, and elsewhere any other choice
    # would need weights.
    columns = distinct(means, "column")
    deciding = means.filter(column=columns[0])
    keys = {}
    for row in deciding.rows(named=True):
        mean = row["mean"]
        keys[row["policy"]] = (not is_comparable(row), mean if better == "lowest" else -mean)

    nothing = (True, math.inf)
    ordered = sorted(names, key=lambda name: keys.get(name, nothing))
    what = columns[0] or spoken(metric)

    return Ranking(ordered, f"Sorted by {what}, {better} first.")


def is_comparable(row: Row) -> bool:
    """Whether a policy has a mean, of the round in which the others end as well."""
    return not row.get("early", False) and not math.isnan(row["mean"])


def with_early_end(name: str, row: Row) -> str:
    """The name of a row, which says so where it ended before the others.

    Example:
        >>> with_early_end("a", {"early": True, "round": 2000}), with_early_end("a", {})
        ('a (ended at round 2,000)', 'a')
    """
    if row.get("early"):
        return f"{name} (ended at round {row['round']:,})"
    return name


def mean_cell(row: Row) -> str:
    r"""A mean with half of its interval, or both ends of an uneven one.

    The interval has two digits that count, and the mean as many after the point.

    Args:
        row: `mean`, `low`, `high`, `trials`.

    Example:
        >>> mean_cell({"mean": 123.456, "low": 120.111, "high": 126.801, "trials": 10})
        '123.5 ± 3.3'
        >>> mean_cell({"mean": 0.5, "low": 0.5, "high": 0.5, "trials": 1})
        '0.5000'
        >>> mean_cell({"mean": 0.1, "low": 0.0, "high": 0.4, "trials": 9})
        '0.10 [0.00,\xa00.40]'
    """
    mean = row["mean"]
    below = mean - row["low"]
    above = row["high"] - mean
    half_width = (below + above) / 2.0
    is_exact = not half_width > EXACT * max(abs(mean), 1.0)
    if is_exact or not math.isfinite(half_width):
        return plain_cell(mean)

    digits = digits_after_point(half_width, 2)
    number = grouped(mean, digits)
    if abs(above - below) > UNEVEN * half_width:
        low = grouped(row["low"], digits)
        high = grouped(row["high"], digits)
        return with_ends(number, low, high)

    return f"{number} ± {grouped(half_width, digits)}"


def plain_cell(mean: float) -> str:
    """A number without an interval.

    Example:
        >>> plain_cell(12.3456), plain_cell(0.0), plain_cell(math.inf), plain_cell(math.nan)
        ('12.35', '0', '∞', '–')
    """
    if math.isnan(mean):
        return UNKNOWN
    if math.isinf(mean):
        return format_number(mean, 0).replace("inf", "∞")
    if mean == 0.0:
        return "0"

    return grouped(mean, digits_after_point(abs(mean), DIGITS))


def grouped(value: float, digits: int) -> str:
    """A number as `format_number` gives it, in groups of three digits before the point.

    Example:
        >>> grouped(-301919.25, 1), grouped(0.5, 2)
        ('−301,919.2', '0.50')
    """
    whole, point, rest = format_number(value, digits).partition(".")
    sign = "−" if whole.startswith("−") else ""
    return f"{sign}{int(whole.removeprefix('−')):,}{point}{rest}"


def best_sentence(means: pl.DataFrame, metric: str, where: str = "") -> str:
    """Sentence on the policy with the best mean of a metric, its interval, and the next one.

    Nothing where it is not known which values are better, or nothing can be compared.

    Args:
        means: as in `results_table`.
        metric: its name.
        where: the end of the first part, such as " in Linear()".

    Example:
        >>> row = {"column": "", "low": 0.5, "high": 2.5, "trials": 3}
        >>> means = pl.DataFrame([{"policy": "a", "mean": 1.5, **row}])
        >>> best_sentence(means, "pareto_regret")
        'Lowest Pareto regret: a, 1.5 ± 1.0.'
    """
    better = best_value(metric)
    if better is None:
        return ""

    column = means["column"][0]
    rows = means.filter(column=column).rows(named=True)
    own = {row["policy"]: row for row in rows if is_comparable(row)}
    names = [name for name in ranked(means, metric).names if name in own]
    if not names:
        return ""

    called = f"{spoken(metric)}, {column}" if column else spoken(metric)
    said = [f"{folded(name)}, {mean_cell(own[name])}" for name in names[:NAMED]]

    return f"{better.capitalize()} {called}{where}: {'; then '.join(said)}."


def meaning_of(metric: str) -> str:
    """The meaning of a metric, as a sentence; empty where it is not known.

    Example:
        >>> meaning_of("plays")
        'Plays: how often each arm was played.'
    """
    meaning = traits_of(metric).meaning
    if not meaning:
        return ""

    caution = ALONE if metric == "pareto_regret" else ""

    return f"{title_of(metric)}: {meaning}.{caution}"
