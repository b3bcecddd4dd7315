"""A recipe at work in one trial with finitely many arms."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mobandits.contracts.assumptions import enforce, first_violation
from mobandits.contracts.protocols import (
    Array,
    Assumption,
    Block,
    IntArray,
    Mask,
    Policy,
    Recipe,
    Rng,
    Shape,
)
from mobandits.simulation.play import Probe, Watch
from mobandits.simulation.stages import Stages
from mobandits.support.checks import require_complete
from mobandits.support.naming import quoted


class Learner:
    """Plays blocks with the policies that a recipe binds to, and checks what the recipe assumes.

    Args:
        row: the name in messages.
        recipe: what to play.
        shape: of the problem.
        loop_of: makes the loop for a policy, compiled or not; refuses policies that may not be
            played.
        rng: the random stream of all stages.
        probe: looks at every round, if given.

    Raises:
        ValueError: where the recipe does not fit the problem.
    """

    def __init__(
        self,
        row: str,
        recipe: Recipe,
        shape: Shape,
        loop_of: Callable[[Policy], Callable[..., Any]],
        rng: Rng,
        probe: Probe | None = None,
    ) -> None:
        self._prefix = f"policy {quoted(row)}: "
        self._recipe = recipe
        self._rng = rng
        self._probe = probe
        self._stages = Stages(recipe.stages(shape), loop_of)
        assumptions = recipe.assumptions()
        self._refusing = [assumption for assumption in assumptions if assumption.refuse]
        self._warning = [assumption for assumption in assumptions if not assumption.refuse]

    @property
    def policy(self) -> Policy:
        """The policy of the present stage."""
        policy: Policy = self._stages.policy
        return policy

    @property
    def state(self) -> Any:
        """The state of that policy."""
        return self._stages.state

    def play(
        self,
        block: Block,
        arms: IntArray,
        chosen: IntArray,
        fronts: Mask | None,
        seen: Array | None = None,
    ) -> None:
        """One block.

        Args:
            block: the rounds.
            arms: (arms,) ids of the eligible arms.
            chosen: (rounds,) out: the arm of each round.
            fronts: (rounds, arms) out: the sets that these were drawn from, where needed.
            seen: (rounds, ...) out: what the probe sees; needed where there is one.

        Raises:
            ValueError: where the block breaks an assumption that the recipe cannot do without.
        """
        self._refuse(block)
        stages = self._stages
        for piece in stages.pieces(len(block.rewards)):
            contexts = block.contexts[piece] if len(block.contexts) > 1 else block.contexts
            rewards = block.rewards[piece]
            piece_fronts = None if fronts is None else fronts[piece]
            watch = None
            if self._probe is not None and seen is not None:
                means = block.means[piece] if len(block.means) > 1 else block.means
                watch = Watch(self._probe, means, seen[piece])

            stages.state = stages.loop(
                stages.policy,
                stages.state,
                contexts,
                rewards,
                arms,
                self._rng,
                chosen[piece],
                piece_fronts,
                watch,
            )

        # Only what was played is looked at: the recipe sees no more than that.
        self._warning = [
            assumption
            for assumption in self._warning
            if not self._is_broken(assumption, block, chosen)
        ]

    def _refuse(self, block: Block) -> None:
        if not self._recipe.accepts_partial:
            in_part = np.isnan(block.rewards).any(2)
            if in_part.any():
                require_complete(self._recipe, block.rewards[in_part][0])

        for assumption in self._refusing:
            enforce(assumption, block.contexts, block.rewards, prefix=self._prefix)

    def _is_broken(self, assumption: Assumption, block: Block, chosen: IntArray) -> bool:
        is_about_rewards = assumption.about == "rewards"
        # Cheaper than to pick what was played, which is needed only where this finds something.
        if is_about_rewards and first_violation(assumption, block.contexts, block.rewards) is None:
            return False

        rounds = np.arange(len(chosen))
        context_rounds = rounds if len(block.contexts) > 1 else 0
        context_arms = chosen if block.contexts.shape[1] > 1 else 0
        contexts = block.contexts[context_rounds, context_arms]
        rewards = block.rewards[rounds, chosen]

        return enforce(assumption, contexts, rewards, prefix=self._prefix, stacklevel=1)
