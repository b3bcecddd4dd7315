"""Environments under test: what every problem and block promises, checked in this process."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mobandits.contracts.protocols import Block, Environment, Problem, Rng
from mobandits.testing.arena import stream, twin_of
from mobandits.testing.case import Case, Check, named, require

ROUNDS = 512  # the horizon that is told
BLOCK = 64
SIGMAS = 6.0
SAMPLE = 4096  # rounds whose rewards are compared with their means, at most
ROUNDING = 1e-9


def problem_of(case: "EnvironmentCase", rounds: int | None = None) -> tuple[Problem, Rng]:
    """One trial's problem, the same each time, and the stream for its rounds."""
    return case.environment.problem(rounds or case.horizon, stream(case.seed, 1)), stream(
        case.seed, 2
    )


def blocks(case: "EnvironmentCase", size: int, rounds: int) -> Iterator[Block]:
    """Blocks of `size` rounds for at least `rounds`; the last may be shorter where the environment ends."""
    problem, rng = problem_of(case)
    for first in range(0, rounds, size):
        yield problem.block(first, min(size, case.longest - first), rng)


def shapes_are_as_agreed(case: "EnvironmentCase") -> None:
    """Blocks of any length have the shapes that `Block` and the problem's `Shape` say, and hold finite numbers."""
    problem, rng = problem_of(case)
    arms, features, objectives = problem.shape[:3]
    require(
        problem.shape.rounds in (None, case.horizon),
        f"shape.rounds must be {case.horizon} or None, got {problem.shape.rounds}",
    )
    for size in (BLOCK, 1, 7):
        block = problem.block(0, size, rng)
        rows = 1 if problem.shape.shared or features == 0 else arms
        agreed = {
            "contexts": [(n, rows, features) for n in (size, 1)],
            "means": [(n, arms, objectives) for n in (size, 1)],
        }
        for name, allowed in {**agreed, "rewards": [(size, arms, objectives)]}.items():
            array = getattr(block, name)
            require(
                np.shape(array) in allowed,
                f"Block.{name} must have shape {allowed[0]}, got {np.shape(array)} for {size} rounds",
            )
            require(array.dtype == np.float64, f"Block.{name} must be float64, got {array.dtype}")
            require(
                np.isfinite(array).all(),
                f"Block.{name} must be finite, got {array[~np.isfinite(array)][:1]}",
            )
        if block.decimals is not None:
            require(
                np.allclose(block.means, block.means.round(block.decimals), rtol=0, atol=ROUNDING),
                "Block.means must be rounded to Block.decimals",
            )


def what_is_fixed_stays(case: "EnvironmentCase") -> None:
    """Contexts and means without an axis of rounds are the same in every block, and fixed arms are the shape's."""
    problem, rng = problem_of(case)
    first = problem.block(0, BLOCK, rng)
    second = problem.block(BLOCK, 7, rng)
    for name in ("contexts", "means"):
        one = getattr(first, name)
        other = getattr(second, name)
        require(
            (len(one) == 1) == (len(other) == 1),
            f"Block.{name} must have an axis of rounds always or never, got {one.shape} and {other.shape}",
        )
        if len(one) == 1:
            require(
                np.array_equal(one, other),
                f"Block.{name} has no axis of rounds, but changed from one block to the next",
            )
    if (fixed := problem.shape.fixed_arms) is not None:
        require(
            np.array_equal(first.contexts, fixed[None]),
            "Block.contexts must be shape.fixed_arms in every round",
        )


def trials_repeat(case: "EnvironmentCase") -> None:
    """The same streams give the same trial, bit for bit; `block` changes nothing but its stream."""
    one = blocks(case, BLOCK, case.horizon)
    other = blocks(case, BLOCK, case.horizon)
    for i, (first, second) in enumerate(zip(one, other, strict=True)):
        require_equal(first, second, f"block {i} differs from one run to the next")
    problem, rng = problem_of(case)
    again = twin_of(rng)
    require_equal(
        problem.block(0, BLOCK, rng),
        problem.block(0, BLOCK, again),
        "the same block was asked for twice and differs",
    )


