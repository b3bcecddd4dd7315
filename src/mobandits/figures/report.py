"""From a folder with a table and a manifest to figures and one page."""

import json
from pathlib import Path

import polars as pl

from mobandits.figures.demo_page import demo_page
from mobandits.figures.run_page import run_page


def write(directory: str | Path) -> Path:
    """Draw the figures of a run and write its page, from `results.parquet` and `manifest.json` alone.

    Args:
        directory: of a finished run, or of the demonstration.

    Returns:
        The page, `report.html`; the figures are in `figures/`, each as SVG and PNG.
    """
    directory = Path(directory)
    table = pl.read_parquet(directory / "results.parquet")
    manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    make = (
        demo_page
        if manifest["specification"].get("experiment") == "demo" and "rows" in manifest["specification"]
        else run_page
    )
    path = directory / "report.html"
    path.write_text(make(directory, table, manifest), encoding="utf-8")
    return path
