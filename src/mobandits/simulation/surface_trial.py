"""One trial on a continuum of arms: every policy plays the same blocks, and metrics read the truth about its points."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from mobandits.compiling.compiled import loop_for
from mobandits.compiling.first_round import rehearse_loop
from mobandits.contracts.assumptions import first_violation, message
from mobandits.contracts.continuum import Scores, SurfaceBlock, SurfaceProblem, SurfaceShape
from mobandits.contracts.protocols import Array, Metric, Rng
from mobandits.simulation.blocks import STRETCH, block_bounds, horizon_limit
from mobandits.simulation.play_surface import play_surface, score_surface
from mobandits.simulation.record import AccumulatorRecorder, MetricRecorder, recorder
from mobandits.simulation.streams import POLICY, ROUNDS, stream
from mobandits.support.naming import quoted, short_repr

if TYPE_CHECKING:
    from mobandits.simulation.trial import Setup


def is_continuum(problem: Any) -> bool:
    """Whether a problem has a continuum of arms."""
    return isinstance(problem.shape, SurfaceShape)


class SurfacePlayer:
    """A recipe at work on one surface; bound anew where it has stages.

    Args:
        row: the name in messages.
        recipe: what to play.
        problem: what to play on.
        compiled: as in `simulate`.
        rng: the random stream of all stages.

    Raises:
        ValueError: naming the row, where the recipe does not fit the problem, or cannot be compiled but must.
    """

    def __init__(
        self, row: str, recipe: Any, problem: SurfaceProblem, compiled: Any, rng: Rng
    ) -> None:
        self._row = row
        self._problem = problem
        self._compiled = compiled
        self._rng = rng
        if not getattr(recipe, "continuum", False):
            raise ValueError(
                f"policy {quoted(row)}: {type(recipe).__name__} needs finitely many arms"
            )
        shape: Any = problem.shape
        self._assumptions = [one for one in recipe.assumptions() if one.about != "rewards"]
        self._stages: Iterator[Any] = recipe.stages(shape)
        try:
            self._begin()
        except ValueError as error:
            raise ValueError(f"policy {quoted(row)}: {error}") from error

    def _begin(self) -> None:
        self._policy, self._left = next(self._stages)
        self._loop = loop_for(
            play_surface, self._policy, self._problem.surface, compiled=self._compiled
        )
        self._state = self._policy.init()

    def play(self, block: SurfaceBlock) -> Array:
        """(rounds, dimensions) the points of a block.

        Raises:
            ValueError: where contexts break an assumption of the recipe.
        """
        for assumption in self._assumptions:
            if (bad := first_violation(assumption, block.contexts, np.zeros(0))) is not None:
                raise ValueError(f"policy {quoted(self._row)}: {message(assumption)}, got {bad:g}")
        chosen = np.empty((len(block.contexts), self._problem.shape.dimensions))
        first = 0
        while first < len(chosen):
            if self._left == 0:
                self._begin()
            last = len(chosen) if self._left is None else min(len(chosen), first + self._left)
            now = slice(first, last)
            given = (
                self._problem.surface,
                block.contexts[now],
                block.uniforms[now],
                self._rng,
                chosen[now],
            )
            self._state = self._loop(self._policy, self._state, *given)
            self._left = None if self._left is None else self._left - (last - first)
            first = last
        return chosen


def play_on_surface(
    setup: "Setup", trial: int, problem: SurfaceProblem, after_block: Callable[[int], None]
) -> dict[tuple[str, str], MetricRecorder | AccumulatorRecorder]:
    """What was measured of one trial, by row and metric; arguments as in `play_trial`."""
    shape: Any = problem.shape
    players = players_of(setup, trial, problem)
    recorders = {
        (row, metric.name): recorder(metric, setup.points, shape)
        for row in players
        for metric in setup.metrics
    }
    limit = horizon_limit(setup.environment, problem)
    for block in merged_surface_blocks(
        problem, setup.rounds, limit, stream(setup.seed, trial, ROUNDS)
    ):
        for row, player in players.items():
            scores = scores_of(problem, block, player.play(block), setup.compiled)
            for metric in setup.metrics:
                recorders[row, metric.name].add(metric_values(metric, scores))
        after_block(len(block.contexts))
    return recorders


def rehearse_on_surface(setup: "Setup", problem: SurfaceProblem) -> None:
    """Bind every recipe, and measure two rounds in which nobody learns: whatever does not fit is refused now.

    Raises:
        ValueError: naming the row or the metric.
    """
    shape: Any = problem.shape
    players_of(setup, 0, problem)
    limit = horizon_limit(setup.environment, problem)
    block = next(
        surface_blocks(problem, min(2, setup.rounds), limit, stream(setup.seed, 0, ROUNDS))
    )
    for recipe in setup.policies.values():
        _play_first(recipe, problem, block)
    scores = scores_of(
        problem, block, np.full((len(block.contexts), shape.dimensions), 0.5), setup.compiled
    )
    for metric in setup.metrics:
        values = metric_values(metric, scores)
        expected = (len(block.contexts), metric.components(shape))
        if values.shape != expected:
            raise ValueError(
                f"metric {metric.name}: on_surface must return shape (rounds, components) = {expected}, "
                f"got {values.shape}"
            )
        if np.isnan(values).any():
            raise ValueError(
                f"metric {metric.name} is not known in closed form in {short_repr(setup.environment)}"
            )


def _play_first(recipe: Any, problem: SurfaceProblem, block: SurfaceBlock) -> None:
    """The first round in Python, where the policy or the surface is from outside of this library."""
    shape: Any = problem.shape
    policy = next(iter(recipe.stages(shape))).policy
    surface = problem.surface
    context = block.contexts[:1].copy()
    uniforms = block.uniforms[:1].copy()
    chosen = np.empty((1, shape.dimensions))
    rng = np.random.default_rng(0)
    rehearse_loop(
        lambda: play_surface(policy, policy.init(), surface, context, uniforms, rng, chosen),
        policy,
        surface,
    )


def players_of(setup: "Setup", trial: int, problem: SurfaceProblem) -> dict[str, SurfacePlayer]:
    """The players of a trial by their rows."""
    return {
        row: SurfacePlayer(
            row,
            recipe,
            problem,
            setup.compiled,
            stream(setup.seed, trial, POLICY, short_repr(recipe)),
        )
        for row, recipe in setup.policies.items()
    }


def merged_surface_blocks(
    problem: SurfaceProblem, rounds: int, limit: int | None, rng: Rng
) -> Iterator[SurfaceBlock]:
    """The trial's blocks, several in one, as `blocks.merged_blocks` joins those of finitely many arms."""
    held: list[SurfaceBlock] = []
    for block in surface_blocks(problem, rounds, limit, rng):
        if held and held[-1].uniforms.shape[1] != block.uniforms.shape[1]:
            yield _joined(held)
            held = []
        held.append(block)
        scores = len(block.contexts) * (problem.shape.objectives + 3)
        if (len(held) + 1) * (block.contexts.size + block.uniforms.size + scores) > STRETCH:
            yield _joined(held)
            held = []
    if held:
        yield _joined(held)


