"""Feature maps: phi(x) in place of a context x, so that linear policies learn other rewards too.

`mobandits.policies.Features(map, recipe)` plays any linear recipe on phi(x). `fit(log, kind)` makes
a map from a log, and measures what it gains over linear rewards on rounds that it was not fitted
on. docs/how-to/features.md says which map helps when. `Encoder` makes the numbers that maps take.
"""

import importlib
from typing import TYPE_CHECKING, Any

from mobandits.encoding.encoder import Encoder
from mobandits.features.bins import Bins
from mobandits.features.clusters import Clusters
from mobandits.features.columns import Columns
from mobandits.features.crosses import Crosses
from mobandits.features.distances import median_distance
from mobandits.features.feature_map import BoundMap, FeatureMap
from mobandits.features.fourier import Fourier
from mobandits.features.intercept import Intercept
from mobandits.features.layers import Layers
from mobandits.features.leaves import Leaves

if TYPE_CHECKING:
    from mobandits.features.fitting import FittedMap, fit
    from mobandits.features.gains import Gain

__all__ = [
    "Bins",
    "BoundMap",
    "Clusters",
    "Columns",
    "Crosses",
    "Encoder",
    "FeatureMap",
    "FittedMap",
    "Fourier",
    "Gain",
    "Intercept",
    "Layers",
    "Leaves",
    "fit",
    "median_distance",
]

# The modules of names that need logs and their evaluation, which take a third of a second to load:
# policies import this room, and do not fit.
_HOME = {"FittedMap": "fitting", "Gain": "gains", "fit": "fitting"}


def __getattr__(name: str) -> Any:
    """A name of `_HOME`, loaded when it is first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module 'mobandits.features' has no attribute {name!r}")

    module = importlib.import_module(f"mobandits.features.{_HOME[name]}")
    value = getattr(module, name)
    globals()[name] = value  # so that the next time Python finds it without asking

    return value
