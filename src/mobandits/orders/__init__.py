"""What "better" means: each order drives learning with its front and scores it with its gap."""

from mobandits.orders.chain_filter import ChainFilter
from mobandits.orders.chains import Chains
from mobandits.orders.chains_authors import pc_gap_authors
from mobandits.orders.chebyshev import Chebyshev
from mobandits.orders.dominant import Dominant
from mobandits.orders.effective_pareto import EffectivePareto
from mobandits.orders.explore_wide import ExploreWide
from mobandits.orders.gross_scalar import GrossScalar
from mobandits.orders.levels import Levels
from mobandits.orders.lexicographic import Lexicographic
from mobandits.orders.pareto import Pareto
from mobandits.orders.weighted import Weighted

__all__ = [
    "ChainFilter",
    "Chains",
    "Chebyshev",
    "Dominant",
    "EffectivePareto",
    "ExploreWide",
    "GrossScalar",
    "Levels",
    "Lexicographic",
    "Pareto",
    "Weighted",
    "pc_gap_authors",
]
