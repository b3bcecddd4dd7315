"""The objectives of an agent.

A direction, a unit, a range, and what is learned where a reward never comes.
"""

import math
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.agent.inputs import name_tuple
from mobandits.contracts.protocols import Array
from mobandits.errors import InputWarning
from mobandits.support.checks import number
from mobandits.support.naming import quoted


@dataclass(frozen=True)
class Objective:
    """One of the rewards of a decision, in the application's own direction and unit.

    With a range, the policy learns where in it a reward lies, from 0, the worst, to 1, the best.
    Then one radius fits all objectives, an arm about which nothing is known is believed to be at
    the worst end, give or take the radius, and weights compare ranges. Without one it learns the
    number itself, negated where it is minimised, and starts from 0.

    Args:
        name: any name that can be hashed.
        minimise: True where less is better, as for a cost; numbers keep their sign wherever the
            agent says them.
        unit: such as "USD", for people who read explanations.
        low: the least value that is expected; one outside of the range is warned about once, and
            learned.
        high: the largest one; above `low`.
        default: what is learned where nothing came within `after` seconds; None: wait.
        after: seconds after the decision; needed with `default`.

    Raises:
        ValueError: naming parameter, rule and value.

    Example:
        >>> Objective("cost", minimise=True, unit="USD", low=0.0, high=0.25).line
        (0.25, -4.0)
        >>> Objective("click", default=0.0, after=3600.0).waits
        False
    """

    name: Hashable
    minimise: bool = False
    unit: str = ""
    low: float | None = None
    high: float | None = None
    default: float | None = None
    after: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.minimise, bool):
            raise ValueError(
                f"Objective.minimise must be True or False, got {quoted(self.minimise)}"
            )
        if not isinstance(self.unit, str):
            raise ValueError(f"Objective.unit must be a text, got {quoted(self.unit)}")

        for field in ("low", "high", "default"):
            value = getattr(self, field)
            if value is not None:
                number(f"Objective.{field}", value)

        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError(f"Objective.low must be below high = {self.high:g}, got {self.low:g}")
        # A default without a time would never be learned, and a time without one brings nothing.
        if (self.default is None) != (self.after is None):
            given = f"{self.default} and {self.after}"
            raise ValueError(f"Objective.default and after must be given together, got {given}")
        if self.after is not None:
            number("Objective.after", self.after, at_least=0.0)

    @property
    def line(self) -> tuple[float, float]:
        """Offset and factor: (reward - offset) factor is what the policy learns, more is better."""
        # Half a range fixes no scale.
        if self.low is None or self.high is None:
            sign = -1.0 if self.minimise else 1.0
            return (0.0, sign)

        factor = 1.0 / (self.high - self.low)
        if self.minimise:
            return (self.high, -factor)

        return (self.low, factor)

    @property
    def waits(self) -> bool:
        """Whether a decision waits for a reward that never comes."""
        return self.default is None

    @property
    def range(self) -> tuple[float, float]:
        """The range of its rewards, infinite where none was given."""
        low = -math.inf
        high = math.inf
        if self.low is not None:
            low = self.low
        if self.high is not None:
            high = self.high

        return low, high

    def say(self, value: float) -> str:
        """A value with its unit.

        Example:
            >>> Objective("cost", unit="USD").say(0.00061234)
            '0.000612 USD'
        """
        number = f"{value:.3g}"
        return f"{number} {self.unit}".rstrip()


class Scales:
    """Rewards in an application's terms, and as policies learn them.

    More is better, and ranges become [0, 1].

    Example:
        >>> cost = Objective("cost", minimise=True, low=0.0, high=0.5)
        >>> scales = Scales([Objective("quality"), cost])
        >>> scales.inward([0.75, 0.125]), scales.outward(np.array([[0.75, 0.75]])).tolist()
        ([0.75, 0.75], [[0.75, 0.125]])
    """

    def __init__(self, objectives: Sequence[Objective]) -> None:
        # Lists for rewards, of which there are a few, and arrays for tables of means.
        lines = [each.line for each in objectives]
        table = np.array(lines)
        identity = (0.0, 1.0)
        self._lines = lines
        self._offset = table[:, 0]
        self._factor = table[:, 1]
        self._is_identity = all(line == identity for line in lines)

    def inward(self, rewards: list[float]) -> list[float]:
        """(objectives,) what is learned of rewards; NaN stays."""
        if self._is_identity:
            return rewards

        learned = []
        for value, (offset, factor) in zip(rewards, self._lines, strict=True):
            learned.append((value - offset) * factor)

        return learned

    def outward(self, learned: Array) -> Array:
        """(arms, objectives) means in the application's terms."""
        distances = learned / self._factor
        means: Array = distances + self._offset
        return means


class Expectations:
    """Warns of rewards outside of the range of their objective, once per objective.

    Attributes:
        any: whether an objective has a range at all: most have none, and need no check.
    """

    def __init__(self, objectives: Sequence[Objective]) -> None:
        unlimited = (-math.inf, math.inf)
        self._names = []
        self._ranges = []
        for each in objectives:
            self._names.append(each.name)
            self._ranges.append(each.range)

        self.any = any(limits != unlimited for limits in self._ranges)

    def check(self, rewards: Sequence[float]) -> None:
        """The rewards of a decision, NaN where not observed."""
        for i, value in enumerate(rewards):
            low, high = self._ranges[i]
            is_expected = not (value < low or value > high)  # so for NaN too
            if is_expected:
                continue

            self._ranges[i] = (-math.inf, math.inf)
            name = quoted(self._names[i])
            limits = f"[{low:g}, {high:g}]"
            message = f"rewards[{name}] were expected in {limits}, got {value:g}"
            # Of the line that calls `Agent.learn`, which calls `AgentCore.learn`.
            warnings.warn(message, InputWarning, stacklevel=4)


def check_range_of(expectations: Expectations, rewards: Array) -> None:
    """Check the rewards of many decisions, (decisions, objectives), NaN where not observed."""
    known = ~np.isnan(rewards)
    for extreme in (np.fmin, np.fmax):
        # The largest and the smallest of each objective say whether any is outside.
        ends = extreme.reduce(rewards, axis=0, initial=np.nan, where=known)
        expectations.check(ends.tolist())


def as_objectives(given: int | Sequence[Any]) -> tuple[Objective, ...]:
    """Objectives from their number, their names, or as they are.

    Raises:
        ValueError: where there are none, or a name comes twice.

    Example:
        >>> [each.name for each in as_objectives(["quality", Objective("cost", minimise=True)])]
        ['quality', 'cost']
    """
    if isinstance(given, int | str) or not isinstance(given, Sequence):
        # A number, one name, which is refused, or what becomes a list of names, such as an array.
        names = name_tuple("objectives", given)
        return tuple(Objective(name) for name in names)

    items: Sequence[Any] = given
    ready = [isinstance(item, Objective) for item in items]
    titles = []
    for item, is_ready in zip(items, ready, strict=True):
        titles.append(item.name if is_ready else item)

    names = name_tuple("objectives", titles)
    objectives = []
    for item, is_ready, name in zip(items, ready, names, strict=True):
        objectives.append(item if is_ready else Objective(name))

    return tuple(objectives)
