"""Multi-objective contextual bandits: decisions that trade off several rewards at once.

Example:
    >>> import mobandits as mob
    >>> mob.front([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    array([ True,  True, False])
"""

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mobandits import (
        agent,
        datasets,
        encoding,
        environments,
        errors,
        evaluation,
        features,
        identification,
        interop,
        logs,
        metrics,
        monitoring,
        orders,
        parts,
        policies,
        simulation,
        testing,
    )
    from mobandits.agent import Agent, Budget, Decision, Objective
    from mobandits.encoding import Encoder
    from mobandits.evaluation import Monitor, tune
    from mobandits.fronts import front, gaps
    from mobandits.identification import identify
    from mobandits.simulation import PreferenceSweep, Results, simulate

__version__ = "0.4.0"

__all__ = [
    "Agent",
    "Budget",
    "Decision",
    "Encoder",
    "Monitor",
    "Objective",
    "PreferenceSweep",
    "Results",
    "__version__",
    "agent",
    "datasets",
    "encoding",
    "environments",
    "errors",
    "evaluation",
    "features",
    "front",
    "gaps",
    "identification",
    "identify",
    "interop",
    "logs",
    "metrics",
    "monitoring",
    "orders",
    "parts",
    "policies",
    "simulate",
    "simulation",
    "testing",
    "tune",
]

_HOME = {
    "Agent": "mobandits.agent",
    "Budget": "mobandits.agent",
    "Decision": "mobandits.agent",
    "Encoder": "mobandits.encoding",
    "Monitor": "mobandits.evaluation",
    "Objective": "mobandits.agent",
    "PreferenceSweep": "mobandits.simulation",
    "Results": "mobandits.simulation",
    "front": "mobandits.fronts",
    "gaps": "mobandits.fronts",
    "identify": "mobandits.identification",
    "simulate": "mobandits.simulation",
    "tune": "mobandits.evaluation",
}


def __getattr__(name: str) -> Any:
    """A public name or a subpackage, loaded when it is first asked for.

    So `mobandits.orders` exists whatever was imported before. Inner rooms, such as
    `mobandits.numerics`, are there as well, and are not listed.
    """
    # Late, since the compiler takes a third of a second to load, and tables more.
    if name in _HOME:
        member = getattr(importlib.import_module(_HOME[name]), name)
    elif _is_module(name):
        member = importlib.import_module(f"mobandits.{name}")
    else:
        raise AttributeError(f"module 'mobandits' has no attribute {name!r}")

    globals()[name] = member
    return member


def _is_module(name: str) -> bool:
    """Whether a file or folder of this package has this name, and the name is public."""
    public = name.isidentifier() and not name.startswith("_")
    return public and importlib.util.find_spec(f"mobandits.{name}") is not None


def __dir__() -> list[str]:
    """What is public, loaded or not."""
    return __all__
