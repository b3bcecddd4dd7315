"""Problems to play: each draws its rounds a block at a time, in plain NumPy."""

from mobandits.support.discovery import defined_classes

ENVIRONMENTS = {cls.__name__: cls for cls in defined_classes(__name__) if hasattr(cls, "problem")}
__all__ = list(ENVIRONMENTS)
globals().update(ENVIRONMENTS)
