"""SQLite's write-ahead log, read without SQLite: to notice what recovery passes over.

After a kill SQLite replays the log up to the first frame whose checksum is wrong, and forgets the
rest without a word. A transaction that was being written is such a rest, and rightly forgotten. A
commit behind a damaged frame is not: it was acknowledged.

Reference:
    The format and its checksums: SQLite documentation, "WAL-mode File Format", and sections 4.1 and
    4.2 of "Database File Format".
"""

import functools
import struct
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

SUFFIX = "-wal"
# Of the files that SQLite makes of one store, beside each other.
SUFFIXES = ("", SUFFIX, "-shm")
HEADER = struct.Struct(">4IQ2I")  # magic, format, page size, sequence, salts, two checksums
# Of a frame; `pages` is the size of the database after a commit, and 0 elsewhere.
FRAME = np.dtype([("page", ">u4"), ("pages", ">u4"), ("salts", ">u8"), ("checksums", ">u4", 2)])
FRAME_BYTES = FRAME.itemsize
MAGIC = 0x377F0682  # checksums of little-endian words; one more: of big-endian words
PAGE_SIZES = frozenset(2**power for power in range(9, 17))
BLOCK = 256  # frames at a time: a log that a long reader kept from being reset may be large
MASK = 2**32 - 1

Words = np.ndarray[Any, np.dtype[np.uint32]]


def lost_commits(database: Path) -> int:
    """The number of transactions, at least, that recovery gives up since the log is damaged.

    A log is only read, never locked: opening it disturbs nobody. Frames of earlier rounds of the
    log, which have other salts, do not count; one that can be of no round counts as a transaction.

    Args:
        database: the path of the store; its log lies beside it.
    """
    try:
        file = database.with_name(database.name + SUFFIX).open("rb")
    except FileNotFoundError:
        return 0
    with file:
        return _lost_in(file)


def _lost_in(file: BinaryIO) -> int:
    header = file.read(HEADER.size)
    if len(header) < HEADER.size:
        return 0

    magic, _, page_size, rounds, salts, *sums = HEADER.unpack(header)
    words = ">u4" if magic & 1 else "<u4"
    covered = np.frombuffer(header[:24], words)
    is_known = magic & ~1 == MAGIC and page_size in PAGE_SIZES
    if not is_known or _checksums(covered[None], [0, 0]) != [sums]:
        # Without the header nothing says which frames belong to this round: one may, or many.
        return int(len(file.read(FRAME_BYTES)) == FRAME_BYTES)

    size = FRAME_BYTES + page_size
    was_damaged = False
    lost = 0
    while True:
        block = file.read(BLOCK * size)
        count = len(block) // size  # a frame that is cut off was never a commit
        frames = np.frombuffer(block, np.uint8, count * size).reshape(count, size)
        heads = frames[:, :FRAME_BYTES].copy().view(FRAME)[:, 0]
        covered = np.concatenate([frames[:, :8], frames[:, FRAME_BYTES:]], axis=1)
        expected = _checksums(covered.view(words), sums)
        is_of_round = heads["salts"] == salts
        is_right = (heads["checksums"] == np.reshape(expected, (count, 2))).all(axis=1)
        # Checksums go on from frame to frame: none is sound behind one that is not.
        is_damaged = np.logical_or.accumulate(~(is_of_round & is_right)) | was_damaged
        is_lost = is_of_round & is_damaged & (heads["pages"] > 0)
        # The first salt grows by one from round to round; what has another was damaged.
        ages = ((salts >> 32) - (heads["salts"] >> 32)) & MASK
        is_of_no_round = ~is_of_round & ((ages < 1) | (ages > rounds))
        lost += int((is_lost | is_of_no_round).sum())
        if count < BLOCK:
            return lost

        was_damaged = bool(is_damaged[-1])
        sums = expected[-1]


def _checksums(words: Words, sums: list[int]) -> list[list[int]]:
    """The two checksums after each row of words, which go on from those before it.

    SQLite's rule for a pair of words x, y is s0 += x + s1, s1 += y + s0: a linear recurrence, of
    which the share of each pair can be computed for all rows at once.

    Args:
        words: (rows, an even number).
        sums: before the first row.
    """
    pairs = words.shape[1] // 2
    powers = _powers(pairs)
    # All of it is modulo 2^32, as the type of the words has it.
    first = words[:, 0::2].astype(np.uint32)
    both = first + words[:, 1::2].astype(np.uint32)
    # The first pair goes through all steps but its own, and the last one through none.
    a, b, c = powers[:, pairs - 1 :: -1]
    shares = np.stack([first @ a + both @ b, first @ b + both @ c], axis=1)
    whole_a, whole_b, whole_c = powers[:, pairs]
    whole_row = np.array([[whole_a, whole_b], [whole_b, whole_c]])
    now = np.array(sums, np.uint32)
    after = []
    for share in shares:
        now = whole_row @ now + share
        after.append(now.tolist())

    return after


@functools.lru_cache(maxsize=4)
def _powers(count: int) -> Words:
    """Powers 0 .. count of the step of the checksum, modulo 2^32: rows a, b, c of [[a, b], [b, c]].

    [[1, 1], [1, 2]]^j holds Fibonacci's numbers.
    """
    fibonacci = [1, 0]  # of -1 and 0
    while len(fibonacci) < 2 * count + 3:
        following = fibonacci[-1] + fibonacci[-2]
        fibonacci.append(following & MASK)

    numbers = np.array(fibonacci, np.uint32)
    a = numbers[0:-2:2]
    b = numbers[1:-1:2]
    c = numbers[2::2]

    return np.stack([a, b, c])
