"""A journal gives back what was appended, and refuses what it cannot keep."""

import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from journals import DESCRIPTION, content, decide, events, learn, reread, written
from log_strategies import EVENTS, same

from mobandits.logs import Journal, LogError
from mobandits.logs.events import checked

# --- what is appended is there


@pytest.mark.parametrize("durability", ["disk", "system", "buffered"])
@pytest.mark.parametrize("segment", [1, 4, 100])
def test_events_come_back_in_order(tmp_path, durability, segment):
    given = events(9)
    with Journal(tmp_path, durability, segment) as journal:
        assert journal.description is None
        assert len(journal) == 0
        journal.describe(DESCRIPTION)
        for n, event in enumerate(given):
            journal.append(event)
            assert len(journal) == n + 1
            if n % 5 == 0:
                assert same(list(journal.events()), given[: n + 1])
    sealed = sorted(path.name for path in tmp_path.glob("*.parquet"))
    assert len(sealed) == (len(given) - 1) // segment
    assert len(list(tmp_path.glob("*.jsonl"))) == 1
    with Journal(tmp_path, durability, segment) as journal:
        assert same(journal.description, DESCRIPTION)
        assert same(list(journal.events()), given)
        journal.append({"kind": "note", "text": "more"})
        assert list(journal.events())[-1] == {"kind": "note", "text": "more"}
        assert journal.torn == 0


@settings(max_examples=40)
@given(st.lists(EVENTS.filter(lambda event: event["kind"] not in {"add", "remove"}), max_size=6))
def test_any_events_come_back(tmp_path_factory, given):
    folder = tmp_path_factory.mktemp("journal")
    with Journal(folder, "buffered", 2) as journal:
        for event in given:
            journal.append(event)
    assert same(reread(folder), [checked(event) for event in given])


def test_events_are_those_up_to_the_moment_when_reading_began(tmp_path):
    with Journal(written(tmp_path, events(3), segment=2), segment=2) as journal:
        reading = journal.events()
        found = [next(reading)]
        for i in range(10, 15):
            journal.append(decide(i))  # the segment that is being read is sealed meanwhile
        assert same([*found, *reading], events(3))


def test_a_segment_is_also_full_at_a_number_of_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr("mobandits.logs.journal.SEGMENT_BYTES", 500)
    assert same(reread(written(tmp_path, events(6))), events(6))
    assert len(list(tmp_path.glob("*.parquet"))) > 1


def test_an_event_that_is_refused_is_not_written(tmp_path):
    with Journal(tmp_path) as journal:
        journal.describe(DESCRIPTION)
        before = content(tmp_path)
        refused = [
            {"kind": "x", "y": np.nan},
            {"kind": "add", "arm": "small"},
            {"kind": "remove", "arm": "huge"},
        ]
        for event in refused:
            with pytest.raises(LogError):
                journal.append(event)
        assert content(tmp_path) == before
        assert len(journal) == 0


def test_lines_of_megabytes(tmp_path):
    event = {"kind": "note", "text": "ä" * 2**22, "list": list(range(200_000))}
    assert reread(written(tmp_path, [event, decide(0)], segment=1)) == [event, decide(0)]


def test_a_line_has_a_largest_length(tmp_path, monkeypatch):
    monkeypatch.setattr("mobandits.logs.lines.MAX_LINE", 1000)
    with Journal(tmp_path) as journal:
        with pytest.raises(LogError, match="event must be at most 1000 bytes as a line, got 10"):
            journal.append({"kind": "note", "text": "x" * 1000})
        journal.append({"kind": "note"})
    (path,) = tmp_path.glob("*.jsonl")
    path.write_bytes(path.read_bytes() + b"x" * 2000)
    with pytest.raises(LogError, match="line 3 is longer than 1000 bytes"):
        Journal(tmp_path)


