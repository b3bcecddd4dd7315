"""Dates and times: places on circles, since midnight is near to one minute before it."""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.encoding.column import SourceColumn, is_missing, refused
from mobandits.encoding.kind import KNOWN, MISSING, Kind, codes_of
from mobandits.encoding.number import deviation_of, mean_of
from mobandits.support.checks import number as check_number
from mobandits.support.naming import wrong_value

EPOCH = datetime(1970, 1, 1)
EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
SECOND = 1_000_000  # all times are in microseconds, as Python has them
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE
FIRST = (date.min.toordinal() - EPOCH_ORDINAL) * DAY
LAST = (date.max.toordinal() - EPOCH_ORDINAL + 1) * DAY - 1
EPOCH_WEEKDAY = 3  # it was a Thursday


def circle(count: int) -> Array:
    """(count, 2) sine and cosine of equally many angles of a circle."""
    rows = []
    for place in range(count):
        angle = 2.0 * math.pi * place / count
        rows.append((math.sin(angle), math.cos(angle)))

    return np.array(rows)


# Tables, since sines of a whole array and of one number may differ in the last bit.
CIRCLES = {"hour": circle(24 * 60), "weekday": circle(7), "yearday": circle(366)}


@dataclass(frozen=True)
class Date(Kind):
    """A date or time as sine and cosine of its places in the day, the week and the year.

    The hour of the day to the minute, the day of the week, and the day of the year of 366. A
    missing date is the centre of all circles: zeros. Where the fit met missing ones, a further
    feature is 1 where the date is missing, else 0.

    Dates and times of Python, NumPy, Polars and pandas are taken, text in the form of ISO 8601, and
    numbers: seconds since 1970. Times with a zone are turned into UTC; those without are taken as
    they are.

    Args:
        parts: which circles there are, of "hour", "weekday" and "yearday".
        age: whether a feature says how late the date is, in days, standardised as a `Number` is;
            0 where it is missing.
        mean: of the days since 1970, for `age`.
        deviation: theirs.
        indicator: whether there is a feature for missing dates; None: where the fit meets some.

    Example:
        >>> kind = Date(parts=("weekday",)).fitted(SourceColumn("when", ["2026-01-31", "2026-02-01T12:30"]))
        >>> kind.names("when")
        ['when weekday sin', 'when weekday cos']
    """

    NAME = "date"

    parts: tuple[str, ...] = ("hour", "weekday", "yearday")
    age: bool = False
    mean: float | None = None
    deviation: float | None = None
    indicator: bool | None = None

    def __post_init__(self) -> None:
        parts = tuple(self.parts)
        is_text = isinstance(self.parts, str)
        if is_text or not set(parts) <= set(CIRCLES) or len(set(parts)) < len(parts):
            known = ", ".join(CIRCLES)
            raise wrong_value(f"Date.parts must be some of {known}", self.parts)
        if not parts and not self.age:
            raise ValueError("Date.parts must name a part where there is no age, got none")
        if self.mean is not None:
            check_number("Date.mean", self.mean)
        if self.deviation is not None:
            check_number("Date.deviation", self.deviation, above=0.0)

        object.__setattr__(self, "parts", parts)

    @property
    def is_fitted(self) -> bool:
        """Whether the indicator is known, and, with an age, its mean and deviation."""
        has_scale = self.mean is not None and self.deviation is not None
        return self.indicator is not None and (has_scale or not self.age)

    def fitted(self, column: SourceColumn) -> "Date":
        """With what is not given of a column."""
        times, missing = times_of(column)
        mean = self.mean
        deviation = self.deviation
        if self.age:
            days = (times[~missing].astype(np.float64) / DAY).tolist()
            if mean is None:
                mean = mean_of(days, column)
            if deviation is None:
                deviation = deviation_of(days, mean, column)
        indicator = self.indicator
        if indicator is None:
            indicator = bool(missing.any())

        return dataclasses.replace(self, mean=mean, deviation=deviation, indicator=indicator)

    def names(self, column: str) -> list[str]:
        """Two names per circle, that of the age, and that of the indicator."""
        names = []
        for part in self.parts:
            names += [f"{column} {part} sin", f"{column} {part} cos"]
        if self.age:
            names.append(f"{column} days")
        if self.indicator:
            names.append(f"{column} missing")

        return names

    def write(self, value: Any, out: Array, first: int) -> int:
        """Its places on the circles, its age, and whether it is missing."""
        time = time_of(value)
        place = first + 2 * len(self.parts)
        if time is None:
            if self.indicator:
                out[place + self.age] = 1.0
            return MISSING

        for number, part in enumerate(self.parts):
            row = CIRCLES[part][_places(part, time)]
            out[first + 2 * number] = row[0]
            out[first + 2 * number + 1] = row[1]
        if self.age:
            # As a double first: Python divides integers more exactly than arrays are divided.
            out[place] = self._age(float(time))

        return KNOWN

    def write_column(self, column: SourceColumn, out: Array) -> IntArray:
        """As `write`."""
        times, missing = times_of(column)
        present = ~missing
        for number, part in enumerate(self.parts):
            places = _places(part, times)
            rows = CIRCLES[part][places]
            first = 2 * number
            out[:, first : first + 2] = np.where(present[:, None], rows, 0.0)

        place = 2 * len(self.parts)
        if self.age:
            age = self._age(times.astype(np.float64))
            out[:, place] = np.where(present, age, 0.0)
        if self.indicator:
            out[:, place + self.age] = missing

        return codes_of(missing)

    def _age(self, times: Any) -> Any:
        """The feature of a time, or of an array of times."""
        mean = 0.0 if self.mean is None else self.mean
        deviation = 1.0 if self.deviation is None else self.deviation
        return (times / DAY - mean) / deviation

    def value_text(self, features: Sequence[float]) -> str | None:
        """The parts, in words: such as "Saturday, 12:30"."""
        if not any(features[: 2 * len(self.parts)]) and self.parts:
            return "missing"

        words = []
        for number, part in enumerate(self.parts):
            sine = features[2 * number]
            cosine = features[2 * number + 1]
            turn = math.atan2(sine, cosine) / (2.0 * math.pi)
            count = len(CIRCLES[part])
            words.append(_part_text(part, round(turn * count) % count))

        return ", ".join(words) or None

    @property
    def treatment(self) -> str:
        """Zeros, and the indicator."""
        return f"missing: zeros{', and 1 beside them' if self.indicator else ''}"


