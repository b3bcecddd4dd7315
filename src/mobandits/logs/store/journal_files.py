"""The files of a journal of version 0.1, and the lines of the one that was still written.

    000000.parquet   sealed: a table of events
    000001.parquet
    000002.jsonl     open: a header, then a line of JSON per event
    lock             held by the process that writes

    {"kind":"learn","id":7,"time":2.5,"rewards":{"quality":0.93},"crc":"1f0c5a39"}

The last field of a line is the CRC-32 of the line up to it, begun with the checksum of the line
before. So a flipped bit is noticed, and so are lines that are missing, doubled or in another order.

The header of the open file has the SHA-256 of all sealed ones, in order. So the highest .jsonl says
everything: what else a killed writer left behind (a .jsonl of a lower number, a .parquet of its own
number, temporary files) is passed over.
"""

import contextlib
import json
import re
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from mobandits.errors import LogError, LogWarning
from mobandits.logs.events import checked
from mobandits.logs.names import decoded
from mobandits.support.naming import quoted

FORMAT = "mobandits-journal"
VERSION = 1
LOCK = "lock"
MAX_LINE = 2**28  # bytes: version 0.1 wrote no longer ones
BEFORE_CHECKSUM = b',"crc":"'
AFTER_CHECKSUM = b'"}\n'
CHECKSUM_DIGITS = 8

Event = dict[str, Any]


class Header(NamedTuple):
    """The first line of an open segment.

    Attributes:
        segment: its number, from 0.
        first: the number of its first event.
        sealed: the SHA-256 of the file of each segment before it.
        description: what the events mean.
    """

    segment: int
    first: int
    sealed: list[str]
    description: dict[str, Any]


def segment_path(folder: Path, number: int, *, sealed: bool) -> Path:
    """The file of a segment."""
    ending = "parquet" if sealed else "jsonl"
    return folder / f"{number:06d}.{ending}"


def segment_numbers(folder: Path) -> tuple[list[int], list[int]]:
    """The numbers of the open segments (one, or two after a kill) and of the sealed ones, in order.

    Raises:
        LogError: where the folder cannot be read.
    """
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError as error:
        raise LogError(f"{folder} cannot be read: {error.strerror}") from error

    return _numbers_of(names, "jsonl"), _numbers_of(names, "parquet")


def _numbers_of(names: list[str], ending: str) -> list[int]:
    """The numbers of the segments among the names of files, in order."""
    numbers = []
    for name in names:
        segment = re.fullmatch(rf"(\d{{6,}})\.{ending}", name)
        if segment is not None:
            numbers.append(int(segment[1]))

    return sorted(numbers)


def is_journal(folder: Path) -> bool:
    """Whether there is a folder that has segments of a journal."""
    try:
        return any(segment_numbers(folder))
    except LogError:
        return False


def read_header(path: Path) -> Header:
    """The header of an open segment.

    Raises:
        LogError: naming the file, where there is none, or where it is damaged or of another version.
    """
    with _opened(path) as file:
        header, _ = _first_line(file, path)

    return header


def open_events(path: Path) -> Iterator[Event]:
    """The events of an open segment.

    A torn line at the end, whose writer was killed, is passed over with a `LogWarning`.

    Raises:
        LogError: naming file and line, where one is damaged or holds no event.
    """
    with _opened(path) as file:
        _, crc = _first_line(file, path)
        number = 1
        while line := file.readline(MAX_LINE):
            number += 1
            where = f"{path}, line {number}"
            if not line.endswith(b"\n"):
                _check_torn(line, crc, where)
                said = f"{path} ends with a torn line, which was passed over"
                warnings.warn(said, LogWarning, stacklevel=2)
                return

            opened = opened_line(line, crc)
            if opened is None:
                rule = "it does not agree with its checksum and the line before"
                raise LogError(f"{where} is damaged: {rule}")

            content, crc = opened
            yield _event(content, where)


def opened_line(line: bytes, crc: int) -> tuple[bytes, int] | None:
    r"""The JSON object of a line and its checksum; None where the line is damaged.

    Args:
        line: with its end.
        crc: the checksum of the line before; of the first line, 0.

    Example:
        >>> opened_line(b'{"kind":"note","crc":"3d4780f8"}\n', 0)
        (b'{"kind":"note"}', 1028096248)
    """
    body = line[: -len(BEFORE_CHECKSUM) - CHECKSUM_DIGITS - len(AFTER_CHECKSUM)]
    crc = zlib.crc32(body, crc)
    end = b"%b%08x%b" % (BEFORE_CHECKSUM, crc, AFTER_CHECKSUM)
    if line != body + end:
        return None

    return body + b"}", crc


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise LogError(f"{path} cannot be read: {error.strerror}") from error


def _first_line(file: BinaryIO, path: Path) -> tuple[Header, int]:
    """The header of an open segment and its checksum."""
    line = file.readline(MAX_LINE)
    opened = opened_line(line, 0)
    # What a damaged line says may still show that it is of another version, or no header at all.
    header = _header(line if opened is None else opened[0], path)
    if opened is None:
        raise LogError(f"{path}, line 1 is damaged: it does not agree with its checksum")

    return header, opened[1]


def _header(content: bytes, path: Path) -> Header:
    try:
        fields = json.loads(content)
    except (ValueError, RecursionError):
        fields = None

    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise LogError(f"{path} is not a segment of a journal: it does not begin with a header")
    if fields.get("version") != VERSION:
        version = quoted(fields.get("version"))
        raise LogError(f"{path} has version {version}, and this program reads {VERSION}")

    try:
        return _checked_header(fields)
    except (LogError, RecursionError) as error:
        raise LogError(f"{path} has a header that is damaged: {error}") from error


def _checked_header(fields: dict[str, Any]) -> Header:
    """The fields of a header, which are of the right kinds."""
    segment = _whole_number(fields, "segment")
    first = _whole_number(fields, "first")
    sealed = fields.get("sealed")
    if not isinstance(sealed, list) or not all(isinstance(digest, str) for digest in sealed):
        raise LogError(f"sealed must be a list of text, got {quoted(sealed)}")

    description = decoded(fields.get("description"))
    if not isinstance(description, dict):
        raise LogError(f"description must be an object, got {quoted(description)}")

    return Header(segment, first, sealed, description)


def _whole_number(fields: dict[str, Any], name: str) -> int:
    value = fields.get(name)
    # Not isinstance: JSON's true and false are no numbers.
    if type(value) is not int or value < 0:
        raise LogError(f"{name} must be an integer of at least 0, got {quoted(value)}")

    return value


def _check_torn(line: bytes, crc: int, where: str) -> None:
    """Refuse an end that no kill leaves: a line that is too long, or whole but for its end."""
    if len(line) == MAX_LINE:
        raise LogError(f"{where} is longer than {MAX_LINE} bytes")
    if opened_line(line[:-1] + b"\n", crc) is not None:
        raise LogError(f"{where} is damaged: it does not end with a new line")


def _event(content: bytes, where: str) -> Event:
    try:
        return checked(decoded(json.loads(content.decode())))
    except (TypeError, ValueError, RecursionError) as error:
        raise LogError(f"{where} holds no event: {error}") from error
