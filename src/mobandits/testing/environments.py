"""Checks of environments: the promises of every problem and block."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mobandits.contracts.protocols import Array, Block, Environment, Problem, Rng, Shape
from mobandits.testing.arena import check_stream, twin_of
from mobandits.testing.case import Check, ConformanceCase, checks_by_name, require

ROUNDS = 512  # the horizon that environments are given
BLOCK = 64
# Every arm and objective is a test of its own: five would fail a correct environment too often.
SIGMAS = 6.0
SAMPLE = 4096  # rounds whose rewards are compared with their means, at most
ROUNDING = 1e-9
UNLIMITED = 2**62  # the longest horizon where the environment names none


def trial_of(case: "EnvironmentCase", rounds: int | None = None) -> tuple[Problem, Rng]:
    """One trial's problem, the same each time, and the stream for its rounds."""
    instance_rng = check_stream(case.seed, 1)
    rng = check_stream(case.seed, 2)
    problem = case.environment.problem(rounds or case.horizon, instance_rng)
    return problem, rng


def drawn_blocks(case: "EnvironmentCase", size: int, rounds: int) -> Iterator[Block]:
    """Blocks of `size` rounds for at least `rounds`; the environment's last one may be shorter."""
    problem, rng = trial_of(case)
    for first in range(0, rounds, size):
        remaining = case.longest - first
        yield problem.block(first, min(size, remaining), rng)


def shapes_are_as_agreed(case: "EnvironmentCase") -> None:
    """Blocks of any length have the shapes that `Block` and `Shape` promise, and finite numbers."""
    problem, rng = trial_of(case)
    rounds = problem.shape.rounds
    known = rounds in (None, case.horizon)
    require(
        known,
        f"shape.rounds must be {case.horizon} or None, got {rounds}",
    )
    for size in (BLOCK, 1, 7):
        block = problem.block(0, size, rng)
        for name, sizes in _agreed_sizes(problem.shape, size).items():
            _require_array(name, getattr(block, name), sizes, size)

        if block.decimals is not None:
            rounded = block.means.round(block.decimals)
            agrees = np.allclose(block.means, rounded, rtol=0, atol=ROUNDING)
            require(
                agrees,
                "Block.means must be rounded to Block.decimals",
            )


def _agreed_sizes(shape: Shape, rounds: int) -> dict[str, list[tuple[int, ...]]]:
    """The shapes that the arrays of a block may have, by name."""
    rows = 1 if shape.shared or shape.features == 0 else shape.arms
    context = (rows, shape.features)
    mean = (shape.arms, shape.objectives)

    # Contexts and means that stay may have one row for all rounds; rewards are drawn each round.
    return {
        "contexts": [(rounds, *context), (1, *context)],
        "means": [(rounds, *mean), (1, *mean)],
        "rewards": [(rounds, *mean)],
    }


def _require_array(name: str, array: Array, sizes: list[tuple[int, ...]], rounds: int) -> None:
    size = np.shape(array)
    require(
        size in sizes,
        f"Block.{name} must have shape {sizes[0]}, got {size} for {rounds} rounds",
    )
    # Compiled loops accept doubles only.
    require(
        array.dtype == np.float64,
        f"Block.{name} must be float64, got {array.dtype}",
    )
    infinite = array[~np.isfinite(array)]
    require(
        not len(infinite),
        f"Block.{name} must be finite, got {infinite[:1]}",
    )


def what_is_fixed_stays(case: "EnvironmentCase") -> None:
    """Contexts and means without an axis of rounds stay, and fixed arms are those of the shape."""
    problem, rng = trial_of(case)
    first = problem.block(0, BLOCK, rng)
    second = problem.block(BLOCK, 7, rng)
    for name in ("contexts", "means"):
        _require_fixed(name, getattr(first, name), getattr(second, name))

    fixed_arms = problem.shape.fixed_arms
    if fixed_arms is not None:
        agrees = np.array_equal(first.contexts, fixed_arms[None])
        require(
            agrees,
            "Block.contexts must be shape.fixed_arms in every round",
        )


def _require_fixed(name: str, first: Array, second: Array) -> None:
    fixed = len(first) == 1
    second_fixed = len(second) == 1
    shapes = f"{first.shape} and {second.shape}"
    require(
        fixed == second_fixed,
        f"Block.{name} must have an axis of rounds always or never, got {shapes}",
    )
    if fixed:
        changed = f"Block.{name} has no axis of rounds, but changed from one block to the next"
        require(np.array_equal(first, second), changed)


