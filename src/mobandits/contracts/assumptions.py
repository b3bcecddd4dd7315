"""Ranges that recipes assume of contexts and rewards, and what is said where the data leave them."""

from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, Assumption

SLACK = 1e-9  # rounding: a vector that was divided by its norm may be longer than 1

UNIT_REWARDS = Assumption(
    "rewards", 0.0, 1.0, refuse=False, because="its widths are made for that range"
)
UNIT_CUBE = Assumption(
    "contexts", 0.0, 1.0, refuse=True, because="its cells partition the unit cube"
)
UNIT_BALL = Assumption("norms", 0.0, 1.0, refuse=False, because="the theory's width needs them")

SAID = {"contexts": "contexts", "rewards": "rewards", "norms": "norms of features"}


def first_violation(assumption: Assumption, contexts: Array, rewards: Array) -> float | None:
    """A number of `contexts` (..., features) or `rewards` (any shape) outside the range, or None; NaN is not observed.

    Example:
        >>> first_violation(UNIT_REWARDS, np.zeros((1, 1, 0)), np.array([0.5, np.nan, 1.5]))
        1.5
        >>> first_violation(UNIT_BALL, np.array([[0.6, 0.8]]), np.zeros(2)) is None
        True
    """
    values = rewards if assumption.about == "rewards" else contexts
    if assumption.about == "norms":
        values = np.sqrt((contexts * contexts).sum(-1))
    if not values.size or (values.min() >= assumption.low and values.max() <= assumption.high):
        return None  # what is looked at in every block costs two passes
    beyond = values[(values < assumption.low - SLACK) | (values > assumption.high + SLACK)]
    return float(beyond[0]) if beyond.size else None


def declared(recipe: Any, *assumptions: Assumption) -> tuple[Assumption, ...]:
    """What a recipe assumes unless its parameter `check` is False.

    Example:
        >>> from mobandits.policies import Ucb1
        >>> declared(Ucb1(check=False), UNIT_REWARDS)
        ()
    """
    if recipe.check:
        return tuple(one._replace(of=type(recipe).__name__) for one in assumptions)
    return ()


def message(assumption: Assumption) -> str:
    """What is said; the same text in every trial, so that a warning is shown once.

    Example:
        >>> from mobandits.policies import Ucb1
        >>> message(Ucb1().assumptions()[0])
        'Ucb1 needs rewards in [0, 1], because its widths are made for that range; Ucb1(check=False) plays on'
    """
    needs = f"{assumption.of} needs {SAID[assumption.about]} in [{assumption.low:g}, {assumption.high:g}]"
    return f"{needs}, because {assumption.because}; {assumption.of}(check=False) plays on"
