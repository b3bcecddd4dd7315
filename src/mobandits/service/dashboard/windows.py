"""Stretches of time that pages show: the last hour, day, week or month, in UTC."""

from datetime import UTC, datetime
from typing import NamedTuple

MINUTE = 60  # seconds


class Window(NamedTuple):
    """How far back a page looks, and how finely.

    Attributes:
        key: in addresses.
        title: for people.
        minutes: altogether.
        width: of a stretch, in minutes.
    """

    key: str
    title: str
    minutes: int
    width: int


HOUR = Window("hour", "last hour", 60, 1)
DAY = Window("day", "last 24 hours", 1440, 15)
WEEK = Window("week", "last 7 days", 10080, 120)
MONTH = Window("month", "last 30 days", 43200, 480)
WINDOWS = {each.key: each for each in (HOUR, DAY, WEEK, MONTH)}


class Span(NamedTuple):
    """A window that ends now.

    Attributes:
        window: which.
        first: the minute since 1970 at which its first stretch begins.
        end: the minute before which its last one ends, which lies ahead.
        now: seconds since 1970.
    """

    window: Window
    first: int
    end: int
    now: float

    @property
    def stretches(self) -> int:
        """How many stretches it has."""
        return (self.end - self.first) // self.window.width

    def start(self, place: int) -> int:
        """When a stretch begins, in seconds since 1970."""
        return MINUTE * (self.first + place * self.window.width)

    def minutes(self, place: int) -> float:
        """How much of a stretch is over, in minutes; never less than one."""
        passed = (self.now - self.start(place)) / MINUTE
        return max(1.0, min(float(self.window.width), passed))


def span_of(window: Window, now: float) -> Span:
    """The stretches of a window; they begin at multiples of their width, so that they stay.

    Example:
        >>> span_of(HOUR, 7200.0)
        Span(window=Window(key='hour', title='last hour', minutes=60, width=1), first=61, end=121, \
now=7200.0)
    """
    width = window.width
    minute = int(now // MINUTE)
    end = (minute // width + 1) * width

    return Span(window, end - window.minutes, end, now)


def clock_text(seconds: float, window: Window) -> str:
    """When a stretch begins, as tables say it: the day only where there are several.

    Example:
        >>> clock_text(7200.0, HOUR), clock_text(7200.0, WEEK)
        ('02:00', '01-01 02:00')
    """
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%H:%M}" if window is HOUR else f"{moment:%m-%d %H:%M}"


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
