"""An event as a line: compact JSON whose last field is a checksum, chained from line to line.

    {"kind":"learn","id":7,"time":2.5,"rewards":{"quality":0.93},"crc":"1f0c5a39"}

The checksum is the CRC-32 of the line up to it, begun with the checksum of the line before. So a flipped bit is found,
and so are lines that are missing, doubled or in another order. It does not find forgeries: a program that can
write the file can compute checksums too.
"""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from mobandits.errors import LogError
from mobandits.logs.events import checked
from mobandits.logs.names import compact, decoded, encoded, is_plain

MAX_LINE = 2**28  # bytes
_BEFORE = b',"crc":"'
_AFTER = b'"}\n'
PLAIN = {  # fields that are numbers in an event that was checked
    "decide": {"kind", "id", "time", "context", "eligible", "arm", "propensity"},
    "learn": {"kind", "id", "time"},
}
OWN_DECISION = {*PLAIN["decide"], "batch"}
OWN_LESSON = {*PLAIN["learn"], "rewards"}
_TAIL = len(_BEFORE) + 8 + len(_AFTER)


def sealed_line(content: str, crc: int) -> tuple[bytes, int]:
    r"""A line and its checksum, from a JSON object that is not empty and the checksum of the line before.

    Example:
        >>> sealed_line('{"kind":"note"}', 0)
        (b'{"kind":"note","crc":"3d4780f8"}\n', 1028096248)
    """
    body = content.encode()[:-1]
    crc = zlib.crc32(body, crc)
    return b"%b%b%08x%b" % (body, _BEFORE, crc, _AFTER), crc


def opened_line(line: bytes, crc: int) -> tuple[bytes, int] | None:
    r"""The JSON object of a line and its checksum; None where the line is damaged.

    Example:
        >>> opened_line(b'{"kind":"note","crc":"3d4780f8"}\n', 0)
        (b'{"kind":"note"}', 1028096248)
    """
    body = line[:-_TAIL]
    crc = zlib.crc32(body, crc)
    if line[-_TAIL:] == b"%b%08x%b" % (_BEFORE, crc, _AFTER):
        return (body + b"}", crc)

    return None


def event_content(event: dict[str, Any]) -> str:
    """The JSON object of an event in its canonical form, which `sealed_line` makes a line.

    Raises:
        LogError: where files cannot hold something in it, or where it is too long or too deep.
    """
    try:
        content = compact(_to_json(event))
    except (ValueError, RecursionError) as error:
        raise (
            error if isinstance(error, LogError) else LogError(f"event cannot be written: {error}")
        ) from error

    # Few events are long enough for it to matter how many bytes their characters take.
    size = len(content) if len(content) < MAX_LINE // 4 else len(content.encode())
    length = size - 1 + _TAIL
    if length > MAX_LINE:
        raise LogError(f"event must be at most {MAX_LINE} bytes as a line, got {length}")

    return content


def _to_json(event: dict[str, Any]) -> dict[str, Any]:
    """As `encoded`, but what `checked` has made numbers is not looked at again."""
    plain = PLAIN.get(event["kind"], ())
    told = event["kind"] == "learn"
    return {
        key: value
        if key in plain or (key == "rewards" and told and is_plain(value))
        else encoded(value)
        for key, value in event.items()
    }


def event_of(content: bytes) -> dict[str, Any]:
    """An event, from the JSON object of its line.

    Raises:
        LogError: where it is none.
    """
    try:
        given = json.loads(content.decode())
        plain = PLAIN.get(str(given.get("kind")), ())
        return checked(
            {key: value if key in plain else decoded(value) for key, value in given.items()}
        )
    except LogError:
        raise
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        raise LogError(f"event must be a JSON object: {error}") from error


def event_in(line: bytes) -> dict[str, Any]:
    """The event of a line that `sealed_line` made, as a copy."""
    return event_of(line[:-_TAIL] + b"}")


def is_own(event: dict[str, Any]) -> bool:
    """Whether a checked event needs no copy: it has no fields but those of its kind."""
    if event["kind"] == "learn":
        return event.keys() <= OWN_LESSON

    return (
        event["kind"] == "decide"
        and event.keys() <= OWN_DECISION
        and event.get("batch", True) is True
    )


class Lines:
    """The events of a file of lines, one after the other; what is known of its end, once they are read.

    Args:
        file: open for reading, behind its header.
        path: what errors call it.
        crc: the header's checksum.
        start: length of the header in bytes.
        end: bytes to read up to: what is behind them is another's business.

    Attributes:
        crc: of the last line that was read.
        whole: length in bytes of all lines that were read.
        torn: bytes behind them: the beginning of a line whose writer was killed.
    """

    def __init__(self, file: BinaryIO, path: Path, crc: int, start: int, end: int) -> None:
        self._file = file
        self._path = path
        self._end = end
        self.crc = crc
        self.whole = start
        self.torn = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        number = 1
        while line := self._file.readline(min(MAX_LINE, self._end - self.whole)):
            number += 1
            if not line.endswith(b"\n"):
                self._torn(line, number)
                return

            found = opened_line(line, self.crc)
            if found is None:
                raise self._error(
                    number, "is damaged: it does not agree with its checksum and the line before"
                )

            try:
                event = event_of(found[0])
            except LogError as error:
                raise self._error(number, f"holds no event: {error}") from error

            self.crc = found[1]
            self.whole = self.whole + len(line)
            yield event

    def _torn(self, line: bytes, number: int) -> None:
        """A part of a line is what a kill leaves; a whole line with something else for its end is not."""
        if self.whole + len(line) < self._end:
            raise self._error(number, f"is longer than {MAX_LINE} bytes")
        if opened_line(line[:-1] + b"\n", self.crc) is not None:
            raise self._error(number, "is damaged: it does not end with a new line")

        self.torn = len(line)

    def _error(self, number: int, said: str) -> LogError:
        return LogError(f"{self._path}, line {number} {said}")
