"""Checks of policies.

All checks but two rehearse the policy interpreted, where nothing needs compiling; that the compiled
policy does the same is one of the other two.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from mobandits.compiling.backend import INTERPRETED
from mobandits.compiling.compiled import compile_loop, is_compiled, loop_for
from mobandits.contracts.protocols import Recipe, Shape
from mobandits.simulation.play import play
from mobandits.support.checks import choice
from mobandits.testing import behaviour as promises
from mobandits.testing.arena import (
    DEFAULT_SHAPE,
    arena,
    check_stream,
    snapshot,
    state_from_snapshot,
)
from mobandits.testing.case import (
    Check,
    RehearsedCase,
    checks_by_name,
    interpreted_equals_compiled,
    require,
)
from mobandits.testing.rehearsal import BLOCK, Rehearsal, partial_rounds, play_rounds, trace


def compiles_once(case: "PolicyCase") -> None:
    """The loop compiles once.

    Not again after partly observed rewards, from a snapshot, or for a policy bound anew.
    """
    policy = case.recipe.bind(case.shape)
    rounds = arena(case.shape, case.rewards, case.seed)
    partial = partial_rounds(case, rounds)
    rng = check_stream(case.seed, 14)
    loop: Any = compile_loop(play, policy)
    state = play_rounds(loop, policy, policy.init(), rounds, 0, BLOCK, rng).state
    # A state that comes back with another type, an integer that became a double, compiles again.
    signatures = set(loop.dispatcher.signatures)
    sources = {
        "the next block": rounds,
        "partly observed rewards": partial,
        "a block after these": rounds,
    }
    for name, source in sources.items():
        state = play_rounds(loop, policy, state, source, BLOCK, 2 * BLOCK, rng).state
        compiled_once = set(loop.dispatcher.signatures) == signatures
        require(compiled_once, f"{name} compiled the loop a second time")

    anew = case.recipe.bind(case.shape)
    loaded = state_from_snapshot(snapshot(state), state)
    play_rounds(loop, anew, loaded, rounds, 0, BLOCK, rng)
    compiled_once = set(loop.dispatcher.signatures) == signatures
    require(compiled_once, "a snapshot compiled the loop a second time")


@dataclass(frozen=True)
class PolicyCase(RehearsedCase):
    """A recipe to check.

    Args:
        recipe: the recipe.
        shape: the problem's; by default five arms with two features each, three objectives and 240
            rounds.
        rewards: "gaussian" or "binary", for policies that need rewards in [0, 1].
        seed: of everything.
        without: names of checks that do not apply.

    Example:
        >>> from mobandits.policies import RandomChoice
        >>> PolicyCase(RandomChoice(), seed=1)
        PolicyCase(recipe=RandomChoice(), shape=Shape(...), rewards='gaussian', seed=1, without=())
        >>> PolicyCase(RandomChoice()).check("draws-match-probabilities")
    """

    recipe: Recipe
    shape: Shape = DEFAULT_SHAPE
    rewards: str = "gaussian"
    seed: int = 0
    without: tuple[str, ...] = ()

    behaviour: ClassVar[dict[str, Check]] = checks_by_name(
        promises.well_formed,
        promises.inputs_are_left_alone,
        promises.beliefs_leave_the_state_alone,
        promises.draws_leave_the_beliefs_alone,
        promises.draws_match_probabilities,
        promises.relabelling_moves_the_probabilities,
        promises.partial_rewards_add_up,
        promises.every_reward_is_learned,
        promises.plays_repeat,
        promises.snapshots_continue,
    )
    available: ClassVar[dict[str, Check]] = behaviour | checks_by_name(
        interpreted_equals_compiled, compiles_once
    )

    def __post_init__(self) -> None:
        """Check the case itself."""
        super().__post_init__()
        choice("PolicyCase.rewards", self.rewards, ("gaussian", "binary"))

    def __str__(self) -> str:
        """The recipe, what is unusual about its problem, and the seed."""
        problem = f"{self.recipe}, {self.rewards} rewards"
        if self.shape is not DEFAULT_SHAPE:
            # All fields but the last, fixed_arms: an array has no place in a line.
            shape = Shape(*self.shape[:-1])
            problem += f", {shape}"

        return f"{problem}, seed {self.seed}"

    @property
    def compiles(self) -> bool:
        """Whether the policy is ever compiled."""
        if INTERPRETED:
            return False
        policy = self.recipe.bind(self.shape)
        return is_compiled(policy)

    def subject(self) -> Rehearsal:
        """The bound policy."""
        return Rehearsal(self)

    def trace(self, *, compiled: bool) -> dict[str, Any]:
        """Arms, fronts and states of a run."""
        policy = self.recipe.bind(self.shape)
        loop = loop_for(play, policy, compiled=compiled)
        return trace(self, loop)


def check_policy(
    recipe: Recipe,
    shape: Shape | None = None,
    *,
    rewards: str = "gaussian",
    seed: int = 0,
    without: tuple[str, ...] = (),
) -> None:
    """Run every check of policies; arguments as in `PolicyCase`.

    Raises:
        AssertionError: with check, recipe, shape, seed and values.
        ValueError: where the recipe refuses the shape, or cannot be rebuilt in another process.

    Example:
        >>> from mobandits.policies import RandomChoice
        >>> check_policy(RandomChoice())
    """
    case = PolicyCase(recipe, shape or DEFAULT_SHAPE, rewards, seed, without)
    for name in case.checks:
        case.check(name)
