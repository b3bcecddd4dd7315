"""Several runs that make up one experiment: their folders lie in `runs/`, their rows in one table above them."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from mobandits.errors import FolderError
from mobandits.simulation.files import parquet, write_atomically
from mobandits.simulation.folder import TABLE
from mobandits.simulation.manifest import FORMAT, MANIFEST, read_manifest, write_manifest
from mobandits.support.files import is_temporary
from mobandits.support.found import first_names
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
                f"{out} holds a run of {quoted(found)}, not of {quoted(experiment)}: choose another folder"
            )
        return
    ours = (
        {RUNS, TABLE} if (out / RUNS).is_dir() else set[str]()
    )  # a kill may fall between the table and the manifest
    if other := sorted(e.name for e in out.iterdir() if e.name not in ours and not is_temporary(e)):
        raise FolderError(
            f"{out} is not empty and has no {MANIFEST} (it holds {first_names(other)}): choose another folder"
        )


def collect(
    out: Path, kind: str, table: pl.DataFrame, specification: dict[str, Any], runs: Sequence[Path]
) -> dict[str, Any]:
    """Write `results.parquet` and `manifest.json` of the experiment, from the finished runs that it is made of.

    Args:
        out: the experiment's folder.
        kind: what the folder holds, which says what its page looks like.
        table: the rows of all runs, and more.
        specification: of the experiment; those of the runs are added to it.
        runs: their folders.

    Returns:
        The manifest.
    """
    manifests = [manifest for run in runs if (manifest := read_manifest(run)) is not None]
    data = parquet(table)
    write_atomically(out / TABLE, data)
    sessions = [session for manifest in manifests for session in manifest["sessions"]]
    manifest = {
        "format": FORMAT,
        "kind": kind,
        "status": "finished",
        "specification": {**specification, RUNS: [one["specification"] for one in manifests]},
        "versions": manifests[-1]["versions"],
        "machine": manifests[-1]["machine"],
        "sessions": sessions,
        "wall_seconds": round(sum(session.get("seconds", 0.0) for session in sessions), 3),
        "results_sha256": hashlib.sha256(data).hexdigest(),
    }
    write_manifest(out, manifest)
    return manifest
