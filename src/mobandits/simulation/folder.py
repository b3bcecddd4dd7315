"""A run in a folder: finished trials are kept at once, and to run again is to continue.

The order of events: the manifest (status "running"); one part per finished trial; the table; the
manifest (status "finished", with the table's SHA-256); the parts are removed. Every file appears
whole or not at all, so a kill between any two steps leaves something that the next run understands.
"""

import contextlib
import hashlib
import io
import json
import re
import time
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import polars as pl

from mobandits.errors import FolderError
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
from mobandits.support.describe_path import describe_path, first_names
from mobandits.support.files import locked, temporary_of, write_atomically
from mobandits.support.guests import source_folders
from mobandits.support.naming import shortened

TABLE = "results.parquet"
PARTS = "parts"
REPORT = "report.html"
PACKAGE = Path(__file__).parent.parent


class Memory:
    """The store of a run without a folder."""

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
        # Trials finish in any order, and the table has them in theirs.
        trials = sorted(self._frames)
        return concatenated(self._frames[trial] for trial in trials)


class Folder:
    """One run in one folder, locked while it is open: a context manager.

    Args:
        path: the folder; made where it does not exist.
        specification: everything that decides the table, as JSON can hold it. A folder with another
            specification is refused; only `trials` may grow.
        kind: what the folder holds, which says what its page looks like.

    Attributes:
        finished: the trials that need not run again; known once open.

    Raises:
        FolderError: on opening, where the folder is not such a run's, was changed by others, or is
            in use.
    """

    def __init__(self, path: str | Path, specification: dict[str, Any], kind: str = "run") -> None:
        self.path = Path(path)
        self._kind = kind
        self.finished = frozenset[int]()
        # As it will be read again: JSON has no tuples, and equal specifications must compare equal.
        self._specification: dict[str, Any] = json.loads(json.dumps(specification))
        self._manifest: dict[str, Any] = {}
        self._kept: dict[int, pl.DataFrame] = {}
        self._start: float | None = None

    def __enter__(self) -> Self:
        # The lock is let go of where opening fails, and kept where it does not.
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
            self._check_new()
        else:
            check_specification(self.path, before["specification"], self._specification)
            self.finished = frozenset(finished_trials(self.path, before))

        # The table of several runs that was read from their common folder has no trials to play.
        todo = self._specification.get("trials", 0) - len(self.finished)
        # A finished run is read by any version; only trials of its own must not be mixed.
        if before is not None and todo:
            check_versions(self.path, before["versions"])

        self._manifest = before or {}
        if todo or self._manifest.get("status") != "finished":
            self._begin_session(todo)

    def _check_new(self) -> None:
        """Refuse a folder without a manifest that is not empty."""
        # A kill may have left the manifest half-written.
        remnant = temporary_of(self.path / MANIFEST).name
        if any(entry.name != remnant for entry in self.path.iterdir()):
            raise FolderError(
                f"{self.path} is not empty and has no {MANIFEST}, so it is not the folder of a "
                f"run: found {describe_path(self.path)}; choose another folder"
            )

    def _begin_session(self, todo: int) -> None:
        session = {"started": datetime.now(UTC).isoformat(timespec="seconds"), "trials": todo}
        self._manifest = {
            "format": FORMAT,
            "kind": self._kind,
            "status": "running",
            "specification": self._specification,
            "versions": versions(),
            "machine": machine(),
            "sessions": [*self._manifest.get("sessions", []), session],
        }
        write_manifest(self.path, self._manifest)

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest as it was last written; known once open."""
        return self._manifest

    def begin(self) -> None:
        """A trial begins: with the first of them, the clock starts."""
        # Runs that share their threads wait for each other, which is no time of this one.
        if self._start is None:
            self._start = time.perf_counter()

    def keep(self, trial: int, frame: pl.DataFrame) -> None:
        """A finished trial, safe from now on."""
        parts = self.path / PARTS
        parts.mkdir(exist_ok=True)
        file = parts / f"trial-{trial:06d}.parquet"
        write_atomically(file, parquet(frame))
        # What is written here is not read again.
        self._kept[trial] = frame

    def finish(self) -> pl.DataFrame:
        """The table of all trials, written, and the manifest is closed."""
        # Of a run that had finished, nothing is written again.
        if self._manifest["status"] == "finished":
            table = read_table(self.path / TABLE)
        else:
            table = concatenated(kept_tables(self.path, self._kept))
            self.write(table)

        # Last: as long as the manifest is not closed, the parts are what a next run begins with.
        _remove_parts(self.path)
        return table

    def write(self, table: pl.DataFrame) -> None:
        """Write the table and close the manifest."""
        data = parquet(table)
        write_atomically(self.path / TABLE, data)
        seconds = 0.0 if self._start is None else time.perf_counter() - self._start
        sessions = self._manifest["sessions"]
        sessions[-1]["seconds"] = round(seconds, 3)
        # A session that was killed has no seconds.
        all_seconds = sum(session.get("seconds", 0.0) for session in sessions)
        self._manifest |= {
            "status": "finished",
            "wall_seconds": round(all_seconds, 3),
            "results_sha256": hashlib.sha256(data).hexdigest(),
        }
        write_manifest(self.path, self._manifest)


def kept_tables(path: Path, known: Mapping[int, pl.DataFrame]) -> list[pl.DataFrame]:
    """The tables of all trials that a folder has kept.

    Args:
        path: of the folder.
        known: tables by trial, which are not read.

    Raises:
        FolderError: where one is not as the run left it.
    """
    tables = []
    in_table = set[int]()
    if (path / TABLE).exists():
        earlier = read_table(path / TABLE)
        tables.append(earlier)
        in_table.update(trials_of(earlier))

    # A kill may have left the table and its parts: no trial may count twice.
    for trial, part in sorted(_parts(path).items()):
        if trial not in in_table:
            table = known.get(trial)
            tables.append(read_table(part) if table is None else table)

    return tables


def read_folder(path: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The table and the manifest of a finished run.

    Raises:
        FolderError: where there is none, where it is not finished, or where it is not as the run
            left it.
    """
    manifest = read_manifest(path) if path.is_dir() else None
    if manifest is None:
        raise FolderError(_no_run(path))
    if manifest["status"] != "finished":
        raise FolderError(f"{path} holds an unfinished run: run it again to finish it")

    _check_digest(path, manifest)

    return read_table(path / TABLE), manifest


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


