"""Everything that the author of a policy, an order, an environment or a metric imports.

A recipe is what users write; `bind` makes a policy of it, often a `Composite` of an estimator, an
explorer and an order. Classes with `@compiled` and functions with `@kernel` run interpreted and
compiled from one source.

Example:
    >>> from mobandits import parts
    >>> shape = parts.Shape(arms=3, features=2, objectives=2)
    >>> ridge = parts.ridge_for(shape, penalty=1.0)
    >>> policy = parts.Composite(ridge, parts.Ucb(parts.radii.Constant(0.3)), parts.Pareto())
    >>> policy.order
    Pareto(on=[])
"""

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import (
    Array,
    Assumption,
    Beliefs,
    Block,
    Choice,
    Environment,
    Estimator,
    Explorer,
    IntArray,
    Mask,
    Metric,
    Order,
    Policy,
    Problem,
    Recipe,
    Rng,
    Shape,
)
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.estimators import (
    Discounted,
    DisjointRidge,
    FixedRidge,
    OnlineNewton,
    Ridge,
    SampleMean,
    Scaled,
    ridge_for,
)
from mobandits.explorers import Greedy, Linked, Thompson, Ucb, radii
from mobandits.numerics import linalg, links, masks
from mobandits.orders import (
    Chains,
    Dominant,
    EffectivePareto,
    ExploreWide,
    Levels,
    Lexicographic,
    Pareto,
    Weighted,
)
from mobandits.orders.order import BaseOrder
from mobandits.policies.composite import Composite
from mobandits.support import checks

__all__ = [
    "Array",
    "Assumption",
    "BaseOrder",
    "Beliefs",
    "Block",
    "Chains",
    "Choice",
    "Composite",
    "Discounted",
    "DisjointRidge",
    "Dominant",
    "EffectivePareto",
    "Environment",
    "Estimator",
    "ExploreWide",
    "Explorer",
    "Field",
    "FixedRidge",
    "Greedy",
    "IntArray",
    "Levels",
    "Lexicographic",
    "Linked",
    "Mask",
    "Metric",
    "NotesNothing",
    "OnlineNewton",
    "Order",
    "Pareto",
    "Policy",
    "Problem",
    "Recipe",
    "Ridge",
    "Rng",
    "SampleMean",
    "Scaled",
    "Shape",
    "Thompson",
    "Ucb",
    "Weighted",
    "checks",
    "compiled",
    "counts",
    "kernel",
    "linalg",
    "links",
    "masks",
    "radii",
    "ridge_for",
    "state_fields",
]
