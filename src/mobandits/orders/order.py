"""What every order shares: a uniform draw from its front, and the regret of every arm."""

import numpy as np

from mobandits.contracts.protocols import Array, Beliefs, Mask, Rng
from mobandits.numerics.masks import pick


class BaseOrder:
    """Defaults of an order that knows its `front` and its `gap`; subclasses are decorated with `compiled`."""

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms that nothing beats; never empty."""
        raise NotImplementedError

    def gap(self, means: Array, arm: int) -> Array:
        """(digits,) the regret of one arm, given the true means (arms, objectives)."""
        raise NotImplementedError

    def draw(self, beliefs: Beliefs, rng: Rng) -> int:
        """The position of an arm, uniform on the front."""
        return pick(self.front(beliefs), rng)

    def gaps(self, means: Array) -> Array:
        """(arms, digits) the regret of every arm."""
        first = self.gap(means, 0)
        out = np.empty((len(means), len(first)))
        for a in range(len(means)):
            digits = self.gap(means, a)
            for i in range(len(digits)):
                out[a, i] = digits[i]
        return out
