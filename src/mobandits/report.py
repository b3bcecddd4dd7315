"""From the folder of anything finished to its figures and its page."""

import itertools
import string
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import polars as pl

from mobandits.comparison.findings import findings_of
from mobandits.comparison.runs_page import MOST_RUNS, Run, common_names, runs_page
from mobandits.errors import FolderError
from mobandits.evaluation.evaluation_folder import is_evaluation, read_tables
from mobandits.figures.contents import Findings, Manifest
from mobandits.figures.evaluation_page import evaluation_page
from mobandits.figures.formatting import join_words
from mobandits.figures.page import PAGE, write_page
from mobandits.figures.run_page import run_page
from mobandits.metrics.traits import describing
from mobandits.paper_output import write_paper_output
from mobandits.simulation.folder import read_folder
from mobandits.support.describe_path import describe_path
from mobandits.support.files import locked
from mobandits.support.guests import contributions
from mobandits.support.optional import how_to_install


def _no_tables(_folder: Path) -> list[Path]:
    return []


class PageKind(NamedTuple):
    """Kind of a finished folder, and how its page is written.

    Attributes:
        name: as the folder's manifest has it.
        write: draws the figures of a folder and writes its page, whose path it returns.
        read: refuses, with a FolderError, a folder that `write` cannot make a page of.
        tables: the folders whose tables LaTeX, CSV and PDF are made of; none: of this kind, nothing
            is.
        holds: whether a folder without a manifest is of this kind; None: no folder is.
    """

    name: str
    write: Callable[[Path], Path]
    read: Callable[[Path], Any] = read_folder
    tables: Callable[[Path], list[Path]] = _no_tables
    holds: Callable[[Path], bool] | None = None


def write(
    directory: str | Path,
    *,
    latex: bool = False,
    csv: bool = False,
    pdf: bool = False,
    found: Findings | None = None,
) -> Path:
    """Draw the figures of a run and write its page, from the files of its folder alone.

    Args:
        directory: of a finished run, of `evaluate`, or of what another distribution has made, such
            as a reproduced experiment.
        latex: whether to write `tables/results.tex` as well, for runs and experiments.
        csv: likewise `tables/results.csv`.
        pdf: likewise the figures as PDF, as wide as a column of a paper.
        found: the findings of a run, where they are at hand: policies are not compared again.

    Returns:
        The page, `report.html`; the figures are in `figures/`, each as SVG and PNG.

    Raises:
        FolderError: where the folder is not that of a finished run, or is of a kind that has no
            such tables.
    """
    folder = Path(directory)
    is_for_papers = latex or csv or pdf
    kind = check(folder, for_papers=is_for_papers)
    page = kind.write(folder) if found is None else _write_run(folder, found)
    if not is_for_papers:
        return page

    for part in kind.tables(folder):
        table, manifest = read_table(part)
        with describing(manifest["specification"]):
            write_paper_output(part, table, latex=latex, csv=csv, pdf=pdf)

    return page


def compare(directories: Sequence[str | Path], out: str | Path) -> Path:
    """Draw the curves of several runs and write the page that compares them, side by side.

    The first run is A; every other one is compared with it, policy by policy, as
    `mobandits.comparison.runs.run_differences` does.

    Args:
        directories: of finished runs, two to four.
        out: the folder of the page, which holds nothing else.

    Returns:
        The page, `report.html`; the figures are in `figures/`.

    Raises:
        ValueError: where there are fewer or more runs.
        FolderError: where a folder is not that of a finished run or holds several environments,
            the runs have no policy, metric or recorded round in common, or `out` holds something
            else.
    """
    if not 2 <= len(directories) <= MOST_RUNS:
        raise ValueError(f"compare takes 2 to {MOST_RUNS} runs, got {len(directories)}")

    runs = []
    for name, directory in zip(string.ascii_uppercase, directories, strict=False):
        folder = Path(directory)
        table, manifest = read_table(folder)
        if manifest["kind"] != RUN.name:
            raise FolderError(f"{folder} must hold a run to be compared, found {manifest['kind']}")

        # Values of several environments would be taken for trials of one.
        environments = table["environment"].n_unique()
        if environments > 1:
            rule = f"{folder} must hold one environment to be compared"
            raise FolderError(f"{rule}, found {environments}: compare their own folders")

        runs.append(Run(name, folder, table, manifest))

    for column in ("policy", "metric", "round"):
        if not common_names(runs, column):
            names = join_words([str(run.folder) for run in runs])
            raise FolderError(f"runs must have a {column} in common, got none of {names}")

    page_folder = Path(out)
    with locked(page_folder), describing(runs[0].manifest["specification"]):
        # A page must not take the place of a report.
        if any(entry.name not in (PAGE, "figures") for entry in page_folder.iterdir()):
            wanted = "a new folder or that of an earlier comparison"
            raise FolderError(f"{out} must be {wanted}, found {describe_path(page_folder)}")

        return write_page(page_folder, runs_page(page_folder, runs))


def check(directory: str | Path, *, for_papers: bool = False) -> PageKind:
    """The kind of a folder; refuses one that `write` cannot make a page of.

    Args:
        directory: as in `write`.
        for_papers: whether LaTeX, CSV or PDF are asked for, too.

    Raises:
        FolderError: as in `write`.
    """
    folder = Path(directory)
    kind = _kind_of(folder)
    kind.read(folder)
    if for_papers and not kind.tables(folder):
        raise FolderError(
            f"{folder} holds {kind.name}: --latex, --csv and --pdf are for runs and experiments of "
            "papers"
        )

    return kind


def read_table(folder: Path) -> tuple[pl.DataFrame, Manifest]:
    """The rows of a finished run, and its manifest.

    Raises:
        FolderError: where the folder has none.
    """
    table, manifest = read_folder(folder)

    return table, cast("Manifest", manifest)


def _kind_of(folder: Path) -> PageKind:
    kinds: list[PageKind] = [*OWN, *itertools.chain.from_iterable(contributions("mobandits.pages"))]
    for kind in kinds:
        if kind.holds is not None and kind.holds(folder):
            return kind

    _, manifest = read_table(folder)
    named = {kind.name: kind for kind in kinds}
    found = named.get(manifest["kind"])
    if found is None:
        remedy = "which this version has no page for"
        if len(kinds) == len(OWN):
            remedy = f"whose page needs papers: {how_to_install('papers')}"
        raise FolderError(f"{folder} holds {manifest['kind']}, {remedy}")

    return found


def _write_run(folder: Path, found: Findings | None = None) -> Path:
    table, manifest = read_table(folder)
    with describing(manifest["specification"]):
        found = found or findings_of(table)
        return write_page(folder, run_page(folder, table, manifest, found))


def _write_evaluation(folder: Path) -> Path:
    return write_page(folder, evaluation_page(folder, *read_tables(folder)))


RUN = PageKind("run", _write_run, tables=lambda folder: [folder])
EVALUATION = PageKind("evaluation", _write_evaluation, read_tables, holds=is_evaluation)
OWN = (RUN, EVALUATION)
