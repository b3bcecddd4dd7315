"""Logs of any form as Feedback: whole, or a chunk at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mobandits.errors import LogError
from mobandits.logs import csv, dsjson, gateways
from mobandits.logs.address import Address, Place, place_of
from mobandits.logs.feedback import Feedback, whole
from mobandits.logs.frames import feedback_of_frame, is_frame, scan_parquet
from mobandits.logs.store.archives import scan_archive
from mobandits.logs.store.connection import is_store
from mobandits.logs.store.reading import scan_store
from mobandits.support.checks import integer
from mobandits.support.describe_path import describe_path

CHUNK = 10_000


def read(path: Any, **columns: Any) -> Feedback:
    """A whole log in memory; see `scan`.

    Args:
        path: as of `scan`; or a table of Polars or pandas, whose columns mean what those of a .csv
            file do.
        columns: as of `scan`.

    Raises:
        LogError: naming the file, the place and the rule; also where there is no decision in it.
    """
    if is_frame(path):
        return feedback_of_frame(path, **columns)

    return whole(scan(path, **columns), path)


def scan(
    path: str | Place,
    *,
    format: str | None = None,  # noqa: A002 - the word of the command line
    chunk: int = CHUNK,
    **columns: Any,
) -> Iterator[Feedback]:
    """A log of any size, in chunks that agree on arms and objectives.

    Rewards are joined to their decisions by id, however late and in whatever parts they came; what
    never came is NaN. Objectives that are minimised are negated: in Feedback, all are maximised.
    Where arms were added or removed, there are as many as there ever were, and `eligible` says
    which of them could be played. A log is read twice.

    Args:
        path: a store, whatever its name, which may be in use; a .parquet file of `mobandits
            export`; a dsjson file (.dsjson, .json, .jsonl); a .csv file; a table of your own in a
            .parquet file, or all those of a folder; or the URL of a database that a service writes,
            `postgresql://USER@HOST/DATABASE`.
        format: of a gateway's log, a name of `mobandits.logs.gateways.FORMATS`; None: by the name
            and the content of the file.
        chunk: decisions at a time, at most.
        columns: of a gateway's log, see `mobandits.logs.gateways.scan`; of a .csv file or a
            .parquet table, see `mobandits.logs.csv.scan`; `features` and `objectives` of others'
            dsjson, see `mobandits.logs.dsjson.scan`; or `agent`, of a store that has several.

    Raises:
        LogError: naming the file, the place and the rule; on the way, where it is met there.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from mobandits.logs import Store
        >>> path = Path(tempfile.mkdtemp()) / "router.db"
        >>> decision = {"kind": "decide", "id": 0, "context": [[1.0]], "arm": 1, "propensity": 0.5}
        >>> with Store(path) as store:
        ...     objectives = [{"name": "cost", "minimise": True}]
        ...     store.describe({"arms": ["a", "b"], "objectives": objectives})
        ...     store.append(decision)
        ...     store.append({"kind": "learn", "id": 0, "rewards": {"cost": 0.25}})
        >>> [log.rewards.tolist() for log in scan(path)]
        [[[-0.25]]]
    """
    integer("chunk", chunk, at_least=1)
    place = place_of(path)
    if format is not None:
        if isinstance(place, Address) or is_store(place):
            raise ValueError(f"format must go with a gateway's file, got a store, {place}")
        return gateways.scan(place, format, chunk=chunk, **columns)
    if isinstance(place, Address) or is_store(place):
        if columns.keys() - {"agent"}:
            raise ValueError(f"{', '.join(columns)} must go with a .csv file, got a store, {place}")
        return scan_store(place, chunk=chunk, **columns)

    return _scan_file(place, chunk, columns)


def _scan_file(place: Path, chunk: int, columns: dict[str, Any]) -> Iterator[Feedback]:
    """A log that is no store and no gateway's; see `scan`."""
    if "arm" in columns and (place.suffix == ".parquet" or place.is_dir()):
        return scan_parquet(place, chunk=chunk, **columns)
    is_table = place.suffix == ".csv" and not place.is_dir()
    if not is_table and columns.keys() - {"features", "objectives"}:
        raise ValueError(f"{', '.join(columns)} must go with a .csv file, got {place}")
    if place.is_dir():
        raise LogError(f"{place} must be a log, got {describe_path(place)}")
    if place.suffix == ".parquet":
        if columns:
            raise ValueError(f"{', '.join(columns)} must go with a .csv file, got {place}")
        return scan_archive(place, chunk=chunk)
    if is_table:
        return csv.scan(place, chunk=chunk, **columns)

    # Any other name: dsjson says best what a file must be to be a log.
    return dsjson.scan(place, chunk=chunk, **columns)
