"""Decisions in a table of text, by a mapping of its columns."""

import contextlib
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, IntArray
from mobandits.encoding.encoder import Encoder
from mobandits.errors import LogError
from mobandits.logs.feedback import Feedback, whole
from mobandits.logs.objectives import Names, Objective
from mobandits.logs.table_columns import Columns, TableColumns, table_columns, without_column
from mobandits.support.checks import integer
from mobandits.support.naming import quoted, shortened


def read(path: str | Path, **columns: Any) -> Feedback:
    r"""The whole of a CSV file; see `scan`.

    Raises:
        LogError: as `scan`; also where there is no row.

    Example:
        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/log.csv"
        >>> text = "item,age,click,cost,p\nred,31,1,0.5,0.25\nblue,42,0,,0.75\n"
        >>> _ = Path(path).write_text(text)
        >>> columns = {"arm": "item", "context": ["age"], "rewards": ["click", "cost"]}
        >>> log = read(path, **columns, propensity="p", minimise=["cost"])
        >>> log.arm_names, log.rewards.tolist()
        (('red', 'blue'), [[1.0, -0.5], [0.0, nan]])
    """
    return whole(scan(path, **columns), path, "row")


def scan(
    path: str | Path,
    *,
    arm: str,
    rewards: Sequence[Any] | Mapping[Any, str],
    context: Columns = (),
    propensity: str | None = None,
    time: str | None = None,
    arms: Sequence[Hashable] | None = None,
    minimise: Sequence[Hashable] = (),
    objectives: Sequence[Objective] = (),
    separator: str = ",",
    chunk: int = 10_000,
) -> Iterator[Feedback]:
    """A CSV file of any size, a row per decision below a row of column names, in chunks.

    Args:
        path: of the file. It is read twice, unless `arms` are given.
        arm: the column with the arm that was played.
        rewards: {objective: column}, or objectives whose columns have their names, or one of them;
            an objective is a name or an `Objective`. An empty cell is a reward that was not
            observed.
        context: columns of features, or one of them, which the arms share; or {arm: columns}, as
            many for every arm; or a fitted `Encoder`, whose features the arms share.
        propensity: the column with the logging policy's probability of that arm; None, or an empty
            cell: not logged.
        time: the column with the time in seconds.
        arms: all arms, whose text is in the column; None takes what is there, in order of
            appearance, as text.
        minimise: names of objectives of which less is better; an `Objective` says so itself.
        objectives: what is known of objectives that `rewards` only names, such as
            `Agent.objectives`.
        separator: between cells.
        chunk: rows at a time, at most.

    Raises:
        LogError: naming file, column, row (1 is the first below the names) and value, on the way.
        ValueError: where an argument is wrong.
    """
    integer("chunk", chunk, at_least=1)
    columns = table_columns(arm, rewards, context, propensity, time, minimise, objectives)
    table = _Table(Path(path), separator, columns)

    return table.scan(None if arms is None else tuple(arms), chunk)


