"""The regret under priority chains as the authors' code computes it."""

from dataclasses import dataclass
from functools import cached_property

from mobandits.contracts.protocols import Order
from mobandits.metrics.regret import ChainRegret
from mobandits.orders.chains_authors import AuthorsChains


@dataclass(frozen=True)
class ChainRegretAuthors(ChainRegret):
    """The digits that the public code of moslb2024 computes in place of the chain regret.

    Its figures show them.

    Args:
        chains: groups of objectives (from 0), each with the most important first.

    Reference:
        moslb2024, its public code; `mobandits.orders.pc_gap_authors` lists the differences.

    Example:
        >>> ChainRegretAuthors([[0, 1], [2, 3, 4]]).digits
        3
    """

    name = "chain_regret_authors"

    @cached_property
    def order(self) -> Order:
        """The order that scores."""
        return AuthorsChains(self.chains)
