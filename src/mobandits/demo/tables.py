"""The tables of the demonstration's page."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from mobandits.demo.deployed import Deployed
from mobandits.demo.numbers import SHOWN, Numbers
from mobandits.figures.formatting import plus_minus
from mobandits.figures.page import Bold, Table
from mobandits.statistics.bands import bands

Band = tuple[float, float, float]  # mean, and both ends of its 95 % interval


def deployment_table(results: Sequence[Deployed], trials: int) -> Table:
    """What every budget bought."""
    rows: list[list[str | Bold]] = []
    for result in results:
        gain = plus_minus(*result.gain, 3)
        is_clear = result.gain.low > 0.0 or result.gain.high < 0.0
        cells: list[str | Bold] = [
            f"${result.budget:g}",
            f"{100 * result.spent.mean / result.budget:.1f} %",
            plus_minus(*result.quality, 3),
            f"{result.mixture.mean:.3f} ({100 * result.mixture_spent / result.budget:.1f} %)",
            f"{result.bound:.3f}",
            Bold(gain) if is_clear else gain,
        ]
        rows.append(cells)

    header = [
        "budget per\n1,000 prompts",
        "spent",
        "quality",
        "mixture by the log\n(spent)",
        "mixture in\nhindsight",
        "quality less\nhindsight’s",
    ]
    caption = (
        f"The second file of prompts: means over {trials} logs ± 95 %, over logs and prompts. The "
        "mixture in hindsight spends what the policy spent. Bold: the interval leaves out zero."
    )

    return Table(header, rows, caption)


def policy_table(data: Numbers) -> Table:
    """Dollars, quality and regret of every policy, and of the best model per prompt."""
    hindsight = data.points.filter(pl.col("role") == "hindsight")
    # Of the readings in hindsight, the page shows the one that looks at quality alone.
    of_largest_weight = hindsight.filter(pl.col("weight") == pl.col("weight").max())
    name_of_known = pl.lit("best quality per prompt, in hindsight")
    known = of_largest_weight.with_columns(policy=name_of_known)
    shown = data.points.filter(pl.col("role").is_in(SHOWN))
    points = pl.concat([shown, known])

    dollars_of = bands_of(points, "dollars")
    quality_of = bands_of(points, "quality")
    regret_of = bands_of(points, "regret")
    rows = []
    # The best quality first; the page says why no order by regret would do: to be cheapest has
    # none.
    by_quality = sorted(dollars_of.items(), key=lambda item: -quality_of[item[0]][0])
    for name, dollars in by_quality:
        mean_dollars, _, _ = dollars
        digits = 3 if mean_dollars < 1 else 2  # cents do not tell the cheap models apart
        row = [
            name,
            plus_minus(*dollars, digits),
            plus_minus(*quality_of[name], 4),
            plus_minus(*regret_of[name], 1),
        ]
        rows.append(row)

    header = [
        "policy",
        "US dollars per\n1,000 prompts",
        "mean\nquality",
        "effective\nPareto regret",
    ]
    rounds = data.specification["rounds"]
    trials = data.specification["trials"]
    means = f"means over {trials} trials, ± half of a 95 % interval"
    caption = f"After {rounds:,} prompts: {means}. Sorted by mean quality, highest first."

    return Table(header, rows, caption)


def bands_of(points: pl.DataFrame, column: str) -> dict[str, Band]:
    """{policy: the mean of a column over trials, and its interval}."""
    of_column = points.with_columns(value=pl.col(column))
    table = bands(of_column, ["policy"])
    columns = table.select("policy", "mean", "low", "high")
    bands_by_policy: dict[str, Band] = {}
    for policy, mean, low, high in columns.rows():
        bands_by_policy[policy] = (mean, low, high)

    return bands_by_policy


def coin_table(data: Numbers) -> Table:
    """One learner, eleven weights: what each spends, delivers, and gains over the coin."""
    late = rows_by_weight(data.late)
    rows: list[list[str | Bold]] = []
    for row in data.whole.rows(named=True):
        weight = row["weight"]
        cells: list[str | Bold] = [
            f"{weight:g}",
            f"{row['dollars']:.3f}",
            f"{row['quality']:.4f}",
            clear(row),
            clear(late[weight]),
        ]
        rows.append(cells)

    header = [
        "weight of\nquality",
        "US dollars per\n1,000 prompts",
        "mean\nquality",
        "quality less\nthe coin’s",
        "the same,\nsecond half",
    ]
    caption = (
        "One MOL-UCB learner, read with eleven weights, and the coin between two models that costs "
        "as much."
    )

    return Table(header, rows, caption)


def context_table(data: Numbers) -> Table:
    """What the text added to the score of every weight."""
    late = rows_by_weight(data.text_late)
    rows: list[list[str | Bold]] = []
    for row in data.text.rows(named=True):
        weight = row["weight"]
        rows.append([f"{weight:g}", clear(row), clear(late[weight])])

    header = ["weight of\nquality", "all\nprompts", "second\nhalf"]
    caption = (
        "The same readings: score with the text less score without it. Bold: the 95 % interval "
        "leaves out zero."
    )

    return Table(header, rows, caption)


def rows_by_weight(frame: pl.DataFrame) -> dict[float, dict[str, Any]]:
    """{weight: its row}."""
    return {row["weight"]: row for row in frame.rows(named=True)}


def clear(row: dict[str, Any]) -> str | Bold:
    """A difference with its interval, in bold where it is clear."""
    low = row["low"]
    high = row["high"]
    text = plus_minus(row["mean"], low, high, 4)
    leaves_out_zero = low > 0.0 or high < 0.0

    return Bold(text) if leaves_out_zero else text
