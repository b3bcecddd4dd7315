"""The reader of R6A files, on a small file of our own and on everything that can be wrong with one."""

import gzip
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from described import as_described

from mobandits.datasets import display_ads

DATA = Path(__file__).parent.parent / "data"
SAMPLE = DATA / "r6a_sample.gz"
LINE = (
    "1241160900 7 1 |user 2:0.1 3:0.2 4:0.3 5:0.4 6:0.0 1:1.0 "
    "|5 2:1 3:0 4:0 5:0 6:0 1:1 |7 2:0 3:1 4:0 5:0 6:0 1:1\n"
)


@pytest.fixture
def written(tmp_path):
    def write(text, name="day"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return write


def slow_twin(text):
    """The events of a file, by regular expressions."""
    row = r"((?: [1-6]:[0-9.]+){6})"
    events = []
    for line in text.splitlines():
        head = re.match(rf"\d+ (\d+) ([01]) \|user{row} \|", line)
        shown = head and re.search(rf"\|{head[1]}{row}(?: |$)", line)
        if shown:
            rows = [
                dict(pair.split(":") for pair in found.split()) for found in (head[3], shown[1])
            ]
            if all(len(row) == 6 for row in rows):
                events.append(
                    (*([float(row[k]) for k in "23456"] for row in rows), float(head[2])),
                )
    return events


def test_the_sample_is_what_its_script_writes():
    script = runpy.run_path(str(DATA / "make_r6a.py"))
    assert gzip.decompress(SAMPLE.read_bytes()).decode() == "".join(script["lines"]())
    log = display_ads(SAMPLE)
    assert log.skipped == len(script["MALFORMED"]) - 1
    assert len(log.clicks) == script["EVENTS"] - log.skipped
    assert log.articles.shape == (12, 5)


def test_the_reader_equals_its_twin():
    log, events = display_ads(SAMPLE), slow_twin(gzip.decompress(SAMPLE.read_bytes()).decode())
    assert len(events) == len(log.clicks)
    np.testing.assert_array_equal(log.users, [user for user, _, _ in events])
    np.testing.assert_array_equal(log.articles[log.shown], [article for _, article, _ in events])
    np.testing.assert_array_equal(log.clicks, [click for _, _, click in events])
    assert np.allclose(log.users.sum(1), 1, atol=1e-5)


def test_uncompressed_files_and_pairs_in_any_order(written):
    log = display_ads(
        written(LINE + LINE.replace("2:0.1 3:0.2", "3:0.2 2:0.1").replace("7 1 |", "5 0 |"))
    )
    assert log.users.tolist() == [[0.1, 0.2, 0.3, 0.4, 0.0]] * 2
    assert log.clicks.tolist() == [1, 0]
    assert log.articles[log.shown].tolist() == [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0]]
    assert log.skipped == 0


def test_a_last_line_may_lack_its_end(written):
    assert len(display_ads(written(LINE + LINE.rstrip("\n"))).clicks) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        (gzip.compress(b""), "is empty"),
        (
            "<html>not found</html>\n",
            "is not a Yahoo! R6A click log: none of its first 1 lines has that format",
        ),
        (
            "a,b\n" * 5000,
            "is not a Yahoo! R6A click log: none of its first 1000 lines has that format",
        ),
        (b"\x00\xff" * 5000, "is not a Yahoo! R6A click log"),
        (LINE * 3 + LINE[:100], "is truncated: line 4 is not complete"),
        (
            gzip.compress(LINE.encode() * 3000)[:-20],
            "is truncated: the compressed data end too early",
        ),
        (b"\x1f\x8bnot gzip at all", "cannot be decompressed"),
        (gzip.compress(LINE.encode() * 9)[:40] + b"\x00" * 60, "cannot be decompressed"),
    ],
    ids=["empty", "empty-gz", "html", "csv", "binary", "cut", "cut-gz", "no-gz", "broken-gz"],
)
def test_one_clear_line(written, content, message):
    with pytest.raises(ValueError, match=f"^[^\n]*day {re.escape(message)}[^\n]*$"):
        display_ads(written(content))


def test_absent_files_and_folders(tmp_path):
    with pytest.raises(ValueError, match="day cannot be read: No such file or directory"):
        display_ads(tmp_path / "day")
    with pytest.raises(ValueError, match="cannot be read: Is a directory"):
        display_ads(tmp_path)


def test_the_table_is_the_log():
    log, table = display_ads(SAMPLE), display_ads.load(SAMPLE)
    as_described(display_ads.about, table)
    np.testing.assert_array_equal(table.select("^user_.*$").to_numpy(), log.users)
    np.testing.assert_array_equal(table.select("^article_.*$").to_numpy(), log.articles[log.shown])
    np.testing.assert_array_equal(table["click"], log.clicks)


def slow_pools(text):
    """For every event of the twin: the displayed article and the names of those that could have been."""
    lines = [line for line in text.splitlines() if slow_twin(line)]
    return [(line.split()[1], [part.split()[0] for part in line.split("|")[2:]]) for line in lines]


def test_feedback_is_uniform_over_each_pool():
    feedback, events = (
        display_ads.feedback(SAMPLE),
        slow_pools(gzip.decompress(SAMPLE.read_bytes()).decode()),
    )
    log = display_ads(SAMPLE)
    assert len(feedback) == len(events) == len(log.clicks)
    assert [feedback.arm_names[arm] for arm in feedback.arms] == [shown for shown, _ in events]
    pools = [{feedback.arm_names[arm] for arm in np.flatnonzero(row)} for row in feedback.eligible]
    assert pools == [set(pool) for _, pool in events]
    assert feedback.propensities.tolist() == [1 / len(pool) for _, pool in events]
    np.testing.assert_array_equal(
        feedback.contexts, np.column_stack([log.users, np.ones(len(events))])
    )
    np.testing.assert_array_equal(feedback.rewards[:, 0], log.clicks)
    assert len(feedback.arm_names) == 12


def test_feedback_of_a_broken_file(written):
    with pytest.raises(ValueError, match="is truncated: line 4 is not complete"):
        display_ads.feedback(written(LINE * 3 + LINE[:100]))
