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
HEADER = struct.Struct(">8I")  # magic, format, page size, sequence, two salts, two checksums
FRAME = struct.Struct(">6I")  # page number, pages after a commit or 0, two salts, two checksums
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
    magic, _, page_size, rounds, salt0, salt1, *sums = HEADER.unpack(header)
    words = ">u4" if magic & 1 else "<u4"
    covered = np.frombuffer(header[:24], words)
    computed = _checksums(covered[None], [0, 0])
    is_known = magic & ~1 == MAGIC and page_size in PAGE_SIZES
    if not is_known or computed[0] != sums:
        # Without the header nothing says which frames belong to this round: one may, or many.
        return int(len(file.read(FRAME.size)) == FRAME.size)
    size = FRAME.size + page_size
    is_damaged = False
    lost = 0
    while True:
        block = file.read(BLOCK * size)
        count = len(block) // size  # a frame that is cut off was never a commit
        frames = np.frombuffer(block, np.uint8, count * size).reshape(count, size)
        covered = np.concatenate([frames[:, :8], frames[:, FRAME.size :]], axis=1)
        computed = _checksums(covered.view(words), sums)
        for frame, expected in zip(frames, computed, strict=True):
            head = FRAME.unpack(frame[: FRAME.size].tobytes())
            _, pages_after_commit, *salts, check0, check1 = head
            is_of_round = salts == [salt0, salt1]
            is_sound = is_of_round and [check0, check1] == expected
            is_damaged = is_damaged or not is_sound  # checksums go on from frame to frame
            if is_of_round:
                lost += is_damaged and pages_after_commit > 0
                continue
            # The first salt grows by one from round to round; what has another was damaged.
            age = (salt0 - salts[0]) & MASK
            lost += not 1 <= age <= rounds
        if count < BLOCK:
            return lost
        sums = computed[-1]


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
    first = words[:, 0::2].astype(np.uint32)
    both = first + words[:, 1::2].astype(np.uint32)  # modulo 2^32, as everything here
    a, b, c = powers[:, pairs - 1 :: -1]
    shares0 = (first * a + both * b).sum(axis=1, dtype=np.uint32).tolist()
    shares1 = (first * b + both * c).sum(axis=1, dtype=np.uint32).tolist()
    whole_a, whole_b, whole_c = powers[:, pairs].tolist()
    s0, s1 = sums
    after = []
    for share0, share1 in zip(shares0, shares1, strict=True):
        next0 = (whole_a * s0 + whole_b * s1 + share0) & MASK
        next1 = (whole_b * s0 + whole_c * s1 + share1) & MASK
        s0 = next0
        s1 = next1
        after.append([s0, s1])
    return after


@functools.lru_cache(maxsize=4)
def _powers(count: int) -> Words:
    """Powers 0 .. count of the step of the checksum, modulo 2^32: rows a, b, c of [[a, b], [b, c]].

    [[1, 1], [1, 2]]^j holds Fibonacci's numbers.
    """
    fibonacci = [1, 0]  # of -1 and 0
    while len(fibonacci) < 2 * count + 3:
        fibonacci.append((fibonacci[-1] + fibonacci[-2]) & MASK)
    numbers = np.array(fibonacci, np.uint32)
    return np.stack([numbers[0:-2:2], numbers[1:-1:2], numbers[2::2]])
