"""Explorers: intervals and samples around the estimates, which make a policy explore."""

from mobandits.explorers import radii
from mobandits.explorers.charged import Charged
from mobandits.explorers.greedy import Greedy
from mobandits.explorers.hypervolume import RandomHypervolume
from mobandits.explorers.lcb import Lcb
from mobandits.explorers.linked import Linked
from mobandits.explorers.random_weights import RandomWeights
from mobandits.explorers.thompson import Thompson
from mobandits.explorers.ucb import Ucb

__all__ = [
    "Charged",
    "Greedy",
    "Lcb",
    "Linked",
    "RandomHypervolume",
    "RandomWeights",
    "Thompson",
    "Ucb",
    "radii",
]
