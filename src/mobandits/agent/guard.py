"""Contexts and rewards against what a recipe assumes of them: refused where it makes no sense outside, else warned."""

import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from mobandits.contracts.assumptions import SLACK, first_violation, message
from mobandits.contracts.protocols import Array, Assumption, Recipe
from mobandits.errors import InputWarning

LARGEST = sys.float_info.max
NOTHING = np.empty(0)


class Guard:
    """What is looked at in every call costs nothing where nothing is assumed.

    Attributes:
        low: the least coordinate that a context may have; all must be finite.
        high: the largest one.
    """

    def __init__(self, recipe: Recipe) -> None:
        assumed = recipe.assumptions()
        self._bounds = [one for one in assumed if one.about == "contexts" and one.refuse]
        self.low = max((one.low - SLACK for one in self._bounds), default=-LARGEST)
        self.high = min((one.high + SLACK for one in self._bounds), default=LARGEST)
        self._rewards = [one for one in assumed if one.about == "rewards"]
        self._features = [
            one for one in assumed if one.about != "rewards" and one not in self._bounds
        ]
        self._aim()

    def _aim(self) -> None:
        """The largest norm that needs no closer look: none where something else than a largest norm is assumed."""
        plain = all(one.about == "norms" and one.low <= 0.0 for one in self._features)
        self._longest = (
            min((one.high for one in self._features), default=LARGEST) if plain else -1.0
        )

    def check(self, context: Array) -> None:
        """Refuse a context, (arms or 1, features), with a coordinate outside of `low` to `high`."""
        if not self.allows(context):
            self.refuse(context)

    def allows(self, contexts: Array) -> bool:
        """Whether all coordinates lie in `low` to `high`: `rounds.allowed`, where nothing need be compiled for it."""
        return bool(((self.low <= contexts) & (contexts <= self.high)).all())

    def refuse(self, contexts: Array) -> NoReturn:
        """Say what is wrong with contexts on which no arm could be chosen."""
        if not np.isfinite(contexts).all():
            place = np.argwhere(~np.isfinite(contexts))[0].tolist()
            raise ValueError(
                f"context must be finite, got {contexts[tuple(place)]} in row {place[-2]}"
            )
        for one in self._bounds:
            if (bad := first_violation(one, contexts, NOTHING)) is not None:
                raise ValueError(f"{message(one)}, got {bad:g}")
        raise ValueError(
            "contexts and rewards must be small enough for numbers to stay finite: no arm could be chosen"
        )

    def look_at_features(self, x: Array, norm: float) -> None:
        """The features of an arm that is played, and their norm."""
        if norm > self._longest:
            self._features = [one for one in self._features if not self._complains(one, x, NOTHING)]
            self._aim()

    def look_at_rewards(self, rewards: Sequence[float]) -> None:
        """The rewards of a decision, NaN where not observed."""
        if not self._rewards:
            return
        if any(
            value < one.low or value > one.high for one in self._rewards for value in rewards
        ):  # never so for NaN
            self._rewards = [
                one for one in self._rewards if not self._complains(one, NOTHING, np.array(rewards))
            ]

    @staticmethod
    def _complains(one: Assumption, x: Array, rewards: Array) -> bool:
        bad = first_violation(one, x, rewards)
        if bad is not None and one.refuse:
            raise ValueError(f"{message(one)}, got {bad:g}")
        if bad is not None:
            warnings.warn(message(one), InputWarning, stacklevel=5)
        return bad is not None
