"""Weights cut at a bound."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.case import EvaluationCase
from mobandits.support.checks import number


@dataclass(frozen=True, kw_only=True)
class Clipping:
    """Base of estimators by importance weights, which may be cut at a bound.

    Args:
        clip: the largest weight; None does not clip.

    Raises:
        ValueError: where `clip` is not above 0.
    """

    clip: float | None = None

    needs_propensities: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.clip is not None:
            number(f"{type(self).__name__}.clip", self.clip, above=0.0)

    def weights(self, case: EvaluationCase) -> tuple[Array, Array | None]:
        """(rounds, 1) the weights, at most `clip`, and what was cut off; None without a bound.

        Example:
            >>> from mobandits.logs import Feedback
            >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [1.0, 0.2], "ab", ["q"])
            >>> case = EvaluationCase(log, np.array([[1.0, 0.0], [0.0, 1.0]]))
            >>> [part.ravel().tolist() for part in Clipping(clip=2.0).weights(case)]
            [[1.0, 2.0], [0.0, 3.0]]
        """
        weights = case.weights[:, None]
        if self.clip is None:
            return weights, None

        kept = np.minimum(weights, self.clip)

        return kept, weights - kept
