"""Hints in errors and warnings: what to write in place of what an agent cannot take."""

import math
import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from mobandits.agent.decision import Decision
from mobandits.contracts.terms import constants_in_reward_units
from mobandits.errors import InputWarning, LogWarning
from mobandits.logs.objectives import Objective
from mobandits.support.naming import quoted, shortened
from mobandits.support.nearest import did_you_mean, refusal

MOST_LISTED = 10  # names in a message
FEWEST_LOGGED = 100  # decisions, before anything is said of a log: the first ones are always mixed


def listed_names(names: Iterable[Hashable]) -> str:
    """Names as messages list them.

    Example:
        >>> listed_names(["small", ("large", 2)]), listed_names(range(12))[-9:]
        ("'small', ('large', 2)", '8, 9, ...')
    """
    texts = [quoted(name) for name in names]
    listed = ", ".join(texts[:MOST_LISTED])
    if len(texts) > MOST_LISTED:
        listed += ", ..."

    # Ten names may be long texts all the same.
    return shortened(listed)


def on_numbers(value: Any, features: int, arms: int, *, shared: bool | None, batch: bool) -> str:
    """Hint on a context that is not numbers.

    Args:
        value: what was given.
        features: length of a row.
        arms: their number.
        shared: whether one row serves all arms; None: not settled yet.
        batch: whether there are many contexts.

    Example:
        >>> on_numbers("red", 3, 2, shared=True, batch=False)
        '; write 3 numbers (of text, 0 or 1 per category) in the order of the features'
    """
    if features == 0:
        return "; leave it out where features=0"

    categories = " (of text, 0 or 1 per category)" if _has_text(value) else ""
    row = f"{features} numbers{categories} in the order of the features"
    row_per_arm = f"such a row for each of {arms} arms"
    if shared is None:
        wanted = f"{row}, or {row_per_arm}"
    elif shared:
        wanted = row
    else:
        wanted = f"{row}, {row_per_arm}"

    each = "for every context " if batch else ""

    return f"; write {each}{wanted}"


def _has_text(value: Any) -> bool:
    try:
        # As objects: NumPy would turn all numbers beside a text into texts.
        parts = np.asarray(value, object).ravel().tolist()
    except (TypeError, ValueError):
        return False

    return any(isinstance(part, str | bytes) for part in parts)


def on_shape(shape: Sequence[int], features: int, arms: int, *, batch: bool) -> str:
    """Hint on a context of another shape.

    Example:
        >>> on_shape((1, 3), 3, 2, batch=False), on_shape((5, 3), 3, 2, batch=False)
        ('; np.ravel(context) is one row', '; decide_batch takes many contexts')
        >>> on_shape((3,), 3, 2, batch=True)
        '; decide takes one context'
    """
    shape = tuple(shape)
    one_row = (features,)
    # Each piece of advice is for a slip that the shape betrays; without one there is none.
    if batch:
        return "; decide takes one context" if shape == one_row else ""
    if shape == () and features != 1:
        return f"; write a list of {features} numbers"
    if math.prod(shape) == features:
        return "; np.ravel(context) is one row"

    is_batch = len(shape) > 1 and shape[1:] in (one_row, (arms, features))

    return "; decide_batch takes many contexts" if is_batch else ""


def on_rows(given: Iterable[Any], names: Sequence[Hashable]) -> str | None:
    """Hint on a dictionary in the place of a context; None where all its keys are arms.

    Example:
        >>> on_rows({"mid": [1.0], "large": [2.0]}, ["small", "large"])
        "context must have rows of the agent's arms, which are 'small', 'large', got 'mid'"
    """
    keys = list(given)
    unknown = [name for name in keys if name not in names]
    if not unknown:
        return None

    first = unknown[0]
    if len(unknown) < len(keys):
        rule = f"have rows of the agent's arms, which are {listed_names(names)}"
        return refusal("context", rule, first, names)

    # With no arm among its keys, it is a dictionary of something else, such as features.
    wanted = f"context must be numbers, or {{arm: row}} with the arms {listed_names(names)}"

    return f"{wanted}, got a dictionary with {quoted(first)}"


def on_arm(given: Any, names: Sequence[Hashable]) -> str:
    """Hint on a name that is no arm's.

    Example:
        >>> on_arm(True, ["small", "large"])
        '; of a mask write [arm for arm, may in zip(agent.arms, mask) if may]'
        >>> on_arm(1, ["small", "large"]), on_arm("smal", ["small", "large"])
        ('; a position i is written agent.arms[i]', '; did you mean small?')
    """
    if isinstance(given, bool | np.bool_):  # which are integers too, so that this comes first
        return "; of a mask write [arm for arm, may in zip(agent.arms, mask) if may]"
    if isinstance(given, int | np.integer) and 0 <= given < len(names):
        return "; a position i is written agent.arms[i]"

    return did_you_mean(given, names)


def on_rewards(objectives: Sequence[Hashable]) -> str:
    """Hint on rewards of another shape.

    Example:
        >>> on_rewards(["cost"])
        "; write a number for each of 'cost', NaN where not observed, or {objective: number}"
    """
    listed = listed_names(objectives)
    return (
        f"; write a number for each of {listed}, NaN where not observed, or {{objective: number}}"
    )


def warn_of_units(recipe: Any, objectives: Sequence[Objective]) -> None:
    """Warn of a constant in units of the rewards, where one of them has a unit and no range.

    A radius of 0.3 is a third of a range, and says nothing of dollars.
    """
    constant = next(constants_in_reward_units(recipe), None)
    if constant is None:
        return

    for each in objectives:
        has_range = each.low is not None and each.high is not None
        if each.unit and not has_range:
            message = (
                f"{constant} is in {each.unit} for objective {quoted(each.name)}, which has no "
                "range; give Objective low and high, or write scale='data'"
            )
            # Of the line that makes the agent.
            warnings.warn(message, InputWarning, stacklevel=3)
            return


class LogHints:
    """Counts decisions of a log whose arm was certain, and warns once where these are most.

    Such a log says nothing of arms that were not played: no other policy can be valued on it.
    Decisions between several arms count, whose propensity is known.

    Example:
        >>> hints = LogHints()
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     for number in range(200):
        ...         hints.check([Decision(number, "a", 1.0, eligible=("a", "b"))])
        >>> len(caught)
        1
    """

    def __init__(self) -> None:
        self._decisions = 0
        self._certain = 0
        self._has_warned = False

    def check(self, decisions: Iterable[Decision]) -> None:
        """Count decisions before they are written; a warning may be an error, and is given once."""
        for decision in decisions:
            if decision.propensity is None or len(decision.eligible) < 2:
                continue

            self._decisions += 1
            self._certain += decision.propensity >= 1.0

        # Compared over all decisions: a policy that has learned is certain more and more often.
        is_mostly_certain = 2 * self._certain > self._decisions
        if self._has_warned or self._decisions < FEWEST_LOGGED or not is_mostly_certain:
            return

        self._has_warned = True
        message = (
            f"{self._certain} of {self._decisions} decisions in the log were certain (propensity "
            "1), so that it cannot value other policies; WithFloor(recipe, epsilon) gives every "
            "arm a known probability"
        )
        # Of the line that calls `Agent.decide`, which calls its core, and that what writes the log.
        warnings.warn(message, LogWarning, stacklevel=5)
