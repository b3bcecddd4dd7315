"""Orders say which arms are best: the front drives learning, and the gap scores it."""

from mobandits.orders.chain_filter import ChainFilter as ChainFilter
from mobandits.orders.chains import Chains as Chains
from mobandits.orders.chains_authors import pc_gap_authors as pc_gap_authors
from mobandits.orders.chebyshev import Chebyshev as Chebyshev
from mobandits.orders.cone import Cone as Cone
from mobandits.orders.dominant import Dominant as Dominant
from mobandits.orders.effective_pareto import EffectivePareto as EffectivePareto
from mobandits.orders.explore_wide import ExploreWide as ExploreWide
from mobandits.orders.gini import Gini as Gini
from mobandits.orders.gross_scalar import GrossScalar as GrossScalar
from mobandits.orders.levels import Levels as Levels
from mobandits.orders.lexicographic import Lexicographic as Lexicographic
from mobandits.orders.pareto import Pareto as Pareto
from mobandits.orders.ratio import Ratio as Ratio
from mobandits.orders.weighted import Weighted as Weighted

__all__ = [
    "ChainFilter",
    "Chains",
    "Chebyshev",
    "Cone",
    "Dominant",
    "EffectivePareto",
    "ExploreWide",
    "Gini",
    "GrossScalar",
    "Levels",
    "Lexicographic",
    "Pareto",
    "Ratio",
    "Weighted",
    "pc_gap_authors",
]
