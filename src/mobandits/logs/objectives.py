"""Objectives: name, direction, unit, range, and the default of a reward that never came."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.contracts.terms import ApplicationTerms
from mobandits.support.checks import LARGEST, choice, flag, number
from mobandits.support.naming import quoted, shortened, wrong_value
from mobandits.support.nearest import refusal


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
        low: the least value that is expected.
        high: the largest one; above `low`.
        default: what is learned where nothing came within `after` seconds; None: wait.
        after: seconds after the decision; needed with `default`.
        outside: what becomes of a value outside of the range: "warn" warns once and learns it,
            "reject" refuses it before anything changes.

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
    outside: Literal["warn", "reject"] = "warn"

    def __post_init__(self) -> None:
        flag("Objective.minimise", self.minimise)
        if not isinstance(self.unit, str):
            raise wrong_value("Objective.unit must be a text", self.unit)

        for field in ("low", "high", "default"):
            value = getattr(self, field)
            if value is not None:
                number(f"Objective.{field}", value)
                # As Python's number: NumPy's small ones cannot be compared with large limits.
                number(f"Objective.{field}", float(value), at_least=-LARGEST, at_most=LARGEST)

        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError(f"Objective.low must be below high = {self.high:g}, got {self.low:g}")
        choice("Objective.outside", self.outside, ("warn", "reject"))
        if self.outside == "reject" and self.low is None and self.high is None:
            raise ValueError("Objective.outside must be 'warn' without low and high, got 'reject'")

        # A default without a time would never be learned, and a time without one brings nothing.
        if (self.default is None) != (self.after is None):
            given = f"{quoted(self.default)} and {quoted(self.after)}"
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

    @property
    def bounded_range(self) -> tuple[float, float]:
        """The range, or 0 to 1 where none was given, or half of one."""
        low, high = self.range
        is_bounded = math.isfinite(high - low)

        return (low, high) if is_bounded else (0.0, 1.0)

    @property
    def title(self) -> str:
        """The name with its unit, as a heading says it.

        Example:
            >>> Objective("cost", unit="USD").title, Objective("clicks").title
            ('cost, USD', 'clicks')
        """
        return f"{self.name}, {self.unit}" if self.unit else str(self.name)

    def say(self, value: float) -> str:
        """A value with its unit.

        Example:
            >>> Objective("cost", unit="USD").say(0.00061234)
            '0.000612 USD'
        """
        number = f"{value:.3g}"
        return f"{number} {self.unit}".rstrip()


Objectives = tuple[Objective, ...]
Names = tuple[Hashable, ...]  # of arms, in the order of rows of contexts, or of objectives
Places = Mapping[Any, int]  # of objectives among all, by name


def terms_of(objectives: Sequence[Objective], slots: Mapping[Hashable, int]) -> ApplicationTerms:
    """The terms in which recipes with limits or arms of their own speak of a problem.

    Args:
        objectives: of the problem.
        slots: {arm: slot}.
    """
    return ApplicationTerms(
        objectives=tuple(each.name for each in objectives),
        lines=tuple(each.line for each in objectives),
        minimised=tuple(each.minimise for each in objectives),
        arms=slots,
        ranges=tuple(each.range for each in objectives),
    )


def signs_of(objectives: Sequence[Objective]) -> Array:
    """(objectives,) 1 where more is better, and -1 where less is.

    Example:
        >>> signs_of([Objective("quality"), Objective("cost", minimise=True)]).tolist()
        [1.0, -1.0]
    """
    return np.array([-1.0 if each.minimise else 1.0 for each in objectives])


def learned_rewards(objectives: Sequence[Objective], rewards: Array) -> Array:
    """(rounds, objectives) what policies learn of rewards in their own directions and units.

    It is ``(reward - offset) factor`` of each objective's `line`; NaN stays.

    Example:
        >>> cost = Objective("cost", minimise=True, low=0.0, high=0.5)
        >>> learned_rewards([Objective("quality"), cost], np.array([[0.75, 0.125]])).tolist()
        [[0.75, 0.75]]
    """
    lines = np.array([each.line for each in objectives])
    learned: Array = np.ascontiguousarray((rewards - lines[:, 0]) * lines[:, 1])
    return learned


def refuse_contradiction(mine: Objective, theirs: Objective) -> None:
    """Refuse rewards of a log that mean something else than an objective of the same name.

    Raises:
        ValueError: naming the objective, its direction or unit, and those of the log.

    Example:
        >>> refuse_contradiction(Objective("cost", minimise=True), Objective("cost"))
        Traceback (most recent call last):
        ValueError: log must have objective 'cost' minimised, as it is described, got maximised; \
