"""The Pareto order: no objective is traded for another."""

from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import Ints, compiled
from mobandits.contracts.protocols import Array, Beliefs, Mask, Rng
from mobandits.numerics.dominance import draw_nondominated, nondominated, pareto_gap, pareto_gaps
from mobandits.numerics.masks import everyone
from mobandits.orders.order import BaseOrder
from mobandits.orders.validity import check_below, check_once
from mobandits.support.naming import conjunction, wrong_value


@compiled
class Pareto(BaseOrder):
    """The Pareto order: the arms that no other arm dominates win.

    Arm b dominates arm a where no objective of b is smaller and one is larger. Arms with equal
    vectors do not dominate each other: they are on the front together or not at all. The front is
    that of the beliefs' upper bounds. The gap is ``max_b min_l (mu[b, l] - mu[a, l])``, how much
    must be added to every objective of arm a so that none dominates it; it is 0 on the front and
    for arms that are dominated only weakly, ``(1, -1)`` by ``(1, 0)``.

    Args:
        on: the objectives that count; None or empty for all of them.

    Raises:
        ValueError: where `on` is not a list of different objectives of at least 0.

    Reference:
        moglb2019, Definitions 1 to 3; pcz2018, Definition 2; molts2025, Definition 3.

    Example:
        >>> import mobandits as mob
        >>> means = [[1, 0], [0, 1], [0.4, 0.4], [0.2, 0.1]]
        >>> mob.front(means, mob.orders.Pareto())
        array([ True,  True,  True, False])
        >>> mob.gaps(means, mob.orders.Pareto()).round(3).ravel().tolist()
        [0.0, 0.0, 0.0, 0.2]
        >>> mob.front(means, mob.orders.Pareto(on=[1]))
        array([False,  True, False, False])
    """

    on: Ints = None

    def __post_init__(self) -> None:
        objectives = self.on.tolist()
        if self.on.ndim != 1 or (self.on.size and self.on.min() < 0):
            raise wrong_value("Pareto.on must be a list of objectives of at least 0", objectives)

        check_once("Pareto.on", objectives)

    def check(self, objectives: int) -> None:
        """Refuse a problem with too few objectives."""
        check_below("Pareto.on", self.on, objectives)

    def in_words(self, objectives: Sequence[str]) -> str:
        """The objectives that count."""
        which = "all objectives"
        if self.on.size:
            which = conjunction([objectives[i] for i in self.on])
        return f"Pareto front over {which}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms whose upper bounds none dominates."""
        among = everyone(len(beliefs.high))
        return nondominated(beliefs.high, self.on, among)

    def draw(self, beliefs: Beliefs, rng: Rng) -> int:
        """The position of an arm, uniform on the front, which is not computed."""
        # A uniform draw tests some arms only: it need not know the front.
        among = everyone(len(beliefs.high))
        return draw_nondominated(beliefs.high, self.on, among, rng)

    def gap(self, means: Array, arm: int) -> Array:
        """(1,) the Pareto suboptimality gap of one arm."""
        among = everyone(len(means))
        gap = pareto_gap(means, arm, self.on, among)
        return np.full(1, gap)

    def gaps(self, means: Array) -> Array:
        """(arms, 1) the gap of every arm; compares with the front only."""
        arms = len(means)
        gaps = pareto_gaps(means, self.on, everyone(arms))
        return gaps.reshape(arms, 1)
