"""Which of today's articles did users click on? A reader of Yahoo! Webscope R6A files, which need a licence."""

import gzip
import math
import zlib
from array import array
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from mobandits.kernel.protocols import Array, IntArray

INDICES = (b"1", b"2", b"3", b"4", b"5", b"6")  # of a feature row; the first is the constant 1
PROBE = 1000  # lines to look at before a file is given up
REMEMBERED = 100_000  # texts of articles, while reading
GZIP = b"\x1f\x8b"


class DisplayLog(NamedTuple):
    """A log of displayed articles, in the order of its file.

    Attributes:
        users: (events, 5) the user's features 2 to 6, which sum to 1.
        shown: (events,) the displayed article, as a row of `articles`.
        clicks: (events,) 1 where the user clicked, else 0.
        articles: (vectors, 5) the distinct features 2 to 6 of all articles that could have been displayed.
        skipped: how many lines were malformed.
    """

    users: Array
    shown: IntArray
    clicks: Array
    articles: Array
    skipped: int


def display_ads(path: str | Path) -> DisplayLog:
    """Read one day of the Yahoo! Today module: user, displayed article, click.

    A line holds a time, the displayed article, the click, then ``|user`` and ``|<article>`` for every article that
    could have been displayed, each followed by six pairs ``index:value``, in any order. Index 1 is the constant 1 and
    is left out. A line whose user or displayed article lacks its six features is skipped, and counted.

    Args:
        path: a file as it is distributed, ``ydata-fp-td-clicks-v1_0.200905DD.gz``, or uncompressed.

    Returns:
        What the lines say, with the articles' features once. A whole day has 4.7 million lines, takes about a
        minute to read and 250 MB.

    Raises:
        ValueError: in one line that names the file, where it is absent, empty, truncated, damaged or something else.

    Reference:
        Yahoo! Webscope, R6A - Yahoo! Front Page Today Module User Click Log; mocmab2018, section VII-C.

    Example:
        >>> display_ads("no-such-file.gz")
        Traceback (most recent call last):
        ValueError: no-such-file.gz cannot be read: No such file or directory
    """
    file = Path(path)
    try:
        with file.open("rb") as raw:
            compressed = raw.read(2) == GZIP
            raw.seek(0)
            with gzip.open(raw) if compressed else raw as lines:
                return _read(file, lines)  # type: ignore[arg-type]
    except EOFError as error:
        raise ValueError(f"{file} is truncated: the compressed data end too early") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{file} is damaged: {error}") from error
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from error


def _read(file: Path, lines: BinaryIO) -> DisplayLog:
    users, shown, clicks, articles = array("d"), array("q"), array("d"), Articles()
    total, line, event = 0, b"", None
    for total, line in enumerate(lines, 1):
        event = _event(line, articles)
        if event is not None:
            users.extend(event[0])
            shown.append(event[1])
            clicks.append(event[2])
        elif total == PROBE and not shown:
            break
    if total == 0:
        raise ValueError(f"{file} is empty")
    if not shown:
        raise ValueError(f"{file} is not a Yahoo! R6A click log: none of its first {total} lines has that format")
    if event is None and not line.endswith(b"\n"):
        raise ValueError(f"{file} is truncated: line {total} is not complete")
    table = np.array(users).reshape(-1, 5), np.array(shown), np.array(clicks), np.array(list(articles.numbers))
    return DisplayLog(*table, skipped=total - len(shown))


class Articles:
    """The distinct feature vectors of articles, numbered as they appear."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[float, ...], int] = {}
        self._known: dict[bytes, tuple[bytes, int]] = {}

    def read(self, text: bytes) -> tuple[bytes, int]:
        """The name of an article and the number of its vector, -1 where it has none."""
        if text not in self._known:  # a day has a hundred articles and a hundred million mentions of them
            if len(self._known) == REMEMBERED:
                self._known.clear()
            name, _, pairs = text.partition(b" ")
            vector = features(pairs)
            number = -1 if vector is None else self.numbers.setdefault(vector, len(self.numbers))
            self._known[text] = name, number
        return self._known[text]


def _event(line: bytes, articles: Articles) -> tuple[tuple[float, ...], int, float] | None:
    head, _, rest = line.partition(b"|user ")
    text, *pool = rest.split(b"|")
    said, user = head.split(), features(text)
    if user is None or len(said) != 3 or said[2] not in (b"0", b"1"):
        return None
    shown = dict(map(articles.read, pool)).get(said[1], -1)
    return None if shown < 0 else (user, shown, float(said[2]))


def features(text: bytes) -> tuple[float, ...] | None:
    """Features 2 to 6 from six pairs ``index:value`` in any order, or None where the text is something else.

    Example:
        >>> features(b"2:0.1 3:0.2 4:0.3 5:0.4 6:0 1:1")
        (0.1, 0.2, 0.3, 0.4, 0.0)
    """
    pairs = dict(pair.partition(b":")[::2] for pair in text.split())
    if len(pairs) != 6 or text.count(b":") != 6:
        return None
    try:
        values = tuple(float(pairs[index]) for index in INDICES)
    except (KeyError, ValueError):
        return None
    return values[1:] if all(map(math.isfinite, values)) else None
