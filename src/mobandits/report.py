"""From a folder with a table and a manifest to figures and one page."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl

from mobandits.demo.page import demo_page
from mobandits.figures.run_page import run_page
from mobandits.papers.pages.claims_markdown import claims_markdown
from mobandits.papers.pages.index_page import index_page
from mobandits.papers.pages.paper_page import paper_page

PAGE, CLAIMS, FIGURES = "report.html", "claims.json", "figures"


def write(directory: str | Path) -> Path:
    """Draw the figures of a run and write its page, from the files of its folder alone.

    Args:
        directory: of a finished run, of the demonstration, of a reproduced experiment, or of several of them.

    Returns:
        The page, `report.html`; the figures are in `figures/`, each as SVG and PNG. Beside the page of several
        experiments lies `claims.md`, its counts and claims in Markdown.
    """
    directory = Path(directory)
    manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    said = manifest["specification"]
    if "experiments" in said:
        for one in said["experiments"]:
            write(directory / "runs" / one["experiment"])
        return write_index(directory)
    table = pl.read_parquet(directory / "results.parquet")
    if "plots" in said:
        text = paper_page(directory, table, manifest, _claims(directory))
    elif said.get("experiment") == "demo" and "rows" in said:
        text = demo_page(directory, table, manifest)
    else:
        text = run_page(directory, table, manifest)
    return _written(directory, text)


def write_index(directory: str | Path) -> Path:
    """Write the page above several reproduced experiments whose own pages are written.

    Args:
        directory: that holds them; it gets copies of their figures, and `claims.md`.

    Returns:
        `report.html`, the index, or the page itself where there is one experiment only.
    """
    directory = Path(directory)
    manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    experiments = manifest["specification"]["experiments"]
    folders = {one["experiment"]: directory / "runs" / one["experiment"] for one in experiments}
    for name, folder in folders.items():
        for figure in sorted((folder / FIGURES).glob("*")):
            (directory / FIGURES).mkdir(exist_ok=True)
            shutil.copyfile(figure, directory / FIGURES / f"{name.replace('/', '-')}-{figure.name}")
    tables = claims_markdown(_claims(directory), experiments)
    (directory / "claims.md").write_text(tables, encoding="utf-8")
    if len(folders) == 1:
        (only,) = folders.values()
        return _written(directory, (only / PAGE).read_text(encoding="utf-8"))
    return _written(directory, index_page(manifest, _claims(directory)))


def _claims(directory: Path) -> list[dict[str, Any]]:
    if not (directory / CLAIMS).exists():  # a kill may fall between the table and the claims
        return []
    found: list[dict[str, Any]] = json.loads((directory / CLAIMS).read_text(encoding="utf-8"))
    return found


def _written(directory: Path, text: str) -> Path:
    path = directory / PAGE
    path.write_text(text, encoding="utf-8")
    return path