def finished_trials(path: Path, manifest: dict[str, Any]) -> set[int]:
    """The trials that a folder has kept, in its table and in parts.

    Raises:
        FolderError: where either is not as the run left it.
    """
    if manifest["status"] == "finished":
        _check_digest(path, manifest)

    file = path / TABLE
    in_table = trials_of(read_table(file)) if file.exists() else []
    # A table is written when all trials of a session are finished, so it has no gaps.
    expected = list(range(len(in_table)))
    if in_table != expected:
        raise _wrong_trials(file, expected, in_table)

    trials = manifest["specification"].get("trials", 0)
    finished = set(in_table)
    for trial, part in _parts(path).items():
        in_part = trials_of(read_table(part))
        if in_part != [trial]:
            raise _wrong_trials(part, [trial], in_part)
        if trial >= trials:
            raise FolderError(f"{part} is of no trial of this run, which has {trials}: {REMEDY}")

        finished.add(trial)

    return finished


def _wrong_trials(file: Path, expected: list[int], found: list[int]) -> FolderError:
    return FolderError(
        f"{file} must hold the trials {_listed(expected)}, found {_listed(found)}: {REMEDY}"
    )


def _listed(trials: list[int]) -> str:
    names = [str(trial) for trial in trials]
    return first_names(names) or "none"


def _no_run(path: Path) -> str:
    """The message about a path that is not the folder of a run."""
    # Most often it is the table of a run.
    is_in_a_folder = path.is_file() and (path.parent / MANIFEST).exists()
    advice = f"; give its folder, {path.parent}" if is_in_a_folder else ""
    found = describe_path(path)
    return f"{path} has no {MANIFEST}, so it is not the folder of a run: found {found}{advice}"


def concatenated(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Tables one below the other, in one piece: how they were cut leaves no trace in the file."""
    return pl.concat(frames, rechunk=True)


def parquet(table: pl.DataFrame) -> bytes:
    """The bytes of a Parquet file; equal tables in one piece give equal bytes."""
    buffer = io.BytesIO()
    table.write_parquet(buffer, compression="zstd", compression_level=3)
    return buffer.getvalue()


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
    columns = [f"{name} {kind}" for name, kind in schema.items()]
    return ", ".join(columns)


def trials_of(table: pl.DataFrame) -> list[int]:
    """The trials that a table holds, in order."""
    trials = table["trial"].unique().sort()
    return trials.to_list()


def _check_digest(path: Path, manifest: dict[str, Any]) -> None:
    table = path / TABLE
    if not table.exists():
        raise FolderError(
            f"{table} is missing, and {MANIFEST} says that the run is finished: {REMEDY}"
        )

    expected = manifest.get("results_sha256")
    data = table.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest != expected:
        raise FolderError(
            f"{table} was changed after the run: {MANIFEST} has the SHA-256 {expected!s:.12}, "
            f"and the file {digest:.12}; {REMEDY}"
        )


def _parts(path: Path) -> dict[int, Path]:
    """The files of single trials, by their trials."""
    parts = {}
    for file in (path / PARTS).glob("*"):
        match = re.fullmatch(r"trial-(\d+)\.parquet", file.name)
        if match:
            parts[int(match[1])] = file

    return parts


def _remove_parts(path: Path) -> None:
    """Remove what a run wrote: its parts, and those that a kill left half-written."""
    parts = path / PARTS
    if not parts.exists():
        return

    for file in parts.iterdir():
        if re.fullmatch(r"\.?trial-\d+\.parquet.*", file.name):
            file.unlink()

    # Files of others stay, and their folder with them.
    if not any(parts.iterdir()):
        parts.rmdir()
