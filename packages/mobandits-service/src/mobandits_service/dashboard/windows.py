"""Stretches of time that pages show, in UTC: up to now, or from one moment to another."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from mobandits.support.naming import quoted
from mobandits_service.problems import Problem

MINUTE = 60  # seconds
WIDTHS = (1, 2, 5, 15, 30, 60, 120, 480, 1440, 10080)  # of stretches, in minutes
MOST_STRETCHES = 100
MOST_DAYS = 366


class Window(NamedTuple):
    """A length of time that pages show.

    Attributes:
        key: in addresses; empty: of a time that a person gave.
        title: for people.
        minutes: altogether.
    """

    key: str
    title: str
    minutes: int

    @property
    def width(self) -> int:
        """The minutes of a stretch: as few as keep the stretches countable."""
        return next(width for width in WIDTHS if width * MOST_STRETCHES >= self.minutes)


HOUR = Window("hour", "last hour", 60)
DAY = Window("day", "last 24 hours", 1440)
WEEK = Window("week", "last 7 days", 10080)
MONTH = Window("month", "last 30 days", 43200)
WINDOWS = {each.key: each for each in (HOUR, DAY, WEEK, MONTH)}


class Span(NamedTuple):
    """A window at its place in time.

    Attributes:
        window: which.
        first: the minute since 1970 at which its first stretch begins.
        end: the minute before which its last one ends, which may lie ahead.
        now: seconds since 1970.
    """

    window: Window
    first: int
    end: int
    now: float

    @property
    def stretches(self) -> int:
        """The number of stretches, of which the last may be shorter."""
        return math.ceil((self.end - self.first) / self.window.width)

    @property
    def ends(self) -> dict[str, str]:
        """The first minute and the end, at most the present minute, as browsers write them."""
        end = min(self.end, _present_end(self.now))
        return {"from": _moment_of(self.first, "T"), "to": _moment_of(end, "T")}

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of addresses that show the same time."""
        return {"window": self.window.key} if self.window.key else self.ends

    @property
    def words(self) -> str:
        """The time, as the end of a sentence."""
        return f"{'in the' if self.window.key else 'from'} {self.window.title}"

    def start(self, place: int) -> int:
        """When a stretch begins, in seconds since 1970."""
        return MINUTE * (self.first + place * self.window.width)

    def minutes(self, place: int) -> float:
        """How much of a stretch is over, in minutes; never less than one."""
        start = self.start(place)
        passed = (min(self.now, self.end * MINUTE) - start) / MINUTE
        return max(1.0, min(float(self.window.width), passed))


def span_of(window: Window, now: float) -> Span:
    """The stretches of a window; they begin at multiples of their width, so that they stay.

    Example:
        >>> span_of(HOUR, 7200.0)
        Span(window=Window(key='hour', title='last hour', minutes=60), first=61, end=121, now=7200.0)
    """
    width = window.width
    minute = int(now // MINUTE)
    end = (minute // width + 1) * width

    return Span(window, end - window.minutes, end, now)


def asked_span(query: Mapping[str, str], now: float) -> Span | None:
    """The time that an address asks for; None where it says nothing of it.

    Args:
        query: may hold `window`, or `from` and `to`.
        now: seconds since 1970.

    Raises:
        Problem: where they are no time.

    Example:
        >>> span = asked_span({"from": "1970-01-01T01:00", "to": "1970-01-01T03:30"}, 9000.0)
        >>> span.first, span.end, span.words
        (60, 151, 'from 1970-01-01 01:00 to 1970-01-01 02:31 UTC')
    """
    given = [name for name in ("window", "from", "to") if name in query]
    if not given:
        return None
    if given == ["window"]:
        key = query["window"]
        if key not in WINDOWS:
            raise Problem(422, f"window must be one of {', '.join(WINDOWS)}, got {quoted(key)}")
        return span_of(WINDOWS[key], now)
    if given != ["from", "to"]:
        raise Problem(422, f"the time must be window, or from and to, got {', '.join(given)}")

    first = math.floor(_minute("from", query["from"]))
    last = math.ceil(_minute("to", query["to"]))
    # What lies ahead is not shown.
    end = min(last, _present_end(now))
    if first >= end:
        raise Problem(422, f"from must be before to and before now, got {quoted(query['from'])}")
    if end - first > MOST_DAYS * DAY.minutes:
        rule = f"to must be at most {MOST_DAYS} days after from"
        raise Problem(422, f"{rule}, got {quoted(query['to'])}")

    title = f"{_moment_of(first)} to {_moment_of(end)} UTC"

    return Span(Window("", title, end - first), first, end, now)


def _minute(name: str, text: str) -> float:
    """Minutes since 1970 of a moment that a person gave, in UTC where it has no time zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        rule = f"{name} must be a time such as 2026-11-25T10:00"
        raise Problem(422, f"{rule}, got {quoted(text)}") from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)

    return moment.timestamp() / MINUTE


def _present_end(now: float) -> int:
    return int(now // MINUTE) + 1


def _moment_of(minute: int, between: str = " ") -> str:
    moment = datetime.fromtimestamp(minute * MINUTE, UTC)
    return moment.replace(tzinfo=None).isoformat(between, "minutes")


def clock_text(seconds: float, window: Window) -> str:
    """The beginning of a stretch, as tables say it: the day only where there are several.

    Example:
        >>> clock_text(7200.0, HOUR), clock_text(7200.0, WEEK)
        ('02:00', '01-01 02:00')
    """
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%m-%d %H:%M}" if window.minutes > HOUR.minutes else f"{moment:%H:%M}"


def moment_text(seconds: float | None) -> str:
    """A moment with its day and second, in UTC.

    Example:
        >>> moment_text(7200.4), moment_text(None)
        ('1970-01-01 02:00:00', '–')
    """
    if seconds is None:
        return "–"

    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}"
    except (OverflowError, ValueError, OSError):
        return "–"
