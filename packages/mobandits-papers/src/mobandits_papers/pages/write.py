"""The page of a reproduced experiment, and the index above several of them, as files."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from mobandits.figures.contents import Manifest
from mobandits.figures.page import PAGE, write_page
from mobandits.support.files import write_atomically
from mobandits_papers.collection import RUNS
from mobandits_papers.contents import ClaimEntry, ExperimentSummary
from mobandits_papers.pages.claims_markdown import claims_markdown
from mobandits_papers.pages.index_page import index_page
from mobandits_papers.pages.paper_page import paper_page
from mobandits_papers.pages.theorems_page import theorems_page
from mobandits_papers.protocol.files import TheoremChecks

CLAIMS = "claims.json"
FIGURES = "figures"
MARKDOWN = "claims.md"


def write_experiment(
    directory: Path, table: pl.DataFrame, manifest: Manifest, claims: Sequence[ClaimEntry]
) -> Path:
    """Write the figures and the page of one experiment.

    Args:
        directory: of the experiment.
        table: its rows.
        manifest: its manifest.
        claims: its judged claims, as in `claims.json`.

    Returns:
        The page.
    """
    text = paper_page(directory, table, manifest, claims)
    return write_page(directory, text)


def write_index(directory: Path, manifest: Manifest, claims: Sequence[ClaimEntry]) -> Path:
    """Write the page above several experiments whose own pages are written.

    Args:
        directory: that holds them; it gets copies of their figures, and `claims.md`.
        manifest: its manifest.
        claims: the judged claims of all of them.

    Returns:
        The index, or a copy of the only experiment's page.
    """
    experiments: list[ExperimentSummary] = manifest["specification"]["experiments"]
    names = [experiment["experiment"] for experiment in experiments]
    for name in names:
        prefix = name.replace("/", "-")
        # Copies, because a folder that is sent to somebody shows its figures without `runs/`.
        for figure in sorted((directory / RUNS / name / FIGURES).glob("*")):
            (directory / FIGURES).mkdir(exist_ok=True)
            shutil.copyfile(figure, directory / FIGURES / f"{prefix}-{figure.name}")

    markdown = claims_markdown(claims, experiments)
    (directory / MARKDOWN).write_text(markdown, encoding="utf-8")
    if len(names) == 1:  # an index of one entry would only be in the way
        page = directory / PAGE
        shutil.copyfile(directory / RUNS / names[0] / PAGE, page)
        return page

    return write_page(directory, index_page(manifest, claims))


def read_claims(directory: Path) -> list[ClaimEntry]:
    """The judged claims of a folder; none where a kill fell between the table and the claims."""
    file = directory / CLAIMS
    if not file.exists():
        return []

    claims: list[ClaimEntry] = json.loads(file.read_text(encoding="utf-8"))

    return claims


def write_claims(folder: Path, claims: Sequence[ClaimEntry]) -> None:
    """Write `claims.json` of a folder."""
    text = json.dumps(claims, indent=2, ensure_ascii=False)
    data = f"{text}\n".encode()
    # Whole or not at all: folders without claims are read as unfinished.
    write_atomically(folder / CLAIMS, data)


def write_theorems(directory: Path, checks: Mapping[str, TheoremChecks]) -> Path:
    """Write the figures and the page of theorem checks.

    Args:
        directory: that holds them.
        checks: {paper: findings} of all papers in the folder.

    Returns:
        The page.
    """
    text = theorems_page(directory, checks)
    return write_page(directory, text)
