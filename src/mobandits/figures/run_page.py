"""The page of any run: the ranked policies, figures, who is best, and how it was made."""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import polars as pl

from mobandits.figures.contents import Findings, Manifest, distinct
from mobandits.figures.formatting import axis_title, folded, title_of
from mobandits.figures.metric_curves import curves_data, draw_curves
from mobandits.figures.metric_tables import (
    final_means,
    meaning_of,
    ranking_table,
    results_table,
    with_columns_of_components,
)
from mobandits.figures.page import Picture, Table, draw_picture, render
from mobandits.figures.provenance import provenance
from mobandits.figures.words import definitions, symbols_in
from mobandits.support.naming import quantity

SIZE = re.compile(r"\b(arm|objective)s=(\d+)")  # in the text of an environment


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


class Live(NamedTuple):
    """The state of a run that is not finished.

    Attributes:
        text: in a sentence or two.
        done: rounds played.
        total: rounds of all trials.
        refresh: seconds until the page is loaded again; 0: it is not.
    """

    text: str
    done: int
    total: int
    refresh: int


def run_page(directory: Path, table: pl.DataFrame, manifest: Manifest, findings: Findings) -> str:
    """Write the figures of a run, and make its page; the arguments are those of `run_content`."""
    return render("run.html", run_content(directory, table, manifest, findings))


def run_content(
    directory: Path, table: pl.DataFrame, manifest: Manifest, findings: Findings
) -> SimpleNamespace:
    """Write the figures of a run, and gather the content of its page, with `live` for a `Live`.

    Args:
        directory: of the run; the figures go to its folder `figures`.
        table: its rows; empty where no trial is finished.
        manifest: its manifest.
        findings: who is best, and in which metric.
    """
    specification = manifest["specification"]
    figures = directory / "figures"
    metrics = distinct(table, "metric")
    sections = [metric_section(figures, table, metric, findings) for metric in metrics]
    environments = distinct(table, "environment")
    names = distinct(table, "policy") or list(specification["policies"])
    columns = () if findings.ranking is None else ("mean rank", "better than ranks")

    # Read by the template alone, by these names.
    return SimpleNamespace(
        title=run_title(findings.metric, names, specification["environment"]),
        findings=findings,
        environments=[folded(name) for name in environments or [specification["environment"]]],
        trials=table["trial"].n_unique(),
        rounds=specification["rounds"],
        words=definitions("trial", "interval", *columns, *symbols_in(names)),
        contents=[(section.anchor, section.title) for section in sections],
        metrics=sections,
        provenance=provenance(manifest),
        live=None,
    )


def run_title(metric: str, policies: Sequence[str], environment: str) -> str:
    """The title of a run: the metric, the policies, and where they played.

    Args:
        metric: the main one.
        policies: their names.
        environment: its text, as specifications have it.

    Example:
        >>> run_title("pareto_regret", ["a", "b"], "Linear(arms=5, features=3, objectives=2)")
        'Pareto regret of 2 policies on Linear, 5 arms, 2 objectives'
        >>> run_title("reward", ["MolUcb(scale=0.3)"], "World()")
        'Reward of MolUcb(scale=0.3) on World'
    """
    who = folded(policies[0])
    if len(policies) > 1:
        who = f"{len(policies)} policies"

    name, _, _ = environment.partition("(")
    sizes = [quantity(int(size), noun) for noun, size in SIZE.findall(environment)]
    where = ", ".join([folded(name), *sizes])

    return f"{title_of(metric)} of {who} on {where}"


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


def metric_section(
    figures: Path, table: pl.DataFrame, metric: str, findings: Findings
) -> MetricSection:
    """The curves and the final values of one metric.

    Args:
        figures: where the files of the figure are written.
        table: rows of the run.
        metric: its name.
        findings: of this table.
    """
    title = title_of(metric)
    trials = table["trial"].n_unique()
    ranking = findings.ranking if metric == findings.metric else None
    data = curves_data(table, metric)
    draw = functools.partial(draw_curves, data, axis_title(metric), "round")
    alt = f"{title} of every policy over the rounds; a table has the values at the end."
    caption = meaning_of(metric) or f"{title}."
    if trials > 1:
        caption += f" Lines are means over {trials} trials; bands are 95 % intervals."

    picture = draw_picture(draw, figures, metric, alt, caption, data)

    return MetricSection(metric, title, picture, final_tables(table, metric, ranking))


def final_tables(
    table: pl.DataFrame, metric: str, ranking: pl.DataFrame | None = None
) -> list[Table]:
    """The last values of one metric: a table per environment.

    Args:
        table: rows of a run.
        metric: its name.
        ranking: of the policies in this metric, as in `Findings`; None: they were not compared.
    """
    by_environment = means_by_environment(table, metric)
    tables = []
    for environment, means in by_environment.items():
        where = f" in {folded(environment)}" if len(by_environment) > 1 else ""
        rounds = max(means["round"])
        caption = f"{title_of(metric)} at round {rounds:,}{where}."
        if ranking is None:
            tables.append(results_table(means, metric, caption))
            continue

        standings = ranking.rows(named=True)
        # A single environment has no column.
        own = [row for row in standings if row.get("environment", environment) == environment]
        tables.append(ranking_table(means, metric, caption, own))

    return tables
