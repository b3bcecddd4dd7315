"""Checks at the face: every error says the parameter, the rule and the value."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, Recipe
from mobandits.support.naming import quoted
from mobandits.support.nearest import did_you_mean

DOUBLE = np.dtype(np.float64)


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
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float, np.integer, np.floating))
        or not _is_finite(value)
    ):
        raise ValueError(f"{name} must be a finite number, got {quoted(value)}")
    rules = [
        (value > above, f"above {above:g}"),
        (value >= at_least, f"at least {at_least:g}"),
        (value < below, f"below {below:g}"),
        (value <= at_most, f"at most {at_most:g}"),
    ]
    for holds, rule in rules:
        if not holds:
            raise ValueError(f"{name} must be {rule}, got {quoted(value)}")


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that is too large for a float
        return False


def integer(name: str, value: Any, *, at_least: int) -> None:
    """Refuse what is not an integer of at least `at_least`.

    Example:
        >>> integer("rounds", 2.5, at_least=1)
        Traceback (most recent call last):
        ValueError: rounds must be an integer of at least 1, got 2.5
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < at_least:
        raise ValueError(f"{name} must be an integer of at least {at_least}, got {quoted(value)}")


def choice(name: str, value: Any, valid: Iterable[str]) -> None:
    """Refuse an unknown name, and say the nearest valid one.

    Example:
        >>> choice("policy", "mol-tss", ["mol-ts", "mol-ucb"])
        Traceback (most recent call last):
        ValueError: policy must be one of mol-ts, mol-ucb, got 'mol-tss'; did you mean mol-ts?
    """
    known = sorted(valid)
    if isinstance(value, np.ndarray) or value not in known:
        raise ValueError(
            f"{name} must be one of {', '.join(known)}, got {quoted(value)}{did_you_mean(value, known)}"
        )


def is_compiled_layout(value: Any) -> bool:
    """Whether `value` is memory of the one kind that is compiled for: doubles, contiguous, aligned, writable.

    Example:
        >>> is_compiled_layout(np.zeros(3)), is_compiled_layout([0.0]), is_compiled_layout(np.zeros(3, np.float32))
        (True, False, False)
    """
    return type(value) is np.ndarray and value.dtype is DOUBLE and value.flags.carray


def is_masked(value: Any) -> bool:
    """Whether some entry is masked, in a masked array of NumPy or in a list with such arrays in it.

    Example:
        >>> is_masked(np.ma.array([1.0, 2.0], mask=[False, True])), is_masked([1.0, np.ma.masked]), is_masked([1.0])
        (True, True, False)
    """
    if isinstance(value, np.ma.MaskedArray):
        return bool(np.ma.is_masked(value))
    if isinstance(value, (list, tuple)):
        for part in value:
            if type(part) is not float and is_masked(part):
                return True
    return False


def as_float_array(name: str, value: Any, rule: str = "numbers") -> Array:
    """`value` as doubles in the layout of `is_compiled_layout`, copied only where it has another.

    Single precision takes one pass.

    Raises:
        ValueError: where they are not real numbers, are too large to be doubles, or are masked.

    Example:
        >>> as_float_array("context", [1, 2]).dtype.name
        'float64'
        >>> as_float_array("context", ["1", "2"])
        Traceback (most recent call last):
        ValueError: context must be numbers, got ['1', '2']
    """
    if is_compiled_layout(value):
        ready: Array = value
        return ready
    if is_masked(value):  # NumPy would read the values under the mask
        raise ValueError(f"{name} must have no masked entries, got {quoted(value)}")
    try:
        array = np.asarray(value)
        if (
            array.dtype.kind not in "biufO"
        ):  # text and complex numbers would be converted in silence
            raise TypeError(f"numbers of type {array.dtype}")  # noqa: TRY301
        return np.require(array, np.float64, ("C", "A", "W"))
    except (
        TypeError,
        ValueError,
        OverflowError,
    ) as error:  # the last of integers that are too large for a float
        raise ValueError(f"{name} must be {rule}, got {quoted(value)}") from error


def matrix(name: str, value: Any, axes: tuple[str, str]) -> Array:
    """`value` as a matrix of finite doubles with at least one row and column.

    C-contiguous and writable, a copy where need be: memory of another kind would be another compilation.

    Example:
        >>> matrix("means", [1.0, 2.0], ("arms", "objectives"))
        Traceback (most recent call last):
        ValueError: means must have shape (arms, objectives), got (2,)
    """
    array = as_float_array(name, value, f"numbers of shape ({axes[0]}, {axes[1]})")
    if array.ndim != 2:
        raise ValueError(f"{name} must have shape ({axes[0]}, {axes[1]}), got {array.shape}")
    if 0 in array.shape:
        raise ValueError(f"{name} must not be empty, got shape {array.shape}")
    finite = np.isfinite(array)
    if not finite.all():
        row, column = np.argwhere(~finite)[0].tolist()
        raise ValueError(
            f"{name} must be finite, got {array[row, column]} at {axes[0][:-1]} {row}, {axes[1][:-1]} {column}"
        )
    return array


def require_complete(recipe: Recipe, reward: Any) -> None:
    """Refuse a reward that came in part, where the recipe cannot learn parts: what every face does before `update`.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Whole(Recipe):
        ...     accepts_partial = False
        >>> require_complete(Whole(), [1.0, float("nan")])
        Traceback (most recent call last):
        ValueError: Whole must observe all objectives of a reward at once, got [1.0, nan]
    """
    if not recipe.accepts_partial and np.isnan(reward).any():
        name = type(recipe).__name__
        seen = np.asarray(reward).tolist()
        raise ValueError(
            f"{name} must observe all objectives of a reward at once, got {quoted(seen)}"
        )
