"""The words for what is at a path, in messages about an unexpected file or folder."""

import codecs
import re
from collections.abc import Sequence
from pathlib import Path

from mobandits.support.naming import shortened

LISTED = 3  # names of a folder's content that a message has room for
PROBE = 4096  # bytes that say what kind of file it is

# What this package writes into its folders, by the file that is always there.
MARKS = {
    "a run": r"manifest\.json",
    "an evaluation": r"evaluation\.json",
    "a journal of version 0.1": r"\d{6,}\.jsonl",
}
MAGIC = {
    b"PAR1": "a Parquet file",
    b"mobandits agent\n": "the file of an agent",
    b"\x1f\x8b": "a gzip file",
    b"PK\x03\x04": "a zip file",
}


def describe_path(path: Path) -> str:
    """The words for what is at a path.

    Example:
        >>> describe_path(Path("no-such-folder")), describe_path(Path("/dev/null"))
        ('nothing', 'an empty file')
    """
    try:
        if path.is_dir():
            return _folder(sorted(entry.name for entry in path.iterdir()))

        with path.open("rb") as file:
            return file_kind(file.read(PROBE))
    except (FileNotFoundError, NotADirectoryError):
        return "nothing"
    except OSError as error:
        return f"something that cannot be read ({error.strerror})"


def _folder(names: Sequence[str]) -> str:
    """The words for a folder with so many names in it."""
    if not names:
        return "an empty folder"

    for kind, pattern in MARKS.items():
        for name in names:
            if re.fullmatch(pattern, name):
                return f"a folder with {name}, as {kind} has"

    return f"a folder with {first_names(names)}"


def file_kind(start: bytes) -> str:
    """The kind of file that begins with these bytes.

    Example:
        >>> file_kind(b"PAR1..."), file_kind("grün".encode()[:-2])
        ('a Parquet file', 'a text file')
    """
    if not start:
        return "an empty file"

    for magic, kind in MAGIC.items():
        if start.startswith(magic):
            return kind

    return "a text file" if _is_text(start) else "a binary file"


def _is_text(start: bytes) -> bool:
    # The probe may end inside of a character, so the decoder is not asked for the end.
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        return "\0" not in decoder.decode(start)
    except UnicodeDecodeError:
        return False


def first_names(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are.

    Example:
        >>> first_names(["a", "b"]), first_names(["a", "b", "c", "d", "e"])
        ('a, b', 'a, b, c and 2 more')
    """
    listed = ", ".join(names[:LISTED])
    first = shortened(listed)
    more = len(names) - LISTED
    return f"{first} and {more} more" if more > 0 else first
