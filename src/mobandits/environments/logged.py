"""Rewards that were fixed in advance, by an adversary or by a log: no probabilities at all."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.support.checks import integer
from mobandits.support.naming import quoted


@dataclass(frozen=True, eq=False, repr=False)
class Logged:
    """What every arm pays in every round, as an array; no context, and the same in every trial.

    The array plays the part of the means too, so `pareto_regret` compares arms within each round.
    The regret of adversarial problems compares sums over rounds: the metric
    `adversarial_pareto_regret`.

    Args:
        rewards: (rounds, arms, objectives), finite; or the path of such an array in a file of the
            kind .npy.

    Attributes:
        max_rounds: the number of rounds, which is the longest horizon.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        xu2023 (M. Xu, D. Klabjan, ICML 2023), the adversarial problem.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> environment = Logged([[[1, 0], [0, 1]], [[0, 1], [0, 0]]])
        >>> environment.max_rounds, environment.problem(2, rng).block(1, 1, rng).rewards.tolist()
        (2, [[[0.0, 1.0], [0.0, 0.0]]])
    """

    rewards: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "rewards", _array(self.rewards))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Logged) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        """The shape and a fingerprint of the content: an array of millions has no better name."""
        shape = "x".join(map(str, self.rewards.shape))
        return f"Logged({shape} rewards, SHA-256 {hashlib.sha256(self.rewards.tobytes()).hexdigest()[:16]})"

    @property
    def max_rounds(self) -> int:
        """The longest horizon."""
        return len(self.rewards)

    def problem(self, rounds: int, rng: Rng) -> "LoggedProblem":
        """The array, of which the first `rounds` are played.

        Raises:
            ValueError: where there are not so many.
        """
        integer("rounds", rounds, at_least=1)
        if rounds > self.max_rounds:
            raise ValueError(
                f"rounds must be at most {self.max_rounds} in {quoted(self)}, got {quoted(rounds)}"
            )
        return LoggedProblem(
            Shape(self.rewards.shape[1], 0, self.rewards.shape[2], rounds), self.rewards
        )


class LoggedProblem(NamedTuple):
    """One trial of `Logged`; all trials share the array."""

    shape: Shape
    rewards: Array

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """Rounds `first` to `first + rounds`."""
        rewards = self.rewards[first : first + rounds].copy()
        return Block(np.zeros((1, 1, 0)), rewards, rewards.copy())


def _array(value: Any) -> Array:
    if isinstance(value, str | Path):
        try:
            value = np.load(value, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise ValueError(
                f"Logged.rewards must be an array or an .npy file, got {quoted(str(value))}: {error}"
            ) from error
    try:
        array = np.array(value, np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(
            "Logged.rewards must be numbers of shape (rounds, arms, objectives)"
        ) from error
    if array.ndim != 3 or 0 in array.shape:
        raise ValueError(
            f"Logged.rewards must have shape (rounds, arms, objectives), got {array.shape}"
        )
    if not np.isfinite(array).all():
        t, a, i = np.argwhere(~np.isfinite(array))[0].tolist()
        raise ValueError(
            f"Logged.rewards must be finite, got {array[t, a, i]} at round {t}, arm {a}, objective {i}"
        )
    array.setflags(write=False)
    return array
