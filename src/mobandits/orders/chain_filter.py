"""The prior-free lexicographic filter on intervals, chain by chain."""

import numpy as np

from mobandits.compiling.compiled import Ints, compiled
from mobandits.contracts.protocols import Beliefs, Mask
from mobandits.numerics.masks import everyone
from mobandits.orders.chains import ChainOrder
from mobandits.orders.intervals import linked


@compiled
class ChainFilter(ChainOrder):
    """The order of MOSLB-PC: arms linked by intervals to a chain's lexicographic winner win.

    Along a chain the filter keeps, objective by objective, the arms joined to the one with the
    largest upper bound by overlapping intervals (touching counts), among those it has kept so far.
    The front is the union over the chains. The gap is that of `Chains`. Mind that on exact means
    the front is the union of the chains' lexicographic winners, which may be fewer than the arms on
    the front of `Chains`.

    Args:
        chains: lists of objectives, each by priority; every objective in one of them. Stored as a
            matrix whose shorter rows are padded with -1.

    Raises:
        ValueError: where a chain is empty or an objective is negative or named twice.

    Reference:
        moslb2024, Algorithm 2 (PFLF) and Algorithm 1, lines 9 to 12. As in the authors' code, arms
        are joined within the set that is left; the paper defines the link over all arms.

    Example:
        >>> import mobandits as mob
        >>> means = [[1, 0, 0], [1, 2, 1], [0, 0, 2], [0.9, 3, 1.5]]
        >>> mob.front(means, mob.orders.ChainFilter([[0, 1], [2]]))
        array([False,  True,  True, False])
    """

    chains: Ints

    WHERE = "ChainFilter.chains"
    WORDS = "filter of priority chains"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the union of what the filter keeps in each chain."""
        arms = len(beliefs.high)
        union = np.zeros(arms, np.bool_)
        for chain in self.chains:
            kept = everyone(arms)
            # Links are looked for among the arms that are left: an arm that an earlier objective
            # ruled out must not join two others.
            for objective in chain:
                if objective >= 0:
                    kept = linked(beliefs.low, beliefs.high, objective, kept)

            for a in range(arms):
                union[a] |= kept[a]

        return union
