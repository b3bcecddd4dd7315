"""One algorithm per file, named as its paper names it."""

from mobandits.contracts.protocols import Recipe
from mobandits.policies.wrappers.with_floor import Falling
from mobandits.support.discovery import public_classes

RECIPES = public_classes(__name__, Recipe)
__all__ = list(RECIPES)
__all__ += ["Falling"]
globals().update(RECIPES)
