"""Multi-objective contextual bandits: decisions that trade off several rewards at once.

Example:
    >>> import mobandits as mob
    >>> mob.front([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    array([ True,  True, False])
"""

import importlib
from typing import TYPE_CHECKING, Any

from mobandits import datasets, environments, metrics, orders, policies
from mobandits.face import front, gaps

if TYPE_CHECKING:
    from mobandits import testing, theory
    from mobandits.simulation import Readings, Results, simulate

__version__ = "0.1.0"

__all__ = [
    "Readings",
    "Results",
    "__version__",
    "datasets",
    "environments",
    "front",
    "gaps",
    "metrics",
    "orders",
    "policies",
    "simulate",
    "testing",
    "theory",
]

_LAZY = {"Readings": "simulation", "Results": "simulation", "simulate": "simulation"}
_LAZY |= {"testing": "testing", "theory": "theory"}


def __getattr__(name: str) -> Any:
    """Load tables, the test kit and the theory only when they are first used: deciding needs none of them."""
    if name not in _LAZY:
        raise AttributeError(f"module 'mobandits' has no attribute {name!r}")
    module = importlib.import_module(f"mobandits.{_LAZY[name]}")
    return module if _LAZY[name] == name else getattr(module, name)
