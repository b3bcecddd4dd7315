"""The numbers behind the page of the demonstration."""

from typing import Any, NamedTuple

import polars as pl

from mobandits.demo import findings
from mobandits.demo.context_gain import context_gain
from mobandits.demo.findings import Finding
from mobandits.demo.mixtures import gains
from mobandits.demo.outcomes import outcomes
from mobandits.statistics.bands import bands

SHOWN = ("learner", "chance", "model")  # roles that figures and tables show by name


class Numbers(NamedTuple):
    """Everything that the page says and shows, before it is said and shown.

    Attributes:
        said: the specification.
        rows: `policy`, `role`, `weight`.
        points: `outcomes` of the environment with the text.
        both: `outcomes` of both environments.
        whole: per reading `weight`, `dollars`, `quality`, and the band `mean`, `low`, `high` of its gain over the coin.
        late: the same over the second half of the prompts.
        text: the band of `context_gain` per `weight`.
        text_late: the same over the second half of the prompts.
    """

    said: dict[str, Any]
    rows: pl.DataFrame
    points: pl.DataFrame
    both: pl.DataFrame
    whole: pl.DataFrame
    late: pl.DataFrame
    text: pl.DataFrame
    text_late: pl.DataFrame


def numbers(table: pl.DataFrame, said: dict[str, Any]) -> Numbers:
    """Work out what the page needs.

    Args:
        table: the rows of the demonstration.
        said: its specification.
    """
    rows = pl.DataFrame(
        said["rows"], {"policy": pl.String, "role": pl.String, "weight": pl.Float64}
    )
    both = outcomes(table, rows)
    late = outcomes(table, rows, late=True)
    here = pl.col("environment") == said["text"]
    return Numbers(
        said,
        rows,
        both.filter(here),
        both,
        coin_bands(both.filter(here)),
        coin_bands(late.filter(here)),
        bands(context_gain(both, said["text"], said["constant"]), ["weight"]),
        bands(context_gain(late, said["text"], said["constant"]), ["weight"]),
    )


def coin_bands(points: pl.DataFrame) -> pl.DataFrame:
    """Per reading `weight`, `dollars`, `quality` and the band of its gain over the best coin for the same money."""
    readings = gains(points).filter(pl.col("role") == "reading")
    means = readings.group_by("weight", maintain_order=True).agg(
        pl.col("dollars").mean(), pl.col("quality").mean()
    )
    return means.join(bands(readings, ["weight"]), on="weight", maintain_order="left")


def findings_of(data: Numbers) -> list[Finding]:
    """What was found, most useful first."""
    means = data.points.group_by("policy", "role", maintain_order=True).agg(
        pl.col("dollars", "quality").mean()
    )
    best = data.said["best"]
    mine = data.both.filter(pl.col("policy") == best).select("environment", "trial", "regret")
    sides = [
        mine.filter(pl.col("environment") == data.said[key]).sort("trial")
        for key in ("text", "constant")
    ]
    difference = pl.DataFrame({"policy": best, "value": sides[0]["regret"] - sides[1]["regret"]})
    mean, low, high = bands(difference, ["policy"]).select("mean", "low", "high").row(0)
    text, constant = (sum(side["regret"]) / len(side) for side in sides)
    return [
        findings.about_models(means.filter(pl.col("role") == "model")),
        findings.about_coins(data.whole, data.late),
        findings.about_context(best, (text, constant), (mean, low, high)),
        findings.about_preferences(data.text, data.text_late),
    ]
