"""Logged decisions in memory: context, arm, propensity, vector reward."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Mask
from mobandits.support.checks import as_float_array
from mobandits.support.naming import quoted, shortened
from mobandits.support.nearest import did_you_mean


@dataclass(frozen=True, eq=False)
class Feedback:
    """Decisions of a logging policy, one row each, checked once.

    Rewards are all maximised: where an objective is minimised, its column holds the negated value.

    Args:
        contexts: (rounds, features) where the arms share a context, (rounds, arms, features) where every arm has a row.
        arms: (rounds,) the arms that were played: integers are positions in `arm_names`, from 0; anything else is a
            name of `arm_names`. Kept as positions.
        rewards: (rounds, objectives), NaN where not observed.
        propensities: (rounds,) the logging policy's probability of the arm that was played, in (0, 1]; NaN where it
            was not logged.
        arm_names: a name per arm, all different.
        objective_names: a name per objective, all different.
        eligible: (rounds, arms) the arms that could have been played; None where it was always all of them.
        ids: (rounds,) numbers of the decisions; None where they have none.
        times: (rounds,) of the decisions, in seconds since 1970, NaN where not logged; None where none was.

    Raises:
        ValueError: naming parameter, rule and value.

    Example:
        >>> log = Feedback([[1.0], [1.0]], [0, 1], [[0.5, 1.0], [0.25, np.nan]], [0.5, 0.5], ["a", "b"], ["q", "c"])
        >>> len(log), log[:1].arms.tolist()
        (2, [0])
        >>> Feedback([[1.0], [1.0]], ["b", "a"], [[0.5], [0.25]], [0.5, 0.5], ["a", "b"], ["q"]).arms.tolist()
        [1, 0]
    """

    contexts: Array
    arms: IntArray
    rewards: Array
    propensities: Array
    arm_names: tuple[Hashable, ...]
    objective_names: tuple[Hashable, ...]
    eligible: Mask | None = None
    ids: IntArray | None = None
    times: Array | None = None

    def __post_init__(self) -> None:
        arm_names = _names("arm_names", self.arm_names)
        objective_names = _names("objective_names", self.objective_names)
        rewards = _rewards(self.rewards, len(objective_names))
        rounds = len(rewards)
        count = len(arm_names)
        values: dict[str, Any] = {
            "contexts": _contexts(self.contexts, rounds, count),
            "arms": _positions(self.arms, arm_names, rounds),
            "rewards": rewards,
            "propensities": _propensities(self.propensities, rounds),
            "arm_names": arm_names,
            "objective_names": objective_names,
        }
        if self.eligible is not None:
            values["eligible"] = _mask(self.eligible, values["arms"], count)
        if self.ids is not None:
            values["ids"] = _ids(self.ids, rounds)
        if self.times is not None:
            values["times"] = _times(self.times, rounds)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.arms)

    def __getitem__(self, rounds: slice | Sequence[int] | IntArray | Mask) -> "Feedback":
        """Some of the rounds."""
        return replace(self, **{name: values[rounds] for name, values in self._columns().items()})

    def _columns(self) -> dict[str, Any]:
        """What there is of each round."""
        names = ("contexts", "arms", "rewards", "propensities", "eligible", "ids", "times")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


def together(chunks: Sequence[Feedback]) -> Feedback:
    """The rounds of several logs of the same arms and objectives, one after the other.

    Raises:
        ValueError: where there are none, or where they do not fit together.

    Example:
        >>> log = Feedback([[1.0], [1.0]], [0, 1], [[0.5], [1.0]], [0.5, 0.5], ["a", "b"], ["q"])
        >>> together([log[:1], log[1:]]).arms.tolist()
        [0, 1]
    """
    if not chunks:
        raise ValueError("chunks must be at least one log, got none")
    first = chunks[0]
    tables = [chunk._columns() for chunk in chunks]
    for chunk, table in zip(chunks, tables, strict=True):
        for name in ("arm_names", "objective_names"):
            _refuse(
                getattr(chunk, name) != getattr(first, name),
                name,
                "the same in all chunks",
                getattr(chunk, name),
            )
        _refuse(
            table.keys() != tables[0].keys(),
            "eligible, ids and times",
            "in all chunks or in none",
            [*table],
        )
    columns: dict[str, Any] = {
        name: np.concatenate([table[name] for table in tables]) for name in tables[0]
    }
    return replace(first, **columns)


def _names(name: str, given: Any) -> tuple[Hashable, ...]:
    wanted = "different names, in a list"
    _refuse(not isinstance(given, Iterable), name, wanted, quoted(given))
    names = tuple(given)
    seen: set[Hashable] = set()
    try:
        for one in names:
            if one in seen:
                raise _wrong(name, wanted, f"{quoted(one)} twice")
            seen.add(one)
    except TypeError as error:
        raise ValueError(
            f"Feedback.{name} must be {wanted}, got {quoted(given)}: {error}"
        ) from error
    return names


def _numbers(name: str, given: Any, rule: str) -> Array:
    _refuse(given is None, name, rule, "None")
    return as_float_array(f"Feedback.{name}", given, rule)


def _rewards(given: Any, objectives: int) -> Array:
    rule = f"numbers of shape (rounds, {objectives}), a column per objective"
    rewards = _numbers("rewards", given, rule)
    fits = rewards.ndim == 2 and rewards.shape[1] == objectives
    _refuse(not fits, "rewards", rule, _shape(rewards))
    _refuse(bool(np.isinf(rewards).any()), "rewards", "finite or NaN", "an infinite one")
    return rewards


def _contexts(given: Any, rounds: int, arms: int) -> Array:
    rule = "numbers of shape (rounds, features) or (rounds, arms, features)"
    contexts = _numbers("contexts", given, rule)
    found = _shape(contexts)
    _refuse(contexts.ndim not in (2, 3), "contexts", rule, found)
    _refuse(len(contexts) != rounds, "contexts", f"{rounds} rows, as rewards are", found)
    own = contexts.ndim == 3
    _refuse(own and contexts.shape[1] != arms, "contexts", f"{arms} arms in every round", found)
    _refuse(not np.isfinite(contexts).all(), "contexts", "finite", "a number that is not")
    return contexts


def _propensities(given: Any, rounds: int) -> Array:
    rule = f"one per round, of which there are {rounds}, and NaN where it was not logged"
    propensities = _numbers("propensities", given, rule)
    _refuse(propensities.shape != (rounds,), "propensities", rule, _shape(propensities))
    wrong = (propensities <= 0.0) | (propensities > 1.0)
    if wrong.any():
        first = int(wrong.argmax())
        raise _wrong("propensities", "in (0, 1]", f"{propensities[first]} in round {first}")
    return propensities


def _positions(given: Any, names: tuple[Hashable, ...], rounds: int) -> IntArray:
    """(rounds,) the positions in `names` of arms that are given by position or by name."""
    rule = "a position in arm_names or a name of it per round"
    try:
        array = np.asarray(given)
    except ValueError:  # names that are sequences of different lengths
        array = np.empty(len(given), object)
    _refuse(array.ndim == 0, "arms", rule, quoted(given))
    _refuse(
        len(array) != rounds, "arms", f"one per round, of which there are {rounds}", f"{len(array)}"
    )
    if array.ndim == 1 and array.dtype.kind in "iu":
        return _checked_positions(array, names)
    # Names are taken from what was given: an array of numbers and names holds text only.
    listed = given.tolist() if isinstance(given, np.ndarray) else list(given)
    place = {name: i for i, name in enumerate(names)}
    found = np.empty(rounds, np.int64)
    for i, one in enumerate(listed):
        known = isinstance(one, Hashable) and not isinstance(one, bool) and one in place
        if not known:
            raise _wrong("arms", rule, f"{quoted(one)} in round {i}{did_you_mean(one, names)}")
        found[i] = place[one]
    return found


def _checked_positions(given: IntArray, names: tuple[Hashable, ...]) -> IntArray:
    wrong = (given < 0) | (given >= len(names))
    if wrong.any():
        first = given[wrong][0].item()
        # An integer is never taken for a name: it would be another arm's position.
        advice = (
            "; for names write [arm_names.index(name) for name in arms]" if first in names else ""
        )
        rule = f"from 0 to {len(names) - 1}, positions in arm_names"
        raise _wrong("arms", rule, f"{first} in round {int(wrong.argmax())}{advice}")
    return given.astype(np.int64)


def _mask(given: Any, arms: IntArray, count: int) -> Mask:
    """(rounds, arms) the arms that could have been played, which those that were played must be among."""
    rule = f"True or False for each of {count} arms in each of {len(arms)} rounds"
    try:
        allowed = np.asarray(given)
    except ValueError as error:  # rows of different lengths
        raise ValueError(
            f"Feedback.eligible must be {rule}, got rows of different lengths"
        ) from error
    _refuse(allowed.shape != (len(arms), count), "eligible", rule, _shape(allowed))
    is_mask = allowed.dtype.kind == "b" or np.isin(allowed, (0, 1)).all()
    _refuse(not is_mask, "eligible", rule, f"numbers or names of type {allowed.dtype}")
    mask = allowed.astype(bool)
    played = mask[np.arange(len(arms)), arms]
    _refuse(not played.all(), "eligible", "true of every arm that was played", "others")
    return mask


def _ids(given: Any, rounds: int) -> IntArray:
    ids = np.asarray(given)
    fits = ids.shape == (rounds,) and ids.dtype.kind in "iu"
    _refuse(not fits, "ids", "an integer per round", f"{_shape(ids)} of {ids.dtype}")
    return ids


def _times(given: Any, rounds: int) -> Array:
    rule = "one per round, in seconds since 1970"
    times = _numbers("times", given, rule)
    _refuse(times.shape != (rounds,), "times", rule, _shape(times))
    _refuse(bool(np.isinf(times).any()), "times", "finite or NaN", "an infinite one")
    return times


def _shape(array: Any) -> str:
    return f"shape {array.shape}"


def _refuse(wrong: bool, name: str, rule: str, value: Any) -> None:
    if wrong:
        raise _wrong(name, rule, value)


def _wrong(name: str, rule: str, value: Any) -> ValueError:
    return ValueError(f"Feedback.{name} must be {rule}, got {shortened(str(value))}")
