"""The page of a reproduced experiment, and the index above several of them, as files."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl

from mobandits.figures.page import PAGE, write_page
from mobandits.papers.pages.claims_markdown import claims_markdown
from mobandits.papers.pages.index_page import index_page
from mobandits.papers.pages.paper_page import paper_page

CLAIMS = "claims.json"
FIGURES = "figures"
RUNS = "runs"

Claims = list[dict[str, Any]]


def write_experiment(
    directory: Path, table: pl.DataFrame, manifest: dict[str, Any], claims: Claims
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
    return write_page(directory, paper_page(directory, table, manifest, claims))


def write_index(directory: Path, manifest: dict[str, Any], claims: Claims) -> Path:
    """Write the page above several experiments whose own pages are written.

    Args:
        directory: that holds them; it gets copies of their figures, and `claims.md`.
        manifest: its manifest.
        claims: the judged claims of all of them.

    Returns:
        The index, or a copy of the only experiment's page.
    """
    experiments = manifest["specification"]["experiments"]
    folders = {one["experiment"]: directory / RUNS / one["experiment"] for one in experiments}
    for name, folder in folders.items():
        _copy_figures(folder / FIGURES, directory / FIGURES, prefix=name.replace("/", "-"))
    (directory / "claims.md").write_text(claims_markdown(claims, experiments), encoding="utf-8")
    if len(folders) == 1:
        (only,) = folders.values()
        return write_page(directory, (only / PAGE).read_text(encoding="utf-8"))
    return write_page(directory, index_page(manifest, claims))


def read_claims(directory: Path) -> Claims:
    """The judged claims of a folder; none where a kill fell between the table and the claims."""
    file = directory / CLAIMS
    if not file.exists():
        return []
    claims: Claims = json.loads(file.read_text(encoding="utf-8"))
    return claims


def _copy_figures(source: Path, target: Path, prefix: str) -> None:
    for figure in sorted(source.glob("*")):
        target.mkdir(exist_ok=True)
        shutil.copyfile(figure, target / f"{prefix}-{figure.name}")
