"""Logs of any size, that are read again in chunks whenever somebody asks, and never held whole."""

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array
from mobandits.errors import LogError
from mobandits.logs.feedback import Feedback
from mobandits.logs.objectives import as_objective, signs_of
from mobandits.logs.table_columns import without_column
from mobandits.support.checks import integer
from mobandits.support.naming import shortened

CHUNK = 50_000
ROW_GROUP = 2**18  # rows, as many as Polars writes into a row group
BLOCK = 2**16  # rows that are added up at a time: columns of more would not stay in the cache
T = TypeVar("T")


@dataclass(frozen=True)
class LogStream:
    """A log that `evaluation.compare` evaluates, and an agent learns, chunk by chunk.

    Args:
        chunks: begins to read the log: its chunks, in order, which agree on arms and objectives. It
            is called once per pass, and gives the same chunks each time.

    Example:
        >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.25], ["a", "b"], ["q"])
        >>> [len(chunk) for chunk in LogStream(lambda: [log[:1], log[1:]])]
        [1, 1]
    """

    chunks: Callable[[], Iterable[Feedback]]

    def __iter__(self) -> Iterator[Feedback]:
        return iter(self.chunks())

    def first_ranks(self) -> "LogStream":
        """The rounds in which an arm was chosen among all eligible ones; see `Feedback`."""
        return LogStream(lambda: map(Feedback.first_ranks, self))

    def each(self, function: Callable[[int, Feedback], T]) -> Iterator[T]:
        """The results of a function of a chunk's number and the chunk, in the order of the log."""
        return itertools.starmap(function, enumerate(self))


def steady(chunks: Callable[[], Iterable[Feedback]]) -> Callable[[], Iterator[Feedback]]:
    """The same chunks without empty ones, and a refusal where a later time has other rounds.

    Args:
        chunks: as of `LogStream`.

    Example:
        >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.25], ["a", "b"], ["q"])
        >>> parts = iter([log[:1], log[1:]])
        >>> read = steady(lambda: parts)
        >>> [len(list(read())), list(read())]
        Traceback (most recent call last):
        mobandits.errors.LogError: log must have the same rounds whenever it is read, got 2, then 0; \
a LogStream takes a function that begins anew each time
    """
    counts: list[int] = []

    def read() -> Iterator[Feedback]:
        rounds = 0
        for chunk in chunks():
            if len(chunk):
                rounds += len(chunk)
                yield chunk

        counts.append(rounds)
        if rounds != counts[0]:
            rule = "log must have the same rounds whenever it is read"
            advice = "a LogStream takes a function that begins anew each time"
            raise LogError(f"{rule}, got {counts[0]}, then {rounds}; {advice}")

    return read


def stream(path: Any, *, chunk: int = CHUNK, **columns: Any) -> LogStream:
    """A log of any size, for `evaluation.compare` and `Agent.learn_log`.

    Args:
        path: as of `scan`.
        chunk: decisions at a time, at most.
        columns: as of `scan`.
    """
    # Formats of files load only where a file is read.
    from mobandits.logs.reading import scan  # noqa: PLC0415

    integer("chunk", chunk, at_least=1)
    return LogStream(lambda: scan(path, chunk=chunk, **columns))


@dataclass(frozen=True, eq=False, repr=False)
class StoredFeedback(Feedback):
    """Rounds for which the probabilities of other policies were computed elsewhere.

    Args:
        stored: {column: (rounds,) a policy's probabilities of the arms that were played}.
    """

    stored: Mapping[str, Array] = field(default_factory=dict)


def parquet_columns(path: str | Path, columns: Sequence[str]) -> pl.LazyFrame:
    """Columns of a table in Parquet files.

    Raises:
        LogError: where it lacks one, or is no such table.
    """
    try:
        # The name of a file is no pattern, whatever brackets it has.
        table = pl.scan_parquet(
            path,
            glob=not Path(path).is_file(),
            extra_columns="ignore",
            cast_options=pl.ScanCastOptions(integer_cast="allow-float", float_cast="upcast"),
        )
        known = table.collect_schema().names()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(path, error) from error

    for column in columns:
        if column not in known:
            raise LogError(without_column(path, column, known))

    return table.select(columns)


