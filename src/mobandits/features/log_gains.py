"""What maps gain over linear rewards on one log: kinds of maps, and those of recipes."""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mobandits.contracts.protocols import Array
from mobandits.features.feature_map import FeatureMap
from mobandits.features.fitting import Kind, fit
from mobandits.features.gains import Gain
from mobandits.logs import Feedback


@dataclass(frozen=True)
class MapsInTurn(FeatureMap):
    """Nested maps as one, to be measured: each is applied to what the one before gave."""

    maps: tuple[FeatureMap, ...]

    def __call__(self, contexts: Any) -> Array:
        """Phi of every row, by the last map."""
        for feature_map in self.maps:
            contexts = feature_map(contexts)

        mapped: Array = contexts
        return mapped

    def __repr__(self) -> str:
        """The maps, the first one first."""
        return ", then ".join(map(repr, self.maps))


def maps_of(recipe: Any) -> tuple[FeatureMap, ...]:
    """The maps of a recipe in the order in which they are applied, whatever wraps them.

    Example:
        >>> from mobandits.features import Columns, Crosses
        >>> from mobandits.policies import Features, MolUcb
        >>> inner = Features(Crosses(2), MolUcb())
        >>> maps_of(Features(Columns((0, 2)), inner)) == (Columns((0, 2)), Crosses(2))
        True
    """
    if not dataclasses.is_dataclass(recipe):
        return ()

    maps: list[FeatureMap] = []
    for field in dataclasses.fields(recipe):
        value = getattr(recipe, field.name)
        if isinstance(value, FeatureMap):
            maps.append(value)
        else:
            maps.extend(maps_of(value))

    return tuple(maps)


def gains_by_map(
    log: Feedback,
    kinds: Iterable[Kind],
    recipes: Iterable[Any] = (),
    *,
    folds: int = 5,
    seed: int = 0,
) -> dict[str, tuple[Gain, ...]]:
    """{map: what it gains over linear in each objective}; see `fit`.

    Args:
        log: as in `fit`.
        kinds: of maps to fit.
        recipes: whose maps are measured as they are; those without maps are passed over.
        folds: as in `fit`.
        seed: as in `fit`.

    Example:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).random((400, 1))
        >>> log = Feedback(x, np.zeros(400, int), np.cos(9.0 * x), np.ones(400), ["a"], ["q"])
        >>> gains = gains_by_map(log, ["bins", "crosses"])
        >>> [(name, gain.is_sure) for name, (gain,) in gains.items()]
        [('bins', True), ('crosses', False)]
    """
    gains = {}
    for kind in kinds:
        gains[str(kind)] = fit(log, kind, folds=folds, seed=seed).gains

    for recipe in recipes:
        maps = maps_of(recipe)
        if maps:
            whole = maps[0] if len(maps) == 1 else MapsInTurn(maps)
            name = repr(whole)
            # Two recipes on one map ask for the same gains.
            if name not in gains:
                gains[name] = fit(log, whole, folds=folds, seed=seed).gains

    return gains
