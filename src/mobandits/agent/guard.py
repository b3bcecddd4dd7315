"""Contexts and rewards against what a recipe assumes of them.

Refused where it makes no sense outside, else warned.
"""

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from mobandits.contracts.assumptions import SLACK, enforce
from mobandits.contracts.protocols import Array, Assumption, Recipe
from mobandits.support.checks import LARGEST, LARGEST_FEATURE

NOTHING = np.empty(0)


class Guard:
    """The assumptions of a recipe, and bounds that keep what is learned finite, checked in every call.

    An assumption that may be broken is warned about once: then it is checked no more.

    Attributes:
        low: the least coordinate that a context may have, at least `-LARGEST_FEATURE`.
        high: the largest one, at most `LARGEST_FEATURE`.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._bounds = []
        self._about_rewards = []
        self._about_features = []
        for assumption in recipe.assumptions():
            if assumption.about == "rewards":
                self._about_rewards.append(assumption)
            elif assumption.about == "contexts" and assumption.refuse:
                # Compiled code refuses these on the way, in the pass that looks for NaN.
                self._bounds.append(assumption)
            else:
                self._about_features.append(assumption)

        self.low = max([-LARGEST_FEATURE, *(bound.low - SLACK for bound in self._bounds)])
        self.high = min([LARGEST_FEATURE, *(bound.high + SLACK for bound in self._bounds)])
        self._longest = self._unchecked_norm()

    def _unchecked_norm(self) -> float:
        """The largest norm of features that needs no closer look; negative where all need one."""
        longest = LARGEST
        for assumption in self._about_features:
            if assumption.about != "norms" or assumption.low > 0.0:
                return -1.0

            longest = min(longest, assumption.high)

        return longest

    def check_context(self, context: Array) -> None:
        """Refuse a context, (arms or 1, features), with a coordinate outside of `low` to `high`."""
        if not self.allows(context):
            self.refuse(context)

    def allows(self, contexts: Array) -> bool:
        """Whether all coordinates lie in `low` to `high`.

        As `compiled_calls.is_within`, and nothing is compiled.
        """
        is_high_enough = self.low <= contexts
        is_low_enough = contexts <= self.high
        inside = is_high_enough & is_low_enough
        return bool(inside.all())

    def refuse(self, contexts: Array) -> NoReturn:
        """Say what is wrong with contexts on which no arm could be chosen."""
        finite = np.isfinite(contexts)
        if not finite.all():
            place = np.argwhere(~finite)[0].tolist()
            number = contexts[tuple(place)]
            row = place[-2]
            raise ValueError(f"context must be finite, got {number} in row {row}")

        _refuse_large("context", contexts, LARGEST_FEATURE, "scale features to about 1")
        for assumption in self._bounds:
            enforce(assumption, contexts, NOTHING)

        # The context is as it should be, and the policy's numbers for it are not.
        raise ValueError(
            "contexts and rewards must be small enough for numbers to stay finite: no arm could "
            "be chosen"
        )

    def check_features(self, x: Array, norm: float) -> None:
        """Check the features of an arm that is played, and their norm."""
        if norm > self._longest:
            kept = self._kept(self._about_features, x, NOTHING)
            self._about_features = kept
            self._longest = self._unchecked_norm()

    def check_rounds(self, x: Array, rewards: Array) -> None:
        """Check many rounds at once.

        Args:
            x: (rounds, features) of the arms that were played.
            rewards: (rounds, objectives) as they are learned, NaN where not observed.
        """
        _refuse_large("rewards", rewards, LARGEST, "squares must stay finite")
        self._about_features = self._kept(self._about_features, x, NOTHING)
        self._longest = self._unchecked_norm()
        self._about_rewards = self._kept(self._about_rewards, NOTHING, rewards)

    def check_rewards(self, rewards: Sequence[float]) -> None:
        """Check the rewards of a decision as they are learned, NaN where not observed."""
        for value in rewards:
            if value > LARGEST or value < -LARGEST:
                _refuse_large("rewards", np.array(rewards), LARGEST, "squares must stay finite")

        for assumption in self._about_rewards:
            for value in rewards:
                if value < assumption.low or value > assumption.high:  # never so for NaN
                    self._about_rewards = self._kept(
                        self._about_rewards, NOTHING, np.array(rewards)
                    )
                    return

    @staticmethod
    def _kept(assumptions: list[Assumption], x: Array, rewards: Array) -> list[Assumption]:
        """The assumptions that hold; refuses what breaks one, or warns of it."""
        kept = []
        for assumption in assumptions:
            # A warning is of the line that calls the agent, which calls its core, and that the guard.
            warned = enforce(assumption, x, rewards, stacklevel=5)
            if not warned:
                kept.append(assumption)

        return kept


def _refuse_large(name: str, values: Array, most: float, reason: str) -> None:
    """Refuse numbers that no later one could make up for; NaN passes."""
    is_large = np.abs(values) > most
    if is_large.any():
        first = values[is_large][0]
        raise ValueError(f"{name} must be between {-most:g} and {most:g}, got {first:g}: {reason}")
