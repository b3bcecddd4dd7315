"""Priority chains: lists of objectives, lexicographic within a chain, Pareto between chains."""

from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import Ints, compiled, kernel
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Mask
from mobandits.numerics.dominance import nondominated
from mobandits.numerics.linalg import copy_into
from mobandits.numerics.masks import everyone
from mobandits.orders.order import BaseOrder, grouped
from mobandits.orders.validity import check_complete, check_groups


@kernel
def precedes(x: Array, y: Array) -> bool:
    """Whether x is lexicographically smaller than y, both (digits,)."""
    for i in range(len(x)):
        if x[i] != y[i]:
            return bool(x[i] < y[i])
    return False


@kernel
def advantage(means: Array, b: int, a: int, chain: IntArray, out: Array) -> None:
    """Write into `out` (digits,) by how much arm b is ahead of arm a along one chain; 0 beyond its end."""
    for k in range(len(chain)):
        out[k] = means[b, chain[k]] - means[a, chain[k]] if chain[k] >= 0 else 0.0


@kernel
def chain_ranks(values: Array, chains: IntArray) -> Array:
    """(arms, chains) the rank of every arm in every chain, equal where its values along the chain are."""
    out = np.zeros((len(values), len(chains)))
    column = np.empty(len(values))
    for j in range(len(chains)):
        order = np.arange(len(values))
        for k in range(
            chains.shape[1] - 1, -1, -1
        ):  # stable sorts from the last objective to the first
            if chains[j, k] < 0:
                continue
            for i in range(len(order)):
                column[i] = values[order[i], chains[j, k]]
            order = order[np.argsort(column, kind="mergesort")]
        for i in range(1, len(order)):
            differs = 0.0
            for k in range(chains.shape[1]):
                if (
                    chains[j, k] >= 0
                    and values[order[i], chains[j, k]] != values[order[i - 1], chains[j, k]]
                ):
                    differs = 1.0
            out[order[i], j] = out[order[i - 1], j] + differs
    return out


@kernel
def chain_gap(means: Array, arm: int, chains: IntArray) -> Array:
    """(digits,) the exact gap of one arm under priority chains.

    With D(b, j) the advantage of arm b along chain j, zero-padded to the longest chain, let
    ``G = lexmax_b lexmin_j D(b, j)``, which is at least 0 because b may be `arm` itself. The infimum asked for has no
    negative digit: it keeps the digits of G up to the first negative one and is 0 from there on.

    Reference:
        moslb2024, Definition 5.
    """
    digits = chains.shape[1]
    best = np.zeros(digits)
    least = np.zeros(digits)
    row = np.empty(digits)
    out = np.zeros(digits)
    for b in range(len(means)):
        ahead = True
        for j in range(len(chains)):
            advantage(means, b, arm, chains[j], row)
            if precedes(row, best):  # then the least of its chains cannot exceed the best so far
                ahead = False
                break
            if j == 0 or precedes(row, least):
                copy_into(least, row)
        if ahead:
            copy_into(best, least)
    for k in range(digits):
        if best[k] < 0.0:
            break
        if best[k] > 0.0:
            out[k] = best[k]
    return out


@compiled
class Chains(BaseOrder):
    """Every chain orders the arms lexicographically; an arm dominates another where it is behind in none, ahead in one.

    The front is what nobody dominates, by the beliefs' upper bounds. The gap is the smallest vector of digits (none
    negative, compared lexicographically) that, added to every chain of the arm's means, leaves it dominated by nobody.
    Chains of one objective each are the Pareto order, one chain is the lexicographic order.

    Args:
        chains: lists of objectives, each by priority; every objective in one of them. Stored as a matrix whose shorter
            rows are padded with -1.

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

    def __post_init__(self) -> None:
        check_groups("Chains.chains", self.chains)

    def check(self, objectives: int) -> None:
        """Refuse a problem whose objectives are not exactly those of the chains."""
        check_complete("Chains.chains", self.chains, objectives)

    def in_words(self, objectives: Sequence[str]) -> str:
        """The chains, each by priority."""
        chains = [", then ".join(names) for names in grouped(self.chains, objectives)]
        return f"Pareto front over priority chains: {'; '.join(chains)}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms that nobody dominates: the Pareto front of the ranks in the chains."""
        ranks = chain_ranks(beliefs.high, self.chains)
        return nondominated(ranks, np.zeros(0, np.int64), everyone(len(ranks)))

    def gap(self, means: Array, arm: int) -> Array:
        """(digits of the longest chain,) the gap of one arm."""
        return chain_gap(means, arm, self.chains)
