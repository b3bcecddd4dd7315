"""The page of a reproduced experiment: what the paper says, what came out, and the verdicts."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import polars as pl

from mobandits.figures.contents import Manifest
from mobandits.figures.formatting import folded, spoken, title_of
from mobandits.figures.metric_tables import (
    best_sentence,
    meaning_of,
    results_table,
    with_columns_of_components,
)
from mobandits.figures.page import Picture, Table, draw_picture
from mobandits.figures.provenance import Provenance, provenance
from mobandits.figures.run_page import means_by_environment
from mobandits.figures.words import Definition, definitions, symbols_in
from mobandits.metrics.traits import traits_of
from mobandits.statistics.bands import bands
from mobandits.support.naming import quantity
from mobandits_papers.contents import ClaimEntry, ExperimentSpecification
from mobandits_papers.formulas.prose import with_formulas
from mobandits_papers.pages.claim_counts import counted, group_of
from mobandits_papers.pages.claim_texts import first_few
from mobandits_papers.pages.paper_figures import (
    component_title,
    curves_of,
    draw_plot,
    is_drawable,
    last_values,
    shown_rows,
)
from mobandits_papers.pages.rendering import render

RULE = "A verdict follows from a rule, a 95 % interval and the number of trials."
MOST_MISSED = 2  # claims that did not reproduce, at the top of the page


@dataclass(frozen=True)
class PaperFigure:
    """A figure of an experiment.

    Args:
        caption: of the experiment.
        picture: None where nothing was measured at this scale.
    """

    caption: str
    picture: Picture | None


@dataclass(frozen=True)
class FoldedTable:
    """A table that is shown on demand; a short one, from the start.

    Args:
        title: a line that is always shown.
        table: what is folded.
    """

    title: str
    table: Table


@dataclass(frozen=True)
class PaperPage:
    """What `experiment.html` shows.

    Args:
        title: of the experiment.
        specification: of its manifest.
        findings: what came out, in one to three sentences.
        words: that the figures use.
        claims: entries of claims.json; none: no section on them.
        figures: in order.
        constants: which were chosen; None: there was no choice.
        values: of every metric at the last round.
        grids: the values of all constants, of every metric.
        provenance: of the table.
    """

    title: str
    specification: ExperimentSpecification
    findings: Sequence[str]
    words: Sequence[Definition]
    claims: Sequence[ClaimEntry]
    figures: Sequence[PaperFigure]
    constants: Table | None
    values: Sequence[FoldedTable]
    grids: Sequence[FoldedTable]
    provenance: Provenance


def paper_page(
    directory: Path, table: pl.DataFrame, manifest: Manifest, claims: Sequence[ClaimEntry]
) -> str:
    """Write the figures of an experiment, and make its page.

    Args:
        directory: of the experiment; the figures go to its folder `figures`.
        table: its rows.
        manifest: its manifest.
        claims: what `claims.json` holds.
    """
    specification = cast("ExperimentSpecification", manifest["specification"])
    rows = shown_rows(table, specification)
    best = shown_rows(table, specification, "best")
    page = PaperPage(
        title=specification["title"],
        specification=specification,
        findings=paper_findings(rows, specification, claims),
        words=words_of_page(specification, claims),
        claims=claims,
        figures=paper_figures(directory / "figures", rows, specification),
        constants=constants_table(specification),
        values=value_tables(rows, best, specification),
        grids=grid_tables(table, specification),
        provenance=provenance(manifest),
    )

    return render("experiment.html", page)


def paper_figures(
    figures: Path, rows: pl.DataFrame, specification: ExperimentSpecification
) -> list[PaperFigure]:
    """The figures of an experiment.

    Args:
        figures: where their files are written.
        rows: from `shown_rows`.
        specification: of the manifest.
    """
    drawn = []
    explained = set[str]()
    for plot in specification["plots"]:
        # Small scales may measure nothing of a metric: the page says so in place of an empty
        # figure.
        caption = plot["caption"]
        picture = None
        if is_drawable(rows, plot):
            draw = functools.partial(draw_plot, rows, plot)
            curves = curves_of(rows, plot)
            # A metric is explained where it is seen first.
            meaning = "" if plot["metric"] in explained else meaning_of(plot["metric"])
            explained.add(plot["metric"])
            longer = with_formulas(f"{caption} {meaning}".rstrip())
            picture = draw_picture(draw, figures, plot["name"], caption, longer, curves)

        drawn.append(PaperFigure(with_formulas(caption), picture))

    return drawn


def constants_table(specification: ExperimentSpecification) -> Table | None:
    """Which constants were chosen; None where there was no choice."""
    rows = [
        [f"{row['row']}, {row['run']}", row["tuned"], row["best_tuned"]]
        for row in specification["rows"]
        if row["tuned"]
    ]
    if not rows:
        return None

    return Table(("row", "chosen on the tuning seed", "best of the reported trials"), rows)


def paper_findings(
    rows: pl.DataFrame, specification: ExperimentSpecification, claims: Sequence[ClaimEntry]
) -> list[str]:
    """How many claims came to what, which did not reproduce, and which policy was the best.

    Args:
        rows: from `shown_rows`.
        specification: of the manifest.
        claims: of the experiment.
    """
    sentences = claims_findings(claims) if claims else []
    # Other kinds of figures show what is not played, such as bounds.
    curves = [plot for plot in specification["plots"] if plot["kind"] == "curves"]
    for plot in curves:
        shown = last_values(rows).filter(metric=plot["metric"])
        if plot["runs"]:
            shown = shown.filter(pl.col("run").is_in(plot["runs"]))
        if plot["rows"]:
            shown = shown.filter(pl.col("policy").is_in(plot["rows"]))
        if shown.is_empty():
            continue

        best = best_of_first_run(shown, plot["metric"], specification)
        if best:
            sentences.append(best)
        break

    return sentences


def claims_findings(claims: Sequence[ClaimEntry]) -> list[str]:
    """How many claims came to what, and which of the paper's own did not reproduce.

    Args:
        claims: of the experiment.
    """
    missed = [
        claim["claim"].removesuffix(".") for claim in claims if group_of(claim) == "not reproduced"
    ]
    judged = quantity(len(claims), "claim")
    sentences = [f"{judged} judged. {counted(claims)} {RULE}"]
    if missed:
        sentences.append(f"Not reproduced: {'; '.join(first_few(missed, MOST_MISSED))}.")

    return sentences


def best_of_first_run(
    values: pl.DataFrame, metric: str, specification: ExperimentSpecification
) -> str:
    """Which policy has the best mean, in the first run of a figure.

    Args:
        values: from `last_values`, of the metric.
        metric: its name.
        specification: of the manifest.
    """
    first = values["run"][0]
    means = bands(values.filter(run=first), ["component", "policy"])
    names = names_of_components(values, metric, specification)
    where = f" ({first})" if values["run"].n_unique() > 1 else ""

    return best_sentence(with_columns_of_components(means, metric, names), metric, where)


def names_of_components(
    values: pl.DataFrame, metric: str, specification: ExperimentSpecification
) -> dict[int, str]:
    """{component: its name}, as the figures of the metric call it; else its number from 1.

    Args:
        values: of the metric, `component` among its columns.
        metric: its name.
        specification: of the manifest.
    """
    parts: Sequence[str] = ()
    for plot in specification["plots"]:
        if plot["metric"] == metric and plot["parts"]:
            parts = plot["parts"]
            break

    components = values["component"].unique().sort()
    return {i: component_title(parts, metric, i) for i in components}


def words_of_page(
    specification: ExperimentSpecification, claims: Sequence[ClaimEntry]
) -> list[Definition]:
    """The symbols and other words of the figures of a page.

    Args:
        specification: of the manifest.
        claims: of the experiment.
    """
    texts = [specification["title"], *specification["places"]]
    for row in specification["rows"]:
        texts += [row["row"], row["tuned"]]
    for plot in specification["plots"]:
        texts += [plot["caption"], *plot["parts"]]
    for claim in claims:
        texts += [claim["claim"], claim["of"], claim["target"]]

    return definitions(*symbols_in(texts), "trial", "interval")


def value_tables(
    chosen: pl.DataFrame, best: pl.DataFrame, specification: ExperimentSpecification
) -> list[FoldedTable]:
    """The last values of each metric.

    Beside a row with a chosen constant stands the same row by the paper's own rule.

    Args:
        chosen: from `shown_rows`.
        best: the same with the best constants of the reported trials.
        specification: of the manifest.
    """
    others = set()
    for entry in specification["rows"]:
        if entry["policy"] != entry["best"]:
            others.add((entry["run"], entry["row"]))

    is_other = [row in others for row in best.select("run", "policy").rows()]
    again = best.filter(pl.Series(is_other, dtype=pl.Boolean))
    renamed = again.with_columns(policy=pl.col("policy") + ", best of the reported")
    last = last_values(pl.concat([chosen, renamed]))

    # A metric with a figure is explained there.
    drawn = {plot["metric"] for plot in specification["plots"]}
    tables = []
    for metric in last["metric"].unique(maintain_order=True):
        meaning = "" if metric in drawn else meaning_of(metric)
        values = last.filter(metric=metric)
        names = names_of_components(values, metric, specification)
        tables += tables_of_metric(values, metric, names, meaning)

    return tables


def tables_of_metric(
    values: pl.DataFrame, metric: str, names: Mapping[int, str], meaning: str = ""
) -> list[FoldedTable]:
    """The values of one metric: one table with a column per run, or one per run.

    Runs are columns where the metric has one component and most rows are in all of them; otherwise
    a run has a table with a column per component.

    Args:
        values: `run`, `policy`, `component`, `trial`, `value` of the metric at the last round.
        metric: its name.
        names: of the components.
        meaning: a sentence, for the first of the tables.
    """
    traits = traits_of(metric)
    means = bands(values, ["run", "component", "policy"], traits.least, traits.most)
    runs = means.partition_by("run", as_dict=True, maintain_order=True)
    title = title_of(metric)
    is_one_number = len(names) == 1
    if len(runs) > 1 and is_one_number and _share_rows(list(runs.values())):
        by_run = means.with_columns(column=pl.col("run"))
        return [FoldedTable(title, results_table(by_run, metric, meaning))]

    tables = []
    for (run,), own in runs.items():
        by_component = with_columns_of_components(own, metric, names)
        own_title = f"{title}, {run}" if len(runs) > 1 else title
        tables.append(FoldedTable(own_title, results_table(by_component, metric, meaning)))
        meaning = ""

    return tables


def _share_rows(runs: Sequence[pl.DataFrame]) -> bool:
    """Whether at least half of the rows are in all runs: else a table would be mostly empty."""
    rows = [set(run["policy"]) for run in runs]
    common = set.intersection(*rows)
    either = set.union(*rows)
    return 2 * len(common) >= len(either)


def grid_tables(table: pl.DataFrame, specification: ExperimentSpecification) -> list[FoldedTable]:
    """The values of all constants in reported and in tuning trials; none without a choice."""
    # Where nothing was chosen, the values above are all that there is.
    if not any(row["tuned"] for row in specification["rows"]):
        return []

    tables = []
    for experiment in table["experiment"].unique(maintain_order=True):
        own = table.filter(pl.col("experiment") == experiment)
        # Tuning trials have the metrics that constants were chosen by, and no others.
        for metric in own["metric"].unique(maintain_order=True):
            of_metric = own.filter(metric=metric)
            names = names_of_components(of_metric, metric, specification)
            by_environment = means_by_environment(of_metric, metric, names)
            for environment, means in by_environment.items():
                where = f" in {folded(environment)}" if len(by_environment) > 1 else ""
                title = f"{experiment}: {spoken(metric)}{where}"
                tables.append(FoldedTable(title, results_table(means, metric)))

    return tables
