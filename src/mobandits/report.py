"""From the folder of any finished run to its figures and its page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from mobandits.demo.page import demo_page
from mobandits.figures.page import write_page
from mobandits.figures.run_page import run_page
from mobandits.papers.pages.write import RUNS, read_claims, write_experiment, write_index
from mobandits.simulation.folder import read_folder

Manifest = dict[str, Any]


def write(directory: str | Path) -> Path:
    """Draw the figures of a run and write its page, from the files of its folder alone.

    Args:
        directory: of a finished run, of the demonstration, of a reproduced experiment, or of several of them.

    Returns:
        The page, `report.html`; the figures are in `figures/`, each as SVG and PNG. Beside the page of several
        experiments lies `claims.md`, its counts and claims in Markdown.

    Raises:
        FolderError: where the folder is not that of a finished run.
    """
    folder = Path(directory)
    table, manifest = read_folder(folder)
    return WRITERS[folder_kind(manifest)](folder, table, manifest)


def folder_kind(manifest: Manifest) -> str:
    """What a folder holds, a key of `WRITERS`. Manifests of version 0.1 do not say it: their keys tell.

    Example:
        >>> folder_kind({"kind": "run"}), folder_kind({"specification": {"experiments": []}})
        ('run', 'experiments')
    """
    if "kind" in manifest:
        return str(manifest["kind"])
    specification = manifest["specification"]
    if "experiments" in specification:
        return "experiments"
    if "plots" in specification:
        return "experiment"
    if specification.get("experiment") == "demo" and "rows" in specification:
        return "demo"
    return "run"


def _run(folder: Path, table: pl.DataFrame, manifest: Manifest) -> Path:
    return write_page(folder, run_page(folder, table, manifest))


def _demo(folder: Path, table: pl.DataFrame, manifest: Manifest) -> Path:
    return write_page(folder, demo_page(folder, table, manifest))


def _experiment(folder: Path, table: pl.DataFrame, manifest: Manifest) -> Path:
    return write_experiment(folder, table, manifest, read_claims(folder))


def _experiments(folder: Path, table: pl.DataFrame, manifest: Manifest) -> Path:  # noqa: ARG001 - one form for all
    for one in manifest["specification"]["experiments"]:
        write(folder / RUNS / one["experiment"])
    return write_index(folder, manifest, read_claims(folder))


WRITERS: dict[str, Callable[[Path, pl.DataFrame, Manifest], Path]] = {
    "run": _run,
    "demo": _demo,
    "experiment": _experiment,
    "experiments": _experiments,
}
