"""Arguments of applications in one form; errors name the argument that is wrong."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Protocol, SupportsFloat, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mobandits.agent.error_hints import on_rewards
from mobandits.contracts.protocols import Recipe
from mobandits.logs.objectives import Places
from mobandits.support.checks import FLOATS, as_float_array, integer
from mobandits.support.naming import quoted, shortened, wrong_value
from mobandits.support.nearest import as_object, refusal

MOST_COUNTED = 2**63 - 1  # what 64 bits hold
MOST_SAMPLES = 10**6  # of beliefs per decision, which takes seconds to minutes


class HasArray(Protocol):
    """Anything that NumPy makes an array of: an array, a column of a table, a tensor."""

    def __array__(self) -> NDArray[Any]:
        """The array."""


class HasColumns(Protocol):
    """A table of Polars or pandas."""

    @property
    def columns(self) -> Any:
        """Their names."""


# Not NumPy's ArrayLike: a text is one.
Numbers: TypeAlias = Sequence[SupportsFloat | None] | HasArray
Rewards: TypeAlias = Mapping[Any, SupportsFloat | None] | Numbers
Row: TypeAlias = Mapping[Any, Any] | Numbers
Eligible: TypeAlias = Iterable[Hashable] | None
Context: TypeAlias = Row | Sequence[Row] | Sequence[Sequence[Row]] | HasColumns


def check_is_recipe(recipe: Any) -> None:
    """Refuse what is no recipe, such as its class."""
    if not isinstance(recipe, Recipe):
        advice = as_object(recipe)
        rule = "recipe must be a recipe such as MolUcb(scale=0.3)"
        raise ValueError(f"{rule}, got {quoted(recipe)}{advice}")


class Unchanged:
    """Stands for what stays as it is, where None has a meaning."""

    def __repr__(self) -> str:
        return "unchanged"


UNCHANGED: Any = Unchanged()


def check_counts(at_most: int = MOST_COUNTED, **counts: tuple[Any, int]) -> None:
    """Refuse what is no integer in a range.

    Args:
        at_most: the largest value of all of them.
        counts: (value, least value) by name.
    """
    for name, (value, least) in counts.items():
        try:
            integer(name, value, at_least=least)
        except ValueError as error:
            is_list = isinstance(value, list | tuple)
            advice = f"; write how many, {len(value)}" if is_list else ""
            raise ValueError(f"{error}{advice}") from None

        if value > at_most:
            raise wrong_value(f"{name} must be at most {at_most}", value)


def check_clock(clock: Any) -> None:
    """Refuse what cannot be called."""
    if not callable(clock):
        raise wrong_value("clock must be a function without arguments, such as time.time", clock)


def as_seconds(reading: Any) -> float:
    """The time of a clock, in seconds.

    Raises:
        ValueError: where it is no finite number.

    Example:
        >>> as_seconds(3)
        3.0
        >>> as_seconds(math.inf)
        Traceback (most recent call last):
        ValueError: clock must return a finite number of seconds, got inf
    """
    try:
        number = float(reading) + 0.0  # a log keeps no sign of a zero
    except (TypeError, ValueError, OverflowError):
        number = math.nan

    if not math.isfinite(number):
        raise wrong_value("clock must return a finite number of seconds", reading)

    return number


def name_count(given: Any) -> int:
    """Number of names there will be; 0 of what is no number of names, and no list of them.

    Example:
        >>> name_count(10**9), name_count(["small", "large"]), name_count(None)
        (1000000000, 2, 0)
    """
    if isinstance(given, int | np.integer):
        number = int(given)
        return max(number, 0)
    if isinstance(given, Sequence):
        return len(given)

    return 0


def name_tuple(called: str, given: int | Sequence[Any]) -> tuple[Any, ...]:
    """The names of arms or objectives; a number n stands for 0 to n - 1.

    Raises:
        ValueError: where there are none, where one comes twice, or cannot be hashed.

    Example:
        >>> name_tuple("arms", 3), name_tuple("arms", ["small", "large"])
        ((0, 1, 2), ('small', 'large'))
    """
    given = _as_list(given)
    is_flag = isinstance(given, bool)
    if isinstance(given, int | np.integer) and not is_flag and given >= 1:
        count = int(given)
        return tuple(range(count))

    wanted = f"{called} must be a number of at least 1, or different names in a list"
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) == 0:
        # A text is a sequence of letters, which nobody means.
        advice = f"; write [{quoted(given)}]" if isinstance(given, str) and given else ""
        raise ValueError(f"{wanted}, got {quoted(given)}{advice}")

    try:
        different = len(set(given))
    except TypeError as error:
        raise wrong_value(f"{wanted} that can be hashed", given) from error

    # NaN is different from itself: nobody could ever name it.
    is_nameless = any(name != name for name in given)  # noqa: PLR0124 - NaN
    if different < len(given) or is_nameless:
        raise wrong_value(wanted, given)

    return tuple(given)


def _as_list(given: Any) -> Any:
    """A list of what an array, a series or a column holds, as Python has it; all else as it is."""
    # Of NumPy and pandas, and of Polars, without importing any of them.
    for method in ("tolist", "to_list"):
        convert = getattr(given, method, None)
        if callable(convert):
            return convert()

    return given


def reward_list(rewards: Any, places: Places) -> list[float]:
    """A reward per objective, NaN where it was not observed.

    Args:
        rewards: a number per objective, NaN or None where there is none; or {objective: number} of
            some.
        places: {objective: position}.

    Raises:
        ValueError: where it has another length, an unknown objective, or a number that is infinite.

    Example:
        >>> reward_list({"cost": -2.0}, {"quality": 0, "cost": 1})
        [nan, -2.0]
    """
    # To ask for the type first is fastest where rewards are a list, as they most often are.
    is_named = type(rewards) is not list and isinstance(rewards, Mapping)
    given = _in_order(rewards, places) if is_named else rewards
    values: list[float]
    # Floats, as most are, need no array. A log keeps no sign of a zero, and leads to the same agent.
    if is_named and FLOATS.issuperset(map(type, given)):
        values = [value + 0.0 for value in given]
    else:
        values = _from_array(rewards, given, places)

    # On lists of a few numbers this is faster than NumPy.
    if math.inf in values or -math.inf in values:
        raise wrong_value("rewards must be finite, or NaN where not observed", values)

    return values


def _from_array(rewards: Any, given: Any, places: Places) -> list[float]:
    """A reward per objective of what an array can be made of."""
    try:
        array = as_float_array("rewards", given)
    except ValueError as error:
        raise ValueError(_not_numbers(rewards, error, places)) from error

    if array.shape != (len(places),):
        wanted = f"shape (objectives,) = ({len(places)},)"
        advice = on_rewards(list(places))
        raise ValueError(f"rewards must have {wanted}, got {array.shape}{advice}")

    values: list[float] = (array + 0.0).tolist()
    return values


def _in_order(rewards: Mapping[Any, Any], places: Places) -> list[Any]:
    """The rewards of a dictionary by position, NaN where there is none."""
    given: list[Any] = [math.nan] * len(places)
    if not rewards:
        listed = shortened(", ".join(map(str, places)))
        raise ValueError(f"rewards must name at least one objective of {listed}, got {{}}")

    for name, value in rewards.items():
        if name not in places:
            raise ValueError(_unknown_objective(name, places))
        if isinstance(value, bool):
            # It would count as 1 or 0: a comparison in the place of a number is a mistake.
            rule = f"rewards[{quoted(name)}] must be a number, not a truth value"
            raise ValueError(f"{rule}, got {value}; write float(...)")

        given[places[name]] = value

    return given


def _unknown_objective(name: Any, places: Places) -> str:
    known = list(places)
    listed = shortened(", ".join(map(str, known)))
    rule = f"name objectives of the agent, which are {listed}"
    if isinstance(name, int) and 0 <= name < len(known):
        advice = f"; position {name} is {quoted(known[name])}"
        return f"rewards must {rule}, got {quoted(name)}{advice}"

    return refusal("rewards", rule, name, known)


def _not_numbers(rewards: Any, error: ValueError, places: Places) -> str:
    """Message on rewards that are not numbers; of a dictionary, it names the value that is none."""
    named = rewards.items() if isinstance(rewards, Mapping) else ()
    for name, value in named:
        try:
            is_number = as_float_array("reward", value).ndim == 0
        except ValueError:
            is_number = False

        if not is_number:
            rule = "a number, or NaN or None where it was not observed"
            return f"rewards[{quoted(name)}] must be {rule}, got {quoted(value)}"

    return f"{error}{on_rewards(list(places))}"


def merged_rewards(
    known: Sequence[float], new: Sequence[float], names: Sequence[Any]
) -> tuple[list[float], list[float]]:
    """New numbers of a further part of a reward, and all that are known with it.

    A repeated number is not new.

    Raises:
        ValueError: where a number is repeated with another value.

    Example:
        >>> nan = float("nan")
        >>> merged_rewards([0.5, nan, nan], [0.5, nan, 2.0], ["clicks", "revenue", "time"])
        ([nan, nan, 2.0], [0.5, nan, 2.0])
    """
    fresh = list(new)
    together = list(known)
    # A repeat is no error: networks deliver messages twice. Another value is one.
    for i, value in enumerate(new):
        if math.isnan(known[i]):
            together[i] = value
        elif math.isnan(value) or value == known[i]:
            fresh[i] = math.nan
        else:
            rule = f"rewards[{quoted(names[i])}] was {known[i]:g} before and must not change"
            raise ValueError(f"{rule}, got {value:g}")

    return fresh, together
