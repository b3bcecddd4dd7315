"""A run in a folder: finished trials are kept at once, and running again continues, whenever the first run was killed.

The order of events: the manifest (status "running"); one part per finished trial; the table; the manifest (status
"finished", with the table's SHA-256); the parts are removed. Every file appears whole or not at all, so a kill between
any two steps leaves something that the next run understands.
"""

import contextlib
import hashlib
import json
import re
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import polars as pl

from mobandits.errors import FolderError
from mobandits.simulation.files import locked, parquet, write_atomically
from mobandits.simulation.manifest import (
    FORMAT,
    MANIFEST,
    REMEDY,
    check_specification,
    check_versions,
    machine,
    read_manifest,
    versions,
    write_manifest,
)
from mobandits.simulation.trial import SCHEMA
from mobandits.support.files import temporary_of
from mobandits.support.found import first_names, found_at
from mobandits.support.naming import shortened

TABLE = "results.parquet"
PARTS = "parts"


class Memory:
    """What a run without a folder keeps."""

    def __init__(self) -> None:
        self._frames: dict[int, pl.DataFrame] = {}
        self.finished = frozenset[int]()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *args: object) -> None:
        self._frames.clear()

    def begin(self) -> None:
        """A trial begins."""

    def keep(self, trial: int, frame: pl.DataFrame) -> None:
        """A finished trial."""
        self._frames[trial] = frame

    def finish(self) -> pl.DataFrame:
        """The whole table."""
        return concatenated(self._frames[trial] for trial in sorted(self._frames))


class Folder:
    """One run in one folder, locked while it is open: a context manager.

    Args:
        path: the folder; made where it does not exist.
        specification: everything that decides the table, as JSON can hold it. A folder with another specification is
            refused; only `trials` may grow.

    Attributes:
        finished: the trials that need not run again; known once open.

    Raises:
        FolderError: on opening, where the folder is not such a run's, was changed by others, or is in use.
    """

    def __init__(self, path: str | Path, specification: dict[str, Any]) -> None:
        self.path = Path(path)
        self.finished = frozenset[int]()
        self._specification: dict[str, Any] = json.loads(json.dumps(specification))
        self._manifest: dict[str, Any] = {}
        self._start: float | None = None

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            stack.enter_context(locked(self.path))
            self._open()
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *args: object) -> None:
        self._exit.close()

    def _open(self) -> None:
        before = read_manifest(self.path)
        if before is None:
            if any(
                entry.name != temporary_of(self.path / MANIFEST).name
                for entry in self.path.iterdir()
            ):
                raise FolderError(
                    f"{self.path} is not empty and has no {MANIFEST}, so it is not the folder of a run: "
                    f"found {found_at(self.path)}; choose another folder"
                )
        else:
            check_specification(self.path, before["specification"], self._specification)
            self.finished = frozenset(finished_trials(self.path, before))
        todo = self._specification["trials"] - len(self.finished)
        if before is not None and todo:
            check_versions(self.path, before["versions"])
        self._manifest = before or {}
        if todo or self._manifest["status"] != "finished":
            self._begin(todo)

    def _begin(self, todo: int) -> None:
        session = {"started": datetime.now(UTC).isoformat(timespec="seconds"), "trials": todo}
        self._manifest = {
            "format": FORMAT,
            "kind": "run",
            "status": "running",
            "specification": self._specification,
            "versions": versions(),
            "machine": machine(),
            "sessions": [*self._manifest.get("sessions", []), session],
        }
        write_manifest(self.path, self._manifest)

    def begin(self) -> None:
        """A trial begins: with the first of them, the clock starts."""
        self._start = self._start or time.perf_counter()

    def keep(self, trial: int, frame: pl.DataFrame) -> None:
        """A finished trial, safe from now on."""
        parts = self.path / PARTS
        parts.mkdir(exist_ok=True)
        write_atomically(parts / f"trial-{trial:06d}.parquet", parquet(frame))

    def finish(self) -> pl.DataFrame:
        """Join all trials into the table, write it, and close the manifest."""
        if self._manifest["status"] == "finished":
            table = read_table(self.path / TABLE)
        else:
            table = self._joined()
            self.write(table)
        _remove_parts(self.path)
        return table

    def _joined(self) -> pl.DataFrame:
        old = [read_table(self.path / TABLE)] if (self.path / TABLE).exists() else []
        done = set(trials_of(old[0])) if old else set()
        return concatenated(
            [
                *old,
                *(
                    read_table(part)
                    for trial, part in sorted(_parts(self.path).items())
                    if trial not in done
                ),
            ]
        )

    def write(self, table: pl.DataFrame) -> None:
        """Write the table and close the manifest."""
        data = parquet(table)
        write_atomically(self.path / TABLE, data)
        seconds = 0.0 if self._start is None else round(time.perf_counter() - self._start, 3)
        self._manifest["sessions"][-1]["seconds"] = seconds
        self._manifest |= {
            "status": "finished",
            "wall_seconds": round(
                sum(session.get("seconds", 0.0) for session in self._manifest["sessions"]), 3
            ),
            "results_sha256": hashlib.sha256(data).hexdigest(),
        }
        write_manifest(self.path, self._manifest)


