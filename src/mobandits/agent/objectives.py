"""An agent's objectives at work: rewards as policies learn them, and warnings outside of ranges."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from mobandits.agent.inputs import name_tuple
from mobandits.contracts.protocols import Array
from mobandits.errors import InputWarning
from mobandits.logs.objectives import Objective, Objectives, as_objective
from mobandits.support.naming import quoted


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

        pairs = zip(rewards, self._lines, strict=True)
        return [(value - offset) * factor for value, (offset, factor) in pairs]

    def outward(self, learned: Array) -> Array:
        """(arms, objectives) means in the application's terms."""
        distances = learned / self._factor
        means: Array = distances + self._offset
        return means


class Expectations:
    """Warns of rewards outside of the range of their objective, once per objective, or refuses them.

    Attributes:
        any: whether an objective has a range at all: most have none, and need no check.
    """

    def __init__(self, objectives: Sequence[Objective]) -> None:
        unlimited = (-math.inf, math.inf)
        self._objectives = objectives
        self._ranges = [each.range for each in objectives]

        self.any = any(limits != unlimited for limits in self._ranges)

    def check(self, rewards: Sequence[float]) -> None:
        """Check the rewards of a decision, NaN where not observed.

        Raises:
            ValueError: where one is outside, and its objective rejects that.
        """
        for i, value in enumerate(rewards):
            low, high = self._ranges[i]
            is_expected = not (value < low or value > high)  # so for NaN too
            if is_expected:
                continue

            objective = self._objectives[i]
            name = quoted(objective.name)
            limits = f"[{low:g}, {high:g}]"
            if objective.outside == "reject":
                raise ValueError(f"rewards[{name}] must be in {limits}, got {value:g}")

            self._ranges[i] = (-math.inf, math.inf)
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


def as_objectives(given: int | Sequence[Any]) -> Objectives:
    """Objectives from their number, their names, or as they are.

    Raises:
        ValueError: where there are none, or a name comes twice.

    Example:
        >>> [each.name for each in as_objectives(["quality", Objective("cost", minimise=True)])]
        ['quality', 'cost']
    """
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    # A number, one name, which is refused, or what becomes a list of names, such as an array.
    listed: Any = given if is_list else name_tuple("objectives", given)
    objectives = tuple(map(as_objective, listed))
    name_tuple("objectives", [each.name for each in objectives])

    return objectives
