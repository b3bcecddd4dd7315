"""Multi-objective contextual bandits: decisions that trade off several rewards at once.

Example:
    >>> import mobandits as mob
    >>> mob.front([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    array([ True,  True, False])
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mobandits import (
        datasets,
        environments,
        evaluation,
        interop,
        logs,
        metrics,
        orders,
        papers,
        parts,
        policies,
        testing,
    )
    from mobandits.agent import Agent, Decision, Objective
    from mobandits.fronts import front, gaps
    from mobandits.simulation import Readings, Results, simulate

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "Decision",
    "Objective",
    "Readings",
    "Results",
    "__version__",
    "datasets",
    "environments",
    "evaluation",
    "front",
    "gaps",
    "interop",
    "logs",
    "metrics",
    "orders",
    "papers",
    "parts",
    "policies",
    "simulate",
    "testing",
]

_HOME = {"Agent": "agent", "Decision": "agent", "Objective": "agent", "front": "fronts", "gaps": "fronts"}
_HOME |= {"Readings": "simulation", "Results": "simulation", "simulate": "simulation"}
_ROOMS = "datasets environments evaluation interop logs metrics orders papers parts policies testing"
_HOME |= {name: name for name in _ROOMS.split()}


def __getattr__(name: str) -> Any:
    """Load what is asked for when it is first asked for: the compiler takes a third of a second, and tables more."""
    if name not in _HOME:
        raise AttributeError(f"module 'mobandits' has no attribute {name!r}")
    module = importlib.import_module(f"mobandits.{_HOME[name]}")
    found = module if _HOME[name] == name else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """What is public, loaded or not."""
    return __all__
