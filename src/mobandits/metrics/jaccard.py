"""The Jaccard index of the set that arms are drawn from and the true front."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Order
from mobandits.metrics.metric import BaseMetric
from mobandits.orders import Pareto


def jaccard(front: Any, other: Any) -> float:
    """The index |front & other| / |front | other|, from 0 to 1; two empty sets agree.

    Args:
        front: (arms,) a mask.
        other: (arms,) another.

    Example:
        >>> jaccard([True, True, False], [False, True, True])
        0.3333333333333333
    """
    first = np.asarray(front, np.bool_)
    second = np.asarray(other, np.bool_)
    union = int((first | second).sum())
    if not union:
        return 1.0

    shared = int((first & second).sum())

    return shared / union


@dataclass(frozen=True)
class Jaccard(BaseMetric):
    """Agreement of the sets that arms are drawn from with the true fronts, from 0 to 1.

    Per round, |O_t & O*| / |O_t | O*| of the set O_t that round t's arm was drawn from and that
    round's true front O*. The table holds means over the rounds since the previously recorded one.

    Args:
        order: whose front O* is.

    Reference:
        moglb2019, Figure 2.

    Example:
        >>> Jaccard().cumulative
        False
    """

    references = ("moglb2019",)

    order: Order = field(default_factory=Pareto)
    name = "jaccard"
    better = "larger"
    least = 0.0
    most = 1.0
    meaning = "how well the set that arms are drawn from agrees with the true front, from 0 to 1"
    cumulative = False
    needs_fronts = True

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, 1) indices."""
        if fronts is None:
            raise ValueError("Jaccard.per_round needs fronts, got None")

        front = truth.front(self.order)
        # `front` may have one row for all rounds, and is broadcast.
        shared = (fronts & front).sum(axis=1)
        union = (fronts | front).sum(axis=1)
        indices = np.asarray(shared / union)  # never 0 / 0: no front is empty

        return indices[:, None]