def _joined(parts: list[SurfaceBlock]) -> SurfaceBlock:
    return SurfaceBlock(*map(np.concatenate, zip(*parts, strict=True)))


def surface_blocks(
    problem: SurfaceProblem, rounds: int, limit: int | None, rng: Rng
) -> Iterator[SurfaceBlock]:
    """The trial's blocks, in arrays of one kind.

    Raises:
        ValueError: where an array has the wrong shape.
    """
    for first, asked in block_bounds(rounds, limit):
        contexts, uniforms = problem.block(first, asked, rng)
        if np.shape(contexts) != (asked, problem.shape.features):
            expected = (asked, problem.shape.features)
            raise ValueError(
                f"SurfaceBlock.contexts must have shape (rounds, features) = {expected}, got {np.shape(contexts)}"
            )
        last = min(asked, rounds - first)
        plain = [np.require(array, np.float64, ["C", "W"])[:last] for array in (contexts, uniforms)]
        yield SurfaceBlock(*plain)


def scores_of(problem: SurfaceProblem, block: SurfaceBlock, chosen: Array, compiled: Any) -> Scores:
    """The truth about the points `chosen` (rounds, dimensions)."""
    rounds = len(chosen)
    scores = Scores(
        np.empty((rounds, problem.shape.objectives)),
        np.empty(rounds),
        np.empty(rounds),
        np.empty(rounds, np.int64),
    )
    loop = loop_for(score_surface, problem.surface, compiled=compiled)
    loop(problem.surface, block.contexts, chosen, *scores)
    return scores


def metric_values(metric: Metric, scores: Scores) -> Array:
    """(rounds, components) of a metric.

    Raises:
        ValueError: where it cannot be measured on a continuum.
    """
    measure = getattr(metric, "on_surface", None)
    if measure is None:
        raise ValueError(f"metric {metric.name} needs finitely many arms")
    values: Array = measure(scores)
    return values
