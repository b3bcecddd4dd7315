"""Checks of arguments: every error names the parameter, the rule and the value."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, Recipe
from mobandits.support.naming import quoted, wrong_value
from mobandits.support.nearest import refusal

# Looked up once: agents ask in every call.
DOUBLE = np.dtype(np.float64)
FLOATS = frozenset((float,))
PLAIN_TYPES = frozenset((np.ndarray, float, int))

# The largest size of a number in a log: squares of such numbers, and sums of many of them, stay
# finite. A larger one would make a regression NaN, which no later reward mends.
LARGEST = 1e100
# The largest size of a feature that an agent decides on. Its square is far above 2^53, so that the
# regression has no digit left for other features; times in seconds (1.8e9) are below.
LARGEST_FEATURE = 1e10

# Kinds of numbers that become doubles: booleans, integers, floats, and objects, each of which is
# asked. Text and complex numbers would be converted in silence.
REAL_KINDS = "biufO"


def number(
    name: str,
    value: Any,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    below: float = math.inf,
    at_most: float = math.inf,
) -> None:
    """Refuse what is not a finite number inside the bounds.

    Example:
        >>> number("MolTs.scale", -1.0, above=0)
        Traceback (most recent call last):
        ValueError: MolTs.scale must be above 0, got -1.0
    """
    if not _is_finite_number(value):
        raise wrong_value(f"{name} must be a finite number", value)

    rules = [
        (value > above, f"above {above:g}"),
        (value >= at_least, f"at least {at_least:g}"),
        (value < below, f"below {below:g}"),
        (value <= at_most, f"at most {at_most:g}"),
    ]
    for holds, rule in rules:
        if not holds:
            raise wrong_value(f"{name} must be {rule}", value)


def _is_finite_number(value: Any) -> bool:
    # True would count as 1: a switch in the place of a number is a mistake.
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False

    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that is too large for a float
        return False


def integer(name: str, value: Any, *, at_least: int, at_most: int | None = None) -> None:
    """Refuse what is not an integer inside the bounds.

    Example:
        >>> integer("rounds", 2.5, at_least=1)
        Traceback (most recent call last):
        ValueError: rounds must be an integer of at least 1, got 2.5
    """
    is_integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_integer or value < at_least:
        raise wrong_value(f"{name} must be an integer of at least {at_least}", value)
    if at_most is not None and value > at_most:
        raise wrong_value(f"{name} must be at most {at_most}", value)


def horizon(rounds: Any, limit: int | None, environment: Any) -> None:
    """Refuse a number of rounds that an environment does not have.

    Args:
        rounds: to be played.
        limit: the longest horizon; None where there is none.
        environment: for the message.

    Example:
        >>> horizon(9, 5, "a log")
        Traceback (most recent call last):
        ValueError: rounds must be at most 5 in 'a log', got 9
    """
    integer("rounds", rounds, at_least=1)
    if limit is not None and rounds > limit:
        raise wrong_value(f"rounds must be at most {limit} in {quoted(environment)}", rounds)


def choice(name: str, value: Any, valid: Iterable[str]) -> None:
    """Refuse an unknown name, with the nearest valid one.

    Example:
        >>> choice("policy", "mol-tss", ["mol-ts", "mol-ucb"])
        Traceback (most recent call last):
        ValueError: policy: 'mol-tss' is unknown; did you mean mol-ts? It must be one of mol-ts, mol-ucb
    """
    names = sorted(valid)
    # Whether an array is in a list has no answer.
    if isinstance(value, np.ndarray) or value not in names:
        raise ValueError(refusal(name, f"be one of {', '.join(names)}", value, names))


def flag(name: str, value: Any) -> None:
    """Refuse a parameter that is neither True nor False.

    Example:
        >>> flag("NetworkRouting.constant", "no")
        Traceback (most recent call last):
        ValueError: NetworkRouting.constant must be True or False, got 'no'
    """
    if not isinstance(value, bool):
        raise wrong_value(f"{name} must be True or False", value)


def is_compiled_layout(value: Any) -> bool:
    """Whether an array has the one layout that loops are compiled for.

    That is doubles, contiguous, aligned and writable.

    Example:
        >>> is_compiled_layout(np.zeros(3)), is_compiled_layout(np.zeros(3, np.float32))
        (True, False)
        >>> is_compiled_layout([0.0])
        False
    """
    # Subclasses of arrays are other types to Numba. `is` because NumPy has one such type, and to
    # compare types takes longer than the rest; agents ask this in every decision.
    is_array_of_doubles = type(value) is np.ndarray and value.dtype is DOUBLE
    return is_array_of_doubles and value.flags.carray


def is_masked(value: Any) -> bool:
    """Whether some entry is masked, in a masked array of NumPy or in a list with such arrays in it.

    Example:
        >>> is_masked(np.ma.array([1.0, 2.0], mask=[False, True])), is_masked([1.0, np.ma.masked])
        (True, True)
        >>> is_masked([1.0])
        False
    """
    if isinstance(value, (list, tuple)):
        # Most lists have floats alone, and they may be long.
        return not FLOATS.issuperset(map(type, value)) and any(map(is_masked, value))

    # `np.ma` is loaded on its first use, which takes 10 ms: plain arrays and numbers need none of it.
    if type(value) in PLAIN_TYPES:
        return False
    return bool(np.ma.is_masked(value))


def as_float_array(name: str, value: Any, rule: str = "numbers") -> Array:
    """`value` as doubles in the layout of `is_compiled_layout`.

    It is copied only where it has another one; single precision takes one pass.

    Args:
        name: of the parameter.
        value: what was given.
        rule: what it must be, for the error.

    Raises:
        ValueError: where they are not real numbers, are too large to be doubles, or are masked.

    Example:
        >>> as_float_array("context", [1, 2]).dtype.name
        'float64'
        >>> as_float_array("context", ["1", "2"])
        Traceback (most recent call last):
        ValueError: context must be numbers, got ['1', '2']
    """
    # A list of floats, as most contexts and rewards are, needs no closer look.
    if type(value) is list and FLOATS.issuperset(map(type, value)):
        return np.array(value, np.float64)
    if is_compiled_layout(value):
        array: Array = value
        return array
    if is_masked(value):  # NumPy would read the values under the mask
        raise wrong_value(f"{name} must have no masked entries", value)

    try:
        numbers = np.asarray(value)
        if numbers.dtype.kind not in REAL_KINDS:
            raise TypeError(f"numbers of type {numbers.dtype}")  # noqa: TRY301

        return np.require(numbers, np.float64, ("C", "A", "W"))
    # An OverflowError comes of integers that are too large for a float.
    except (TypeError, ValueError, OverflowError) as error:
        raise wrong_value(f"{name} must be {rule}", value) from error


def matrix(name: str, value: Any, axes: tuple[str, str]) -> Array:
    """`value` as a matrix of finite doubles with at least one row and column.

    C-contiguous and writable, a copy where need be: another layout would be another compilation.

    Example:
        >>> matrix("means", [1.0, 2.0], ("arms", "objectives"))
        Traceback (most recent call last):
        ValueError: means must have shape (arms, objectives), got (2,)
    """
    rows, columns = axes
    shape = f"shape ({rows}, {columns})"
    array = as_float_array(name, value, f"numbers of {shape}")
    if array.ndim != 2:
        raise ValueError(f"{name} must have {shape}, got {array.shape}")
    if 0 in array.shape:
        raise ValueError(f"{name} must not be empty, got shape {array.shape}")

    finite = np.isfinite(array)
    if not finite.all():
        i, j = np.argwhere(~finite)[0].tolist()
        # The names of the axes without their s: "at arm 0, objective 1".
        place = f"{rows[:-1]} {i}, {columns[:-1]} {j}"
        raise ValueError(f"{name} must be finite, got {array[i, j]} at {place}")

    return array


def require_complete(recipe: Recipe, reward: Any) -> None:
    """Refuse a reward that was observed in part, where the recipe cannot learn from parts.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Whole(Recipe):
        ...     accepts_partial = False
        >>> require_complete(Whole(), [1.0, float("nan")])
        Traceback (most recent call last):
        ValueError: Whole must observe all objectives of a reward at once, got [1.0, nan]
    """
    if recipe.accepts_partial or not np.isnan(reward).any():
        return

    name = type(recipe).__name__
    objectives = np.asarray(reward).tolist()
    raise wrong_value(f"{name} must observe all objectives of a reward at once", objectives)