def time_of(value: Any) -> int | None:
    """Microseconds since 1970 of a value, None where it is missing.

    Raises:
        ValueError: where it is no date.

    Example:
        >>> time_of("1970-01-02"), time_of(1.5), time_of(datetime(1970, 1, 1, 0, 1)), time_of("")
        (86400000000, 1500000, 60000000, None)
    """
    if is_missing(value):
        return None
    if isinstance(value, datetime):
        return _of_datetime(value)
    if isinstance(value, date):
        return (value.toordinal() - EPOCH_ORDINAL) * DAY
    if isinstance(value, str):
        return _of_text(value)

    is_number = isinstance(value, int | float | np.integer | np.floating)
    time = None
    if isinstance(value, np.datetime64):
        time = int(value.astype("M8[us]").astype(np.int64))
    elif is_number and not isinstance(value, bool) and math.isfinite(value):
        time = math.floor(value * SECOND)
    if time is None or not FIRST <= time <= LAST:
        raise refused("a date", value)

    return time


def _of_datetime(value: datetime) -> int:
    naive = value
    if value.tzinfo is not None:
        try:
            naive = value.astimezone(UTC).replace(tzinfo=None)
        except OverflowError:
            raise refused("a date", value) from None

    since: timedelta = naive - EPOCH

    return since.days * DAY + since.seconds * SECOND + since.microseconds


def _of_text(text: str) -> int:
    try:
        return _of_datetime(datetime.fromisoformat(text.strip()))
    except ValueError:
        raise refused("a date such as 2026-01-31T12:30", text) from None


def times_of(column: SourceColumn) -> tuple[IntArray, Any]:
    """(rows,) microseconds since 1970, 0 where missing, and (rows,) whether it is missing."""
    series = column.values
    physical = _physical(series)
    if physical is not None:
        missing = series.is_null().to_numpy()
        numbers = physical.fill_null(0).to_numpy()
        # Days of a column of dates have 32 bits, too few for microseconds.
        times = numbers.astype(np.int64) * _unit(series.dtype)
        return times, missing

    known = column.mapped(time_of)
    missing = np.array([time is None for time in known], bool)
    times = np.array([time or 0 for time in known], np.int64)

    return times, missing


def _unit(kind: Any) -> int:
    """Microseconds of the unit in which Polars keeps dates and times of a type."""
    if kind.base_type().__name__ == "Date":
        return DAY
    return {"ms": 1000, "us": 1}[kind.time_unit]


def _physical(series: Any) -> Any:
    """The integers of a column of dates of Polars; None of others."""
    kind = getattr(series, "dtype", None)
    if kind is None or not hasattr(kind, "base_type"):
        return None

    name = kind.base_type().__name__
    # Nanoseconds are rounded by Polars itself, in another way than here.
    is_exact = name == "Date" or (name == "Datetime" and kind.time_unit in ("ms", "us"))

    return series.to_physical() if is_exact else None


def _places(part: str, times: Any) -> Any:
    """The place of a time on a circle, or of each of an array of times."""
    days = times // DAY
    if part == "hour":
        return (times - days * DAY) // MINUTE
    if part == "weekday":
        return (days + EPOCH_WEEKDAY) % 7

    if isinstance(days, int):
        day = date.fromordinal(EPOCH_ORDINAL + days)
        return day.toordinal() - date(day.year, 1, 1).toordinal()

    dates = days.astype("M8[D]")
    first_days = dates.astype("M8[Y]").astype("M8[D]")

    return (dates - first_days).astype(np.int64)


def _part_text(part: str, place: int) -> str:
    if part == "hour":
        hours, minutes = divmod(place, 60)
        return f"{hours:02d}:{minutes:02d}"
    if part == "weekday":
        names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
        return names[place]

    return f"day {place + 1}"
