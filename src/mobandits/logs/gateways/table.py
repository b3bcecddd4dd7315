"""The calls in a gateway's log as a table, and the table as Feedback."""

import json
import math
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from mobandits.encoding.encoder import Encoder
from mobandits.errors import LogError, LogWarning
from mobandits.logs.feedback import Feedback
from mobandits.logs.frames import feedback_of_frame
from mobandits.logs.gateways import litellm, opentelemetry, semantic_router
from mobandits.logs.gateways.call import Call, Record
from mobandits.logs.objectives import Objective
from mobandits.support.checks import choice
from mobandits.support.naming import quoted, shortened, wrong_value

# A format is a module with a NAME, a CONTEXT and `calls_of`.
FORMATS: dict[str, Any] = {
    module.NAME: module for module in (litellm, opentelemetry, semantic_router)
}
COST = Objective("cost", minimise=True, unit="USD")
LATENCY = Objective("latency", minimise=True, unit="s")
REQUEST = "request_id"


def scan(
    path: Path,
    log_format: str,
    *,
    arm: str = "model",
    rewards: Sequence[Any] | Mapping[Any, str] | None = None,
    context: Sequence[str] | str | None = None,
    propensity: str | None = None,
    time: str = "time",
    minimise: Sequence[str] = (),
    objectives: Sequence[Objective] = (),
    ratings: str | Path | None = None,
    chunk: int = 10_000,
) -> Iterator[Feedback]:
    """The calls in a gateway's log in the order of time, in chunks; all are held in memory.

    The arm is the model that answered. Every format has the columns request_id, model, cost (USD),
    latency (seconds), time, prompt_tokens and log_prompt_tokens, log(1 + tokens); all other fields
    of the log are columns by their own names, nested ones with dots. Calls that no model answered
    are left out with a warning.

    Args:
        path: of the file: .csv with names of columns, else a JSON object per line.
        log_format: one of `FORMATS`.
        arm: the column with the arm.
        rewards: as `mobandits.logs.csv.scan` takes them; None: cost and latency, as far as they
            were logged. Both are minimised.
        context: columns that were known before the call, which an encoder is fitted to, as
            `Encoder.fit` takes them; None: those of the format, as far as they were logged.
        propensity: the column with the probability of the arm; None: not logged.
        time: the column with the time in seconds.
        minimise: names of further objectives of which less is better.
        objectives: what is known of objectives that `rewards` only names.
        ratings: a .csv file or JSON lines with a request_id and scores, which become columns.
        chunk: rows at a time, at most.

    Raises:
        LogError: naming file, line and rule.
        ValueError: where an argument is wrong.
    """
    choice("format", log_format, FORMATS)
    module = FORMATS[log_format]
    rows = [call.columns for call in _usable(path, module)]
    if not rows:
        return

    rows.sort(key=lambda row: math.inf if row["time"] is None else row["time"])
    _refuse_repeated(path, rows)
    if ratings is not None:
        _join_ratings(rows, Path(ratings))

    table = _table(rows)
    if context is None:
        context = _default_context(table, module.CONTEXT)
    if rewards is None:
        rewards = [name for name in ("cost", "latency") if table[name].count()]

    lacking = table[arm].null_count() if arm in table.columns else 0
    if lacking:
        raise LogError(
            f"{path} must have {quoted(arm)}, the arm, in every call, got none in {lacking}"
        )

    told = {each.name for each in objectives}
    known = [each for each in (COST, LATENCY) if each.name not in told]
    try:
        log = feedback_of_frame(
            table,
            arm=arm,
            rewards=rewards,
            context=Encoder.fit(table, context) if context else (),
            propensity=propensity,
            time=time,
            minimise=minimise,
            objectives=[*objectives, *known],
        )
    except ValueError as error:
        raise LogError(f"{path}: {error}") from error

    for start in range(0, len(log), chunk):
        yield log[start : start + chunk]


