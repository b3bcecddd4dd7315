"""What happens to a journal's files is noticed: found and refused, or harmless; nothing is taken for something else."""

import io
import json
import shutil
import warnings
import zlib
from pathlib import Path

import polars as pl
import pytest
from journals import content, decide, events, learn, reread, written
from log_strategies import same

from mobandits.logs import Journal, LogError, LogWarning, read
from mobandits.logs.lines import Lines, sealed_line
from mobandits.logs.names import compact
from mobandits.logs.sealed import parsed
from mobandits.logs.segments import read_header

GIVEN = events(5)  # seven events: two sealed segments of three, and one event in the open one


@pytest.fixture
def folder(tmp_path):
    return written(tmp_path / "journal", GIVEN, segment=3)


def lines_of(path):
    return path.read_bytes().splitlines(keepends=True)


def refused(folder, said):
    """Opening it, or reading it, says so, and changes nothing."""
    before = content(folder)
    with pytest.raises(LogError, match=said):
        reread(folder)
    with pytest.raises(LogError, match=said):
        read(folder)
    assert content(folder) == before


def test_every_truncation_of_the_open_segment_leaves_a_prefix(tmp_path):
    path = written(tmp_path, GIVEN[:2]) / "000000.jsonl"
    whole, header = path.read_bytes(), len(lines_of(path)[0])
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        if length < header:
            refused(tmp_path, "000000.jsonl")
            continue
        complete, torn = whole[:length].count(b"\n") - 1, whole[length - 1 : length] != b"\n"
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            with Journal(tmp_path, "system") as journal:
                assert same(list(journal.events()), GIVEN[:complete])
                assert journal.torn == torn
                journal.append(decide(99))
                assert same(list(journal.events()), [*GIVEN[:complete], decide(99)])
        assert [one.category for one in said] == [LogWarning] * torn


def test_a_reader_passes_over_a_torn_line_and_leaves_it(tmp_path):
    path = written(tmp_path, GIVEN) / "000000.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    before = content(tmp_path)
    with pytest.warns(
        LogWarning, match=r"000000\.jsonl ends with a torn line, which was passed over"
    ) as said:
        assert len(read(tmp_path)) == 5
    assert len(said) == 1
    assert content(tmp_path) == before


def test_a_tail_of_zeros_is_torn(tmp_path):
    path = written(tmp_path, GIVEN) / "000000.jsonl"
    path.write_bytes(
        path.read_bytes() + bytes(4096)
    )  # what a loss of power may leave of blocks never written
    with pytest.warns(LogWarning, match=r"torn line of 4096 bytes"):
        assert same(reread(tmp_path), GIVEN)


CHANGED = r"000001\.parquet is (a segment of a journal that was changed or cut off|not a segment)"


def flipped(data, place, bit):
    damaged = bytearray(data)
    damaged[place] ^= 1 << bit
    return bytes(damaged)


def in_memory(data):
    """The events of an open segment."""
    file, path = io.BytesIO(data), Path("000000.jsonl")
    _, crc, start = read_header(file, path)
    lines = Lines(file, path, crc, start, len(data))
    return list(lines), lines.torn


def test_every_flipped_bit_of_the_open_segment_is_found(tmp_path):
    path = written(tmp_path, GIVEN[:2]) / "000000.jsonl"
    whole = path.read_bytes()
    assert same(in_memory(whole), (GIVEN[:2], 0))
    for place in range(len(whole)):
        for bit in range(8):
            with pytest.raises(LogError, match=r"000000\.jsonl"):
                in_memory(flipped(whole, place, bit))
    for place in range(0, len(whole), 20):
        path.write_bytes(flipped(whole, place, place % 8))
        refused(tmp_path, r"000000\.jsonl")
    path.write_bytes(whole)
    assert same(reread(tmp_path), GIVEN[:2])


def test_every_damage_to_a_sealed_segment_is_found(folder):
    path = folder / "000001.parquet"
    whole = path.read_bytes()
    assert parsed(whole, path)[0].height == 3
    for place in range(len(whole)):
        for data in (flipped(whole, place, place % 8), whole[:place], whole + whole[:place]):
            with pytest.raises(LogError, match=CHANGED):
                parsed(data if data != whole else b"", path)
    for place in range(0, len(whole), 500):
        for data in (flipped(whole, place, place % 8), whole[:place]):
            path.write_bytes(data)
            refused(folder, r"000001\.parquet is damaged: it does not have the SHA-256")
            with pytest.raises(LogError, match=CHANGED):
                read(path)
    path.write_bytes(whole)
    assert same(reread(folder), GIVEN)


