"""Decisions in a table of text, by a mapping of its columns."""

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array
from mobandits.logs.errors import LogError
from mobandits.logs.feedback import Feedback, together
from mobandits.support.checks import integer
from mobandits.support.naming import quoted, shortened
from mobandits.support.nearest import did_you_mean

Columns = Sequence[str] | Mapping[Any, Sequence[str]]


def read(path: str | Path, **columns: Any) -> Feedback:
    r"""The whole of a CSV file; see `scan`.

    Raises:
        LogError: as `scan`; also where there is no row.

    Example:
        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/log.csv"
        >>> _ = Path(path).write_text("item,age,click,cost,p\nred,31,1,0.5,0.25\nblue,42,0,,0.75\n")
        >>> log = read(path, arm="item", context=["age"], rewards=["click", "cost"], propensity="p", minimise=["cost"])
        >>> log.arm_names, log.rewards.tolist()
        (('red', 'blue'), [[1.0, -0.5], [0.0, nan]])
    """
    chunks = list(scan(path, **columns))
    if not chunks:
        raise LogError(f"{path} must have at least one row, got none")
    return together(chunks)


def scan(
    path: str | Path,
    *,
    arm: str,
    rewards: Sequence[str] | Mapping[Any, str],
    context: Columns = (),
    propensity: str | None = None,
    time: str | None = None,
    arms: Sequence[Hashable] | None = None,
    minimise: Sequence[Hashable] = (),
    separator: str = ",",
    chunk: int = 10_000,
) -> Iterator[Feedback]:
    """A CSV file of any size, a row per decision below a row of column names, in chunks.

    Args:
        path: of the file. It is read twice, unless `arms` are given.
        arm: the column with the arm that was played.
        rewards: {objective: column}, or columns that are objectives, or one of them; an empty cell is a reward that was
            not observed.
        context: columns of features, or one of them, which the arms share; or {arm: columns}, as many for every arm.
        propensity: the column with the logging policy's probability of that arm; None, or an empty cell: not logged.
        time: the column with the time in seconds.
        arms: all arms, whose text is in the column; None takes what is there, in order of appearance, as text.
        minimise: objectives whose values are negated, as Feedback has rewards that are maximised.
        separator: between cells.
        chunk: rows at a time, at most.

    Raises:
        LogError: naming file, column, row (1 is the first below the names) and value, on the way.
        ValueError: where an argument is wrong.
    """
    integer("chunk", chunk, at_least=1)
    if not isinstance(rewards, Mapping):
        rewards = {name: name for name in _several(rewards)}
    columns = dict(rewards)
    if not columns:
        raise ValueError("rewards must name at least one column, got none")
    minimise = _several(minimise)
    if not isinstance(context, Mapping):
        context = _several(context)
    for name in minimise:
        if name not in columns:
            known = shortened(", ".join(map(str, columns)))
            near = did_you_mean(name, columns)
            raise ValueError(
                f"minimise must name rewards, which are {known}, got {quoted(name)}{near}"
            )
    meaning = _Table(
        Path(path), separator, arm, columns, context, propensity, time, frozenset(minimise)
    )
    return meaning.scan(None if arms is None else tuple(arms), chunk)


def _several(names: Any) -> Sequence[Any]:
    """Names of columns, also where only one is given."""
    return [names] if isinstance(names, str) else names