write Objective('cost', minimise=True)
    """
    if mine.minimise != theirs.minimise:
        wanted, found = ("minimised", "maximised") if mine.minimise else ("maximised", "minimised")
        rule = f"log must have objective {quoted(mine.name)} {wanted}, as it is described"
        advice = f"write Objective({quoted(mine.name)}, minimise={mine.minimise})"
        raise ValueError(f"{rule}, got {found}; {advice}")
    # A log without units may be of any.
    if mine.unit and theirs.unit and mine.unit != theirs.unit:
        raise wrong_value(
            f"log must have objective {quoted(mine.name)} in {mine.unit}, as it is described",
            theirs.unit,
        )


def as_objective(given: Any) -> Objective:
    """An objective, from itself or from its name.

    Example:
        >>> as_objective("quality").minimise
        False
    """
    return given if isinstance(given, Objective) else Objective(given)


def objectives_of_columns(
    rewards: Any, minimise: Any = (), known: Sequence[Objective] = ()
) -> dict[Objective, str]:
    """{objective: column} of a table, from what a caller says of its columns.

    Args:
        rewards: {objective: column}, or objectives whose columns have their names, or one of them.
            An objective is a name or an `Objective`.
        minimise: names of those of which less is better, or one of them.
        known: objectives that are what they are unless the caller says more: those of the agent
            that asks.

    Raises:
        ValueError: where there is none, where `minimise` names something else, or where it
            contradicts an `Objective` or what is known.

    Example:
        >>> cost = Objective("cost", minimise=True, unit="USD")
        >>> columns = objectives_of_columns(["quality", "cost"], known=[cost])
        >>> [(each.name, each.unit, column) for each, column in columns.items()]
        [('quality', '', 'quality'), ('cost', 'USD', 'cost')]
    """
    # Text is a sequence, too: of letters, none of which is a column.
    several = [rewards] if isinstance(rewards, str | Objective) else rewards
    if not isinstance(several, Mapping):
        several = {each: as_objective(each).name for each in several}
    if not several:
        raise ValueError("rewards must name at least one column, got none")

    minimised = [minimise] if isinstance(minimise, str) else list(minimise)
    known_by_name = {each.name: each for each in known}
    columns = {}
    for given, column in several.items():
        objective = given
        if not isinstance(given, Objective):
            objective = known_by_name.get(given, Objective(given))

        columns[objective] = column

    names = [each.name for each in columns]
    for name in minimised:
        if name not in names:
            listed = shortened(", ".join(map(str, names)))
            raise ValueError(refusal("minimise", f"name rewards, which are {listed}", name, names))

    return {_directed(each, minimised, known): column for each, column in columns.items()}


def _directed(
    objective: Objective, minimised: Sequence[Any], known: Sequence[Objective]
) -> Objective:
    """An objective as `minimise` has it, which must not contradict who knows better."""
    is_named = objective.name in minimised
    is_known = objective in known
    if is_named == objective.minimise or not minimised:
        return objective

    # Of an `Objective` that a caller describes as minimised, `minimise` need not say so again.
    is_said = objective != Objective(objective.name)
    if is_said and not is_named and not is_known:
        return objective
    if is_said or is_known:
        direction = "minimised" if objective.minimise else "maximised"
        raise wrong_value(
            f"minimise must have {quoted(objective.name)} as it is described, {direction}",
            list(minimised),
        )

    return replace(objective, minimise=True)


def means_by_group(rewards: Array, groups: IntArray) -> Array:
    """Means of the observed rewards of groups of rounds, of shape (groups, objectives).

    Args:
        rewards: (rounds, objectives), NaN where not observed.
        groups: (rounds,) numbers of the groups, from 0; a mean is NaN where nothing was observed.
    """
    is_known = ~np.isnan(rewards)
    known = np.zeros(rewards.shape)
    sums = np.zeros(rewards.shape)
    np.add.at(known, groups, is_known)
    np.add.at(sums, groups, np.where(is_known, rewards, 0.0))
    with np.errstate(invalid="ignore"):
        means: Array = sums / known

    return means
