"""A recipe at work in one trial: bound, watched, and bound anew where it has stages."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from mobandits.contracts.assumptions import first_violation, message
from mobandits.contracts.protocols import (
    Array,
    Block,
    IntArray,
    Mask,
    Policy,
    Recipe,
    Rng,
    Shape,
)
from mobandits.errors import InputWarning
from mobandits.support.checks import require_complete
from mobandits.support.naming import quoted


class Learner:
    """Plays blocks with the policies that the recipe binds to.

    Args:
        row: the name in messages.
        recipe: what to play.
        shape: of the problem.
        runnable: makes the loop for a policy, compiled or not; refuses policies that may not be played.
        rng: the random stream of all stages.

    Raises:
        ValueError: where the recipe does not fit the problem.
    """

    def __init__(
        self,
        row: str,
        recipe: Recipe,
        shape: Shape,
        runnable: Callable[[Policy], Callable[..., Any]],
        rng: Rng,
    ) -> None:
        self._row = row
        self._recipe = recipe
        self._runnable = runnable
        self._rng = rng
        self._stages = recipe.stages(shape)
        self._assumptions = list(recipe.assumptions())
        self._begin()

    def _begin(self) -> None:
        self.policy, self._left = next(self._stages)
        self._loop = self._runnable(self.policy)
        self._state = self.policy.init()

    def play(
        self, block: Block, arms: IntArray, chosen: IntArray, fronts: Mask | None, *outs: Array
    ) -> None:
        """One block; `chosen`, `fronts` and `outs` have one entry per round.

        Raises:
            ValueError: where the block breaks an assumption that the recipe cannot do without.
        """
        self._refuse(block)
        contexts = block.contexts
        rewards = block.rewards
        first = 0
        while first < len(rewards):
            if self._left == 0:
                self._begin()
            last = len(rewards) if self._left is None else min(len(rewards), first + self._left)
            now = slice(first, last)
            given = (
                contexts[now] if len(contexts) > 1 else contexts,
                rewards[now],
                arms,
                self._rng,
            )
            results = (
                chosen[now],
                None if fronts is None else fronts[now],
                *(out[now] for out in outs),
            )
            self._state = self._loop(self.policy, self._state, *given, *results)
            self._left = None if self._left is None else self._left - (last - first)
            first = last
        self._warn(block, chosen)

    def _refuse(self, block: Block) -> None:
        if not self._recipe.accepts_partial and np.isnan(block.rewards).any():
            require_complete(self._recipe, block.rewards[np.isnan(block.rewards).any(2)][0])
        for assumption in self._assumptions:
            if (
                assumption.refuse
                and (bad := first_violation(assumption, block.contexts, block.rewards)) is not None
            ):
                raise ValueError(f"policy {quoted(self._row)}: {message(assumption)}, got {bad:g}")

    def _warn(self, block: Block, chosen: IntArray) -> None:
        """Only what was played is looked at: the recipe sees no more, and it costs next to nothing."""
        for assumption in [a for a in self._assumptions if not a.refuse]:
            if (
                assumption.about == "rewards"
                and first_violation(assumption, block.contexts, block.rewards) is None
            ):
                continue  # the cheaper look
            rounds = range(len(chosen)) if len(block.contexts) > 1 else 0
            contexts = block.contexts[rounds, chosen if block.contexts.shape[1] > 1 else 0]
            if (
                first_violation(assumption, contexts, block.rewards[range(len(chosen)), chosen])
                is not None
            ):
                warnings.warn(
                    f"policy {quoted(self._row)}: {message(assumption)}",
                    InputWarning,
                    stacklevel=1,
                )
                self._assumptions.remove(assumption)