def parquet_batches(
    path: str | Path, table: pl.LazyFrame, rows: int | None = None
) -> Iterator[pl.DataFrame]:
    """Rows of a table in Parquet files, some at a time.

    Args:
        path: of the files.
        table: of `parquet_columns`, or made of it.
        rows: at a time; None: as many as there are.

    Raises:
        LogError: where a file cannot be read, or is not like the first one.
    """
    try:
        # Polars reads ahead, a row group at a time, and only these columns.
        yield from table.collect_batches(chunk_size=rows, maintain_order=True)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str | Path, error: Exception) -> LogError:
    reason = str(error).splitlines()[0]
    return LogError(shortened(f"{path} cannot be read as Parquet: {reason}"))


@dataclass(frozen=True)
class ParquetTable:
    """A table of rounds in a Parquet file, with the probabilities of other policies as columns.

    Policies are evaluated by `mobandits.evaluation.StoredProbabilities(column)`. Which arm was
    played is not read: all that weights need is how probable it was.

    Args:
        path: of the file; of a folder, or with a star, of all of them in the order of their names.
        objectives: a name or an `Objective` per objective; the column of its rewards has that name.
            Rewards that are null or NaN were not observed.
        propensity: the column of the logging policy's probabilities.
        stored: the columns of other policies' probabilities of the arms that were played.
        rows: at a time; best as many as the file has in a row group.
        threads: that read and add up. The answer is the same for any number.

    Raises:
        LogError: where the file lacks a column.
    """

    path: str | Path
    objectives: Sequence[Any]
    propensity: str
    stored: Sequence[str]
    rows: int = ROW_GROUP
    threads: int = 1

    def __post_init__(self) -> None:
        integer("rows", self.rows, at_least=1)
        integer("threads", self.threads, at_least=1)
        parquet_columns(self.path, self._columns)

    @property
    def _columns(self) -> list[str]:
        names = [str(as_objective(each).name) for each in self.objectives]
        # A policy's probabilities may be those of the logging policy.
        return list(dict.fromkeys([*names, self.propensity, *self.stored]))

    def first_ranks(self) -> "ParquetTable":
        """The table itself: its rounds have no ranks."""
        return self

    def __iter__(self) -> Iterator[Feedback]:
        table = parquet_columns(self.path, self._columns)
        for batch in parquet_batches(self.path, table, self.rows):
            yield from map(self._feedback, batch.iter_slices(BLOCK))

    def each(self, function: Callable[[int, Feedback], T]) -> Iterator[T]:
        """The results of a function of a chunk's number and the chunk, in the order of the file."""
        if self.threads == 1:
            yield from map(function, itertools.count(), self)
            return

        # A few at a time: what has been read and not been added up is all that takes memory.
        waiting: deque[Future[T]] = deque()
        with ThreadPoolExecutor(self.threads) as pool:
            for number, chunk in enumerate(self):
                waiting.append(pool.submit(function, number, chunk))
                if len(waiting) > self.threads:
                    yield waiting.popleft().result()

            while waiting:
                yield waiting.popleft().result()

    def _feedback(self, table: pl.DataFrame) -> Feedback:
        numbers = table.cast(pl.Float64).fill_null(np.nan)
        columns = {name: numbers[name].to_numpy() for name in table.columns}
        objectives = [as_objective(each) for each in self.objectives]
        rewards = np.column_stack([columns[str(each.name)] for each in objectives])
        rewards *= signs_of(objectives)

        return StoredFeedback(
            contexts=rewards[:, :0],
            arms=np.zeros(len(rewards), np.int64),
            rewards=rewards,
            propensities=columns[self.propensity],
            arm_names=("played",),
            objectives=objectives,
            stored={name: columns[name] for name in self.stored},
        )


Stream = LogStream | ParquetTable


def beginning_of(log: Feedback | Stream) -> Feedback:
    """A log in memory, or the first piece of another: all pieces agree on what describes them.

    Raises:
        LogError: where there is no piece.
    """
    if isinstance(log, Feedback):
        return log

    for first in log:
        return first

    raise LogError("log must have at least one round, got none")
