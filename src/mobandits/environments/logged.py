"""Rewards that were fixed in advance, by an adversary or by a log."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.support.checks import horizon
from mobandits.support.naming import quoted


@dataclass(frozen=True, eq=False, repr=False)
class Logged:
    """An array of the rewards of every arm in every round, the same in every trial; no context.

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

    references = ("xu2023",)

    rewards: Any

    def __post_init__(self) -> None:
        rewards = _array(self.rewards)
        object.__setattr__(self, "rewards", rewards)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Logged):
            return False
        # The repr holds a fingerprint of the content, which is also what hashes must agree with.
        return repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        """The shape and a fingerprint of the content: an array of millions has no better name."""
        size = "x".join(map(str, self.rewards.shape))
        fingerprint = hashlib.sha256(self.rewards.tobytes()).hexdigest()
        return f"Logged({size} rewards, SHA-256 {fingerprint[:16]})"

    @property
    def max_rounds(self) -> int:
        """The longest horizon."""
        return len(self.rewards)

    def problem(self, rounds: int, rng: Rng) -> "LoggedProblem":
        """The array, of which the first `rounds` are played.

        Raises:
            ValueError: where there are not so many.
        """
        horizon(rounds, self.max_rounds, self)
        _, arms, objectives = self.rewards.shape
        shape = Shape(
            arms=arms,
            features=0,
            objectives=objectives,
            rounds=rounds,
        )

        return LoggedProblem(shape, self.rewards)


class LoggedProblem(NamedTuple):
    """One trial of `Logged`; all trials share the array."""

    shape: Shape
    rewards: Array

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """Rounds `first` to `first + rounds`."""
        no_context = np.zeros((1, 1, 0))
        # Copies: what is recorded is shared by all trials.
        rewards = self.rewards[first : first + rounds].copy()
        return Block(
            contexts=no_context,
            means=rewards,
            rewards=rewards.copy(),
        )


def _array(value: Any) -> Array:
    if isinstance(value, str | Path):
        value = _loaded(value)

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
        places = np.argwhere(~np.isfinite(array))
        t, a, i = places[0].tolist()
        place = f"round {t}, arm {a}, objective {i}"
        raise ValueError(f"Logged.rewards must be finite, got {array[t, a, i]} at {place}")

    array.setflags(write=False)

    return array


def _loaded(path: str | Path) -> Any:
    try:
        return np.load(path, allow_pickle=False)  # pickles could run code
    except (OSError, ValueError, EOFError) as error:
        rule = "Logged.rewards must be an array or an .npy file"
        raise ValueError(f"{rule}, got {quoted(str(path))}: {error}") from error
