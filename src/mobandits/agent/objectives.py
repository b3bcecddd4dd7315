"""What an agent is paid in: names with a direction, a unit, a range, and what to do where a reward never comes."""

import math
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.agent.inputs import members
from mobandits.kernel.assumptions import InputWarning
from mobandits.kernel.checks import number


@dataclass(frozen=True)
class Objective:
    """One of the rewards of a decision, in the application's own direction and unit.

    Args:
        name: any name that can be hashed.
        minimise: True where less is better, as for a cost; numbers keep their sign wherever the agent says them.
        unit: such as "USD", for people who read explanations.
        low: the least value that is expected; one outside of the range is warned about once, and learned.
        high: the largest one.
        default: what is learned where nothing came within `after` seconds; None: wait.
        after: seconds after the decision; needed with `default`.

    Raises:
        ValueError: naming parameter, rule and value.

    Example:
        >>> Objective("cost", minimise=True, unit="USD").sign
        -1.0
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
            raise ValueError(f"Objective.minimise must be True or False, got {self.minimise!r}")  # noqa: TRY004
        if not isinstance(self.unit, str):
            raise ValueError(f"Objective.unit must be a text, got {self.unit!r}")  # noqa: TRY004
        for field in ("low", "high", "default"):
            if getattr(self, field) is not None:
                number(f"Objective.{field}", getattr(self, field))
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"Objective.low must be at most high = {self.high:g}, got {self.low:g}")
        if (self.default is None) != (self.after is None):
            raise ValueError(f"Objective.default and after must be given together, got {self.default} and {self.after}")
        if self.after is not None:
            number("Objective.after", self.after, at_least=0.0)

    @property
    def sign(self) -> float:
        """Factor that makes more better."""
        return -1.0 if self.minimise else 1.0

    @property
    def waits(self) -> bool:
        """Whether a reward that never comes is waited for."""
        return self.default is None

    @property
    def range(self) -> tuple[float, float]:
        """What is expected, infinite where nothing was said."""
        return -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high

    def say(self, value: float) -> str:
        """A value with its unit.

        Example:
            >>> Objective("cost", unit="USD").say(0.00061234)
            '0.000612 USD'
        """
        return f"{value:.3g} {self.unit}".rstrip()


class Expectations:
    """Rewards outside of the range that an objective was said to have are warned about, once per objective."""

    def __init__(self, objectives: Sequence[Objective]) -> None:
        self._names, self._ranges = [each.name for each in objectives], [each.range for each in objectives]
        self.any = any(math.isfinite(low) or math.isfinite(high) for low, high in self._ranges)

    def look_at(self, rewards: Sequence[float]) -> None:
        """The rewards of a decision, NaN where not observed."""
        for i, value in enumerate(rewards):
            low, high = self._ranges[i]
            if value < low or value > high:
                self._ranges[i] = -math.inf, math.inf
                said = f"rewards[{self._names[i]!r}] were expected in [{low:g}, {high:g}], got {value:g}"
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
    names = members("objectives", [given[i] if one is None else one.name for i, one in enumerate(ready)])
    return tuple(Objective(names[i]) if one is None else one for i, one in enumerate(ready))
