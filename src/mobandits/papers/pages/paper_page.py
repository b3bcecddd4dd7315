"""The page of a reproduced experiment: what the paper says, what came out, and the verdicts."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import polars as pl

from mobandits.figures.contents import Manifest
from mobandits.figures.formatting import (
    component_name,
    digits_after_point,
    spoken,
    title_of,
)
from mobandits.figures.formulas import with_formulas
from mobandits.figures.page import Picture, Table, draw_picture, render
from mobandits.figures.provenance import Provenance, provenance
from mobandits.figures.run_page import HEADER, band_cells, final_rows
from mobandits.papers.contents import ClaimEntry, ExperimentSpecification
from mobandits.papers.pages.claim_counts import counted
from mobandits.papers.pages.claim_texts import ClaimDetails, ClaimRow, claim_details, claim_rows
from mobandits.papers.pages.paper_figures import draw_plot, is_drawable, plot_data, shown_rows
from mobandits.papers.pages.scale import own_scale, scale_of
from mobandits.statistics.bands import bands
from mobandits.statistics.metric_traits import traits_of

SHORT = 12  # a table of so many rows is shown unfolded
DIGITS = 5  # of the largest value in a table


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
    """A table that is shown on demand, or from the start.

    Args:
        title: a line that is always shown.
        table: what is folded.
        open: whether it is shown from the start.
    """

    title: str
    table: Table
    open: bool = False


@dataclass(frozen=True)
class PaperPage:
    """What `experiment.html` shows.

    Args:
        title: of the experiment.
        source: where the paper says it.
        experiment: its ID.
        changed: what was asked for in place of its own scale; empty: nothing.
        scale: its own scale; empty: not known.
        about: paragraphs.
        counts: how many claims came to what.
        claims: the table of claims; none: no section on them.
        figures: in order.
        constants: which were chosen; None: there was no choice.
        values: of every metric at the last round.
        details: all numbers of the claims.
        grids: the values of all constants, of every metric.
        provenance: of the table.
    """

    title: str
    source: str
    experiment: str
    changed: str
    scale: str
    about: Sequence[str]
    counts: str
    claims: Sequence[ClaimRow]
    figures: Sequence[PaperFigure]
    constants: Table | None
    values: Sequence[FoldedTable]
    details: Sequence[ClaimDetails]
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
    changed = specification["changed"]
    page = PaperPage(
        title=specification["title"],
        source=specification["source"],
        experiment=specification["experiment"],
        changed=scale_of(changed) if changed else "",
        scale=own_scale(specification.get("scale", [])),
        about=[with_formulas(paragraph) for paragraph in specification["about"]],
        counts=counted(claims),
        claims=claim_rows(claims),
        figures=paper_figures(directory / "figures", rows, specification),
        constants=constants_table(specification),
        values=value_tables(rows, best, specification),
        details=[claim_details(claim) for claim in claims],
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
    for plot in specification["plots"]:
        # Small scales may measure nothing of a metric: the page says so in place of an empty
        # figure.
        caption = plot["caption"]
        picture = None
        if is_drawable(rows, plot):
            draw = functools.partial(draw_plot, rows, plot)
            curves = plot_data(rows, plot) if plot["kind"] == "curves" else None
            alt = caption
            picture = draw_picture(draw, figures, plot["name"], alt, with_formulas(caption), curves)

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


def value_tables(
    chosen: pl.DataFrame, best: pl.DataFrame, specification: ExperimentSpecification
) -> list[FoldedTable]:
    """The last values of each metric.

    Below a row with a chosen constant stands the same row by the paper's own rule.

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
    both = pl.concat([chosen, renamed])

    rounds = pl.col("round")
    last = both.filter(rounds == rounds.max().over("run"))
    tables = []
    for metric in last["metric"].unique(maintain_order=True):
        own = last.filter(pl.col("metric") == metric)
        rows = value_rows_of(own, metric)
        table = Table(("row", *HEADER), rows)
        is_short = len(rows) <= SHORT
        tables.append(FoldedTable(title_of(metric), table, open=is_short))

    return tables


def value_rows_of(values: pl.DataFrame, metric: str) -> list[list[str]]:
    """The rows of a table of values.

    Args:
        values: `run`, `policy`, `component`, `trial`, `value` of one metric at the last round.
        metric: its name.
    """
    many_components = values["component"].n_unique() > 1
    many_runs = values["run"].n_unique() > 1
    traits = traits_of(metric)
    means = bands(values, ["run", "component", "policy"], traits.least, traits.most)
    means = means.sort("run", "component", maintain_order=True)
    sizes = [abs(mean) for mean in means["mean"] if math.isfinite(mean)]
    largest = max(sizes, default=1.0) or 1.0
    digits = digits_after_point(largest, DIGITS)
    rows = []
    for row in means.rows(named=True):
        name = row["policy"]
        if many_components:
            name += f", {component_name(metric)} {row['component'] + 1}"
        if many_runs:
            name += f", {row['run']}"

        rows.append([name, *band_cells(row, digits)])

    return rows


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
            rows = final_rows(own, metric)
            grid = Table(("row", *HEADER), rows)
            title = f"{experiment}: {spoken(metric)}"
            tables.append(FoldedTable(title, grid))

    return tables
