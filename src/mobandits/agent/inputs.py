"""What an application hands over, in one form; what is wrong is said by name."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Recipe
from mobandits.support.checks import doubles, integer


def check_recipe(recipe: Any) -> None:
    """Refuse what is no recipe, such as its class."""
    if not isinstance(recipe, Recipe):
        raise ValueError(f"recipe must be a recipe such as MolUcb(scale=0.3), got {recipe!r}")  # noqa: TRY004


def check_counts(**counts: tuple[Any, int]) -> None:
    """Refuse what is not an integer of at least as much: {name: (value, least)}."""
    for name, (value, least) in counts.items():
        integer(name, value, at_least=least)


def members(name: str, given: int | Sequence[Any]) -> tuple[Any, ...]:
    """The names of arms or objectives; a number n stands for 0 to n - 1.

    Raises:
        ValueError: where there are none, where one comes twice, or cannot be hashed.

    Example:
        >>> members("arms", 3), members("arms", ["small", "large"])
        ((0, 1, 2), ('small', 'large'))
    """
    if isinstance(given, int | np.integer) and not isinstance(given, bool) and given >= 1:
        return tuple(range(int(given)))
    wanted = f"{name} must be a number of at least 1, or different names"
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) == 0:
        raise ValueError(f"{wanted}, got {given!r}")
    try:
        twice = len(set(given)) < len(given)
    except TypeError as error:
        raise ValueError(f"{wanted} that can be hashed, got {given!r}") from error
    if twice:
        raise ValueError(f"{wanted}, got {given!r}")
    return tuple(given)


def reward_list(rewards: Any, places: Mapping[Any, int]) -> list[float]:
    """A reward per objective, NaN where it was not observed.

    Args:
        rewards: a number per objective, NaN or None where there is none; or {objective: number} of some.
        places: {objective: position}.

    Raises:
        ValueError: where it has another length, an unknown objective, or a number that is infinite.

    Example:
        >>> reward_list({"cost": -2.0}, {"quality": 0, "cost": 1})
        [nan, -2.0]
    """
    given = _by_name(rewards, places) if isinstance(rewards, Mapping) else rewards
    array = doubles("rewards", given)
    if array.shape != (len(places),):
        raise ValueError(f"rewards must have shape (objectives,) = ({len(places)},), got {array.shape}")
    values: list[float] = array.tolist()
    if math.inf in values or -math.inf in values:
        raise ValueError(f"rewards must be finite, or NaN where not observed, got {values}")
    return values


def _by_name(rewards: Mapping[Any, Any], places: Mapping[Any, int]) -> list[Any]:
    given: list[Any] = [math.nan] * len(places)
    for name, value in rewards.items():
        if name not in places:
            known = ", ".join(map(str, places))
            raise ValueError(f"rewards must name objectives of the agent, which are {known}, got {name!r}")
        given[places[name]] = value
    return given


def merged(known: Sequence[float], new: Sequence[float], names: Sequence[Any]) -> tuple[list[float], list[float]]:
    """What is new in a further part of a reward, and what is known with it; what is told once more is not new.

    Raises:
        ValueError: where something is told again with another value.

    Example:
        >>> nan = float("nan")
        >>> merged([0.5, nan, nan], [0.5, nan, 2.0], ["clicks", "revenue", "time"])
        ([nan, nan, 2.0], [0.5, nan, 2.0])
    """
    fresh, joined = list(new), list(known)
    for i, value in enumerate(new):
        if math.isnan(known[i]):
            joined[i] = value
        elif math.isnan(value) or value == known[i]:
            fresh[i] = math.nan
        else:
            raise ValueError(f"rewards[{names[i]!r}] was {known[i]:g} before and must not change, got {value:g}")
    return fresh, joined
