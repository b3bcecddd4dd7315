"""The page of any run: a figure per metric, a table of what came out, and how it was made."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from mobandits.figures.contents import Manifest
from mobandits.figures.formatting import (
    component_name,
    digits_after_point,
    format_number,
    spoken,
    title_of,
)
from mobandits.figures.metric_curves import curves_data, draw_curves
from mobandits.figures.page import Picture, Table, draw_picture, render
from mobandits.figures.provenance import Provenance, provenance
from mobandits.statistics.bands import bands
from mobandits.statistics.metric_traits import traits_of

HEADER = ("mean", "95 % from", "to", "trials")  # of a table of values, after the names of its rows
# Why no page shows the Pareto regret without a word: Guan and Xu, arXiv:2604.07096, 2026.
ALONE = (
    " It says little alone: a policy that plays one arm of the front for ever has none, whatever it "
    "leaves to other objectives. The effective and the max-min regret, and the front recall, tell."
)
DIGITS = 6  # of the largest number in a table, with those after the point; no number has more there


@dataclass(frozen=True)
class MetricSection:
    """What a page shows of one metric."""

    title: str
    picture: Picture
    values: Table


@dataclass(frozen=True)
class RunPage:
    """What `run.html` shows.

    Args:
        title: the experiment's name.
        policies: how many there are.
        environments: their names.
        trials: how many there are.
        rounds: of the longest trial.
        metrics: in the order of the table.
        provenance: of the table.
        findings: sentences that stand first: who is best, and how sure that is.
    """

    title: str
    policies: int
    environments: Sequence[str]
    trials: int
    rounds: int
    metrics: Sequence[MetricSection]
    provenance: Provenance
    findings: Sequence[str] = ()


def run_page(
    directory: Path, table: pl.DataFrame, manifest: Manifest, findings: Sequence[str] = ()
) -> str:
    """Write the figures of a run, and make its page.

    Args:
        directory: of the run; the figures go to its folder `figures`.
        table: its rows.
        manifest: its manifest.
        findings: sentences that stand first on the page.
    """
    rounds = int(table["round"].to_numpy().max())
    trials = table["trial"].n_unique()
    figures = directory / "figures"
    sections = [
        metric_section(figures, table, metric, rounds, trials)
        for metric in table["metric"].unique(maintain_order=True)
    ]
    page = RunPage(
        title=str(table["experiment"][0]),
        policies=table["policy"].n_unique(),
        environments=table["environment"].unique(maintain_order=True).to_list(),
        trials=trials,
        rounds=rounds,
        metrics=sections,
        provenance=provenance(manifest),
        findings=findings,
    )

    return render("run.html", page)


def metric_section(
    figures: Path, table: pl.DataFrame, metric: str, rounds: int, trials: int
) -> MetricSection:
    """The curves and the final values of one metric.

    Args:
        figures: where the files of the figure are written.
        table: rows of the run.
        metric: its name.
        rounds: of the longest trial.
        trials: how many there are.
    """
    title = title_of(metric)
    data = curves_data(table, metric)
    draw = functools.partial(draw_curves, data, spoken(metric), "round")
    alt = f"{title} of every policy over the rounds; the table below has the values at the end."
    caption = f"{title}: means over {trials} trials, with 95 % bands."
    if metric == "pareto_regret":
        caption += ALONE
    picture = draw_picture(draw, figures, metric, alt, caption, data)
    rows = final_rows(table, metric)
    values = Table(("policy", *HEADER), rows, f"{title} at round {rounds:,}")

    return MetricSection(title, picture, values)


def final_rows(table: pl.DataFrame, metric: str) -> list[list[str]]:
    """The last values of one metric: a row per environment, policy and component.

    All have as many digits after the point. A row that ended earlier than others of its environment
    says in which round.
    """
    measured = table.filter(pl.col("metric") == metric)
    end = pl.col("round").max()
    own_end = end.over("environment", "policy")
    last = measured.filter(pl.col("round") == own_end).with_columns(
        early=pl.col("round") < end.over("environment")
    )
    many_components = last["component"].n_unique() > 1
    many_environments = last["environment"].n_unique() > 1
    keys = ["environment", "policy", "component", "round", "early"]
    traits = traits_of(metric)
    means = bands(last, keys, traits.least, traits.most)
    digits = common_digits(means)
    rows = []
    for row in means.rows(named=True):
        name = row["policy"]
        if many_components:
            name += f", {component_name(metric)} {row['component']}"
        if many_environments:
            name += f" in {row['environment']}"
        if row["early"]:
            name += f" at round {row['round']:,}"

        rows.append([name, *band_cells(row, digits)])

    return rows


def common_digits(means: pl.DataFrame) -> int:
    """How many digits after the point the numbers of one table have.

    Args:
        means: `mean`, `low`, `high`.

    Example:
        >>> common_digits(pl.DataFrame({"mean": [123.4], "low": [120.0], "high": [130.0]}))
        3
    """
    largest = 0.0
    for row in means.select("mean", "low", "high").rows():
        for number in row:
            if math.isfinite(number):
                largest = max(largest, abs(number))

    # A table of zeros has no largest number: its logarithm is taken of 1.
    return digits_after_point(largest or 1.0, DIGITS)


def band_cells(row: dict[str, float], digits: int) -> list[str]:
    """The cells of a mean, both ends of its interval, and the number of trials.

    Args:
        row: of `bands`.
        digits: after the point.
    """
    mean = format_number(row["mean"], digits)
    trials = int(row["trials"])
    if trials == 1:  # which has no interval
        return [mean, "", "", "1"]

    low = format_number(row["low"], digits)
    high = format_number(row["high"], digits)

    return [mean, low, high, str(trials)]
