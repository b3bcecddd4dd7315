"""What states of policies look like from outside: which arrays, of which shapes; files of them are held to that."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mobandits.agent.earlier import completed, sums_of_means
from mobandits.agent.growth import arrays, parts, rebuilt
from mobandits.contracts.protocols import Array
from mobandits.estimators.linear import LinearEstimator
from mobandits.policies.composition import composite
from mobandits.policies.wrappers.periodic import RADIX

ENDLESS = ("Balls",)  # states in which numbers may be infinite
GRAMS = {"RidgeState": (1, 1, None, None, 1, 1), "FixedState": (1, 1, None, None, 1, 1, None, 1)}
BALLS = (1, 0, 0, 1, 1, 1)  # the axis of balls, whose number grows


class Limits(NamedTuple):
    """What numbers of a state are: in [low, high], and whole numbers or not."""

    low: float
    high: float = math.inf
    whole: bool = False


# Of fields that count, by class where it matters; what else must hold, arithmetic finds out (see `Mind.refuse`).
LIMITS = {
    "seen": Limits(0.0, 2.0**53),
    "clock": Limits(0.0, RADIX - 1.0, whole=True),
    "BetaState.alpha": Limits(1.0),
    "BetaState.beta": Limits(1.0),
    "KgState.squares": Limits(0.0),
    "AnnealingState.epsilon": Limits(0.0),
    "Exp3PState.objective": Limits(-1.0, whole=True),
    "Balls.radius": Limits(2.0**-1074, 1.0),
}


def restored(template: Any, given: "list[Array]", objectives: int, version: int) -> Any:
    """A state like `template` with these arrays.

    Args:
        template: the first state of the policy, which the arrays must be like: in number, type and shape, except for
            Gram matrices, which rewards in part multiply by the number of objectives, and for balls, which are added.
        given: the arrays, which the state takes over.
        objectives: of the problem.
        version: of the file that they come from.

    Raises:
        ValueError: naming what does not fit.
    """
    wanted = list(arrays(template))
    if version == 1:
        given = completed(template, given)
    if len(wanted) != len(given):
        raise ValueError(f"state must have {len(wanted)} arrays, got {len(given)}")
    _check_shapes(template, wanted, given, objectives)
    state = rebuilt(template, iter(given))
    if version == 1:
        sums_of_means(state)
    _check_finite(template, state)
    _check_numbers(template, arrays(state), objectives)
    return state


def _check_shapes(
    template: Any, wanted: "list[Array]", given: "list[Array]", objectives: int
) -> None:
    axes = list(_free_axes(template))
    lengths = set()
    for i, (like, array, axis) in enumerate(zip(wanted, given, axes, strict=True)):
        if array.dtype != like.dtype or array.ndim != like.ndim:
            raise ValueError(
                f"state[{i}] must be {like.dtype} of {like.ndim} axes, got {array.dtype} of {array.ndim}"
            )
        shape = tuple(like.shape[j] if j != axis else array.shape[j] for j in range(like.ndim))
        if array.shape != shape:
            raise ValueError(f"state[{i}] must have shape {shape}, got {array.shape}")
        if axis is not None:
            lengths.add(array.shape[axis])
        if array.dtype == np.bool_ and (array.view(np.uint8) > 1).any():
            raise ValueError(f"state[{i}] must hold truth values, got others")
    grams = any(type(part).__name__ in GRAMS for part in parts(template))
    if len(lengths) > 1 or 0 in lengths or (grams and not lengths <= {1, objectives}):
        raise ValueError(
            f"state must have one number of Gram matrices or balls, got {sorted(lengths)}"
        )


def _check_finite(template: Any, state: Any) -> None:
    bounded = type(template).__name__ not in ENDLESS
    for i, array in enumerate(arrays(state)):
        if np.isnan(array).any() or (bounded and np.isinf(array).any()):
            raise ValueError(f"state[{i}] must hold finite numbers, got others")


def refuse_small(policy: Any, given: "list[Array]") -> None:
    """Refuse arrays that cannot hold a policy's regressions, before memory is taken for these.

    Raises:
        ValueError: saying how many numbers are there.
    """
    estimator = getattr(composite(policy), "estimator", None)
    model = getattr(estimator, "model", estimator)
    there = sum(array.size for array in given)
    if isinstance(model, LinearEstimator) and model.slots * model.features**2 > there:
        raise ValueError(
            f"state must have a Gram matrix of {model.features} features per model, got {there} numbers"
        )


def _check_numbers(template: Any, given: "Iterator[Array]", objectives: int) -> None:
    """Refuse counts below 0 and the like: an update would divide by them, or take them for a position."""
    kind = type(template).__name__
    ours = type(template).__module__.startswith("mobandits.")  # others' fields may mean anything
    fields = template._fields if ours else [""] * len(template)
    for field, part in zip(fields, template, strict=True):
        if isinstance(part, tuple):
            _check_numbers(part, given, objectives)
            continue
        array = next(given)
        limits = LIMITS.get(f"{kind}.{field}", LIMITS.get(field))
        if limits is not None:
            _check_limits(f"state's {field}", array, limits)
        if field == "gram" and not (np.diagonal(array, axis1=-2, axis2=-1) > 0.0).all():
            raise ValueError("state's gram must be positive on the diagonal")
        if kind == "Exp3PState" and field == "objective" and array[0] >= objectives:
            raise ValueError(f"state's objective must be below {objectives}, got {array[0]}")


def _check_limits(name: str, array: Array, limits: Limits) -> None:
    fits = (array >= limits.low) & (array <= limits.high)
    if limits.whole:
        fits &= array == np.floor(array)
    if not fits.all():
        rule = (
            f"{'whole numbers' if limits.whole else 'numbers'} in [{limits.low:g}, {limits.high:g}]"
        )
        raise ValueError(f"{name} must hold {rule}, got {array[~fits][0]}")


def _free_axes(state: Any) -> "list[int | None]":
    kind = type(state).__name__
    own = GRAMS.get(kind, BALLS if kind == "Balls" else (None,) * len(state))
    out: list[int | None] = []
    for part, axis in zip(state, own, strict=True):
        out += _free_axes(part) if isinstance(part, tuple) else [axis]
    return out
