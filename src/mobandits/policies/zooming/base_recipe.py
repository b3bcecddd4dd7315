"""The parameters that zooming recipes share, and how they bind to arms and to surfaces."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mobandits.contracts.assumptions import UNIT_CUBE, declared
from mobandits.contracts.continuum import SurfaceShape
from mobandits.contracts.protocols import Array, Assumption, Recipe, Shape
from mobandits.policies.zooming.similarity import ScaledEuclidean, Similarity, check_similarity
from mobandits.policies.zooming.zooming import Rule, ZoomingArms
from mobandits.policies.zooming.zooming_surface import ZoomingCandidates, ZoomingInterval
from mobandits.support.checks import integer, matrix, number


@dataclass(frozen=True)
class ZoomingRecipe(Recipe):
    """Base: what is similar to what.

    Args:
        scale: multiplies the width of confidence intervals.
        positions: (arms, any) in [0, 1], where each arm is, after the numbers of its context row; needed where all arms
            share one context. None: the rows say it all.
        similarity: a `compiled` distance; None: the Euclidean one, divided by the square root of the dimensions.
        candidates: how many random arms of a continuum a round sees, where domains cannot be computed exactly: of more
            than one dimension, or with another similarity.
        check: refuse contexts outside [0, 1]^d.
    """

    scale: float = 1.0
    positions: Sequence[Sequence[float]] | None = None
    similarity: Similarity | None = None
    candidates: int = 2048
    check: bool = True

    accepts_partial: ClassVar[bool] = False
    continuum: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the parameters and make the positions a tuple, so that recipes compare by value."""
        name = type(self).__name__
        number(f"{name}.scale", self.scale, above=0.0)
        integer(f"{name}.candidates", self.candidates, at_least=1)
        check_similarity(f"{name}.similarity", self.similarity)
        if self.positions is not None:
            positions = matrix(f"{name}.positions", self.positions, ("arms", "dimensions"))
            if (positions < 0).any() or (positions > 1).any():
                raise ValueError(
                    f"{name}.positions must lie in [0, 1], got {positions.min()} to {positions.max()}"
                )
            object.__setattr__(self, "positions", tuple(map(tuple, positions.tolist())))

    def rule(self, objectives: int, rounds: int) -> Rule:
        """What the algorithm does, for so many objectives and a horizon."""
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
        if isinstance(shape, Shape):
            positions = self.arm_positions(shape)
            return ZoomingArms(rule, similarity, shape.features + positions.shape[1], positions)
        dimensions = shape.features + shape.dimensions
        if shape.dimensions == 1 and type(similarity) is ScaledEuclidean:
            return ZoomingInterval(rule, similarity, dimensions)
        return ZoomingCandidates(rule, similarity, dimensions, shape.features, self.candidates)

    def arm_positions(self, shape: Shape) -> Array:
        """(arms, any) the positions, checked against the problem."""
        name = type(self).__name__
        if self.positions is None:
            if shape.shared or not shape.features:
                raise ValueError(
                    f"{name}.positions must be given where arms share a context, got None"
                )
            return np.zeros((shape.arms, 0))
        positions = np.array(self.positions)
        if len(positions) != shape.arms:
            raise ValueError(
                f"{name}.positions must have a row for each of {shape.arms} arms, got {len(positions)}"
            )
        return positions

    def assumptions(self) -> tuple[Assumption, ...]:
        """Contexts in the unit cube, unless another similarity says what is near."""
        cube = UNIT_CUBE._replace(because="its distances are at most 1 there")
        return declared(self, cube) if self.similarity is None else ()
