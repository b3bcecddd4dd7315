"""A wrapper that runs one instance of a policy without context in every cell of the contexts."""

from typing import Any

from mobandits.compiling.compiled import compiled
from mobandits.contracts.notes import Note
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng
from mobandits.policies.wrappers.around import AroundPolicy


@compiled
class InCells(AroundPolicy):
    """An instance of `policy` in every cell: its arms are slots, one per cell and arm.

    Args:
        policy: a policy without context that has as many arms as there are slots.
        cells: the partition.

    Reference:
        mocmab2018, section IV; the "contextual" versions of its baselines, section VII.

    Example:
        >>> import numpy as np
        >>> from mobandits.estimators import Cells, SampleMean
        >>> from mobandits.explorers import Greedy
        >>> from mobandits.orders import Pareto
        >>> from mobandits.policies.composite import Composite
        >>> cells = Cells(per_side=2, features=1, arms=3)
        >>> means = SampleMean(cells.size(), objectives=1)
        >>> policy = InCells(Composite(means, Greedy(), Pareto()), cells)
        >>> rng = np.random.default_rng(0)
        >>> state = policy.update(policy.init(), np.array([0.9]), 1, 0.0, np.array([7.0]), rng)
        >>> policy.beliefs(state, np.array([[0.2]]), np.arange(3), rng).mean.ravel().tolist()
        [0.0, 0.0, 0.0]
        >>> policy.beliefs(state, np.array([[0.8]]), np.arange(3), rng).mean.ravel().tolist()
        [0.0, 7.0, 0.0]
    """

    policy: Any
    cells: Any

    PASSES_BELIEFS = True

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> Any:
        """The inner policy's, on the slots of the cells that hold the context."""
        # Every arm's row may lie in a cell of its own.
        slots = self.cells.slots(context, arms)
        return self.policy.beliefs(state, context, slots, rng)

    def bounds(
        self, explorer: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """The beliefs of an explorer about the slots of the cells that hold the context."""
        slots = self.cells.slots(context, arms)
        bounds: Beliefs = self.policy.bounds(explorer, state, context, slots, rng)
        return bounds

    def eases(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> bool:
        """Whether a limit is not kept by any of the arms: there are no limits here."""
        return False

    def update(self, state: Any, x: Array, arm: int, note: Note, reward: Array, rng: Rng) -> Any:
        """The state after a reward: the instance of the cell that holds `x` learns."""
        # Line 6 of Algorithm 1: the cell p* that holds the context.
        slot = self.cells.slot(x, arm)
        return self.policy.update(state, x, slot, note, reward, rng)
