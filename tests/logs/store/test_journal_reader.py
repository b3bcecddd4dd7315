"""What happened to a journal's files is noticed: refused, or harmless; nothing is changed."""

import json
import shutil
import warnings
import zlib

import polars as pl
import pytest
from old_journals import (
    header,
    lines_of,
    sealed_line,
    table,
    with_header,
    write_segment,
    written_journal,
)
from stores import DESCRIPTION, decide, events, same_events

from mobandits.logs import LogError, LogWarning, import_journal
from mobandits.logs.events import checked
from mobandits.logs.names import compact
from mobandits.logs.store.journal_reader import JournalReader

GIVEN = [checked(event) for event in events(5)]  # seven: two sealed segments of three, and one


@pytest.fixture
def folder(tmp_path):
    return written_journal(tmp_path / "journal", GIVEN, DESCRIPTION, segment=3)


@pytest.fixture
def path(tmp_path):
    """The only segment of a journal, which is open."""
    return written_journal(tmp_path / "lines", GIVEN, DESCRIPTION) / "000000.jsonl"


def read_events(folder):
    return list(JournalReader(folder).events())


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refused(folder, said):
    """The import says so in one line, leaves no store, and changes nothing."""
    before = contents(folder)
    with pytest.raises(LogError, match=said) as caught:
        import_journal(folder, folder.parent / "store")
    assert "\n" not in str(caught.value)
    assert not list(folder.parent.glob("*store*"))
    assert contents(folder) == before


def test_whole_journals_are_read(folder, path):
    assert same_events(read_events(folder), GIVEN)
    assert same_events(read_events(path.parent), GIVEN)
    assert JournalReader(folder).description == DESCRIPTION


# --- the open segment


def test_every_truncation_of_the_open_segment_leaves_a_prefix(path):
    whole = path.read_bytes()
    first_line = whole.index(b"\n") + 1
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        if length < first_line:
            with pytest.raises(LogError, match=r"000000\.jsonl"):
                read_events(path.parent)
            continue
        complete = whole[:length].count(b"\n") - 1
        is_torn = not whole[:length].endswith(b"\n")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            assert same_events(read_events(path.parent), GIVEN[:complete])
        assert [one.category for one in said] == [LogWarning] * is_torn


def test_a_tail_of_zeros_is_torn(path):
    # What a loss of power may leave of blocks that were never written.
    path.write_bytes(path.read_bytes() + bytes(4096))
    with pytest.warns(LogWarning, match="ends with a torn line"):
        assert same_events(read_events(path.parent), GIVEN)


def test_a_line_has_a_largest_length(path, monkeypatch):
    monkeypatch.setattr("mobandits.logs.store.journal_files.MAX_LINE", 1000)
    path.write_bytes(path.read_bytes() + b"x" * 2000)
    refused(path.parent, "line 9 is longer than 1000 bytes")


def flipped(data, place, bit):
    damaged = bytearray(data)
    damaged[place] ^= 1 << bit
    return bytes(damaged)