def test_what_the_caller_does_with_an_event_afterwards_does_not_matter(tmp_path):
    lesson, note = learn(0), {"kind": "note", "seen": [1, {"x": (np.float64(2.0),)}]}
    with Journal(tmp_path, "system", 3) as journal:
        for event in (decide(0), lesson, note):
            journal.append(event)
        lesson["rewards"]["quality"], note["seen"][1]["x"] = 3.0, "other"
        note["seen"].append(4)
        journal.append(decide(1))
    assert same(
        reread(tmp_path),
        [decide(0), learn(0), {"kind": "note", "seen": [1, {"x": (2.0,)}]}, decide(1)],
    )


def test_blocks_on_their_way_into_a_table(tmp_path, monkeypatch):
    monkeypatch.setattr("mobandits.logs.collector.BLOCK", 4)
    monkeypatch.setattr("mobandits.logs.collector.BLOCK_BYTES", 500)
    given = events(20)
    with Journal(tmp_path, "system", 15) as journal:
        journal.describe(DESCRIPTION)
        for event in given[:23]:
            journal.append(event)
    assert same(
        reread(written(tmp_path, [*given[23:], decide(99)], segment=22)), [*given, decide(99)]
    )
    frames = [pl.read_parquet(path) for path in sorted(tmp_path.glob("*.parquet"))]
    assert [len(frame) for frame in frames] == [15, len(given) - 15]
    assert pl.concat(frames)["number"].to_list() == list(range(len(given)))


def test_what_buffered_means(tmp_path):
    with Journal(tmp_path, "buffered") as journal:
        journal.append(decide(0))
        size = (tmp_path / "000000.jsonl").stat().st_size
        journal.append(decide(1))
        assert (tmp_path / "000000.jsonl").stat().st_size == size
        journal.append({"kind": "note", "text": "x" * 2**16})
        assert (tmp_path / "000000.jsonl").stat().st_size > 2**16


# --- descriptions, arguments, locks


def test_a_journal_keeps_its_description(tmp_path):
    with Journal(written(tmp_path, events(2))) as journal:
        journal.describe(DESCRIPTION)
        with pytest.raises(
            LogError, match="is a journal with features = 2, now 3: choose another folder"
        ):
            journal.describe(DESCRIPTION | {"features": 3})
        with pytest.raises(LogError, match="is a journal with seed = None, now 1"):
            journal.describe(DESCRIPTION | {"seed": 1})


@pytest.mark.parametrize(
    ("description", "said"),
    [
        (3, "description must be a dictionary, got 3"),
        ({"seed": np.nan}, "description.seed must be finite, got nan"),
        ({"arms": "ab"}, "arms must be a list of names, got 'ab'"),
        ({"arms": ["a", "a"]}, "arm must not be there already, got 'a'"),
        ({"arms": [{"a": 1}]}, "arm must be text"),
    ],
)
def test_descriptions_that_files_cannot_hold(tmp_path, description, said):
    with Journal(tmp_path) as journal, pytest.raises(LogError, match=said):
        journal.describe(description)
    assert content(tmp_path) == {}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"durability": "safe"},
            "Journal.durability must be one of buffered, disk, system, got 'safe'",
        ),
        ({"segment": 0}, "Journal.segment must be an integer of at least 1, got 0"),
    ],
)
def test_bad_arguments(tmp_path, options, said):
    with pytest.raises(ValueError, match=said):
        Journal(tmp_path, **options)


def test_one_writer_at_a_time(tmp_path):
    code = f"from mobandits.logs import Journal; Journal({str(tmp_path)!r})"
    with Journal(tmp_path) as journal:
        with pytest.raises(
            LogError, match=f"is being written to by another journal, of process {os.getpid()}"
        ):
            Journal(tmp_path)
        other = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        assert f"is being written to by another journal, of process {os.getpid()}" in other.stderr
    journal.close()
    with pytest.raises(LogError, match="was closed: open it again"):
        journal.append(decide(0))
    Journal(tmp_path).close()


def test_other_folders_are_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(LogError, match=r"is not empty and not a journal \(it has thesis.txt\)"):
        Journal(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(LogError, match="cannot be made the folder of a journal"):
        Journal(tmp_path / "thesis.txt")
