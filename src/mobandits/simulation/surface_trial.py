"""One trial on a continuum of arms: every policy plays the same blocks, and metrics are measured.

The counterpart of `players`, `blocks` and `truth`, which are for finitely many arms.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from mobandits.compiling.compiled import Compiled, loop_for
from mobandits.compiling.first_round import rehearse_loop
from mobandits.contracts.assumptions import enforce
from mobandits.contracts.continuum import Scores, SurfaceBlock, SurfaceProblem, SurfaceShape
from mobandits.contracts.protocols import Array, Metric, Rng
from mobandits.simulation.blocks import (
    CACHED_NUMBERS,
    block_bounds,
    horizon_limit,
    in_batches,
)
from mobandits.simulation.play import play_surface, score_surface
from mobandits.simulation.record import Recorder, recorder
from mobandits.simulation.stages import Stages
from mobandits.simulation.streams import POLICY, ROUNDS, stream
from mobandits.support.naming import quoted, short_repr

if TYPE_CHECKING:
    from mobandits.simulation.trial import Setup

NO_REWARDS = np.zeros(0)


def is_continuum(problem: Any) -> bool:
    """Whether a problem has a continuum of arms."""
    return isinstance(problem.shape, SurfaceShape)


class SurfacePlayer:
    """A recipe at work on one surface.

    Args:
        row: the name in messages.
        recipe: what to play.
        problem: what to play on.
        compiled: as in `simulate`.
        rng: the random stream of all stages.

    Raises:
        ValueError: naming the row, where the recipe does not fit the problem, or cannot be compiled
            but must.
    """

    def __init__(
        self, row: str, recipe: Any, problem: SurfaceProblem, compiled: Compiled, rng: Rng
    ) -> None:
        self._prefix = f"policy {quoted(row)}: "
        self._problem = problem
        self._rng = rng
        if not getattr(recipe, "continuum", False):
            name = type(recipe).__name__
            raise ValueError(f"{self._prefix}{name} needs finitely many arms")

        # Rewards are made inside of the loop, one at a time: there is no array to look at.
        self._assumptions = [
            assumption for assumption in recipe.assumptions() if assumption.about != "rewards"
        ]
        surface = problem.surface
        shape: Any = problem.shape
        try:
            self._stages = Stages(
                recipe.stages(shape),
                lambda policy: loop_for(play_surface, policy, surface, compiled=compiled),
            )
        except ValueError as error:
            raise ValueError(f"{self._prefix}{error}") from error

    def play(self, block: SurfaceBlock) -> Array:
        """(rounds, dimensions) the points of a block.

        Raises:
            ValueError: where contexts break an assumption of the recipe.
        """
        self._assumptions = [
            assumption
            for assumption in self._assumptions
            if not enforce(assumption, block.contexts, NO_REWARDS, prefix=self._prefix)
        ]
        chosen = np.empty((len(block.contexts), self._problem.shape.dimensions))
        stages = self._stages
        for piece in stages.pieces(len(chosen)):
            stages.state = stages.loop(
                stages.policy,
                stages.state,
                self._problem.surface,
                block.contexts[piece],
                block.uniforms[piece],
                self._rng,
                chosen[piece],
            )

        return chosen


def play_on_surface(
    setup: "Setup", trial: int, problem: SurfaceProblem, after_block: Callable[[int], None]
) -> dict[tuple[str, str], Recorder]:
    """What was measured of one trial, by row and metric; arguments as in `play_trial`."""
    shape: Any = problem.shape
    players = players_of(setup, trial, problem)
    recorders = {
        (row, metric.name): recorder(metric, setup.points, shape)
        for row in players
        for metric in setup.metrics
    }
    limit = horizon_limit(setup.environment, problem)
    rng = stream(setup.seed, trial, ROUNDS)
    for block in merged_surface_blocks(problem, setup.rounds, limit, rng):
        for row, player in players.items():
            chosen = player.play(block)
            scores = scores_of(problem, block, chosen, setup.compiled)
            for metric in setup.metrics:
                values = metric_values(metric, scores)
                recorders[row, metric.name].add(values)

        after_block(len(block.contexts))

    return recorders


def rehearse_on_surface(setup: "Setup", problem: SurfaceProblem) -> None:
    """Bind every recipe, and measure two rounds in which nothing is learned.

    So whatever does not fit is refused before the first trial.

    Raises:
        ValueError: naming the row or the metric.
    """
    shape: Any = problem.shape
    players_of(setup, 0, problem)
    limit = horizon_limit(setup.environment, problem)
    rng = stream(setup.seed, 0, ROUNDS)
    block = next(surface_blocks(problem, min(2, setup.rounds), limit, rng))
    for recipe in setup.policies.values():
        _rehearse_foreign(recipe, problem, block)

    rounds = len(block.contexts)
    # Any point will do to see what metrics are like; the centre is inside of every cube.
    centre = np.full((rounds, shape.dimensions), 0.5)
    scores = scores_of(problem, block, centre, setup.compiled)
    for metric in setup.metrics:
        values = metric_values(metric, scores)
        expected = (rounds, metric.components(shape))
        if values.shape != expected:
            raise ValueError(
                f"metric {metric.name}: on_surface must return shape "
                f"(rounds, components) = {expected}, got {values.shape}"
            )

        if np.isnan(values).any():
            name = short_repr(setup.environment)
            raise ValueError(f"metric {metric.name} is not known in closed form in {name}")


def _rehearse_foreign(recipe: Any, problem: SurfaceProblem, block: SurfaceBlock) -> None:
    """Play the first round in Python, where the policy or the surface is another author's."""
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
    players = {}
    for row, recipe in setup.policies.items():
        rng = stream(setup.seed, trial, POLICY, short_repr(recipe))
        players[row] = SurfacePlayer(row, recipe, problem, setup.compiled, rng)

    return players


