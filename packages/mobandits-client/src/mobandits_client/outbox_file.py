"""The file of what a service does not know of yet: one JSON object per line."""

import contextlib
import errno
import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO

import msgspec

from mobandits_client.arguments import quoted
from mobandits_client.messages import Observed, RewardsOf

try:
    import fcntl
except ImportError:  # Windows has no locks of this kind; there, give a file to one client only
    fcntl = None  # type: ignore[assignment]

LOG = logging.getLogger("mobandits_client")

BEGINNING = b'{"agent":'  # of every line
PRIVATE = 0o600  # the mode of a file that only its owner reads and writes
LONGEST = 20_000  # lines; then what has been reported meanwhile is left out


class Unreported(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A line: a fallback that was played, or rewards.

    Attributes:
        agent: whose it is.
        observed: a fallback; or
        rewards: of a decision.
    """

    agent: str
    observed: Observed | None = None
    rewards: RewardsOf | None = None


class OutboxFile:
    """Lines in a file that outlives a process, though perhaps not a loss of power.

    Nobody else may read it but its owner: contexts may be personal.

    Args:
        path: of the file, which is made where there is none.

    Raises:
        ValueError: where another client uses it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._file = self._opened()
        self._lines = 0

    def read(self, agent: str) -> list[Unreported]:
        """What the file holds.

        Args:
            agent: whose lines they must be.

        Raises:
            ValueError: where a line is something else. The file stays as it is.
        """
        self._file.seek(0)
        content = self._file.read()
        *whole, torn = content.split(b"\n")
        try:
            numbered = enumerate(whole, start=1)
            events = [self._event(number, line, agent) for number, line in numbered]
            self._check_torn(torn)
        except ValueError:
            self._file.close()
            raise

        if torn:
            LOG.warning("the last line of %s was torn by a kill, and is left out", self._path)
            self.replace(events)

        self._lines = len(events)
        return events

    def append(self, line: bytes, waiting: Iterable[Unreported]) -> None:
        """Write a line at the end.

        Args:
            line: without its end.
            waiting: what the file must hold before it, where it has become long.
        """
        if self._lines >= LONGEST:
            self.replace(waiting)
        text = line + b"\n"
        written = self._file.write(text)
        if written != len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))

        self._lines += 1

    def replace(self, events: Iterable[Unreported]) -> None:
        """Have the file hold these, and nothing else."""
        lines = [msgspec.json.encode(event) + b"\n" for event in events]
        self._write_whole(lines)
        self._file.close()
        self._file = self._opened()
        self._lines = len(lines)

    def clear(self) -> None:
        """Have the file hold nothing."""
        self._file.truncate(0)
        self._lines = 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    # ---

    def _opened(self) -> IO[bytes]:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        handle = os.open(self._path, flags, PRIVATE)
        # Without a buffer: a line is the system's as soon as it is written.
        file = open(handle, "r+b", buffering=0)  # noqa: SIM115, PTH123 - it stays open
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.close()
            raise ValueError(f"queue must be a file of one client, got {self._path}") from error

        return file

    def _write_whole(self, lines: Iterable[bytes]) -> None:
        """Have lines take the place of the file, all of them or none."""
        temporary = self._path.with_name(f".{self._path.name}.tmp")
        try:
            with temporary.open("wb") as file:
                temporary.chmod(PRIVATE)
                file.writelines(lines)
                file.flush()
                os.fsync(file.fileno())
            if fcntl is None:
                self._file.close()  # Windows replaces no file that is open
            temporary.replace(self._path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise

    def _event(self, number: int, line: bytes, agent: str) -> Unreported:
        place = f"line {number} of {self._path}"
        try:
            event = msgspec.json.decode(line, type=Unreported)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            rule = "must be what a client could not report"
            raise ValueError(f"{place} {rule}, got {quoted(line)}") from error
        if event.agent != agent:
            raise ValueError(f"{place} must be of agent {agent}, got {quoted(event.agent)}")

        return event

    def _check_torn(self, torn: bytes) -> None:
        """Refuse a file of something else, which would be overwritten."""
        length = min(len(torn), len(BEGINNING))
        if torn[:length] != BEGINNING[:length]:
            rule = "must end with what a client could not report"
            raise ValueError(f"{self._path} {rule}, got {quoted(torn)}")