def read_folder(path: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The table and the manifest of a finished run.

    Raises:
        FolderError: where there is none, where it is not finished, or where it is not as the run left it.
    """
    manifest = read_manifest(path) if path.is_dir() else None
    if manifest is None:
        raise FolderError(_no_run(path))
    if manifest["status"] != "finished":
        raise FolderError(f"{path} holds an unfinished run: run it again to finish it")
    _check_digest(path, manifest)
    return read_table(path / TABLE), manifest


def finished_trials(path: Path, manifest: dict[str, Any]) -> set[int]:
    """The trials that a folder has kept, in its table and in parts.

    Raises:
        FolderError: where either is not as the run left it.
    """
    if manifest["status"] == "finished":
        _check_digest(path, manifest)
    kept = trials_of(read_table(path / TABLE)) if (path / TABLE).exists() else []
    expected = list(range(len(kept)))
    if kept != expected:
        raise _other_trials(path / TABLE, expected, kept)
    done = set(kept)
    for trial, part in _parts(path).items():
        found = trials_of(read_table(part))
        if found != [trial]:
            raise _other_trials(part, [trial], found)
        trials = manifest["specification"]["trials"]
        if trial >= trials:
            raise FolderError(f"{part} is of no trial of this run, which has {trials}: {REMEDY}")
        done.add(trial)
    return done


def _other_trials(file: Path, expected: list[int], found: list[int]) -> FolderError:
    return FolderError(
        f"{file} must hold the trials {_trials(expected)}, found {_trials(found)}: {REMEDY}"
    )


def _trials(numbers: list[int]) -> str:
    return first_names([str(number) for number in numbers]) or "none"


def _no_run(path: Path) -> str:
    """What to say of a path that is not the folder of a run."""
    inside = path.is_file() and (path.parent / MANIFEST).exists()
    advice = f"; give its folder, {path.parent}" if inside else ""
    return f"{path} has no {MANIFEST}, so it is not the folder of a run: found {found_at(path)}{advice}"


def concatenated(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Tables one below the other, in one piece: how they were cut leaves no trace in the file."""
    return pl.concat(frames, rechunk=True)


def read_table(path: Path) -> pl.DataFrame:
    """A table of results, or a part of one.

    Raises:
        FolderError: where the file is missing, is no Parquet file, or holds something else.
    """
    try:
        table = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise FolderError(
            f"{path} cannot be read as a Parquet file ({reason}): {REMEDY}"
        ) from error
    if dict(table.schema) != SCHEMA:
        raise FolderError(
            f"{path} is not a table of results: expected the columns {_columns(SCHEMA)}, "
            f"found {shortened(_columns(table.schema))}; {REMEDY}"
        )
    return table


def _columns(schema: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in schema.items())


def trials_of(table: pl.DataFrame) -> list[int]:
    """The trials that a table holds, in order."""
    return table["trial"].unique().sort().to_list()


def _check_digest(path: Path, manifest: dict[str, Any]) -> None:
    table = path / TABLE
    if not table.exists():
        raise FolderError(
            f"{table} is missing, and {MANIFEST} says that the run is finished: {REMEDY}"
        )
    expected = manifest.get("results_sha256")
    found = hashlib.sha256(table.read_bytes()).hexdigest()
    if found != expected:
        raise FolderError(
            f"{table} was changed after the run: {MANIFEST} has the SHA-256 {expected!s:.12}, "
            f"and the file {found:.12}; {REMEDY}"
        )


def _parts(path: Path) -> dict[int, Path]:
    found = (
        (re.fullmatch(r"trial-(\d+)\.parquet", part.name), part)
        for part in (path / PARTS).glob("*")
    )
    return {int(match[1]): part for match, part in found if match}


def _remove_parts(path: Path) -> None:
    """Only what a run wrote: its parts, and those that a kill left half-written."""
    parts = path / PARTS
    if parts.exists():
        for part in parts.iterdir():
            if re.fullmatch(r"\.?trial-\d+\.parquet.*", part.name):
                part.unlink()
        if not any(parts.iterdir()):
            parts.rmdir()