def test_a_sealed_segment_is_a_parquet_file_like_any_other(folder):
    frame = pl.scan_parquet(folder / "*.parquet").collect()
    assert frame["number"].to_list() == list(range(6))
    assert frame["kind"].to_list() == [event["kind"] for event in GIVEN[:6]]
    assert frame.filter(pl.col("kind") == "learn")["rewards"].to_list() == [
        [{"objective": "quality", "value": 0.0}, {"objective": "cost", "value": 1e-3}]
    ]


@pytest.mark.parametrize("name", ["000000.parquet", "000001.parquet", "000002.jsonl"])
def test_a_missing_segment_is_noticed(folder, name):
    (folder / name).unlink()
    refused(folder, f"{name} is missing")


def test_a_missing_segment_is_noticed_where_a_kill_left_older_lines(folder, tmp_path):
    shutil.copy(written(tmp_path / "other", GIVEN[:3]) / "000000.jsonl", folder / "000000.jsonl")
    assert read(folder).ids.tolist() == [0, 1, 2, 3, 4]
    (folder / "000002.jsonl").unlink()
    refused(folder, "000002.jsonl is missing")


def test_swapped_segments_are_noticed(folder):
    first, second = folder / "000000.parquet", folder / "000001.parquet"
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)
    refused(folder, "000000.parquet is damaged: it does not have the SHA-256")


def test_segments_of_another_journal_are_noticed(folder, tmp_path):
    other = written(tmp_path / "other", events(2))
    shutil.copy(other / "000000.jsonl", folder / "000003.jsonl")
    refused(folder, "000003.jsonl is segment 0 of a journal, not 3")


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [lines[0], lines[2], *lines[3:]],
        lambda lines: [lines[0], lines[2], lines[1], *lines[3:]],
        lambda lines: [*lines[:2], lines[1], *lines[2:]],
        lambda lines: [*lines[:2], b"\n", *lines[2:]],
        lambda lines: [lines[1], lines[0], *lines[2:]],
    ],
    ids=["missing", "swapped", "doubled", "blank", "before the header"],
)
def test_other_lines_are_noticed(tmp_path, change):
    path = written(tmp_path, GIVEN) / "000000.jsonl"
    path.write_bytes(b"".join(change(lines_of(path))))
    refused(tmp_path, "000000.jsonl")


def test_a_newer_version_is_refused(folder):
    path = folder / "000002.jsonl"
    header, *lines = lines_of(path)
    newer = json.loads(header) | {"version": 2}
    del newer["crc"]
    path.write_bytes(b"".join([sealed_line(compact(newer), 0)[0], *lines]))
    refused(folder, "000002.jsonl has version 2, and this program reads 1")


@pytest.mark.parametrize(
    "data",
    [b"", b"{}\n", b"[1]\n", b"\x00\xff\n", b'{"format":"x"}\n', b"[" * 100_000, b"1" * 5000],
)
def test_a_foreign_file_is_refused(tmp_path, data):
    (tmp_path / "000000.jsonl").write_bytes(data)
    refused(tmp_path, "000000.jsonl is not a segment of a journal: it does not begin with a header")


@pytest.mark.parametrize(
    "changed",
    [
        {"segment": -1},
        {"segment": True},
        {"segment": 1},
        {"first": 10**30},
        {"first": 1},
        {"first": "0"},
        {"sealed": 3},
        {"sealed": [3]},
        {"sealed": ["x"]},
        {"description": []},
        {"description": {"tuple": 3}},
        {"description": {"objectives": ["q"], "arms": 3}},
        {"description": {"arms": ["a", "b"]}},
        {"description": {"objectives": [{"name": []}], "arms": []}},
        {"description": {"objectives": [{"minimise": True}], "arms": []}},
        {"description": {"objectives": ["q", "q"], "arms": []}},
        {"arms": None},
        {"arms": {"names": [[1]], "present": []}},
        {"arms": {"names": [1], "present": [1]}},
        {"arms": {"names": [1], "present": [0, 0]}},
        {"arms": {"names": [1], "present": ["0"]}},
    ],
    ids=str,
)
def test_headers_of_wrong_types(tmp_path, changed):
    path = written(tmp_path, []) / "000000.jsonl"
    header = json.loads(lines_of(path)[0]) | changed
    del header["crc"]
    path.write_bytes(sealed_line(compact(header), 0)[0])
    with pytest.raises(LogError):  # noqa: PT012 - some is said on opening, some when it is read
        reread(tmp_path)
        read(tmp_path)