def _default_context(table: pl.DataFrame, columns: Sequence[str]) -> str:
    """The columns of a format, some with their kinds, that were logged."""
    logged = []
    for each in columns:
        name = each.partition(":")[0]
        if name in table.columns and table[name].count():
            logged.append(each)

    return ",".join(logged)


def _usable(path: Path, module: Any) -> Iterator[Call]:
    """The calls that a model answered; a warning counts the others."""
    left_out: Counter[str] = Counter()
    total = 0
    for where, record in _records(path):
        try:
            calls = list(module.calls_of(record))
        except LogError as error:
            raise LogError(f"{where}: {error}") from error

        for call in calls:
            total += 1
            unusable = call.unusable
            if not unusable and call.model is None:
                unusable = "without a model"
            if unusable:
                left_out[unusable] += 1
            else:
                yield call

    if left_out:
        reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
        message = f"{path}: {left_out.total()} of {total} calls were left out: {reasons}"
        warnings.warn(message, LogWarning, stacklevel=2)


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The records of a file, and where each of them is."""
    try:
        if path.suffix == ".csv":
            table = pl.read_csv(path, infer_schema=False, glob=False)
            for number, row in enumerate(table.iter_rows(named=True), 1):
                yield f"{path}, row {number}", row
            return

        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    where = f"{path}, line {number}"
                    yield where, _object(line, where)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise LogError(f"{path} cannot be read: {reason}") from error
    except UnicodeDecodeError:
        raise LogError(f"{path} must be text in UTF-8") from None


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise LogError(f"{where} must be a JSON object: {shortened(str(error))}") from error

    if not isinstance(content, dict):
        raise wrong_value(f"{where} must be a JSON object", content, LogError)

    return content


def _refuse_repeated(path: Path, rows: Sequence[Record]) -> None:
    """Refuse a request that comes twice, as where exports overlap: it would count twice."""
    counts = Counter(row[REQUEST] for row in rows if row[REQUEST] is not None)
    for request, count in counts.items():
        if count > 1:
            raise LogError(f"{path} must have each {REQUEST} once, got {quoted(request)} {count} x")


def _join_ratings(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Add the scores of a second file to the rows of the same request.

    A request without scores has none: a reward that was not observed.
    """
    ratings: dict[str, dict[str, Any]] = {}
    for where, record in _records(path):
        request = record.pop(REQUEST, None)
        if request is None:
            raise wrong_value(f"{where} must have a {REQUEST}", ", ".join(record), LogError)
        if str(request) in ratings:
            raise LogError(f"{where} must rate a request once, got {quoted(request)} again")

        ratings[str(request)] = record

    matched = 0
    for row in rows:
        scores = ratings.get(row[REQUEST], {})
        matched += bool(scores)
        for name, score in scores.items():
            if name in row:
                raise LogError(f"{path}: a score must not be named {quoted(name)}, as in the log")

            row[name] = score

    if not matched:
        raise LogError(f"{path} must rate a {REQUEST} of the log, got none of {len(ratings)}")


def _table(rows: Sequence[Record]) -> pl.DataFrame:
    """All columns that a row has, in order of appearance."""
    names: dict[str, None] = {}
    for row in rows:
        names |= dict.fromkeys(row)

    columns = {}
    for name in names:
        values = [row.get(name) for row in rows]
        columns[name] = _values(values)

    return pl.DataFrame(columns)


def _values(values: list[Any]) -> pl.Series:
    """Numbers where all that is there are numbers, else text; gaps are null."""
    try:
        return pl.Series(_converted(values, float), dtype=pl.Float64)
    except (TypeError, ValueError, OverflowError):
        return pl.Series(_converted(values, str), dtype=pl.String)


def _converted(values: list[Any], kind: type) -> list[Any]:
    """What is there, as numbers or texts; None elsewhere."""
    converted = []
    for value in values:
        is_gap = value is None or value == ""
        converted.append(None if is_gap else kind(value))

    return converted
