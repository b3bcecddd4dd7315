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
    """Everything that the page says and shows, before it is put in words and drawn.

    Attributes:
        specification: of the demonstration.
        rows: `policy`, `role`, `weight`.
        points: `outcomes` of the environment with the text.
        both: `outcomes` of both environments.
        whole: per reading `weight`, `dollars`, `quality`, and the band `mean`, `low`, `high` of its
            gain over the coin.
        late: the same over the second half of the prompts.
        text: the band of `context_gain` per `weight`.
        text_late: the same over the second half of the prompts.
    """

    specification: dict[str, Any]
    rows: pl.DataFrame
    points: pl.DataFrame
    both: pl.DataFrame
    whole: pl.DataFrame
    late: pl.DataFrame
    text: pl.DataFrame
    text_late: pl.DataFrame


def numbers(table: pl.DataFrame, specification: dict[str, Any]) -> Numbers:
    """The numbers that the page needs.

    Args:
        table: the rows of the demonstration.
        specification: its specification.
    """
    text = specification["text"]
    constant = specification["constant"]
    schema = {"policy": pl.String, "role": pl.String, "weight": pl.Float64}
    rows = pl.DataFrame(specification["rows"], schema)
    both = outcomes(table, rows)
    # What was learned late is shown apart: the features of the text take time to learn.
    both_late = outcomes(table, rows, late=True)
    with_text = pl.col("environment") == text
    gain = context_gain(both, text, constant)
    gain_late = context_gain(both_late, text, constant)

    return Numbers(
        specification,
        rows,
        both.filter(with_text),
        both,
        coin_bands(both.filter(with_text)),
        coin_bands(both_late.filter(with_text)),
        bands(gain, ["weight"]),
        bands(gain_late, ["weight"]),
    )


def coin_bands(points: pl.DataFrame) -> pl.DataFrame:
    """The gain of every reading over the best coin for the same money.

    Args:
        points: from `outcomes`, of one environment.

    Returns:
        Per reading `weight`, `dollars`, `quality` and the band `mean`, `low`, `high` of the gain.
    """
    # Gains need the models of every trial, so that readings are picked afterwards.
    gains_of_all = gains(points)
    readings = gains_of_all.filter(pl.col("role") == "reading")
    groups = readings.group_by("weight", maintain_order=True)
    means = groups.agg(
        pl.col("dollars").mean(),
        pl.col("quality").mean(),
    )
    intervals = bands(readings, ["weight"])

    return means.join(intervals, on="weight", maintain_order="left")


def findings_of(data: Numbers) -> list[Finding]:
    """What was found, most useful first."""
    groups = data.points.group_by("policy", "role", maintain_order=True)
    means = groups.agg(pl.col("dollars", "quality").mean())
    models = means.filter(pl.col("role") == "model")

    return [
        findings.about_models(models),
        findings.about_coins(data.whole, data.late),
        about_context_of_best(data),
        findings.about_preferences(data.text, data.text_late),
    ]


def about_context_of_best(data: Numbers) -> Finding:
    """Whether the best learner did better with the text than with a constant."""
    specification = data.specification
    best = specification["best"]
    of_best = data.both.filter(pl.col("policy") == best)
    regrets = of_best.select("environment", "trial", "regret")
    with_text = regrets.filter(pl.col("environment") == specification["text"]).sort("trial")
    without = regrets.filter(pl.col("environment") == specification["constant"]).sort("trial")

    # Order by order: both sides of a trial play the same order of the prompts.
    difference = with_text["regret"] - without["regret"]
    table = pl.DataFrame({"policy": best, "value": difference})
    band = bands(table, ["policy"]).select("mean", "low", "high").row(0)

    mean_with_text = sum(with_text["regret"]) / len(with_text)
    mean_without = sum(without["regret"]) / len(without)

    return findings.about_context(best, (mean_with_text, mean_without), band)
