"""The index above several reproduced experiments, and the claims of a folder, as files."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from mobandits.figures.contents import Manifest
from mobandits.figures.page import PAGE, write_page
from mobandits.support.files import write_atomically
from mobandits_papers.collection import RUNS
from mobandits_papers.contents import ClaimEntry, ExperimentSummary
from mobandits_papers.pages.claims_markdown import claims_markdown
from mobandits_papers.pages.index_page import index_page

CLAIMS = "claims.json"
FIGURES = "figures"
MARKDOWN = "claims.md"


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