class _Table(NamedTuple):
    """A file and what its columns mean."""

    path: Path
    separator: str
    columns: TableColumns

    def scan(self, arms: Names | None, chunk: int) -> Iterator[Feedback]:
        """The rows in chunks."""
        if arms is None:
            # A pass of its own: all chunks must have the same arms, and the last row may name one.
            arms = tuple(self._arms_of_file(chunk))

        position_of = {str(arm): i for i, arm in enumerate(arms)}
        if len(position_of) < len(arms):
            got = shortened(", ".join(map(quoted, arms)))
            raise LogError(f"arms must have different texts, got {got}")

        columns = self.columns.names(arms)
        done = 0
        for frame in self._frames(columns, chunk):
            yield self._feedback(frame, arms, position_of, done)
            done += len(frame)

    def _feedback(
        self,
        frame: pl.DataFrame,
        arms: Names,
        position_of: dict[str, int],
        done: int,
    ) -> Feedback:
        """Some rows, below `done` others."""
        positions = self._positions(frame, position_of, done)

        def numbers(column: str) -> Array:
            return self._numbers(frame, column, done)

        def features(column: str) -> Array:
            # A policy needs every feature: only rewards, propensities and times may be lacking.
            return self._numbers(frame, column, done, may_lack=False)

        def encoded(encoder: Encoder) -> Array:
            try:
                return encoder.encoded_table(frame, first_row=done + 1).numbers
            except ValueError as error:
                raise LogError(f"{self.path}, {error}") from None

        try:
            return self.columns.feedback(arms, positions, numbers, features, encoded)
        except LogError:
            raise
        except ValueError as error:
            place = f"{self.path}, row {done + 1} or soon after"
            raise LogError(f"{place}: {error}") from error

    def _positions(self, frame: pl.DataFrame, position_of: dict[str, int], done: int) -> IntArray:
        """The positions of the arms that were played, (rows,)."""
        positions = []
        for row, text in enumerate(frame[self.columns.arm].to_list()):
            position = position_of.get(text)
            if position is None:
                rule = f"one of {shortened(', '.join(position_of))}"
                raise self._error(self.columns.arm, done + row, rule, text)

            positions.append(position)

        return np.array(positions, np.int64)

    def _numbers(
        self, frame: pl.DataFrame, column: str, done: int, *, may_lack: bool = True
    ) -> Array:
        """The numbers of a column, (rows,); NaN for an empty cell."""
        text = frame[column].str.strip_chars()
        empty = text.is_null() | (text == "")
        values = text.cast(pl.Float64, strict=False)
        # What is no number became null, which is neither finite nor infinite.
        is_number = values.is_finite().fill_null(value=False)
        wrong = ~empty & ~is_number
        if not may_lack:
            wrong |= empty
        if wrong.any():
            row = int(wrong.arg_max() or 0)
            raise self._error(column, done + row, "a finite number", frame[column][row])

        if column == self.columns.propensity:
            outside = ((values <= 0.0) | (values > 1.0)).fill_null(value=False)
            if outside.any():
                row = int(outside.arg_max() or 0)
                raise self._error(column, done + row, "in (0, 1]", values[row])

        return values.fill_null(np.nan).to_numpy()

    def _error(self, column: str, row: int, rule: str, value: Any) -> LogError:
        number = row + 1  # rows are counted from 1, below the names of columns
        place = f"{self.path}, column {quoted(column)}, row {number}"
        got = quoted(value)
        return LogError(f"{place} must be {rule}, got {got}")

    # --- the file

    def _arms_of_file(self, chunk: int) -> list[str]:
        arms: dict[str, None] = {}  # a dictionary, because a set would lose the order
        for frame in self._frames([self.columns.arm], chunk):
            # An empty cell is no arm, and is refused when its row is read.
            names = frame[self.columns.arm].drop_nulls()
            new_arms = names.unique(maintain_order=True)
            arms |= dict.fromkeys(new_arms)

        return list(arms)

    def _without(self, column: str, names: Sequence[str]) -> LogError:
        """The error about a file without such a column, with the likely reason."""
        # All names in one: the file has another separator.
        if len(names) == 1 and re.search(r"[,;\t|]", names[0]):
            rule = f"{self.path} must have a column {quoted(column)}, got {shortened(names[0])}"
            advice = f"cells must be separated by {quoted(self.separator)}"
            return LogError(f"{rule}; {advice}")

        return LogError(without_column(self.path, column, names))

    def _frames(self, columns: list[str], chunk: int) -> Iterator[pl.DataFrame]:
        """These columns as text, some rows at a time."""
        names = names_of_columns(self.path, self.separator)
        for column in columns:
            if column not in names:
                raise self._without(column, names)

        with _readable(self.path):
            table = _lazy_table(self.path, self.separator)
            for frame in table.select(columns).collect_batches(chunk_size=chunk):
                yield from frame.iter_slices(chunk)


def names_of_columns(path: str | Path, separator: str = ",") -> list[str]:
    """The names of the columns of a CSV file.

    Raises:
        LogError: where it cannot be read.
    """
    with _readable(path):
        return _lazy_table(path, separator).collect_schema().names()


def _lazy_table(path: str | Path, separator: str) -> pl.LazyFrame:
    # As text, since an error of this module names the cell and Polars' would not.
    return pl.scan_csv(path, separator=separator, infer_schema=False, glob=False)


@contextlib.contextmanager
def _readable(path: str | Path) -> Iterator[None]:
    """A context in which a file that Polars cannot read is a `LogError`."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise LogError(f"{path} cannot be read as CSV: {reason}") from error
