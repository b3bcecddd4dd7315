"""What SQLite's write-ahead log holds, read without SQLite: to notice what recovery would pass over.

After a kill SQLite replays the log up to the first frame whose checksum is wrong, and forgets the
rest without a word. A transaction that was being written is such a rest, and rightly forgotten. A
commit behind a damaged frame is not: it was acknowledged.

Reference:
    The format: SQLite documentation, "WAL-mode File Format".
"""

import itertools
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

HEADER = struct.Struct(">8I")  # magic, format, page size, sequence, two salts, two checksums
FRAME = struct.Struct(">6I")  # page number, pages after a commit or 0, two salts, two checksums


def commits(database: Path) -> list[int]:
    """The numbers of the frames that end transactions, from 1, whatever their checksums say.

    Frames of earlier rounds of the log, which have other salts, do not count.

    Args:
        database: the path of the store; its log lies beside it.
    """
    path = database.with_name(database.name + "-wal")
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return []
    with file:
        return list(_commits_in(file))


def _commits_in(file: BinaryIO) -> Iterator[int]:
    header = file.read(HEADER.size)
    if len(header) < HEADER.size:
        return
    _, _, page_size, _, salt1, salt2, _, _ = HEADER.unpack(header)
    for number in itertools.count(1):
        frame = file.read(FRAME.size)
        if len(frame) < FRAME.size:
            return
        _, pages_after_commit, frame_salt1, frame_salt2, _, _ = FRAME.unpack(frame)
        if (frame_salt1, frame_salt2) != (salt1, salt2):
            return
        if pages_after_commit:
            yield number
        file.seek(page_size, os.SEEK_CUR)
