"""One process writes a store at a time; a file beside it says which one, and what it has written.

The file has a line with the number of the process, and one for each agent: how many events it has,
the number that its next decision has at least, when the agent was made, and its name. SQLite cannot
tell that a write-ahead log was deleted, or cut off between two transactions: what is left is an
earlier state. The lines tell.
"""

import contextlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

from mobandits.errors import LogError, UnavailableError
from mobandits.support.files import lock_file, make_private, write_at
from mobandits.support.numbering import SPAN

SUFFIX = "-owner"
LONGEST_NUMBER = 20  # digits of a number, or of a process number and the blanks behind it
FIRST_LINE = LONGEST_NUMBER + 1  # bytes
NOTE = re.compile(rb"^(\d{20}) (\d{20}) (\S{1,24}) +(\"[^\n]*\")\n", re.MULTILINE)


def owner_path(path: Path) -> Path:
    """The file beside a store that its owner holds locked."""
    real = path.resolve()  # one lock, whatever links lead to the file
    return real.with_name(real.name + SUFFIX)


def hold(file: BinaryIO, path: Path) -> None:
    """Hold the lock of an open file until it is closed, or the process ends.

    Args:
        file: its first bytes are the number of the process that holds it.
        path: what an error says is in use.

    Raises:
        LogError: where another process, or another opening of this one, holds it; it is closed.
    """
    try:
        lock_file(file.fileno())
    except OSError as error:
        file.seek(0)
        owner = file.read(LONGEST_NUMBER).decode("ascii", "replace").strip() or "unknown"
        file.close()
        raise UnavailableError(
            f"{path} is in use by process {owner}: one process writes at a time"
        ) from error


def check_one_name(path: Path) -> None:
    """Refuse a file that has another name as well: the log and the lock of each would be its own.

    Raises:
        LogError: saying so.
    """
    try:
        names = path.stat().st_nlink
    except OSError:
        return  # it is made, or whoever opens it says what is wrong

    if names > 1:
        raise LogError(f"{path} must have one name, got {names} hard links: open a copy")


class Note(NamedTuple):
    """Events of an agent, counted beside the store.

    Attributes:
        events: how many it has.
        next: the number that its next decision has at least.
        created: when the agent was made, which tells it from that of another store.
    """

    events: int
    next: int
    created: float


def notes_in(text: bytes) -> Iterator[tuple[str, Note, int]]:
    """The agents of such a file, the notes on them, and the places of their lines."""
    for match in NOTE.finditer(text, FIRST_LINE):
        events, next_number, created, name = match.groups()
        try:
            note = Note(int(events), int(next_number), float(created))
            agent = json.loads(name)
        except ValueError:
            continue

        # A damaged line must not use up the numbers that there are.
        if note.next < SPAN:
            yield agent, note, match.start()


def notes_beside(path: Path) -> dict[str, Note]:
    """The notes on the agents of a store, which another process may hold; none where no file is."""
    try:
        text = owner_path(path).read_bytes()
    except OSError:
        return {}

    return {agent: note for agent, note, _ in notes_in(text)}


class Notebook:
    """The place of an agent's line.

    Args:
        descriptor: of the file.
        place: the first byte of the line.
    """

    def __init__(self, descriptor: int, place: int) -> None:
        self._descriptor = descriptor
        self._place = place

    def write(self, events: int, next_number: int) -> None:
        """Note what is in the store by now; a killed process leaves it."""
        line = b"%020d %020d" % (events, next_number)
        # Not `suppress`, which takes a microsecond of every call.
        try:
            write_at(self._descriptor, line, self._place)
        except OSError:
            # On a full disk nothing is lost without it: only a later loss would not be noticed.
            return


class Owner:
    """A store that this process holds for writing, until it is closed or the process ends.

    Args:
        file: the open and locked file beside the store.
        is_new: whether there was no store: what is noted was of one that was deleted.
    """

    def __init__(self, file: BinaryIO, *, is_new: bool) -> None:
        self._file = file
        self._notes: dict[str, Note] = {}
        self._places: dict[str, int] = {}
        self._end = FIRST_LINE
        with contextlib.suppress(OSError):  # on a full disk the lock holds without a name
            if is_new:
                file.truncate(0)
            write_at(file.fileno(), b"%-20d\n" % os.getpid(), 0)
            self._read()

    def _read(self) -> None:
        self._file.seek(0)
        text = self._file.read()
        self._end = len(text)
        if not text.endswith(b"\n"):  # a loss of power may leave anything
            write_at(self._file.fileno(), b"\n", self._end)
            self._end += 1

        for agent, note, place in notes_in(text):
            self._notes[agent] = note
            self._places[agent] = place

    def noted(self, agent: str) -> Note | None:
        """The note on an agent as it was when the store was opened; None: there is none.

        Args:
            agent: its name.
        """
        return self._notes.get(agent)

    def notebook(self, agent: str, note: Note) -> Notebook:
        """Note what is known of an agent; the place where more will be noted.

        Args:
            agent: its name.
            note: on it.
        """
        self._notes[agent] = note
        place = self._places.setdefault(agent, self._end)
        created = repr(note.created).encode()
        name = json.dumps(agent).encode()
        line = b"%020d %020d %-24b %b\n" % (note.events, note.next, created, name)
        descriptor = self._file.fileno()
        with contextlib.suppress(OSError):
            write_at(descriptor, line, place)

        self._end = max(self._end, place + len(line))
        return Notebook(descriptor, place)

    def close(self) -> None:
        """Let another process in."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()


def claim(path: Path) -> Owner:
    """Hold a store for writing.

    The lock is on a file of its own: closing any handle of the database itself would drop the locks
    that SQLite holds there (POSIX locks belong to a process and not to a handle).

    Raises:
        LogError: where another process, or another store of this one, holds it.
    """
    check_one_name(path)
    place = owner_path(path)
    try:
        make_private(place)
        file = place.open("r+b")
    except OSError as error:
        raise LogError(f"{path} cannot be written to: {error.strerror}") from error
    hold(file, path)

    return Owner(file, is_new=not path.exists())
