"""From the folder of any finished run to its figures and its page."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import polars as pl

from mobandits.comparison.findings import sentences
from mobandits.demo.page import demo_page
from mobandits.evaluation.evaluation_folder import is_evaluation, read_tables
from mobandits.figures.contents import Kind, Manifest
from mobandits.figures.evaluation_page import evaluation_page
from mobandits.figures.page import write_page
from mobandits.figures.run_page import run_page
from mobandits.metrics.traits import describing
from mobandits.paper_output import check_kind, write_paper_output
from mobandits.papers.pages.write import (
    read_claims,
    write_experiment,
    write_index,
    write_theorems,
)
from mobandits.papers.protocol.files import read_checks
from mobandits.simulation.collection import RUNS
from mobandits.simulation.folder import read_folder


def write(
    directory: str | Path, *, latex: bool = False, csv: bool = False, pdf: bool = False
) -> Path:
    """Draw the figures of a run and write its page, from the files of its folder alone.

    Args:
        directory: of a finished run, of the demonstration, of a reproduced experiment, of several
            of them, of `evaluate`, or of `check-theorems`.
        latex: whether to write `tables/results.tex` as well, for runs and experiments.
        csv: likewise `tables/results.csv`.
        pdf: likewise the figures as PDF, as wide as a column of a paper.

    Returns:
        The page, `report.html`; the figures are in `figures/`, each as SVG and PNG. Beside the page
        of several experiments lies `claims.md`, its counts and claims in Markdown.

    Raises:
        FolderError: where the folder is not that of a finished run, or is of a kind that has no
            such tables.
    """
    folder = Path(directory)
    for_papers = {"latex": latex, "csv": csv, "pdf": pdf}
    check(folder, for_papers=any(for_papers.values()))
    checks = read_checks(folder)
    if checks:
        return write_theorems(folder, checks)
    if is_evaluation(folder):
        return write_page(folder, evaluation_page(folder, *read_tables(folder)))

    table, manifest = _read(folder)
    kind = manifest["kind"]
    page = WRITERS[kind](folder, table, manifest)
    if not any(for_papers.values()):
        return page

    parts = [folder]
    if kind == "experiments":
        entries = manifest["specification"]["experiments"]
        parts = [folder / RUNS / entry["experiment"] for entry in entries]
    for part in parts:
        rows = table if part == folder else _read(part)[0]
        with describing(manifest["specification"]):
            write_paper_output(part, rows, **for_papers)

    return page


def check(directory: str | Path, *, for_papers: bool = False) -> None:
    """Refuse a folder that `write` cannot make a page of.

    Args:
        directory: as in `write`.
        for_papers: whether LaTeX, CSV or PDF are asked for, too.

    Raises:
        FolderError: as in `write`.
    """
    folder = Path(directory)
    if is_evaluation(folder):
        read_tables(folder)
        kind: Kind = "evaluation"
    elif read_checks(folder):
        kind = "theorems"
    else:
        _, manifest = _read(folder)
        kind = manifest["kind"]

    if for_papers:
        check_kind(folder, kind)


def _read(folder: Path) -> tuple[pl.DataFrame, Manifest]:
    table, manifest = read_folder(folder)
    return table, cast("Manifest", manifest)


def _run(folder: Path, table: pl.DataFrame, manifest: Manifest) -> Path:
    with describing(manifest["specification"]):
        findings = sentences(table)
        return write_page(folder, run_page(folder, table, manifest, findings))


def _demo(folder: Path, table: pl.DataFrame, manifest: Manifest) -> Path:
    return write_page(folder, demo_page(folder, table, manifest))


def _experiment(folder: Path, table: pl.DataFrame, manifest: Manifest) -> Path:
    return write_experiment(folder, table, manifest, read_claims(folder))


def _experiments(folder: Path, _table: pl.DataFrame, manifest: Manifest) -> Path:
    for experiment in manifest["specification"]["experiments"]:
        write(folder / RUNS / experiment["experiment"])
    return write_index(folder, manifest, read_claims(folder))


WRITERS: dict[Kind, Callable[[Path, pl.DataFrame, Manifest], Path]] = {
    "run": _run,
    "demo": _demo,
    "experiment": _experiment,
    "experiments": _experiments,
}
