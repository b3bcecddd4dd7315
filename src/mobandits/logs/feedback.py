"""Logged decisions in memory: context, arm, propensity, vector reward."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Mask
from mobandits.support.checks import doubles


@dataclass(frozen=True, eq=False)
class Feedback:
    """Decisions of a logging policy, one row each, checked once.

    Rewards are all maximised: where an objective is minimised, its column holds the negated value.

    Args:
        contexts: (rounds, features) where the arms share a context, (rounds, arms, features) where every arm has a row.
        arms: (rounds,) the positions of the arms that were played.
        rewards: (rounds, objectives), NaN where not observed.
        propensities: (rounds,) the logging policy's probability of the arm that was played, in (0, 1]; NaN where it
            was not logged.
        arm_names: a name per arm.
        objective_names: a name per objective.
        eligible: (rounds, arms) the arms that could have been played; None where it was always all of them.
        ids: (rounds,) numbers of the decisions; None where they have none.
        times: (rounds,) of the decisions, in seconds since 1970, NaN where not logged; None where none was.

    Raises:
        ValueError: naming parameter, rule and value.

    Example:
        >>> log = Feedback([[1.0], [1.0]], [0, 1], [[0.5, 1.0], [0.25, np.nan]], [0.5, 0.5], ["a", "b"], ["q", "c"])
        >>> len(log), log[:1].arms.tolist()
        (2, [0])
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
        arms, objectives = tuple(self.arm_names), tuple(self.objective_names)
        contexts, rewards = doubles("contexts", self.contexts), doubles("rewards", self.rewards)
        n, count = len(rewards), len(arms)
        _refuse(rewards.shape != (n, len(objectives)), "rewards", "shape (rounds, objectives)", rewards.shape)
        _refuse(contexts.ndim not in (2, 3) or len(contexts) != n, "contexts", f"{n} rows", contexts.shape)
        _refuse(contexts.ndim == 3 and contexts.shape[1] != count, "contexts", f"{count} arms", contexts.shape)
        _refuse(not np.isfinite(contexts).all(), "contexts", "finite", "a number that is not")
        _refuse(bool(np.isinf(rewards).any()), "rewards", "finite or NaN", "an infinite one")
        played = np.asarray(self.arms)
        _refuse(played.shape != (n,) or played.dtype.kind not in "iu", "arms", "an integer per round", played.shape)
        _refuse(bool(((played < 0) | (played >= count)).any()), "arms", f"from 0 to {count - 1}", played)
        given = doubles("propensities", self.propensities)
        _refuse(given.shape != (n,), "propensities", "one per round", given.shape)
        _refuse(bool(((given <= 0.0) | (given > 1.0)).any()), "propensities", "in (0, 1]", given)
        values = {"contexts": contexts, "rewards": rewards, "propensities": given, "arms": played.astype(np.int64)}
        if self.eligible is not None:
            allowed = np.asarray(self.eligible, bool)
            _refuse(allowed.shape != (n, count), "eligible", "shape (rounds, arms)", allowed.shape)
            _refuse(not allowed[np.arange(n), played].all(), "eligible", "true of every arm that was played", "others")
            values["eligible"] = allowed
        values |= self._optional(n)
        for name, value in {**values, "arm_names": arms, "objective_names": objectives}.items():
            object.__setattr__(self, name, value)

    def _optional(self, n: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        if self.ids is not None:
            values["ids"] = ids = np.asarray(self.ids)
            _refuse(ids.shape != (n,) or ids.dtype.kind not in "iu", "ids", "an integer per round", ids.shape)
        if self.times is not None:
            values["times"] = times = doubles("times", self.times)
            _refuse(times.shape != (n,), "times", "one per round", times.shape)
            _refuse(bool(np.isinf(times).any()), "times", "finite or NaN", "an infinite one")
        return values

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
    first, tables = chunks[0], [chunk._columns() for chunk in chunks]
    for chunk, table in zip(chunks, tables, strict=True):
        for name in ("arm_names", "objective_names"):
            _refuse(getattr(chunk, name) != getattr(first, name), name, "the same in all chunks", getattr(chunk, name))
        _refuse(table.keys() != tables[0].keys(), "eligible, ids and times", "in all chunks or in none", [*table])
    columns: dict[str, Any] = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    return replace(first, **columns)


def _refuse(wrong: bool, name: str, rule: str, value: Any) -> None:
    if wrong:
        raise ValueError(f"Feedback.{name} must be {rule}, got {value}")