def test_every_flipped_bit_of_the_open_segment_is_found(path):
    head = header(DESCRIPTION)
    whole = lines_of(head, GIVEN[:2])
    for place in range(len(whole)):
        for bit in range(8) if place % 5 == 0 else [place % 8]:
            path.write_bytes(flipped(whole, place, bit))
            with pytest.raises(LogError, match=r"000000\.jsonl"):
                read_events(path.parent)
    path.write_bytes(flipped(whole, len(whole) // 2, 3))
    refused(path.parent, r"000000\.jsonl, line \d is damaged")


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
def test_other_lines_are_noticed(path, change):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(change(lines)))
    refused(path.parent, r"000000\.jsonl")


EVIL = [
    b"[]",
    b"3",
    b'"text"',
    b"{}",
    b'{"tuple":[]}',
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
    b'{"kind":"add","arm":{"x":1}}',
    b'{"kind":"note","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b'{"kind":"note","x":1e400}',
    b'{"kind":"note","x":"\\ud800"}',
    b'{"kind":"note","x":' + b"9" * 5000 + b"}",
    b'{"kind":"note"',
    b"\xff\xfe{}",
]
# Events, but none that fits to those before it: the store refuses them.
UNFIT = [b'{"kind":"add","arm":"small"}', b'{"kind":"remove","arm":"huge"}']


@pytest.mark.parametrize(
    "line", EVIL + UNFIT, ids=lambda line: line[:60].decode("ascii", "replace")
)
def test_lines_that_agree_with_their_checksum_and_hold_no_event(path, line):
    whole = path.read_bytes()
    crc = int(whole[-11:-3], 16)
    body = line[:-1]
    path.write_bytes(whole + body + b',"crc":"%08x"}\n' % zlib.crc32(body, crc))
    said = "lines, after event 0: .*arm must" if line in UNFIT else "000000.jsonl, line 9 holds no"
    refused(path.parent, said)


# --- headers


def test_a_newer_version_is_refused(folder):
    with_header(folder / "000002.jsonl", version=2)
    refused(folder, "000002.jsonl has version 2, and this program reads 1")


@pytest.mark.parametrize(
    "data",
    [b"", b"{}\n", b"[1]\n", b"\x00\xff\n", b'{"format":"x"}\n', b"[" * 100_000, b"1" * 5000],
)
def test_a_foreign_file_is_refused(path, data):
    path.write_bytes(data)
    refused(path.parent, "000000.jsonl is not a segment of a journal: it does not begin with a he")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"segment": -1}, "segment must be an integer of at least 0, got -1"),
        ({"segment": True}, "segment must be an integer of at least 0, got True"),
        ({"segment": 1}, "is segment 1 of a journal, not 0"),
        ({"first": 10**30}, "begins with event 10*, and those before it end at 0"),
        ({"first": 1}, "begins with event 1, and those before it end at 0"),
        ({"first": "0"}, "first must be an integer of at least 0, got '0'"),
        ({"sealed": 3}, "sealed must be a list of text, got 3"),
        ({"sealed": [3]}, "sealed must be a list of text"),
        ({"sealed": ["x"]}, "a header that is damaged: it names 1 segments before it"),
        ({"description": []}, "description must be an object"),
        ({"description": {"tuple": 3}}, "tuple must be a list, got 3"),
        ({"description": {"arms": 3}}, "arms must be a list of names, got 3"),
        ({"description": {"arms": [["a"]]}}, "arm must be text"),
        ({"description": {"arms": ["a", "a"]}}, "arm must not be there already, got 'a'"),
    ],
)
def test_headers_of_wrong_types(path, changed, said):
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    with_header(path, **changed)
    refused(path.parent, said)


# --- sealed segments


def test_every_damage_to_a_sealed_segment_is_found(folder):
    path = folder / "000001.parquet"
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        for data in (flipped(whole, place, place % 8), whole[:place]):
            path.write_bytes(data)
            with pytest.raises(LogError, match=r"000001\.parquet is damaged: it does not have"):
                read_events(folder)
    refused(folder, r"000001\.parquet is damaged: it does not have the SHA-256")
    path.write_bytes(whole)
    assert same_events(read_events(folder), GIVEN)


@pytest.mark.parametrize("name", ["000000.parquet", "000001.parquet", "000002.jsonl"])
def test_a_missing_segment_is_noticed(folder, name):
    (folder / name).unlink()
    refused(folder, f"{name} is missing")


