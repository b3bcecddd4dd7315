"""What an agent is paid in: names with a direction, a unit, a range, and what to do where a reward never comes."""

import math
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.agent.inputs import members
from mobandits.contracts.protocols import Array
from mobandits.errors import InputWarning
from mobandits.support.checks import number
from mobandits.support.naming import quoted


@dataclass(frozen=True)
class Objective:
    """One of the rewards of a decision, in the application's own direction and unit.

    With a range, the policy learns where in it a reward lies, from 0, the worst, to 1, the best. Then one radius fits
    all objectives, an arm about which nothing is known is believed to be at the worst end, give or take the radius, and
    weights compare ranges. Without one it learns the number itself, negated where it is minimised, and starts from 0.

    Args:
        name: any name that can be hashed.
        minimise: True where less is better, as for a cost; numbers keep their sign wherever the agent says them.
        unit: such as "USD", for people who read explanations.
        low: the least value that is expected; one outside of the range is warned about once, and learned.
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
            if getattr(self, field) is not None:
                number(f"Objective.{field}", getattr(self, field))
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError(f"Objective.low must be below high = {self.high:g}, got {self.low:g}")
        if (self.default is None) != (self.after is None):
            raise ValueError(
                f"Objective.default and after must be given together, got {self.default} and {self.after}"
            )
        if self.after is not None:
            number("Objective.after", self.after, at_least=0.0)

    @property
    def line(self) -> tuple[float, float]:
        """Offset and factor: (reward - offset) factor is what the policy learns, more is better."""
        if self.low is None or self.high is None:
            return 0.0, -1.0 if self.minimise else 1.0
        factor = 1.0 / (self.high - self.low)
        if self.minimise:
            return (self.high, -factor)
        return (self.low, factor)

    @property
    def waits(self) -> bool:
        """Whether a reward that never comes is waited for."""
        return self.default is None

    @property
    def range(self) -> tuple[float, float]:
        """What is expected, infinite where nothing was said."""
        return (
            -math.inf if self.low is None else self.low,
            math.inf if self.high is None else self.high,
        )

    def say(self, value: float) -> str:
        """A value with its unit.

        Example:
            >>> Objective("cost", unit="USD").say(0.00061234)
            '0.000612 USD'
        """
        return f"{value:.3g} {self.unit}".rstrip()


class Scales:
    """Rewards as applications tell them, and as policies learn them: more is better, and ranges become [0, 1].

    Example:
        >>> scales = Scales([Objective("quality"), Objective("cost", minimise=True, low=0.0, high=0.5)])
        >>> scales.inward([0.75, 0.125]), scales.outward(np.array([[0.75, 0.75]])).tolist()
        ([0.75, 0.75], [[0.75, 0.125]])
    """

    def __init__(self, objectives: Sequence[Objective]) -> None:
        self._lines = [each.line for each in objectives]
        self._offset, self._factor = (np.array(each) for each in zip(*self._lines, strict=True))
        self._plain = all(line == (0.0, 1.0) for line in self._lines)

    def inward(self, rewards: list[float]) -> list[float]:
        """(objectives,) what is learned of rewards; NaN stays."""
        if self._plain:
            return rewards
        return [
            (one - offset) * factor
            for one, (offset, factor) in zip(rewards, self._lines, strict=True)
        ]

    def outward(self, learned: Array) -> Array:
        """(arms, objectives) means in the application's terms."""
        told: Array = learned / self._factor + self._offset
        return told


class Expectations:
    """Rewards outside of the range that an objective was said to have are warned about, once per objective."""

    def __init__(self, objectives: Sequence[Objective]) -> None:
        self._names = [each.name for each in objectives]
        self._ranges = [each.range for each in objectives]
        self.any = any(math.isfinite(low) or math.isfinite(high) for low, high in self._ranges)

    def look_at(self, rewards: Sequence[float]) -> None:
        """The rewards of a decision, NaN where not observed."""
        for i, value in enumerate(rewards):
            low, high = self._ranges[i]
            if value < low or value > high:
                self._ranges[i] = -math.inf, math.inf
                said = f"rewards[{quoted(self._names[i])}] were expected in [{low:g}, {high:g}], got {value:g}"
                warnings.warn(said, InputWarning, stacklevel=3)


def objectives_of(given: int | Sequence[Any]) -> tuple[Objective, ...]:
    """Objectives from their number, their names, or as they are.

    Raises:
        ValueError: where there are none, or a name comes twice.

    Example:
        >>> [each.name for each in objectives_of(["quality", Objective("cost", minimise=True)])]
        ['quality', 'cost']
    """
    if isinstance(given, int | np.integer | str) or not isinstance(given, Sequence):
        return tuple(Objective(name) for name in members("objectives", given))
    ready = tuple(each if isinstance(each, Objective) else None for each in given)
    names = members(
        "objectives", [given[i] if one is None else one.name for i, one in enumerate(ready)]
    )
    return tuple(Objective(names[i]) if one is None else one for i, one in enumerate(ready))
