"""A process that dies at any moment, or a disk that fails, leaves a journal with every event that was confirmed."""

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from journals import DESCRIPTION, content, decide, events, reread, written
from log_strategies import same

from mobandits.logs import Journal, LogError, LogWarning

CHILD = """
import sys
from mobandits.logs import Journal
folder, durability, first = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Journal(folder, durability, 40) as journal:
    print("open", len(journal), flush=True)
    for i in range(first, first + 1_000_000):
        journal.append({"kind": "decide", "id": i, "time": i / 7, "context": [[i / 3] * (1 + i % 50)], "arm": 0})
        print(i, flush=True)
"""


def confirmed_until_killed(folder, durability, first, seconds):
    """The events that a process had confirmed when it was killed, a moment after it began."""
    command = [sys.executable, "-W", "ignore", "-c", CHILD, str(folder), durability, str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        opened = child.stdout.readline()
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        said = child.stdout.read().split("\n")[:-1]  # what has no end was being printed
    assert opened.startswith("open")
    return [int(one) for one in said]


@pytest.mark.parametrize("seed", range(12))
def test_a_killed_process_loses_nothing_that_was_confirmed(tmp_path, seed):
    rng, confirmed = random.Random(seed), []
    durability = ("disk", "system")[seed % 2]
    for _ in range(2):
        confirmed += confirmed_until_killed(
            tmp_path, durability, 1000 * len(confirmed), rng.uniform(0.0, 0.25)
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LogWarning)  # a line may be torn, or not
        found = reread(tmp_path)
    ids = [event["id"] for event in found]
    assert set(confirmed) <= set(ids)
    assert len(ids) <= len(confirmed) + 2  # what was written when it was killed
    assert ids == sorted(ids)
    assert all(event["context"] == [[event["id"] / 3] * (1 + event["id"] % 50)] for event in found)


def states_while(folder, copies, monkeypatch, act):
    """Copies of a folder before and after every step that changes it on disk."""
    kept = []

    def watched(module, name):
        step = getattr(module, name)

        def watching(*arguments, **options):
            for do in (lambda: None, lambda: step(*arguments, **options)):
                done = do()
                kept.append(shutil.copytree(folder, copies / str(len(kept))))
            return done

        monkeypatch.setattr(module, name, watching)

    for module, name in ((os, "replace"), (os, "fsync"), (Path, "unlink")):
        watched(module, name)
    act()
    monkeypatch.undo()
    return kept


def test_every_moment_of_sealing_can_be_the_last(tmp_path, monkeypatch):
    given = events(4)
    with Journal(written(tmp_path / "journal", given), "system", len(given)) as journal:
        kept = states_while(
            journal.folder, tmp_path, monkeypatch, lambda: journal.append(decide(77))
        )
        again = states_while(
            journal.folder, tmp_path / "again", monkeypatch, lambda: journal.append(decide(78))
        )
    assert len(kept) > 10
    assert not again
    kinds = {
        tuple(sorted(path.suffix for path in folder.iterdir() if path.name[0] == "0"))
        for folder in kept
    }
    assert kinds == {(".jsonl",), (".jsonl", ".parquet"), (".jsonl", ".jsonl", ".parquet")}
    for folder in kept:
        assert same(reread(folder), given)
        assert same(reread(written(folder, [decide(99)], segment=len(given))), [*given, decide(99)])
        assert sorted(content(folder)) == ["000000.parquet", "000001.jsonl"]


def test_every_moment_of_beginning_can_be_the_last(tmp_path, monkeypatch):
    with Journal(tmp_path / "journal") as journal:
        kept = states_while(
            journal.folder, tmp_path, monkeypatch, lambda: journal.describe(DESCRIPTION)
        )
    for folder in kept:
        assert same(reread(written(folder, events(2))), events(2))
        assert sorted(content(folder)) == ["000000.jsonl"]


def test_lines_are_not_removed_while_their_table_is_damaged(tmp_path, monkeypatch):
    given = events(4)
    with Journal(written(tmp_path / "journal", given), "system", len(given)) as journal:
        kept = states_while(
            journal.folder, tmp_path, monkeypatch, lambda: journal.append(decide(77))
        )
    folder = next(one for one in kept if len(list(one.glob("*.jsonl"))) == 2)
    table = folder / "000000.parquet"
    table.write_bytes(table.read_bytes()[:-1])
    before = content(folder)
    with pytest.raises(LogError, match=r"000000\.parquet is damaged"):
        Journal(folder)
    assert content(folder) == before
    table.unlink()
    (folder / "000001.jsonl").unlink()  # what the lines still say
    assert same(reread(folder), given)


class FullDisk:
    """A file of which only the first bytes fit."""

    def __init__(self, file, room):
        self._file, self._room = file, room

    def write(self, data):
        if not self._room:
            raise OSError(errno.ENOSPC, "No space left on device")
        size = min(self._room, len(data))
        self._room -= size
        return self._file.write(bytes(data[:size]))

    def __getattr__(self, name):
        return getattr(self._file, name)


@pytest.mark.parametrize("room", [0, 1, 30])
def test_a_full_disk_is_said_and_opening_again_recovers(tmp_path, room):
    written(tmp_path, events(2))
    journal = Journal(tmp_path, "system")
    journal._file = FullDisk(journal._file, room)
    with pytest.raises(OSError, match="No space left"):
        journal.append(decide(5))
    with pytest.raises(
        LogError, match="could not be written to before: close the journal, and open it again"
    ):
        journal.append(decide(5))
    journal.close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LogWarning)
        assert same(reread(written(tmp_path, [decide(6)])), [*events(2), decide(6)])


