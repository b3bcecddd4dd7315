"""The base of zooming recipes: their parameters, and their policies for arms and for surfaces."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.contracts.continuum import SurfaceShape
from mobandits.contracts.protocols import Array, Assumption, Recipe, Shape
from mobandits.policies.zooming.similarity import ScaledEuclidean, Similarity, check_similarity
from mobandits.policies.zooming.zooming import Rule, ZoomingArms
from mobandits.policies.zooming.zooming_surface import ZoomingCandidates, ZoomingInterval
from mobandits.support.checks import integer, matrix, number

CUBE_OF_DISTANCES = Assumption(
    "contexts", 0.0, 1.0, refuse=True, because="its distances are at most 1 there"
)


@dataclass(frozen=True)
class ZoomingRecipe(Recipe):
    """Base of the zooming recipes: the parameters of the similarity space.

    Args:
        scale: multiplies the width of confidence intervals.
        positions: (arms, any) in [0, 1], where each arm is, after the numbers of its context row;
            needed where all arms share one context. None: the rows tell the arms apart.
        similarity: a `compiled` distance; None: the Euclidean one, divided by the square root of
            the dimensions.
        candidates: how many random arms of a continuum a round sees, where domains cannot be
            computed exactly: of more than one dimension, or with another similarity.
        check: refuse contexts outside [0, 1]^d.
    """

    scale: float = 1.0
    positions: Sequence[Sequence[float]] | None = None
    similarity: Similarity | None = None
    candidates: int = 2048
    check: bool = True

    assumed = (CUBE_OF_DISTANCES,)
    accepts_partial = False
    continuum = True

    def __post_init__(self) -> None:
        """Check the parameters and make the positions a tuple, so that recipes compare by value."""
        name = type(self).__name__
        number(f"{name}.scale", self.scale, above=0.0)
        integer(f"{name}.candidates", self.candidates, at_least=1)
        check_similarity(f"{name}.similarity", self.similarity)
        # A tuple of tuples: recipes compare by value, and arrays do not.
        if self.positions is not None:
            positions = matrix(f"{name}.positions", self.positions, ("arms", "dimensions"))
            outside = (positions < 0) | (positions > 1)
            if outside.any():
                raise ValueError(
                    f"{name}.positions must lie in [0, 1], "
                    f"got {positions.min()} to {positions.max()}"
                )

            rows = tuple(map(tuple, positions.tolist()))
            object.__setattr__(self, "positions", rows)

    def rule(self, objectives: int, rounds: int) -> Rule:
        """The rule of the algorithm, for so many objectives and a horizon."""
        raise NotImplementedError

    def bind(self, shape: Shape | SurfaceShape) -> Any:
        """The policy for finitely many arms, or for a continuum.

        Raises:
            ValueError: where the number of rounds is not known, or nothing tells the arms apart.
        """
        if shape.rounds is None:
            name = type(self).__name__
            raise ValueError(f"{name} must know the number of rounds; Doubling({name}()) need not")

        rule = self.rule(shape.objectives, shape.rounds)
        similarity = self.similarity or ScaledEuclidean()
        # Finitely many arms: their pairs with the context are looked up one by one, exactly.
        if isinstance(shape, Shape):
            positions = self.arm_positions(shape)
            dimensions = shape.features + positions.shape[1]
            return ZoomingArms(rule, similarity, dimensions, positions)

        dimensions = shape.features + shape.dimensions
        # Only Euclidean balls cut intervals out of a line whose ends have a closed form.
        if shape.dimensions == 1 and type(similarity) is ScaledEuclidean:
            return ZoomingInterval(rule, similarity, dimensions)

        return ZoomingCandidates(rule, similarity, dimensions, shape.features, self.candidates)

    def arm_positions(self, shape: Shape) -> Array:
        """(arms, any) the positions of the arms, checked against the problem."""
        name = type(self).__name__
        if self.positions is None:
            if shape.shared or not shape.features:
                raise ValueError(
                    f"{name}.positions must be given where arms share a context, got None"
                )

            # Rows of the context tell the arms apart: a place needs no more coordinates.
            return np.zeros((shape.arms, 0))

        positions = np.array(self.positions)
        if len(positions) != shape.arms:
            rule = f"{name}.positions must have a row for each of {shape.arms} arms"
            raise ValueError(f"{rule}, got {len(positions)}")

        return positions

    def assumptions(self) -> tuple[Assumption, ...]:
        """Contexts in the unit cube, where the default distance is at most 1."""
        if self.similarity is not None:
            return ()
        return super().assumptions()