EVIL = [
    b"[]",
    b"3",
    b'"text"',
    b"{}",
    b'{"kind":null}',
    b'{"kind":["decide"]}',
    b'{"kind":"decide"}',
    b'{"kind":"decide","id":1e400,"arm":0}',
    b'{"kind":"decide","id":9223372036854775808,"arm":0}',
    b'{"kind":"decide","id":0,"arm":' + b"9" * 5000 + b"}",
    b'{"kind":"decide","id":0,"arm":0,"context":[[1e400]]}',
    b'{"kind":"decide","id":0,"arm":0,"context":[[NaN]]}',
    b'{"kind":"decide","id":0,"arm":0,"context":' + b"[" * 3000 + b"]" * 3000 + b"}",
    b'{"kind":"decide","id":0,"arm":0,"context":{"a":1}}',
    b'{"kind":"decide","id":0,"arm":0,"context":[["\\ud800"]]}',
    b'{"kind":"decide","id":0,"arm":0,"propensity":2}',
    b'{"kind":"learn","id":0,"rewards":{"quality":1e400}}',
    b'{"kind":"learn","id":0,"rewards":{"pairs":[[[],1]]}}',
    b'{"kind":"learn","id":0,"rewards":[["quality",1]]}',
    b'{"kind":"learn","id":0,"rewards":{"quality":{}}}',
    b'{"kind":"add","arm":"small"}',
    b'{"kind":"add","arm":{"x":1}}',
    b'{"kind":"remove","arm":"huge"}',
    b'{"kind":"note","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b'{"kind":"note","x":1e400}',
    b'{"kind":"note","x":"\\ud800"}',
    b'{"kind":"note","x":' + b"9" * 5000 + b"}",
    b'{"kind":"note"',
    b"\xff\xfe{}",
]


@pytest.mark.parametrize("line", EVIL, ids=lambda line: line[:60].decode("ascii", "replace"))
def test_lines_that_agree_with_their_checksum_and_hold_no_event(tmp_path, line):
    path = written(tmp_path, [decide(0)]) / "000000.jsonl"
    whole = path.read_bytes()
    crc = int(whole[-11:-3], 16)
    path.write_bytes(whole + _with_checksum(line, crc))
    refused(tmp_path, f"{tmp_path.name}/000000.jsonl|{tmp_path.name}: arm must")


def _with_checksum(line, crc):
    body = line[:-1]
    return body + b',"crc":"%08x"}\n' % zlib.crc32(body, crc)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([learn(0)], "event 0: id 0 must be of a decision before it"),
        ([decide(1), decide(0)], "event 1: ids of decisions must increase, got 0"),
        ([decide(0), decide(0)], "event 1: ids of decisions must increase, got 0"),
        (
            [decide(0), {"kind": "learn", "id": 0, "rewards": {"speed": 1.0}}],
            "which are 'quality', 'cost'; got speed",
        ),
        (
            [decide(0), learn(0), learn(0) | {"rewards": {"cost": 2.0}}],
            "event 2: 'cost' must not be told again",
        ),
        ([decide(0) | {"arm": 2}], r"event 0 or soon after: Feedback.arms must be from 0 to 1"),
        (
            [decide(0) | {"context": [[1.0]]}, decide(1)],
            r"as many features in every decision, got \[1, 2\]",
        ),
        (
            [decide(0) | {"context": [[1.0, 2.0]] * 3}],
            "event 0 or soon after: context must have a row for each of 2 arms",
        ),
        (
            [decide(0) | {"eligible": [1]}],
            "Feedback.eligible must be true of every arm that was played",
        ),
        (
            [decide(0) | {"eligible": [0, 7]}],
            r"eligible must be positions of arms that are present, got \[0, 7\]",
        ),
        (
            [{"kind": "remove", "arm": "small"}, decide(0)],
            "Feedback.eligible must be true of every arm",
        ),
    ],
)
def test_events_that_do_not_go_together_are_refused_when_read(tmp_path, given, said):
    written(tmp_path, given)
    assert len(reread(tmp_path)) == len(given)
    with pytest.raises(LogError, match=said):
        read(tmp_path)
