"""Any policy that learns per arm, once per cell of the context space."""

from typing import Any, ClassVar

from mobandits.compiling.compiled import compiled
from mobandits.contracts.notes import Note, note_of, possible_notes, unpacked_note
from mobandits.contracts.protocols import Array, Choice, IntArray, Mask, Rng


@compiled
class InCells:
    """An instance of `policy` in every cell: what it knows as arm ids are slots, one per cell and arm.

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
        >>> policy = InCells(Composite(SampleMean(cells.size(), objectives=1), Greedy(), Pareto()), cells)
        >>> rng, arms = np.random.default_rng(0), np.arange(3)
        >>> state = policy.update(policy.init(), np.array([0.9]), 1, 0.0, np.array([7.0]), rng)
        >>> [policy.beliefs(state, np.array([[x]]), arms, rng).mean.ravel().tolist() for x in (0.2, 0.8)]
        [[0.0, 0.0, 0.0], [0.0, 7.0, 0.0]]
    """

    policy: Any
    cells: Any

    PASSES_BELIEFS: ClassVar[bool] = True

    def note(self) -> Note:
        """A note of the inner policy."""
        return note_of(self.policy)

    def possible_notes(self, state: Any, note: Note) -> Mask:
        """(decisions,) as the inner policy."""
        return possible_notes(self.policy, state, note)

    def unpacked_note(self, packed: float) -> Note:
        """The note of the inner policy."""
        return unpacked_note(self.policy, packed)

    def init(self) -> Any:
        """Nothing seen in any cell."""
        return self.policy.init()

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> Any:
        """The inner policy's, on the slots of the cells that hold the context."""
        return self.policy.beliefs(state, context, self.cells.slots(context, arms), rng)

    def draw(self, beliefs: Any, rng: Rng) -> Choice:
        """The inner policy's choice."""
        choice: Choice = self.policy.draw(beliefs, rng)
        return choice

    def probabilities(self, beliefs: Any) -> Array:
        """The inner policy's law."""
        law: Array = self.policy.probabilities(beliefs)
        return law

    def update(self, state: Any, x: Array, arm: int, note: Note, reward: Array, rng: Rng) -> Any:
        """Teach the instance of the cell that holds `x`."""
        return self.policy.update(state, x, self.cells.slot(x, arm), note, reward, rng)
