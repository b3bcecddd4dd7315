"""The tables of the demonstration's page."""

from typing import Any

import polars as pl

from mobandits.demo.numbers import SHOWN, Numbers
from mobandits.figures.formatting import plus_minus
from mobandits.figures.page import Bold, Table
from mobandits.statistics.bands import bands


def policy_table(data: Numbers) -> Table:
    """Dollars, quality and regret of every policy, and of the best model per prompt in hindsight."""
    last = data.points.filter(
        (pl.col("role") == "hindsight") & (pl.col("weight") == pl.col("weight").max())
    )
    known = last.with_columns(policy=pl.lit("best quality per prompt, in hindsight"))
    points = pl.concat([data.points.filter(pl.col("role").is_in(SHOWN)), known])
    spans = {
        column: {
            row[0]: (row[1], row[2], row[3])
            for row in bands(points.with_columns(value=pl.col(column)), ["policy"]).rows()
        }
        for column in ("dollars", "quality", "regret")
    }
    rows = [
        [
            name,
            plus_minus(*dollars, 3 if dollars[0] < 1 else 2),
            plus_minus(*spans["quality"][name], 4),
            plus_minus(*spans["regret"][name], 1),
        ]
        for name, dollars in spans["dollars"].items()
    ]
    header = [
        "policy",
        "US dollars per\n1,000 prompts",
        "mean\nquality",
        "effective\nPareto regret",
    ]
    return Table(
        header,
        rows,
        f"After {data.said['rounds']:,} prompts: means over {data.said['trials']} trials ± 95 %.",
    )


def coin_table(data: Numbers) -> Table:
    """One learner, eleven weights: what each spends, delivers, and gains over the coin."""
    late = {row["weight"]: row for row in data.late.rows(named=True)}
    rows = [
        [
            f"{row['weight']:g}",
            f"{row['dollars']:.3f}",
            f"{row['quality']:.4f}",
            clear(row),
            clear(late[row["weight"]]),
        ]
        for row in data.whole.rows(named=True)
    ]
    header = [
        "weight of\nquality",
        "US dollars per\n1,000 prompts",
        "mean\nquality",
        "quality less\nthe coin’s",
    ]
    caption = "One MOL-UCB learner, read with eleven weights, and the coin between two models that costs as much."
    return Table([*header, "the same,\nsecond half"], rows, caption)


def context_table(data: Numbers) -> Table:
    """What the text added to the score of every weight."""
    late = {row["weight"]: row for row in data.text_late.rows(named=True)}
    rows = [
        [f"{row['weight']:g}", clear(row), clear(late[row["weight"]])]
        for row in data.text.rows(named=True)
    ]
    caption = "The same readings: score with the text less score without it. Bold: the 95 % interval leaves out zero."
    return Table(["weight of\nquality", "all\nprompts", "second\nhalf"], rows, caption)


def clear(row: dict[str, Any]) -> str | Bold:
    """A difference with its interval, in bold where it is clear."""
    text = plus_minus(row["mean"], row["low"], row["high"], 4)
    if row["low"] > 0.0 or row["high"] < 0.0:
        return Bold(text)
    return text
