"""Several runs that make up one experiment.

Their folders lie in `runs/`, and their rows in one table above them.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import polars as pl

from mobandits.errors import FolderError
from mobandits.figures.contents import Manifest
from mobandits.simulation.folder import TABLE, parquet
from mobandits.simulation.manifest import FORMAT, MANIFEST, read_manifest, write_manifest
from mobandits.support.describe_path import first_names
from mobandits.support.files import is_temporary, write_atomically
from mobandits.support.naming import quoted

RUNS = "runs"


def check_collection(out: Path, experiment: str) -> None:
    """Refuse a folder that holds something else than this experiment.

    Raises:
        FolderError: naming the folder and what it holds.
    """
    manifest = read_manifest(out)
    if manifest is not None:
        found = manifest["specification"].get("experiment")
        if found != experiment or not (out / RUNS).is_dir():
            raise FolderError(
                f"{out} holds a run of {quoted(found)}, not of {quoted(experiment)}: "
                "choose another folder"
            )

        return

    expected = set[str]()
    # A kill may fall between the table and the manifest.
    if (out / RUNS).is_dir():
        expected = {RUNS, TABLE}

    others = [
        entry.name
        for entry in out.iterdir()
        if entry.name not in expected and not is_temporary(entry)
    ]
    if others:
        raise FolderError(
            f"{out} is not empty and has no {MANIFEST} (it holds {first_names(sorted(others))}): "
            "choose another folder"
        )


def collect(
    out: Path,
    kind: str,
    table: pl.DataFrame,
    specification: dict[str, Any],
    manifests: Sequence[dict[str, Any]],
) -> Manifest:
    """The manifest of an experiment, written with its table from the finished runs that it has.

    Args:
        out: the experiment's folder, for `results.parquet` and `manifest.json`.
        kind: what the folder holds, which says what its page looks like.
        table: the rows of all runs, and more.
        specification: of the experiment; those of the runs are added to it.
        manifests: of the runs.
    """
    data = parquet(table)
    write_atomically(out / TABLE, data)
    specifications = [each["specification"] for each in manifests]
    sessions = [session for each in manifests for session in each["sessions"]]
    # A session that was killed has no seconds.
    seconds = sum(session.get("seconds", 0.0) for session in sessions)
    manifest = {
        "format": FORMAT,
        "kind": kind,
        "status": "finished",
        "specification": {**specification, RUNS: specifications},
        "versions": manifests[-1]["versions"],
        "machine": manifests[-1]["machine"],
        "sessions": sessions,
        "wall_seconds": round(seconds, 3),
        "results_sha256": hashlib.sha256(data).hexdigest(),
    }
    # Last, since a manifest says that the rest is there.
    write_manifest(out, manifest)

    return cast("Manifest", manifest)
