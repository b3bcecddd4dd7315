"""The log as SQLite writes it, whatever the size of its pages, agrees with our checksums."""

import sqlite3
import struct

import numpy as np
import pytest
from stores import copied

from mobandits.logs.store.write_ahead_log import _checksums, lost_commits


def slow_checksums(words, sums):
    """As SQLite's documentation has it."""
    s0, s1 = sums
    after = []
    for row in words.tolist():
        for x, y in zip(row[0::2], row[1::2], strict=True):
            s0 = (s0 + x + s1) % 2**32
            s1 = (s1 + y + s0) % 2**32
        after.append([s0, s1])
    return after


@pytest.mark.parametrize("pairs", [1, 2, 3, 65])
@pytest.mark.parametrize("words", ["<u4", ">u4"])
def test_checksums_are_those_of_the_slow_twin(pairs, words):
    rng = np.random.default_rng(pairs)
    given = rng.integers(0, 2**32, (5, 2 * pairs), np.uint32).astype(words)
    assert _checksums(given, [7, 2**32 - 1]) == slow_checksums(given, [7, 2**32 - 1])
    assert _checksums(given[:0], [7, 8]) == []


def log_of(path, page_size, rounds):
    """A database with some commits in its log, after some rounds of it."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA page_size = {page_size}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (a BLOB)")
    for _ in range(rounds):
        for i in range(20):
            connection.execute("INSERT INTO t VALUES (zeroblob(?))", (50 * i,))
        connection.execute("PRAGMA wal_checkpoint(RESTART)")
    for i in range(9):
        connection.execute("INSERT INTO t VALUES (zeroblob(?))", (100 * i,))
    return connection


@pytest.mark.long
@pytest.mark.parametrize("page_size", [512, 4096, 65536])
@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_each_commit_behind_a_damaged_frame_is_counted(tmp_path, page_size, rounds):
    connection = log_of(tmp_path / "db", page_size, rounds)
    path = copied(tmp_path / "db", tmp_path / "copy")
    connection.close()
    assert lost_commits(path) == 0
    log = path.with_name("copy-wal")
    whole = log.read_bytes()
    salts = whole[16:24]
    size = 24 + page_size
    frames = range(32, len(whole), size)
    own = [place for place in frames if whole[place + 8 : place + 16] == salts]
    ends = [place for place in own if struct.unpack_from(">I", whole, place + 4)[0]]
    assert len(ends) >= 9
    assert rounds == 0 or len(own) < len(frames)
    for place in own:
        data = bytearray(whole)
        data[place + 24 + page_size // 2] ^= 1
        log.write_bytes(data)
        assert lost_commits(path) == sum(end >= place for end in ends)
        data[place + 9] ^= 1  # a salt as well
        log.write_bytes(data)
        assert lost_commits(path) >= max(1, sum(end > place for end in ends))


def test_a_damaged_header_is_noticed(tmp_path):
    connection = log_of(tmp_path / "db", 4096, 1)
    path = copied(tmp_path / "db", tmp_path / "copy")
    connection.close()
    log = path.with_name("copy-wal")
    whole = log.read_bytes()
    for place in range(32):
        data = bytearray(whole)
        data[place] ^= 4
        log.write_bytes(data)
        assert lost_commits(path) == 1
    log.write_bytes(whole[:20])
    assert lost_commits(path) == 0