def trials_resume(case: "EnvironmentCase") -> None:
    """A problem that was drawn anew goes on from a border between blocks as if it had never stopped."""
    problem, rng = problem_of(case)
    problem.block(0, BLOCK, rng)
    resumed = problem_of(case)[0].block(BLOCK, BLOCK, twin_of(rng))
    require_equal(
        problem.block(BLOCK, BLOCK, rng), resumed, "after a resumption the second block differs"
    )


def shorter_runs_are_prefixes(case: "EnvironmentCase") -> None:
    """The first blocks do not depend on the horizon."""
    horizons = case.horizon // 2, case.horizon
    first, second = (
        problem.block(0, BLOCK, rng)
        for problem, rng in (problem_of(case, rounds) for rounds in horizons)
    )
    require_equal(
        first,
        second,
        f"the first block depends on whether the horizon is {horizons[0]} or {horizons[1]}",
    )


def rewards_have_their_means(case: "EnvironmentCase") -> None:
    """Rewards minus means average to zero, for every arm and objective; also where they are weighted with the means."""
    noise = []
    means = []
    for block in blocks(case, BLOCK * 4, min(SAMPLE, case.longest)):
        noise.append(block.rewards - block.means)
        means.append(np.broadcast_to(block.means, block.rewards.shape))
    residual = np.concatenate(noise)
    mean = np.concatenate(means)
    for what, weights in (
        ("", np.ones_like(mean)),
        (", weighted with the means", mean - mean.mean(0)),
    ):
        average = (residual * weights).mean(0)
        slack = SIGMAS * (residual * weights).std(0) / np.sqrt(len(residual)) + ROUNDING
        off = np.unravel_index(np.argmax(np.abs(average) - slack), average.shape)
        where = f"average {average[off]:.3g} for arm {off[0]}, objective {off[1]}, more than {slack[off]:.3g}"
        require(np.abs(average[off]) <= slack[off], f"rewards minus means{what} {where}")


def quantities_have_their_shape(case: "EnvironmentCase") -> None:
    """Where the problem offers `quantities`, they are (rounds, arms)."""
    problem, _ = problem_of(case)
    asked: Any = getattr(problem, "quantities", lambda first, rounds: {})  # noqa: ARG005
    for name, numbers in asked(0, BLOCK).items():
        require(
            np.shape(numbers) == (BLOCK, problem.shape.arms),
            f"quantity {name} must have shape {(BLOCK, problem.shape.arms)}, got {np.shape(numbers)}",
        )


def require_equal(one: Block, other: Block, message: str) -> None:
    """Fail unless two blocks agree to the last bit."""
    for name in ("contexts", "means", "rewards"):
        require(np.array_equal(getattr(one, name), getattr(other, name)), f"{message}: {name}")


@dataclass(frozen=True)
class EnvironmentCase(Case):
    """An environment to check.

    Args:
        environment: the environment.
        seed: of everything.
        without: names of checks that do not apply.

    Example:
        >>> from mobandits.environments import Linear
        >>> EnvironmentCase(Linear(arms=3)).check("rewards-have-their-means")
    """

    environment: Environment
    seed: int = 0
    without: tuple[str, ...] = ()

    available: ClassVar[dict[str, Check]] = named(
        shapes_are_as_agreed,
        what_is_fixed_stays,
        trials_repeat,
        trials_resume,
        shorter_runs_are_prefixes,
        rewards_have_their_means,
        quantities_have_their_shape,
    )

    def __str__(self) -> str:
        """The environment and the seed."""
        return f"{self.environment}, seed {self.seed}"

    @property
    def longest(self) -> int:
        """The longest horizon."""
        longest: int = getattr(self.environment, "max_rounds", None) or 2**62
        return longest

    @property
    def horizon(self) -> int:
        """The horizon that the environment is told."""
        return min(ROUNDS, self.longest)


def check_environment(
    environment: Environment, *, seed: int = 0, without: tuple[str, ...] = ()
) -> None:
    """Run every check of environments; arguments as in `EnvironmentCase`.

    Raises:
        AssertionError: saying check, environment, seed and what was found.

    Example:
        >>> from mobandits.environments import Linear
        >>> check_environment(Linear(arms=3))
    """
    case = EnvironmentCase(environment, seed, without)
    for name in case.checks:
        case.check(name)
