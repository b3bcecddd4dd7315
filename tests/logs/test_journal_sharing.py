"""Journals that threads share, that a process forks with, or that somebody tries to copy."""

import copy
import os
import pickle
import signal

import pytest
from journals import DESCRIPTION, content, decide, learn, reread
from sharing import THREADS, forks, in_a_child, together

from mobandits.logs import Journal, LogError

CALLS = 150


def test_threads_share_a_journal(tmp_path):
    with Journal(tmp_path, "buffered", segment=100) as journal:
        journal.describe(DESCRIPTION)

        def write(number):
            for i in range(CALLS):
                if i % 10:
                    journal.append({"kind": "note", "thread": number, "i": i})
                else:
                    journal.extend(
                        {"kind": "note", "thread": number, "i": i, "part": part}
                        for part in range(3)
                    )

        together(write)
        count = len(journal)
    events = reread(tmp_path)
    assert len(events) == count == THREADS * (CALLS + 2 * CALLS // 10)
    for number in range(THREADS):
        mine = [(event["i"], event.get("part", 0)) for event in events if event["thread"] == number]
        assert mine == sorted(mine)
    parts = [event.get("part", 0) for event in events]
    assert all(
        parts[i + 1] == 1 and parts[i + 2] == 2
        for i, event in enumerate(events)
        if event.get("part") == 0
    )


@forks
@pytest.mark.parametrize("durability", ["buffered", "system"])
def test_a_journal_is_left_to_the_parent(tmp_path, durability):
    journal = Journal(tmp_path, durability)
    journal.describe(DESCRIPTION)
    journal.append(decide(0))
    for call in (
        lambda: journal.append(decide(1)),
        lambda: journal.extend([decide(1)]),
        journal.flush,
    ):
        said = in_a_child(call)
        assert said.startswith(
            f"LogError: {tmp_path} is the folder of a journal of process {os.getpid()}, and process "
        )
        assert said.endswith(
            "forked from it: open another folder here, or close the journal before the fork"
        )
    assert in_a_child(journal.close) == "None"
    journal.append(decide(1))
    journal.close()
    assert [event["id"] for event in reread(tmp_path)] == [0, 1]


@forks
def test_a_child_that_lives_on_holds_no_log(tmp_path):
    journal = Journal(tmp_path, "system")
    journal.append(decide(0))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os.write(writing, b"1")
        signal.pause()
    try:
        os.read(reading, 1)  # the child lives, and has let go of the files
        journal.append(decide(1))
        with pytest.raises(LogError, match="is being written to by another journal"):
            Journal(tmp_path)
        journal.close()
        with Journal(tmp_path) as again:
            assert len(again) == 2
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)
        os.close(writing)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, pickle.dumps], ids=lambda function: function.__name__
)
def test_copies_say_what_to_do(tmp_path, copied):
    with (
        Journal(tmp_path) as journal,
        pytest.raises(TypeError, match=f"Journal cannot be copied.*{tmp_path}"),
    ):
        copied(journal)


# --- several events at once


@pytest.mark.parametrize("durability", ["disk", "system", "buffered"])
@pytest.mark.parametrize("segment", [1, 3, 100])
def test_several_events_are_those_one_after_the_other(tmp_path, durability, segment):
    given = [decide(i) for i in range(7)] + [learn(3)]
    with (
        Journal(tmp_path / "one", durability, segment) as one,
        Journal(tmp_path / "all", durability, segment) as many,
    ):
        for journal in (one, many):
            journal.describe(DESCRIPTION)
        for event in given:
            one.append(event)
        many.extend(given[:2])
        many.extend([])
        many.extend(iter(given[2:]))
        assert len(one) == len(many) == 8
    assert content(tmp_path / "one") == content(tmp_path / "all")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "decide", "id": -1, "arm": 0}, "event.id must be an integer"),
        ({"kind": "note", "value": float("nan")}, "must be finite"),
        ({"kind": "add", "arm": "small"}, "must not be there already"),
        ({"kind": "remove", "arm": "huge"}, "must be there to be removed"),
    ],
)
def test_of_several_events_none_is_kept_where_one_is_refused(tmp_path, wrong, said):
    with Journal(tmp_path, "system") as journal:
        journal.describe(DESCRIPTION)
        with pytest.raises(LogError, match=said):
            journal.extend([decide(0), wrong, decide(1)])
        assert len(journal) == 0
        journal.extend(
            [{"kind": "remove", "arm": "small"}, {"kind": "add", "arm": "small"}, decide(0)]
        )
        with pytest.raises(LogError, match="must be there to be removed"):
            journal.extend([{"kind": "remove", "arm": "small"}, {"kind": "remove", "arm": "small"}])
        assert len(journal) == 3
    assert [event["kind"] for event in reread(tmp_path)] == ["remove", "add", "decide"]
