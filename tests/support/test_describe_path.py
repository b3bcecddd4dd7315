"""What is at a path, in words: every kind of file and folder that somebody may point at."""

import errno
import gzip
import os

import polars as pl
import pytest

import mobandits as mob
from mobandits.support.describe_path import describe_path, file_kind


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "an empty file"),
        (b"rounds = 3\n", "a text file"),
        ("é".encode() * 5000, "a text file"),
        (b"a" + "é".encode() * 5000, "a text file"),  # the probe ends inside of a character
        (b"a\0b", "a binary file"),
        (bytes(range(1, 256)), "a binary file"),
        (gzip.compress(b"text", mtime=0), "a gzip file"),
    ],
)
def test_files(tmp_path, content, kind):
    (tmp_path / "file").write_bytes(content)
    assert describe_path(tmp_path / "file") == file_kind(content[:4096]) == kind


def test_files_of_ours(tmp_path):
    agent = mob.Agent(mob.policies.RandomChoice(), arms=2, features=0, objectives=1)
    agent.save(tmp_path / "x.agent")
    assert describe_path(tmp_path / "x.agent") == "the file of an agent"
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "x.parquet")
    assert describe_path(tmp_path / "x.parquet") == "a Parquet file"


def test_folders(tmp_path):
    assert describe_path(tmp_path) == "an empty folder"
    for i, listed in enumerate(["a", "a, b", "a, b, c", "a, b, c and 1 more"]):
        (tmp_path / "abcd"[i]).touch()
        assert describe_path(tmp_path) == f"a folder with {listed}"
    journal = tmp_path / "journal"
    journal.mkdir()
    (journal / "000000.jsonl").touch()
    assert describe_path(journal) == "a folder with 000000.jsonl, as a journal of version 0.1 has"
    (journal / "manifest.json").touch()
    assert describe_path(journal) == "a folder with manifest.json, as a run has"


def test_what_is_not_there_or_cannot_be_read(tmp_path):
    assert describe_path(tmp_path / "nowhere") == "nothing"
    (tmp_path / "file").touch()
    assert describe_path(tmp_path / "file" / "deeper") == "nothing"
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert (
        describe_path(tmp_path / "loop")
        == f"something that cannot be read ({os.strerror(errno.ELOOP)})"
    )
