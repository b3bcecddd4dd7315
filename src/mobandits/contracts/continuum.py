"""The contracts for a continuum of arms.

Arms are points of the unit cube, and rewards functions of context and point.
They mirror those of `protocols`. A problem draws contexts and uniform numbers; its surface, a
`compiled` part, turns them into rewards; a policy chooses points. Recipes with ``continuum = True``
bind to a `SurfaceShape` too.
"""

import math
from typing import Any, NamedTuple, Protocol

from mobandits.contracts.protocols import Array, IntArray, Rng


class SurfaceShape(NamedTuple):
    """The shape of a problem whose arms are the points of a unit cube, as recipes know it.

    Attributes:
        dimensions: of the cube of arms.
        features: length of a context; 0 where there is none.
        objectives: number of rewards per play; all are maximised.
        rounds: the horizon T, or None where it is unknown.
    """

    dimensions: int
    features: int
    objectives: int
    rounds: int | None = None

    def replaced(self, **changes: Any) -> "SurfaceShape":
        """The same shape with other values of some attributes, as `Shape.replaced`."""
        return self._replace(**changes)


class Aim(NamedTuple):
    """A decision: a point (dimensions,), and a note, as in `Choice`."""

    point: Array
    note: Any


class SurfaceBlock(NamedTuple):
    """Consecutive rounds: contexts (rounds, features), and uniform numbers (rounds, any)."""

    contexts: Array
    uniforms: Array


class Surface:
    """Base of reward surfaces, which are `compiled` classes; `x` is a context, `y` a point.

    Regret needs `gap`, in closed form. A surface that knows more redefines `effective_gap`
    and `bin` as well.
    """

    def mean(self, x: Array, y: Array) -> Array:
        """(objectives,) the true means."""
        raise NotImplementedError

    def reward(self, x: Array, y: Array, uniforms: Array) -> Array:
        """(objectives,) what is paid, a function of the round's uniform numbers."""
        raise NotImplementedError

    def gap(self, x: Array, y: Array) -> float:
        """The Pareto suboptimality gap, what is missing in every objective; NaN if not known."""
        return math.nan

    def effective_gap(self, x: Array, y: Array) -> float:
        """The same against mixtures of points; NaN where it is not known."""
        return math.nan

    def bin(self, x: Array, y: Array) -> int:
        """The bin of the Pareto front that the point lies in, from 0; -1 off the front or bins."""
        return -1


class SurfaceProblem(Protocol):
    """One trial's instance of an environment with a continuum of arms."""

    @property
    def shape(self) -> SurfaceShape:
        """Its shape, as recipes know it."""

    @property
    def surface(self) -> Surface:
        """The rewards."""

    def block(self, first: int, rounds: int, rng: Rng) -> SurfaceBlock:
        """Rounds `first` (0-based) to `first + rounds`, as `Problem.block` gives them."""


class SurfaceEnvironment(Protocol):
    """A family of problems with a continuum of arms; a frozen dataclass with keyword parameters."""

    def problem(self, rounds: int, rng: Rng) -> SurfaceProblem:
        """Draw one trial's instance for a horizon of `rounds`."""


class SurfacePolicy(Protocol):
    """A policy on a continuum of arms; `x` is the context, (features,)."""

    def init(self) -> Any:
        """The state before the first round: a NamedTuple of arrays."""

    def beliefs(self, state: Any, x: Array, rng: Rng) -> Any:
        """The beliefs that a draw rests on; leaves `state` untouched."""

    def draw(self, beliefs: Any, rng: Rng) -> Aim:
        """One point, drawn by the policy's rule; leaves `beliefs` untouched."""

    def update(self, state: Any, x: Array, point: Array, note: Any, reward: Array, rng: Rng) -> Any:
        """The state after a reward, (objectives,); consumes `state`."""


class Scores(NamedTuple):
    """The truth about what was played in some rounds on a surface.

    Attributes:
        means: (rounds, objectives) true means of the points.
        gaps: (rounds,) their Pareto gaps.
        effective_gaps: (rounds,) their gaps against mixtures.
        bins: (rounds,) the bins of the front that they lie in, or -1.
    """

    means: Array
    gaps: Array
    effective_gaps: Array
    bins: IntArray


class SurfaceMetric(Protocol):
    """A metric that can be measured on a continuum of arms as well: one that also offers this."""

    def on_surface(self, scores: Scores) -> Array:
        """(rounds, components), as `Metric.per_round` gives them."""
