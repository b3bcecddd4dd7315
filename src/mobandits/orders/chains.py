"""Priority chains: lists of objectives, lexicographic within a chain, Pareto between chains."""

from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import Ints, compiled, kernel
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Mask
from mobandits.numerics.dominance import nondominated
from mobandits.numerics.linalg import copy_into
from mobandits.numerics.masks import everyone
from mobandits.orders.order import BaseOrder, group_names
from mobandits.orders.validity import check_complete, check_groups


@kernel
def precedes(x: Array, y: Array) -> bool:
    """Whether x is lexicographically smaller than y, both (digits,)."""
    for i in range(len(x)):
        # The first digit that differs decides.
        if x[i] != y[i]:
            return bool(x[i] < y[i])

    return False


@kernel
def advantage(means: Array, b: int, a: int, chain: IntArray, out: Array) -> None:
    """Write into `out` (digits,) by how much arm b leads arm a along a chain; 0 beyond its end."""
    for k in range(len(chain)):
        objective = chain[k]
        lead = 0.0
        if objective >= 0:
            lead = means[b, objective] - means[a, objective]

        out[k] = lead


@kernel
def chain_ranks(values: Array, chains: IntArray) -> Array:
    """(arms, chains) the rank of every arm in every chain; equal arms have equal ranks."""
    arms = len(values)
    length = chains.shape[1]
    out = np.zeros((arms, len(chains)))
    column = np.empty(arms)
    for j in range(len(chains)):
        order = np.arange(arms)
        # Stable sorts from the last objective to the first leave the arms in lexicographic order.
        for k in range(length - 1, -1, -1):
            objective = chains[j, k]
            if objective < 0:
                continue

            for i in range(arms):
                column[i] = values[order[i], objective]

            by_column = np.argsort(column, kind="mergesort")
            order = order[by_column]

        for i in range(1, arms):
            arm = order[i]
            previous = order[i - 1]
            differs = 0.0
            for k in range(length):
                objective = chains[j, k]
                if objective >= 0 and values[arm, objective] != values[previous, objective]:
                    differs = 1.0

            out[arm, j] = out[previous, j] + differs

    return out


@kernel
def chain_gap(means: Array, arm: int, chains: IntArray) -> Array:
    """(digits,) the exact gap of one arm under priority chains.

    With D(b, j) the advantage of arm b along chain j, zero-padded to the longest chain, let
    ``G = lexmax_b lexmin_j D(b, j)``, which is at least 0 because b may be `arm` itself. The
    infimum asked for has no negative digit: it keeps the digits of G up to the first negative one
    and is 0 from there on.

    Reference:
        moslb2024, Definition 5.
    """
    digits = chains.shape[1]
    # The arm itself has no advantage over itself: the maximum starts at 0.
    best = np.zeros(digits)
    least = np.zeros(digits)
    row = np.empty(digits)
    out = np.zeros(digits)
    for b in range(len(means)):
        ahead = True
        for j in range(len(chains)):
            advantage(means, b, arm, chains[j], row)
            # Then the least of this arm's advantages cannot exceed the best so far.
            if precedes(row, best):
                ahead = False
                break
            if j == 0 or precedes(row, least):
                copy_into(least, row)

        if ahead:
            copy_into(best, least)

    # The first digit that is negative and all after it stay 0, and so does -0.0.
    for k in range(digits):
        if best[k] < 0.0:
            break
        if best[k] > 0.0:
            out[k] = best[k]

    return out


class ChainOrder(BaseOrder):
    """Base of orders of priority chains: whichever arms they play, the gap is that of `Chains`."""

    WHERE = "Chains.chains"  # the parameter, for messages
    WORDS = "Pareto front over priority chains"

    chains: Ints

    def __post_init__(self) -> None:
        check_groups(self.WHERE, self.chains)

    def check(self, objectives: int) -> None:
        """Refuse a problem whose objectives are not exactly those of the chains."""
        check_complete(self.WHERE, self.chains, objectives)

    def in_words(self, objectives: Sequence[str]) -> str:
        """The chains, each by priority."""
        chains = [", then ".join(names) for names in group_names(self.chains, objectives)]
        listed = "; ".join(chains)
        return f"{self.WORDS}: {listed}"

    def gap(self, means: Array, arm: int) -> Array:
        """(digits of the longest chain,) the gap of one arm under `Chains`."""
        return chain_gap(means, arm, self.chains)


@compiled
class Chains(ChainOrder):
    """The order of priority chains: the Pareto front of the arms' lexicographic ranks wins.

    Every chain orders the arms lexicographically. An arm dominates another where it is behind in no
    chain and ahead in one. The front is the arms that none dominates, by the beliefs' upper bounds.
    The gap is the smallest vector of digits (none negative, compared lexicographically) that, added
    to every chain of the arm's means, leaves it dominated by none. Chains of one objective each are
    the Pareto order, one chain is the lexicographic order.

    Args:
        chains: lists of objectives, each by priority; every objective in one of them. Stored as a
            matrix whose shorter rows are padded with -1.

    Raises:
        ValueError: where a chain is empty or an objective is negative or named twice.

    Reference:
        moslb2024, Definitions 4 and 5.

    Example:
        >>> import mobandits as mob
        >>> means = [[1, 0, 0, 2], [0, 3, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1]]
        >>> order = mob.orders.Chains([[0, 1], [2, 3]])
        >>> mob.front(means, order)
        array([ True,  True, False, False])
        >>> mob.gaps(means, order).tolist()
        [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 2.0]]
    """

    chains: Ints

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms that none dominates: the Pareto front of the ranks in the chains."""
        ranks = chain_ranks(beliefs.high, self.chains)
        every_chain = np.zeros(0, np.int64)
        return nondominated(ranks, every_chain, everyone(len(ranks)))
