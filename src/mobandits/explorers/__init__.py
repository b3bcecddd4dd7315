"""How doubt becomes optimism."""

from mobandits.explorers import radii
from mobandits.explorers.greedy import Greedy
from mobandits.explorers.hypervolume import Hypervolume
from mobandits.explorers.linked import Linked
from mobandits.explorers.random_weights import RandomWeights
from mobandits.explorers.thompson import Thompson
from mobandits.explorers.ucb import Ucb

__all__ = ["Greedy", "Hypervolume", "Linked", "RandomWeights", "Thompson", "Ucb", "radii"]
