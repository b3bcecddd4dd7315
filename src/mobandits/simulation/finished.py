"""Whether a folder has all that a command would make, so that the same command is answered at once."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from mobandits.simulation.folder import TABLE, read_folder
from mobandits.simulation.manifest import read_manifest, versions
from mobandits.support.guests import source_folders

REPORT = "report.html"
PACKAGE = Path(__file__).parent.parent


def is_finished_run(folder: Path, specification: dict[str, Any]) -> bool:
    """Whether a folder holds this run, finished, with its page.

    Args:
        folder: which need not exist.
        specification: of the plan.

    Raises:
        FolderError: where it holds a run that is not as the run left it.
    """
    if not is_finished(folder, specification):
        return False

    read_folder(folder)  # refuses a table that was changed

    return True


def is_finished(folder: Path, specification: dict[str, Any], unless: Collection[str] = ()) -> bool:
    """Whether a folder holds a table, a manifest with this specification, and their page.

    Args:
        folder: which need not exist.
        specification: what the manifest must say; it may say more.
        unless: keys that may differ.
    """
    manifest = read_manifest(folder) if folder.is_dir() else None
    if manifest is None or manifest["status"] != "finished":
        return False
    if manifest["versions"].get("mobandits") != versions()["mobandits"]:
        return False

    # As it was written: JSON has no tuples.
    wanted: dict[str, Any] = json.loads(json.dumps(specification))
    found = manifest["specification"]
    if any(found.get(key) != value for key, value in wanted.items() if key not in unless):
        return False

    return _has_newest_page(folder)


def _has_newest_page(folder: Path) -> bool:
    """Whether the page of a folder is newer than its table and than this library."""
    page = folder / REPORT
    table = folder / TABLE
    if not page.exists() or not table.exists():
        return False

    # Claims and pages are made by code: one that was edited since may say something else.
    packages = [PACKAGE, *source_folders()]
    sources = [source for package in packages for source in package.rglob("*.py")]
    sources += [source for package in packages for source in package.rglob("templates/*")]
    newest = max(source.stat().st_mtime for source in [table, *sources])

    return page.stat().st_mtime >= newest