class _Table(NamedTuple):
    """A file and what its columns mean."""

    path: Path
    separator: str
    arm: str
    rewards: dict[Any, str]
    context: Columns
    propensity: str | None
    time: str | None
    minimise: frozenset[Hashable]

    def scan(self, arms: tuple[Hashable, ...] | None, chunk: int) -> Iterator[Feedback]:
        """The rows in chunks."""
        names = tuple(self._names(chunk)) if arms is None else arms
        places = {str(name): i for i, name in enumerate(names)}
        done = 0
        if len(places) < len(names):
            raise LogError(
                f"arms must have different texts, got {shortened(', '.join(map(quoted, names)))}"
            )
        for frame in self._frames(self._wanted(names), chunk):
            yield self._feedback(frame, names, places, done)
            done += len(frame)

    def _feedback(
        self, frame: pl.DataFrame, names: tuple[Hashable, ...], places: dict[str, int], done: int
    ) -> Feedback:
        played = frame[self.arm].to_list()
        for row, name in enumerate(played):
            if name not in places:
                raise self._error(
                    self.arm, done + row, f"one of {shortened(', '.join(places))}", name
                )
        signs = [-1.0 if name in self.minimise else 1.0 for name in self.rewards]
        nothing = np.full(len(frame), np.nan)
        try:
            return Feedback(
                contexts=self._contexts(frame, names, done),
                arms=np.array([places[name] for name in played], np.int64),
                rewards=np.column_stack(
                    [self._numbers(frame, c, done) for c in self.rewards.values()]
                )
                * signs,
                propensities=self._probabilities(frame, done) if self.propensity else nothing,
                arm_names=names,
                objective_names=tuple(self.rewards),
                times=self._numbers(frame, self.time, done) if self.time else None,
            )
        except LogError:
            raise
        except ValueError as error:
            raise LogError(f"{self.path}, row {done + 1} or soon after: {error}") from error

    def _contexts(self, frame: pl.DataFrame, names: tuple[Hashable, ...], done: int) -> Array:
        if isinstance(self.context, Mapping):
            return np.stack(
                [self._features(frame, self.context[name], done) for name in names], axis=1
            )
        return self._features(frame, self.context, done)

    def _features(self, frame: pl.DataFrame, columns: Sequence[str], done: int) -> Array:
        values = [self._numbers(frame, column, done, lacking=False) for column in columns]
        if values:
            return np.column_stack(values)
        return np.empty((len(frame), 0))

    def _probabilities(self, frame: pl.DataFrame, done: int) -> Array:
        assert self.propensity is not None  # noqa: S101
        values = self._numbers(frame, self.propensity, done)
        if (bad := np.flatnonzero((values <= 0.0) | (values > 1.0))).size:
            raise self._error(
                self.propensity, done + int(bad[0]), "in (0, 1]", float(values[bad[0]])
            )
        return values

    def _numbers(
        self, frame: pl.DataFrame, column: str, done: int, *, lacking: bool = True
    ) -> Array:
        text = frame[column].str.strip_chars()
        empty = text.is_null() | (text == "")
        values = text.cast(pl.Float64, strict=False)
        wrong = (~empty & ~values.is_finite().fill_null(value=False)) | (empty & (not lacking))
        if wrong.any():
            row = int(wrong.arg_max() or 0)
            raise self._error(column, done + row, "a finite number", frame[column][row])
        return values.fill_null(np.nan).to_numpy()

    def _error(self, column: str, row: int, rule: str, value: Any) -> LogError:
        return LogError(
            f"{self.path}, column {quoted(column)}, row {row + 1} must be {rule}, got {quoted(value)}"
        )

    # --- the file

    def _wanted(self, names: tuple[Hashable, ...]) -> list[str]:
        context = self.context
        if isinstance(context, Mapping):
            if lacking := [name for name in names if name not in context]:
                raise LogError(
                    f"context must have columns for every arm, got none for {quoted(lacking[0])}"
                )
            features = [column for name in names for column in context[name]]
        else:
            features = list(context)
        others = [column for column in (self.propensity, self.time) if column]
        return list(dict.fromkeys([self.arm, *self.rewards.values(), *features, *others]))

    def _names(self, chunk: int) -> list[str]:
        found: dict[str, None] = {}
        for frame in self._frames([self.arm], chunk):
            found |= dict.fromkeys(frame[self.arm].drop_nulls().unique(maintain_order=True))
        return list(found)

    def _on_columns(self, column: str, there: Sequence[str]) -> str:
        """What to say of a column that is not there."""
        if len(there) == 1 and re.search(r"[,;\t|]", there[0]):
            return f"; cells must be separated by {self.separator!r}"
        return did_you_mean(column, there)

    def _frames(self, columns: list[str], chunk: int) -> Iterator[pl.DataFrame]:
        """The columns as text: what is wrong with a cell is ours to say."""
        try:
            table = pl.scan_csv(self.path, separator=self.separator, infer_schema=False, glob=False)
            there = table.collect_schema().names()
            for column in columns:
                if column not in there:
                    raise LogError(
                        f"{self.path} must have a column {quoted(column)}, got {shortened(', '.join(there))}"
                        f"{self._on_columns(column, there)}"
                    )
            for frame in table.select(columns).collect_batches(chunk_size=chunk):
                yield from frame.iter_slices(chunk)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise LogError(
                f"{self.path} cannot be read as CSV: {str(error).splitlines()[0]}"
            ) from error
