"""Logs of any form as Feedback: whole, or a chunk at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mobandits.errors import LogError
from mobandits.logs import csv, dsjson
from mobandits.logs.arm_registry import ArmRegistry, first_arms
from mobandits.logs.feedback import Feedback, together
from mobandits.logs.join import Objectives, joined
from mobandits.logs.sealed import read_alone
from mobandits.logs.segments import Snapshot
from mobandits.logs.store.archives import is_archive, scan_archive
from mobandits.logs.store.connection import is_store
from mobandits.logs.store.reading import scan_store
from mobandits.support.checks import integer

CHUNK = 10_000


def read(path: str | Path, **columns: Any) -> Feedback:
    """A whole log in memory; see `scan`.

    Raises:
        LogError: naming the file, the place and the rule; also where there is no decision in it.
    """
    chunks = list(scan(path, **columns))
    if not chunks:
        raise LogError(f"{path} must have at least one decision, got none")
    return together(chunks)


def scan(path: str | Path, *, chunk: int = CHUNK, **columns: Any) -> Iterator[Feedback]:
    """A log of any size, in chunks that agree on arms and objectives.

    Rewards are joined to their decisions by id, however late and in whatever parts they came; what
    never came is NaN. Objectives that are minimised are negated: in Feedback, all are maximised.
    Where arms were added or removed, there are as many as there ever were, and `eligible` says
    which of them could be played. A log is read twice.

    Args:
        path: a store, whatever its name, or the folder of a journal, which both may be in use; a
            .parquet file of `mobandits export`, or of a journal (rewards of decisions in its other
            files are then passed over); a dsjson file (.dsjson, .json, .jsonl); or a .csv file.
        chunk: decisions at a time, at most.
        columns: of a .csv file, see `mobandits.logs.csv.scan`; `features` of others' dsjson, see
            `mobandits.logs.dsjson.scan`; or `agent`, of a store that has several.

    Raises:
        LogError: naming the file, the place and the rule; on the way, where it is met there.

    Example:
        >>> import tempfile
        >>> from mobandits.logs.journal import Journal
        >>> folder = tempfile.mkdtemp()
        >>> decision = {"kind": "decide", "id": 0, "context": [[1.0]], "arm": 1, "propensity": 0.5}
        >>> with Journal(folder) as journal:
        ...     objectives = [{"name": "cost", "minimise": True}]
        ...     journal.describe({"arms": ["a", "b"], "objectives": objectives})
        ...     journal.append(decision)
        ...     journal.append({"kind": "learn", "id": 0, "rewards": {"cost": 0.25}})
        >>> [log.rewards.tolist() for log in scan(folder)]
        [[[-0.25]]]
    """
    integer("chunk", chunk, at_least=1)
    place = Path(path)
    if is_store(place):
        if columns.keys() - {"agent"}:
            raise ValueError(f"{', '.join(columns)} must go with a .csv file, got a store, {place}")
        return scan_store(place, chunk=chunk, **columns)
    is_table = place.suffix == ".csv" and not place.is_dir()
    if not is_table and columns.keys() - {"features"}:
        raise ValueError(f"{', '.join(columns)} must go with a .csv file, got {place}")
    if place.is_dir():
        return _scan_journal(place, chunk)
    if place.suffix == ".parquet" and is_archive(place):
        return scan_archive(place, chunk=chunk)
    if place.suffix == ".parquet":
        return _scan_sealed(place, chunk)
    if is_table:
        return csv.scan(place, chunk=chunk, **columns)

    # Any other name: dsjson says best what a file must be to be a log.
    return dsjson.scan(place, chunk=chunk, **columns)


def _scan_journal(folder: Path, chunk: int) -> Iterator[Feedback]:
    # Both passes see the same events, though others may go on writing.
    with Snapshot(folder) as snapshot:
        description = snapshot.header.description
        objectives = Objectives.of(description, folder)
        registry = first_arms(description, folder)
        yield from joined(
            snapshot.tables,
            registry.copy,
            objectives,
            snapshot.most_events(),
            folder,
            chunk=chunk,
            alone=False,
        )


def _scan_sealed(path: Path, chunk: int) -> Iterator[Feedback]:
    """A segment by itself, whose header says which arms there were when it began."""
    frame, header = read_alone(path)
    objectives = Objectives.of(header.description, path)
    registry = ArmRegistry.from_json(header.arms)
    yield from joined(
        lambda: iter([frame]),
        registry.copy,
        objectives,
        len(frame),
        path,
        chunk=chunk,
        alone=True,
    )
