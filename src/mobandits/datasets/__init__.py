"""The raw tables behind the environments, one function each."""

from mobandits.datasets.display_ads import display_ads
from mobandits.datasets.llm_routing import llm_routing

__all__ = ["display_ads", "llm_routing"]
