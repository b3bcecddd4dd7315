"""Priority chains as the public code of moslb2024 scores them, for comparison with its figures."""

import numpy as np

from mobandits.compiling.compiled import compile_loop, compiled, kernel
from mobandits.contracts.protocols import Array, IntArray
from mobandits.numerics.linalg import copy_into
from mobandits.numerics.masks import everyone
from mobandits.numerics.rounded import in_last_decimals
from mobandits.orders.chains import Chains, advantage, precedes
from mobandits.support import checks

# Differences that the authors' code takes for equality, in the unit of the means.
SLACK = 1e-6


@kernel
def surely_ahead(means: Array, b: int, a: int, chains: IntArray, slack: float) -> bool:
    """Whether arm b leads arm a in every chain, by more than `slack` where they first differ."""
    for chain in chains:
        ahead = False
        for objective in chain:
            if objective < 0:
                break

            lead = means[b, objective] - means[a, objective]
            if -lead > slack:
                break
            if lead > slack:
                ahead = True
                break

        if not ahead:
            return False

    return True


@kernel
def least_positive_part(
    means: Array, b: int, a: int, chains: IntArray, row: Array, least: Array
) -> None:
    """Write into `least` the lexicographically smallest ``max(0, advantage)`` of b over a."""
    for j in range(len(chains)):
        advantage(means, b, a, chains[j], row)
        # Digit by digit, as in the authors' code; Definition 5 cuts at the first negative digit.
        for k in range(len(row)):
            row[k] = max(0.0, row[k])

        if j == 0 or precedes(row, least):
            copy_into(least, row)


@compiled
class AuthorsChains(Chains):
    """`Chains` with the gaps of `pc_gap_authors`.

    Args:
        chains: as in `Chains`.
        slack: differences that count as none, in the unit of the means.
    """

    slack: float = SLACK

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.number("AuthorsChains.slack", self.slack, at_least=0.0)

    def scaled(self, factor: float) -> "AuthorsChains":
        """The same order for means that are `factor` times as large."""
        return AuthorsChains(self.chains, self.slack * factor)

    def gap(self, means: Array, arm: int) -> Array:
        """(digits of the longest chain,) of one arm."""
        gap: Array = self.gaps(means)[arm]
        return gap

    def gaps(self, means: Array) -> Array:
        """(arms, digits of the longest chain) of every arm."""
        arms = len(means)
        digits = self.chains.shape[1]
        optimal = everyone(arms)
        out = np.zeros((arms, digits))
        least = np.empty(digits)
        row = np.empty(digits)
        # An arm is optimal here where none is ahead in all chains, not where none dominates it.
        for a in range(arms):
            for b in range(arms):
                if optimal[a] and surely_ahead(means, b, a, self.chains, self.slack):
                    optimal[a] = False

        # The smallest gap counts, as in the authors' code, where Definition 5 takes the largest.
        for a in range(arms):
            has_gap = False
            for b in range(arms):
                if optimal[b] and surely_ahead(means, b, a, self.chains, self.slack):
                    least_positive_part(means, b, a, self.chains, row, least)
                    if not has_gap or precedes(least, out[a]):
                        copy_into(out[a], least)

                    has_gap = True

        return out


def _gaps(order: AuthorsChains, means: Array) -> Array:
    return order.gaps(means)


def pc_gap_authors(means: Array, chains: list[list[int]], decimals: int | None = None) -> Array:
    """The gaps that the public code of moslb2024 computes in place of Definition 5.

    They are for comparison with the paper's figures. The computation differs from the exact gap
    ``mob.gaps(means, Chains(chains))`` in three points: an arm dominates only where it is strictly
    ahead in every chain, by more than 1e-6; negative digits are clipped one by one; and of the arms
    that dominate, the one with the *smallest* gap counts, not the largest. Both are 0 for the same
    arms, up to the 1e-6. A dominated arm that ties in some chain dominates others here, and may
    make their gaps smaller.

    Args:
        means: (arms, objectives) finite means.
        chains: lists of objectives, each by priority.
        decimals: compute on the means rounded to that many decimals, as integers, so that ties are
            exact.

    Returns:
        (arms, digits of the longest chain).

    Raises:
        ValueError: where `means` or `chains` are not of these forms, or `decimals` is not an
            integer from 0 to 15.

    Reference:
        moslb2024, the repository that it names: the simulator for priority chains.

    Example:
        >>> pc_gap_authors([[3, 1], [2, 2], [1, 1]], [[0, 1]]).tolist()
        [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]
        >>> means = [[0.3, 0.3], [0.1, 0.1]]  # in floats 0.3 - 0.1 < 0.2
        >>> pc_gap_authors(means, [[0], [1]], decimals=2).tolist()
        [[0.0], [0.2]]
    """
    array = checks.matrix("means", means, ("arms", "objectives"))
    objectives = array.shape[1]
    order = AuthorsChains(chains)
    order.check(objectives)
    exact, array, unit = in_last_decimals(order, array, decimals)
    loop = compile_loop(_gaps, exact)
    out: Array = loop(exact, array)  # type: ignore[arg-type]

    return out / unit
