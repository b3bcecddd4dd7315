"""The sum of what two agents learned."""

from typing import Any

from mobandits.agent.change import Change
from mobandits.agent.core import AgentCore
from mobandits.contracts.states import declares
from mobandits.support.naming import quoted, wrong_value


def merge(core: AgentCore, other: AgentCore) -> None:
    """Let `core` know what both know; see `Agent.merge`."""
    # In one order of the two, or two threads could wait for each other.
    first, second = sorted((core, other), key=id)
    with first.lock, second.lock, Change(core) as change:
        _check_alike(core, other)
        theirs = other.bound
        if theirs.stage == 0:
            return

        mine = core.bound
        # An agent that has seen no context takes the other's layout.
        if mine.stage == 0:
            shared = bool(other.contexts.shared)
            change.remember()
            core.contexts.set_layout(shared=shared)
            mine.set_layout(shared=shared)
        if core.contexts.shared != other.contexts.shared or mine.left is not None:
            raise wrong_value(
                "merge needs agents with contexts of one shape, and without stages", core.recipe
            )

        # Slots are added up one by one: they must hold the same arms.
        if core.arms.slots != other.arms.slots:
            raise ValueError("merge needs agents whose arms came and went in the same order")

        name = type(core.recipe).__name__
        state = merged_state(mine.state(), theirs.state(), mine.recipe_policy, name)
        change.is_written = True
        mine.load_state(mine.recipe_policy, state)
        core.lessons += other.lessons


def _check_alike(core: AgentCore, other: AgentCore) -> None:
    if core.writer is not None:
        raise ValueError(
            "merge needs an agent without a log: to replay it would not lead to what another one "
            "learned"
        )

    if core.ledger.accounts or other.ledger.accounts:
        raise ValueError("merge needs agents without budgets: which of them pays cannot be told")

    pairs = {
        "recipe": (core.recipe, other.recipe),
        "objectives": (core.objectives, other.objectives),
        "features": (core.declared_features, other.declared_features),
        "arms": (core.arms.names, other.arms.names),
        "rounds": (core.rounds, other.rounds),
    }
    for name, (mine, theirs) in pairs.items():
        if mine != theirs:
            raise ValueError(
                f"merge needs agents of equal {name}, got {quoted(mine)} and {quoted(theirs)}"
            )


def merged_state(mine: Any, theirs: Any, policy: Any, name: str) -> Any:
    """The state after what led to either state, as its class declares.

    Args:
        mine: a state of the policy.
        theirs: another one.
        policy: of both.
        name: of its recipe, for messages.

    Raises:
        ValueError: where that is not a sum.
    """
    # Of two streams of rewards nothing tells in which order they would have been forgotten.
    forgets = declares(policy, "FORGETS")
    if not forgets and hasattr(mine, "merged"):
        return mine.merged(theirs, policy.init())

    why = "forgets" if forgets else "keeps more than sums"
    raise ValueError(
        f"merge needs a recipe whose estimator is a ridge regression or a mean, but {name} {why}"
    )
