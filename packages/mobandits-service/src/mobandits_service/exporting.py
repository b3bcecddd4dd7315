"""The log of an agent as a file of another format, or shortened, by a process of its own.

That takes as long as reading the whole log, in Python: in this process, it would hold up
decisions. A file is complete before the first byte of it is sent, so that a failure can be told.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from mobandits.errors import DamagedError, LogError
from mobandits.logs import export
from mobandits.logs.address import Place, named_for_others, place_of
from mobandits.logs.store.export import shorten
from mobandits_client.messages import ExportQuery
from mobandits_service.child_process import answer_parent, child_answer
from mobandits_service.problems import Problem

LONGEST = 3600.0  # seconds; a million decisions take about a minute
MOST_AT_ONCE = 2  # exports of a service
CHUNK = 2**18  # bytes that are sent at a time
MEDIA = {
    "parquet": "application/vnd.apache.parquet",
    "dsjson": "application/x-ndjson",
    "csv": "text/csv",
}


class ExportJob(msgspec.Struct):
    """Work of the process; the URL of a store may hold a password.

    Attributes:
        store: with the log.
        agent: whose log.
        out: the file to write; None: decisions are deleted without one.
        query: the format of the file.
        before: only decisions before this time, which are deleted from the log; None: all, and
            nothing is deleted.
    """

    store: str
    agent: str
    out: str | None
    query: ExportQuery
    before: float | None = None


class ExportAnswer(msgspec.Struct):
    """Answer of the process.

    Attributes:
        decisions: of which the file has so many, or the log so many less.
        refused: why the log or the format does not allow it.
        damaged: in which way the log is not as it was written.
    """

    decisions: int = 0
    refused: str | None = None
    damaged: str | None = None


class Exports:
    """The exports of a service.

    Args:
        store: of the logs.
    """

    def __init__(self, store: Place) -> None:
        self._store = store
        self._running = 0

    async def file_of(self, agent: str, query: ExportQuery) -> BinaryIO:
        """An open file with the log of an agent, which has no name any more.

        Args:
            agent: whose log.
            query: the format.

        Raises:
            Problem: where the format cannot hold the log, or too many exports are written.
        DamagedError: where the log is not as it was written.
        """
        if self._running >= MOST_AT_ONCE:
            rule = f"exports must be at most {MOST_AT_ONCE} at once, got one more"
            raise Problem(429, rule, retry_after=10)

        self._running += 1
        try:
            with tempfile.TemporaryDirectory(prefix="mobandits-export-") as folder:
                out = Path(folder) / f"log.{query.format}"
                job = ExportJob(named_for_others(self._store), agent, str(out), query)
                await run_job(job)
                # Whoever has it open can read it; whatever becomes of them, nothing is left.
                return out.open("rb")
        finally:
            self._running -= 1


async def chunks_of(file: BinaryIO) -> AsyncIterator[bytes]:
    """The bytes of a file, which is closed then."""
    with file:
        while chunk := await asyncio.to_thread(file.read, CHUNK):
            yield chunk


async def run_job(job: ExportJob) -> int:
    """Have a process write a file, or shorten a log; the number of decisions.

    Raises:
        Problem: where it cannot.
        DamagedError: where the log is not as it was written.
    """
    try:
        waiting = child_answer("mobandits_service.exporting", job)
        content = await asyncio.wait_for(waiting, LONGEST)
    except TimeoutError as error:
        raise Problem(503, f"the export took more than {LONGEST:g} seconds") from error

    if not content:
        raise RuntimeError("the process of an export ended without an answer")

    answer = msgspec.json.decode(content, type=ExportAnswer)
    if answer.refused is not None:
        raise Problem(409, answer.refused)
    if answer.damaged is not None:
        raise DamagedError(place_of(job.store), answer.damaged)

    return answer.decisions


def perform(job: ExportJob) -> int:
    """Write the file of a job, and delete what it says; the number of decisions.

    Raises:
        ValueError: where that cannot be.
    """
    if job.out is None:
        assert job.before is not None  # noqa: S101 - nothing else is left to do
        return shorten(Path(job.store), job.before, agent=job.agent)

    query = job.query
    return export(
        job.store,
        job.out,
        query.format,
        job.before,
        delete=job.before is not None,
        agent=job.agent,
        objective=query.objective,
    )


def answered(job: ExportJob) -> ExportAnswer:
    """The number of decisions of a job that was done, or why it cannot be."""
    try:
        return ExportAnswer(perform(job))
    except DamagedError as error:
        return ExportAnswer(damaged=error.what)
    except ValueError as error:
        # A path of this process means nothing to a client.
        text = str(error)
        if job.before is None:
            text = text.replace(str(job.out), "the export")
        if isinstance(error, LogError):
            text = text.replace(str(place_of(job.store)), "the log")

        return ExportAnswer(refused=text)


if __name__ == "__main__":
    answer_parent(ExportJob, answered)