def test_what_a_kill_left_while_sealing_is_passed_over(folder, path):
    """Older lines, a table that nobody names, a half-written file: with each, all is there."""
    shutil.copy(folder / "000000.parquet", path.parent / "000000.parquet")
    (path.parent / ".000001.jsonl.mobandits-tmp").write_bytes(b"half")
    assert same_events(read_events(path.parent), GIVEN)
    (folder / "000000.jsonl").write_bytes(lines_of(header(DESCRIPTION), GIVEN[:3]))
    (folder / "000001.jsonl").write_bytes(lines_of(header(DESCRIPTION, 1, 3, ["x"]), GIVEN[3:6]))
    assert same_events(read_events(folder), GIVEN)
    # Without the newest lines, older ones are no journal: tables came after them.
    (folder / "000002.jsonl").unlink()
    (folder / "000001.jsonl").unlink()
    refused(folder, r"000002\.jsonl is missing")


def test_swapped_segments_are_noticed(folder):
    first = folder / "000000.parquet"
    second = folder / "000001.parquet"
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)
    refused(folder, r"000000\.parquet is damaged: it does not have the SHA-256")


def test_segments_of_another_journal_are_noticed(folder):
    (folder / "000003.jsonl").write_bytes(lines_of(header(DESCRIPTION), GIVEN[:2]))
    refused(folder, r"000003\.jsonl is segment 0 of a journal, not 3")


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.drop("other"),
        lambda frame: frame.with_columns(number=pl.col("number") + 1),
        lambda frame: frame[:2],
        lambda frame: frame.with_columns(kind=pl.lit(None, pl.String)),
        lambda frame: frame.with_columns(kind=pl.lit("add")),
        lambda frame: frame.with_columns(id=pl.lit(None, pl.Int64)),
        lambda frame: frame.with_columns(features=pl.lit(9, pl.Int64)),
        lambda frame: frame.with_columns(rows=pl.lit(-1, pl.Int64)),
        lambda frame: frame.with_columns(context=pl.lit(None, pl.List(pl.Float64))),
        lambda frame: frame.with_columns(arm=pl.lit(-3, pl.Int64)),
        lambda frame: frame.with_columns(other=pl.lit("{")),
        lambda frame: frame.with_columns(other=pl.lit("[" * 100_000)),
    ],
)
def test_forged_tables_are_refused(tmp_path, change):
    """The header of the open segment agrees with their SHA-256."""
    folder = tmp_path / "forged"
    folder.mkdir()
    frame = change(table(GIVEN[:3], 0))
    digest = write_segment(folder / "000000.parquet", frame, header(DESCRIPTION))
    (folder / "000001.jsonl").write_bytes(lines_of(header(DESCRIPTION, 1, 3, [digest]), []))
    refused(folder, "00000[01]|forged, after event 0")


def test_a_forged_objective_is_refused(tmp_path):
    folder = tmp_path / "forged"
    folder.mkdir()
    frame = table([decide(0), GIVEN[4]], 0)
    reward = pl.struct(objective=pl.lit(None, pl.String), value=pl.lit(1.0))
    rewards = pl.when(kind="learn").then(pl.concat_list(reward))
    frame = frame.with_columns(rewards=rewards)
    digest = write_segment(folder / "000000.parquet", frame, header(DESCRIPTION))
    (folder / "000001.jsonl").write_bytes(lines_of(header(DESCRIPTION, 1, 2, [digest]), []))
    refused(folder, r"000000\.parquet holds no events")


def test_what_is_no_parquet_file_is_refused(folder):
    data = b"PAR1 and nothing else"
    (folder / "000000.parquet").write_bytes(data)
    digests = json.loads((folder / "000002.jsonl").read_bytes().splitlines()[0])["sealed"]
    import hashlib  # noqa: PLC0415

    digests[0] = hashlib.sha256(data).hexdigest()
    with_header(folder / "000002.jsonl", sealed=digests)
    refused(folder, r"000000\.parquet is no Parquet file")


def test_a_line_without_its_end_is_damage(path):
    """A kill leaves a part of a line, and not one with something else for its end."""
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b" ")
    refused(path.parent, "line 8 is damaged: it does not end with a new line")
    line, _ = sealed_line(compact({"kind": "note"}))
    path.write_bytes(whole[:-1] + line)
    refused(path.parent, "line 8 is damaged: it does not agree")
