"""Certificates: the arms that are surely on the Pareto front, and those that surely are not."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.compiling.at_once import at_once
from mobandits.contracts.protocols import Array, Mask
from mobandits.numerics.pareto_bounds import ParetoBounds, check_risk, pareto_bounds
from mobandits.numerics.pareto_filter import nondominated
from mobandits.support.checks import as_float_array, matrix
from mobandits.support.naming import quantity, shortened


@dataclass(frozen=True)
class Certificate:
    """The arms by what is certain of them.

    With probability 1 - delta, all of this holds together, whenever and however often one looks:
    no arm of the true Pareto front is `outside`, and no arm of `inside` is dominated by more than
    epsilon in every objective. It holds if the mean of a reward depends on the arm alone: not on
    the time, and not on a context by which arms were chosen.

    Attributes:
        inside: arms that are on the front.
        outside: arms that are dominated; they can be dropped.
        undecided: all others.
        front: the best guess of the front, for which nothing is promised while arms are undecided.
        rounds: rewards seen, of each arm in its most frequent objective.
        delta: the probability of a mistake.
        epsilon: the tolerance.
    """

    inside: tuple[Hashable, ...]
    outside: tuple[Hashable, ...]
    undecided: tuple[Hashable, ...]
    front: tuple[Hashable, ...]
    rounds: int
    delta: float
    epsilon: float

    @property
    def is_complete(self) -> bool:
        """Whether every arm is decided."""
        return not self.undecided

    def lines(self) -> list[str]:
        """The certificate in words.

        Example:
            >>> for line in certify([90, 90], [[0.2], [0.8]], delta=0.05, names=["a", "b"]).lines():
            ...     print(line)
            inside (1): b
            outside (1): a
            undecided (0): none
            180 rounds; wrong with probability 0.05 at most
        """
        lines = []
        for name in ("inside", "outside", "undecided"):
            arms = getattr(self, name)
            lines.append(f"{name} ({len(arms)}): {_listed(arms)}")

        if self.undecided:
            lines.append(f"best guess of the front: {_listed(self.front)}")

        rounds = quantity(self.rounds, "round")
        lines.append(f"{rounds}; wrong with probability {self.delta:g} at most")

        return lines


def _listed(arms: Sequence[Hashable]) -> str:
    return ", ".join(map(str, arms)) or "none"


def certify(
    counts: Any,
    means: Any,
    *,
    delta: float,
    epsilon: float = 0.0,
    sigma: float = 0.5,
    names: Sequence[Hashable] | None = None,
) -> Certificate:
    """The certificate of any stream of arms and rewards, from what is left of it.

    Args:
        counts: (arms,) rewards seen of each arm, or (arms, objectives) where they came in part.
        means: (arms, objectives) their means, all maximised; anything where the count is 0.
        delta: the probability of a mistake, at most.
        epsilon: the tolerance, in the unit of the means.
        sigma: the rewards are sub-Gaussian with this scale: half of their range, or the standard
            deviation of Gaussian ones.
        names: of the arms; None: 0, 1, 2, ...

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        kone2023; kaufmann2021.

    Example:
        >>> certify([500, 500, 500], [[0.9, 0.1], [0.4, 0.6], [0, 0]], delta=0.05).inside
        (0, 1)
    """
    check_risk("", delta, epsilon, sigma)
    mean = matrix("means", means, ("arms", "objectives"))
    seen = _counts_like(mean, counts)
    arms, objectives = mean.shape
    listed = list(range(arms) if names is None else names)
    if len(listed) != arms:
        raise ValueError(f"names must be {arms}, one per arm, got {len(listed)}")

    bounds = pareto_bounds(arms, objectives, delta, epsilon, sigma)
    decide = at_once(decided, bounds)
    inside, outside = decide(bounds, mean, seen)
    undecided = ~(inside | outside)
    front = inside
    if undecided.any():
        every_objective = np.empty(0, np.int64)
        is_seen = seen.min(axis=1) > 0.0
        front = nondominated(mean, every_objective, is_seen)

    def named(mask: Mask) -> tuple[Hashable, ...]:
        positions = np.flatnonzero(mask).tolist()
        return tuple(listed[i] for i in positions)

    return Certificate(
        inside=named(inside),
        outside=named(outside),
        undecided=named(undecided),
        front=named(front),
        rounds=int(seen.max(axis=1).sum()),
        delta=delta,
        epsilon=epsilon,
    )


def _counts_like(mean: Array, counts: Any) -> Array:
    """(arms, objectives) counts, also where they are given by arm."""
    seen = as_float_array("counts", counts)
    if seen.ndim == 1 and len(seen) == len(mean):
        column = seen[:, None]
        seen = np.repeat(column, mean.shape[1], axis=1)

    is_count = bool((seen >= 0.0).all())
    if seen.shape != mean.shape or not is_count:
        rule = f"at least 0, of shape ({len(mean)},) or {mean.shape}"
        raise ValueError(f"counts must be {rule}, got {shortened(str(counts))}")

    return seen


def decided(bounds: ParetoBounds, mean: Array, seen: Array) -> tuple[Mask, Mask]:
    """(arms,) the arms inside, and those outside."""
    comparison = bounds.compare(mean, seen)
    return bounds.inside(comparison), bounds.outside(comparison)
