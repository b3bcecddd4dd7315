"""Hard limits on costs, and the periods of the calendar after which they renew."""

import datetime as dt
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from mobandits.support.checks import choice, number
from mobandits.support.naming import quoted

PERIODS = ("total", "month", "day", "hour")
SECONDS = {"day": 86_400, "hour": 3_600}


@dataclass(frozen=True)
class Budget:
    """A hard limit on what the decisions of an agent cost together.

    Args:
        objective: whose rewards are the costs; it must have `minimise=True`.
        limit: in its unit, positive.
        per: "total", or the period of the calendar, in UTC, after which it renews. The agent's
            clock must then count seconds as `time.time` does.
        most: what one decision may cost at most, or {arm: what it may cost at most}; None: the
            upper end of the objective's range. A bill above it is counted in full.

    Raises:
        ValueError: where a parameter does not fit.

    Example:
        >>> Budget("cost", 5.0, per="day", most={"small": 0.01, "large": 0.2}).per
        'day'
    """

    objective: Hashable
    limit: float
    per: Literal["total", "month", "day", "hour"] = "total"
    most: float | Mapping[Any, float] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        number("Budget.limit", self.limit, above=0.0)
        choice("Budget.per", self.per, PERIODS)
        if isinstance(self.most, Mapping):
            for arm, most in self.most.items():
                number(f"Budget.most[{quoted(arm)}]", most, at_least=0.0)
            # A copy: the application may go on writing into its own.
            object.__setattr__(self, "most", dict(self.most))
        elif self.most is not None:
            number("Budget.most", self.most, at_least=0.0)


class Balance(NamedTuple):
    """Balance of a budget in its present period.

    Attributes:
        budget: which.
        spent: in the present period, as far as bills have come.
        reserved: for decisions whose bills are awaited.
        left: for further decisions; below 0 where a bill was above what was declared.
        renews: when the next period begins, in seconds of the clock; None: never.
    """

    budget: Budget
    spent: float
    reserved: float
    left: float
    renews: float | None


def period_of(per: str, now: float) -> int:
    """The number of the period that a moment lies in.

    Example:
        >>> period_of("hour", 7300.0), period_of("month", 0.0), period_of("total", 1e9)
        (2, 23640, 0)
    """
    if per == "total":
        return 0
    if per == "month":
        moment = dt.datetime.fromtimestamp(now, dt.UTC)
        return 12 * moment.year + moment.month - 1

    return int(now // SECONDS[per])


def start_of(per: str, period: int) -> float:
    """Time at which a period begins, in seconds; of "total", the beginning of all time.

    Example:
        >>> start_of("hour", 2), start_of("month", 23640), start_of("total", 0)
        (7200.0, 0.0, 0.0)
    """
    end = end_of(per, period - 1)
    return 0.0 if end is None else end


def end_of(per: str, period: int) -> float | None:
    """Time at which a period ends, in seconds; None: never.

    Example:
        >>> end_of("hour", 2), end_of("month", 23640), end_of("total", 0)
        (10800.0, 2678400.0, None)
    """
    if per == "total":
        return None
    if per == "month":
        year, month = divmod(period + 1, 12)
        start = dt.datetime(year, month + 1, 1, tzinfo=dt.UTC)
        return start.timestamp()

    return float((period + 1) * SECONDS[per])
