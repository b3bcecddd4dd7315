"""The page of any run: what came out, a figure and a table per metric, and how it was made."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from mobandits.figures.contents import Manifest
from mobandits.figures.formatting import axis_title, folded, title_of
from mobandits.figures.metric_curves import curves_data, draw_curves
from mobandits.figures.metric_tables import (
    best_sentence,
    final_means,
    meaning_of,
    results_table,
    with_columns_of_components,
)
from mobandits.figures.page import Picture, Table, draw_picture, render
from mobandits.figures.provenance import Provenance, provenance
from mobandits.figures.words import Definition, definitions, symbols_in
from mobandits.support.naming import quantity

MOST_FINDINGS = 3  # sentences that a page begins with


@dataclass(frozen=True)
class MetricSection:
    """The part of a page on one metric.

    Args:
        anchor: of its heading.
        title: its heading.
        picture: the curves of all policies.
        values: the last values, a table per environment.
    """

    anchor: str
    title: str
    picture: Picture
    values: Sequence[Table]


@dataclass(frozen=True)
class RunPage:
    """The content of `run.html`.

    Args:
        title: the experiment's name.
        findings: what came out, in one to three sentences.
        policies: how many there are.
        environments: their names, shortened.
        trials: how many there are.
        rounds: of the longest trial.
        words: that the page uses.
        contents: (anchor, title) of the metrics.
        metrics: in the order of the table.
        provenance: of the table.
    """

    title: str
    findings: Sequence[str]
    policies: str
    environments: Sequence[str]
    trials: int
    rounds: int
    words: Sequence[Definition]
    contents: Sequence[tuple[str, str]]
    metrics: Sequence[MetricSection]
    provenance: Provenance


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
    metrics = table["metric"].unique(maintain_order=True)
    sections = [metric_section(figures, table, metric, trials) for metric in metrics]
    environments = table["environment"].unique(maintain_order=True).to_list()
    names = table["policy"].unique(maintain_order=True).to_list()
    page = RunPage(
        title=str(table["experiment"][0]),
        findings=findings[:MOST_FINDINGS] or findings_of(table),
        policies=quantity(len(names), "policy", "policies"),
        environments=[folded(name) for name in environments],
        trials=trials,
        rounds=rounds,
        words=definitions("trial", "interval", *symbols_in(names)),
        contents=[(section.anchor, section.title) for section in sections],
        metrics=sections,
        provenance=provenance(manifest),
    )

    return render("run.html", page)


def findings_of(table: pl.DataFrame) -> list[str]:
    """The policy with the best mean of each metric, in at most three sentences.

    Args:
        table: rows of a run.
    """
    environments = table["environment"].n_unique()
    sentences = []
    for metric in table["metric"].unique(maintain_order=True):
        for name, means in means_by_environment(table, metric).items():
            where = f" in {folded(name)}" if environments > 1 else ""
            sentence = best_sentence(means, metric, where)
            if sentence:
                sentences.append(sentence)

    return sentences[:MOST_FINDINGS]


def means_by_environment(
    table: pl.DataFrame, metric: str, names: Mapping[int, str] | None = None
) -> dict[str, pl.DataFrame]:
    """{environment: the means of one metric at the end}, with a column per component.

    Args:
        table: rows as `simulate` records them.
        metric: a name in its column `metric`.
        names: as in `with_columns_of_components`.
    """
    means = with_columns_of_components(final_means(table, metric), metric, names)
    parts = means.partition_by("environment", as_dict=True, maintain_order=True)
    return {str(name): part for (name,), part in parts.items()}


def metric_section(figures: Path, table: pl.DataFrame, metric: str, trials: int) -> MetricSection:
    """The curves and the final values of one metric.

    Args:
        figures: where the files of the figure are written.
        table: rows of the run.
        metric: its name.
        trials: how many there are.
    """
    title = title_of(metric)
    data = curves_data(table, metric)
    draw = functools.partial(draw_curves, data, axis_title(metric), "round")
    alt = f"{title} of every policy over the rounds; the table below has the values at the end."
    caption = meaning_of(metric) or f"{title}."
    if trials > 1:
        caption += f" Lines are means over {trials} trials; bands are 95 % intervals."

    picture = draw_picture(draw, figures, metric, alt, caption, data)

    return MetricSection(metric, title, picture, final_tables(table, metric))


def final_tables(table: pl.DataFrame, metric: str) -> list[Table]:
    """The last values of one metric: a table per environment.

    Args:
        table: rows of a run.
        metric: its name.
    """
    by_environment = means_by_environment(table, metric)
    tables = []
    for environment, means in by_environment.items():
        where = f" in {folded(environment)}" if len(by_environment) > 1 else ""
        rounds = max(means["round"])
        caption = f"{title_of(metric)} at round {rounds:,}{where}."
        tables.append(results_table(means, metric, caption))

    return tables