def trials_repeat(case: "EnvironmentCase") -> None:
    """The same streams give the same trial, bit for bit; `block` changes nothing but its stream."""
    trial = drawn_blocks(case, BLOCK, case.horizon)
    repeated = drawn_blocks(case, BLOCK, case.horizon)
    for i, (first, second) in enumerate(zip(trial, repeated, strict=True)):
        require_equal(first, second, f"block {i} differs from one run to the next")

    problem, rng = trial_of(case)
    twin = twin_of(rng)
    block = problem.block(0, BLOCK, rng)
    again = problem.block(0, BLOCK, twin)
    require_equal(block, again, "the same block was asked for twice and differs")


def trials_resume(case: "EnvironmentCase") -> None:
    """A problem that was drawn anew continues at a border between blocks with the same rounds."""
    problem, rng = trial_of(case)
    problem.block(0, BLOCK, rng)
    # The stream's state is saved with a trial, the problem is drawn again from its seed.
    twin = twin_of(rng)
    anew, _ = trial_of(case)
    resumed = anew.block(BLOCK, BLOCK, twin)
    block = problem.block(BLOCK, BLOCK, rng)
    require_equal(block, resumed, "after a resumption the second block differs")


def shorter_runs_are_prefixes(case: "EnvironmentCase") -> None:
    """The first blocks do not depend on the horizon."""
    half = case.horizon // 2
    short_problem, short_rng = trial_of(case, half)
    problem, rng = trial_of(case, case.horizon)
    first = short_problem.block(0, BLOCK, short_rng)
    second = problem.block(0, BLOCK, rng)
    horizons = f"{half} or {case.horizon}"
    require_equal(
        first,
        second,
        f"the first block depends on whether the horizon is {horizons}",
    )


def rewards_have_their_means(case: "EnvironmentCase") -> None:
    """Rewards minus means average to zero, for every arm and objective.

    Also where they are weighted with the means.
    """
    residuals = []
    means = []
    for block in drawn_blocks(case, BLOCK * 4, min(SAMPLE, case.longest)):
        residuals.append(block.rewards - block.means)
        means.append(np.broadcast_to(block.means, block.rewards.shape))

    residual = np.concatenate(residuals)
    mean = np.concatenate(means)
    _require_zero_average(residual, "")
    # Rewards of the wrong round average to zero too, but are not as large as the means are.
    weighted = residual * (mean - mean.mean(0))
    _require_zero_average(weighted, ", weighted with the means")


def _require_zero_average(residual: Array, how: str) -> None:
    """Fail where the average over rounds, the first axis, is too far from 0."""
    average = residual.mean(0)
    error = residual.std(0) / np.sqrt(len(residual))
    slack = SIGMAS * error + ROUNDING
    excess = np.abs(average) - slack
    arm, objective = np.unravel_index(np.argmax(excess), excess.shape)
    largest = average[arm, objective]
    allowed = slack[arm, objective]
    where = f"for arm {arm}, objective {objective}"
    require(
        np.abs(largest) <= allowed,
        f"rewards minus means{how} average {largest:.3g} {where}, more than {allowed:.3g}",
    )


def quantities_have_their_shape(case: "EnvironmentCase") -> None:
    """Where the problem offers `quantities`, they are (rounds, arms)."""
    problem: Any = trial_of(case)[0]
    if not hasattr(problem, "quantities"):
        return

    size = (BLOCK, problem.shape.arms)
    for name, numbers in problem.quantities(0, BLOCK).items():
        got = np.shape(numbers)
        require(
            got == size,
            f"quantity {name} must have shape {size}, got {got}",
        )


def require_equal(first: Block, second: Block, message: str) -> None:
    """Fail unless two blocks agree to the last bit."""
    for name in ("contexts", "means", "rewards"):
        array = getattr(first, name)
        other = getattr(second, name)
        agrees = np.array_equal(array, other)
        require(agrees, f"{message}: {name}")


@dataclass(frozen=True)
class EnvironmentCase(ConformanceCase):
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

    available: ClassVar[dict[str, Check]] = checks_by_name(
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
        longest: int | None = getattr(self.environment, "max_rounds", None)
        return longest or UNLIMITED

    @property
    def horizon(self) -> int:
        """The horizon that the environment is given."""
        return min(ROUNDS, self.longest)


def check_environment(
    environment: Environment, *, seed: int = 0, without: tuple[str, ...] = ()
) -> None:
    """Run every check of environments; arguments as in `EnvironmentCase`.

    Raises:
        AssertionError: with check, environment, seed and values.

    Example:
        >>> from mobandits.environments import Linear
        >>> check_environment(Linear(arms=3))
    """
    case = EnvironmentCase(environment, seed, without)
    for name in case.checks:
        case.check(name)