def test_a_disk_that_does_not_confirm_is_trusted_no_more(tmp_path, monkeypatch):
    def failing(handle):
        raise OSError(errno.EIO, "Input/output error")

    with Journal(written(tmp_path, events(2))) as journal:
        monkeypatch.setattr("mobandits.logs.journal.flush_to_disk", failing)
        with pytest.raises(OSError, match="Input/output error"):
            journal.append(decide(5))
        with pytest.raises(LogError, match="could not be written to before"):
            journal.append(decide(6))
    assert same(reread(tmp_path)[:2], events(2))


@pytest.mark.parametrize(
    "where", ["journal.flush_to_disk", "arm_registry.ArmRegistry.follow", "collector.Collector.add"]
)
def test_an_interruption_leaves_no_half(tmp_path, monkeypatch, where):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    event = {"kind": "remove", "arm": "small"} if "arm_registry" in where else decide(5)
    with Journal(written(tmp_path, events(2))) as journal:
        monkeypatch.setattr(f"mobandits.logs.{where}", interrupted)
        with pytest.raises(KeyboardInterrupt):
            journal.append(event)
        monkeypatch.undo()
        with pytest.raises(
            LogError, match="could not be written to before: close the journal, and open it again"
        ):
            journal.append(decide(6))
    assert same(reread(written(tmp_path, [decide(6)])), [*events(2), event, decide(6)])


@pytest.mark.parametrize("step", ["write_parquet", "fsync", "replace"])
def test_sealing_that_fails_leaves_all_events(tmp_path, monkeypatch, step):
    def failing(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    given = events(4)
    with Journal(written(tmp_path, given), "system", len(given)) as journal:
        if step == "write_parquet":
            monkeypatch.setattr("polars.DataFrame.write_parquet", failing)
        else:
            monkeypatch.setattr(os, step, failing)
        with pytest.raises(OSError, match="No space left"):
            journal.append(decide(77))
        monkeypatch.undo()
        with pytest.raises(LogError, match="could not be written to before"):
            journal.append(decide(77))
    assert same(reread(written(tmp_path, [decide(78)], segment=len(given))), [*given, decide(78)])


def test_a_table_that_would_differ_is_not_written(tmp_path, monkeypatch):
    given = events(4)
    with Journal(written(tmp_path, given), "system", len(given)) as journal:
        monkeypatch.setattr("polars.DataFrame.equals", lambda *tables: False)
        with pytest.raises(
            LogError, match=r"000000\.parquet cannot be sealed: what was read back differs"
        ):
            journal.append(decide(77))
    assert sorted(content(tmp_path)) == ["000000.jsonl"]
    monkeypatch.undo()
    assert same(reread(tmp_path), given)