def merged_surface_blocks(
    problem: SurfaceProblem, rounds: int, limit: int | None, rng: Rng
) -> Iterator[SurfaceBlock]:
    """The trial's blocks, several in one, as `blocks.merged_blocks` for finitely many arms."""
    # A row of `Scores` for every round: a mean per objective, two gaps and a bin.
    scores = problem.shape.objectives + 3
    batches = in_batches(
        surface_blocks(problem, rounds, limit, rng),
        lambda block: block.contexts.size + block.uniforms.size + len(block.contexts) * scores,
        lambda before, after: before.uniforms.shape[1] == after.uniforms.shape[1],
        CACHED_NUMBERS,
    )
    for batch in batches:
        contexts = [block.contexts for block in batch]
        uniforms = [block.uniforms for block in batch]
        yield SurfaceBlock(np.concatenate(contexts), np.concatenate(uniforms))


def surface_blocks(
    problem: SurfaceProblem, rounds: int, limit: int | None, rng: Rng
) -> Iterator[SurfaceBlock]:
    """The trial's blocks, in arrays of one kind.

    Raises:
        ValueError: where an array has the wrong shape.
    """
    features = problem.shape.features
    for first, drawn in block_bounds(rounds, limit):
        contexts, uniforms = problem.block(first, drawn, rng)
        expected = (drawn, features)
        if np.shape(contexts) != expected:
            raise ValueError(
                f"SurfaceBlock.contexts must have shape (rounds, features) = {expected}, "
                f"got {np.shape(contexts)}"
            )

        played = min(drawn, rounds - first)
        # One layout, since another one would be another compilation.
        contexts = np.require(contexts, np.float64, ["C", "W"])
        uniforms = np.require(uniforms, np.float64, ["C", "W"])
        yield SurfaceBlock(contexts[:played], uniforms[:played])


def scores_of(
    problem: SurfaceProblem, block: SurfaceBlock, chosen: Array, compiled: Compiled
) -> Scores:
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
