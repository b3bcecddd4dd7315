"""Beside the page of a run: its table in LaTeX and CSV, its figures in PDF."""

from pathlib import Path

import polars as pl

from mobandits.figures.final_values import chosen_metrics, csv_table
from mobandits.figures.latex_table import latex_table
from mobandits.figures.plot_options import PlotOptions
from mobandits.figures.plots import plot

TABLES = "tables"
FIGURES = "figures"
NAME = "results"  # of the table's files
TUNING = ", tuning"  # how experiments of papers call the trials that constants were chosen on


def write_paper_output(
    folder: Path, table: pl.DataFrame, *, latex: bool, csv: bool, pdf: bool
) -> list[Path]:
    """Write `tables/results.tex`, `tables/results.csv` and `figures/METRIC.pdf`.

    Figures are as wide as a column, in the style of papers. Metrics of more than six components are
    left out, and of an experiment of a paper the trials that constants were chosen on.

    Args:
        folder: of the run.
        table: its rows.
        latex: whether to write the table in LaTeX.
        csv: whether to write it as CSV.
        pdf: whether to write the figures.

    Returns:
        The files.
    """
    reported = table.filter(~pl.col("experiment").str.ends_with(TUNING))
    rows = table if reported.is_empty() else reported
    files = []
    if latex:
        files.append(_write(folder / TABLES / f"{NAME}.tex", latex_table(rows)))
    if csv:
        files.append(_write(folder / TABLES / f"{NAME}.csv", csv_table(rows)))
    if pdf:
        options = PlotOptions(size="column", style="paper")
        for metric in chosen_metrics(rows, None):
            file = folder / FIGURES / f"{metric}.pdf"
            file.parent.mkdir(exist_ok=True)
            plot(rows, metric, options).savefig(file)
            files.append(file)

    return files


def _write(file: Path, text: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file
