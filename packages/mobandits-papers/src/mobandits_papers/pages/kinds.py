"""Pages that this distribution adds to `mobandits report`: the demonstration, experiments, theorems."""

from pathlib import Path

from mobandits.figures.page import write_page
from mobandits.report import PageKind, read_table, write
from mobandits_papers.collection import RUNS
from mobandits_papers.demo.page import demo_page
from mobandits_papers.pages.paper_page import paper_page
from mobandits_papers.pages.theorems_page import theorems_page
from mobandits_papers.pages.write import (
    read_claims,
    write_index,
)
from mobandits_papers.protocol.files import read_checks


def write_demo(folder: Path) -> Path:
    """Write the page of the demonstration."""
    return write_page(folder, demo_page(folder, *read_table(folder)))


def write_experiment_page(folder: Path) -> Path:
    """Write the page of a reproduced experiment."""
    page = paper_page(folder, *read_table(folder), read_claims(folder))
    return write_page(folder, page)


def write_experiments_page(folder: Path) -> Path:
    """Write the pages of several experiments, and the index above them.

    Beside the index lies `claims.md`, its counts and claims in Markdown.
    """
    for part in parts_of(folder):
        write(part)

    _, manifest = read_table(folder)

    return write_index(folder, manifest, read_claims(folder))


def parts_of(folder: Path) -> list[Path]:
    """The folders of several experiments."""
    _, manifest = read_table(folder)
    entries = manifest["specification"]["experiments"]

    return [folder / RUNS / entry["experiment"] for entry in entries]


PAGES = [
    PageKind("demo", write_demo),
    PageKind("experiment", write_experiment_page, tables=lambda folder: [folder]),
    PageKind("experiments", write_experiments_page, tables=parts_of),
    PageKind(
        "theorems",
        lambda folder: write_page(folder, theorems_page(folder, read_checks(folder))),
        read_checks,
        holds=lambda folder: bool(read_checks(folder)),
    ),
]
