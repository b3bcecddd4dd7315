"""The policy that most recipes bind to: an estimator, an explorer and an order."""

from typing import Any

from mobandits.compiling.compiled import compiled
from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import Array, Beliefs, Choice, IntArray, Rng
from mobandits.numerics.masks import uniform


@compiled
class Composite(NotesNothing):
    """A policy that plays uniformly from the front of `order`, given an explorer's beliefs.

    Algorithms that need more than this are policies of their own; this class never grows a flag.

    Args:
        estimator: see `mobandits.estimators`.
        explorer: see `mobandits.explorers`.
        order: see `mobandits.orders`.

    Example:
        >>> from mobandits.estimators import SampleMean
        >>> from mobandits.explorers import Greedy
        >>> from mobandits.orders import Pareto
        >>> Composite(SampleMean(slots=3, objectives=2), Greedy(), Pareto()).order
        Pareto(on=[])
    """

    estimator: Any
    explorer: Any
    order: Any

    COMPOSED = True

    def init(self) -> Any:
        """The estimator's first state."""
        return self.estimator.init()

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> Beliefs:
        """The beliefs that the order decides on."""
        beliefs: Beliefs = self.explorer.beliefs(self.estimator, state, context, arms, rng)
        return beliefs

    def bounds(
        self, explorer: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """The beliefs of another explorer about what this policy has learned, such as intervals."""
        bounds: Beliefs = explorer.beliefs(self.estimator, state, context, arms, rng)
        return bounds

    def eases(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> bool:
        """Whether a limit is not kept by any of the arms: there are no limits here."""
        return False

    def draw(self, beliefs: Beliefs, rng: Rng) -> Choice:
        """An arm, uniform on the front."""
        order = self.order
        # Orders draw without the whole front where that is cheaper: the first arm of a random
        # order of visit that belongs to it is uniform on it.
        arm = order.draw(beliefs, rng)
        return Choice(arm, 0.0)

    def probabilities(self, beliefs: Beliefs) -> Array:
        """The probability of each arm: uniform on the front."""
        front = self.order.front(beliefs)
        return uniform(front)

    def update(self, state: Any, x: Array, arm: int, note: float, reward: Array, rng: Rng) -> Any:
        """The estimator's state after a reward."""
        # No other part learns: explorers and orders have no state.
        return self.estimator.update(state, x, arm, reward)
