"""Ranges that recipes assume of contexts and rewards, and how they are enforced."""

import warnings

import numpy as np

from mobandits.contracts.protocols import Array, Assumption
from mobandits.errors import InputWarning

SLACK = 1e-9  # rounding: a vector that was divided by its norm may be longer than 1

UNIT_REWARDS = Assumption(
    "rewards", 0.0, 1.0, refuse=False, because="its widths are made for that range"
)
UNIT_CUBE = Assumption(
    "contexts", 0.0, 1.0, refuse=True, because="its cells partition the unit cube"
)
UNIT_BALL = Assumption("norms", 0.0, 1.0, refuse=False, because="the theory's width needs them")

NOUNS = {"contexts": "contexts", "rewards": "rewards", "norms": "norms of features"}


def first_violation(assumption: Assumption, contexts: Array, rewards: Array) -> float | None:
    """A number outside the range of an assumption, or None where there is no such number.

    Args:
        assumption: what to look for.
        contexts: (..., features).
        rewards: any shape; NaN is not observed.

    Example:
        >>> first_violation(UNIT_REWARDS, np.zeros((1, 1, 0)), np.array([0.5, np.nan, 1.5]))
        1.5
        >>> first_violation(UNIT_BALL, np.array([[0.6, 0.8]]), np.zeros(2)) is None
        True
    """
    if assumption.about == "rewards":
        values = rewards
    elif assumption.about == "norms":
        values = np.sqrt((contexts * contexts).sum(-1))
    else:
        values = contexts

    if not values.size:
        return None
    # Simulations ask this of every block: where all is well, two passes are enough. With NaN among
    # the values both comparisons are false, and the masks below leave it out.
    if values.min() >= assumption.low and values.max() <= assumption.high:
        return None

    below = values < assumption.low - SLACK
    above = values > assumption.high + SLACK
    violations = values[below | above]

    return float(violations[0]) if violations.size else None


def message(assumption: Assumption) -> str:
    """The sentence about data that break an assumption.

    It is the same in every trial and names no number, so that a warning is shown once.

    Example:
        >>> from mobandits.policies import Ucb1
        >>> message(Ucb1().assumptions()[0])
        'Ucb1 needs rewards in [0, 1], because its widths are made for that range; \
Ucb1(check=False) plays on'
    """
    recipe = assumption.of
    noun = NOUNS[assumption.about]
    bounds = f"[{assumption.low:g}, {assumption.high:g}]"
    remedy = f"{recipe}(check=False) plays on"

    return f"{recipe} needs {noun} in {bounds}, because {assumption.because}; {remedy}"


def enforce(
    assumption: Assumption,
    contexts: Array,
    rewards: Array,
    *,
    prefix: str = "",
    stacklevel: int = 1,
) -> bool:
    """Whether data break an assumption that allows it; there is a warning then.

    This is the only place where an assumption becomes an error or a warning: simulations, agents,
    evaluations and the estimators for scikit-learn differ in which data they show it, and when.

    Args:
        assumption: what the data must keep.
        contexts: (..., features).
        rewards: any shape; NaN is not observed.
        prefix: what the message begins with, such as the name of a row.
        stacklevel: of the warning, as if the caller gave it.

    Returns:
        True after a warning, so that the caller need not ask again.

    Raises:
        ValueError: naming the assumption and a number outside its range, where it refuses such
            data.

    Example:
        >>> enforce(UNIT_CUBE._replace(of="MocMab"), np.array([[2.0]]), np.zeros(0))
        Traceback (most recent call last):
        ValueError: MocMab needs contexts in [0, 1], because its cells partition the unit cube; \
MocMab(check=False) plays on, got 2
    """
    violation = first_violation(assumption, contexts, rewards)
    if violation is None:
        return False

    text = f"{prefix}{message(assumption)}"
    if assumption.refuse:
        raise ValueError(f"{text}, got {violation:g}")

    warnings.warn(text, InputWarning, stacklevel=stacklevel + 1)

    return True
