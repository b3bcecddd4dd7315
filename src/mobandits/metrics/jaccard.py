"""How well the set that arms are drawn from agrees with the true front."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Order, Shape
from mobandits.orders import Pareto


def jaccard(front: Any, other: Any) -> float:
    """|front & other| / |front | other|, from 0 to 1; two empty sets agree.

    Args:
        front: (arms,) a mask.
        other: (arms,) another.

    Example:
        >>> jaccard([True, True, False], [False, True, True])
        0.3333333333333333
    """
    one = np.asarray(front, np.bool_)
    two = np.asarray(other, np.bool_)
    union = int((one | two).sum())
    return int((one & two).sum()) / union if union else 1.0


@dataclass(frozen=True)
class Jaccard:
    """Agreement of the sets that arms are drawn from with the true fronts, from 0 to 1.

    Per round, |O_t & O*| / |O_t | O*| of the set O_t that round t's arm was drawn from and that round's true front O*.
    The table holds means over the rounds since the previously recorded one.

    Args:
        order: whose front O* is.

    Reference:
        moglb2019, Figure 2.

    Example:
        >>> Jaccard().cumulative
        False
    """

    order: Order = field(default_factory=Pareto)
    name: ClassVar[str] = "jaccard"
    cumulative: ClassVar[bool] = False
    needs_fronts: ClassVar[bool] = True

    def components(self, shape: Shape) -> int:
        """One."""
        return 1

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, 1) indices."""
        if fronts is None:
            raise ValueError("Jaccard.per_round needs fronts, got None")
        front = truth.front(self.order)
        shared = (fronts & front).sum(axis=1)
        union = (fronts | front).sum(axis=1)
        return np.asarray(shared / union)[:, None]  # never 0 / 0: no front is empty
