"""What two agents learned apart, added up: sums of statistics, less what both started from."""

from typing import TYPE_CHECKING, Any

from mobandits.contracts.states import declares
from mobandits.support.naming import quoted

if TYPE_CHECKING:
    from mobandits.agent.agent import Agent


def merge(agent: "Agent", other: "Agent") -> None:
    """Let `agent` know what both know; see `Agent.merge`."""
    if type(other) is not type(agent) or other is agent:
        raise ValueError(f"merge needs another agent, got {quoted(other)}")
    first, second = sorted(
        (agent, other), key=id
    )  # in one order, or two threads could wait for each other
    with first._lock, second._lock:
        _merge(agent, other)


def _merge(agent: "Agent", other: "Agent") -> None:
    if agent._journal is not None:
        raise ValueError(
            "merge needs an agent without a log: to replay it would not lead to what another one learned"
        )
    for name in ("recipe", "objectives", "features", "arms", "rounds"):
        mine = getattr(agent, name)
        theirs = getattr(other, name)
        if mine != theirs:
            raise ValueError(
                f"merge needs agents of equal {name}, got {quoted(mine)} and {quoted(theirs)}"
            )
    mind = agent._mind
    theirs = other._mind
    if theirs.stage == 0:
        return
    if mind.stage == 0:
        agent._contexts.lay(shared=other._contexts.shared)
        mind.lay(shared=bool(other._contexts.shared))
    if agent._contexts.shared != other._contexts.shared or mind.left is not None:
        raise ValueError(
            f"merge needs agents with contexts of one shape, and without stages, got {quoted(agent.recipe)}"
        )
    if agent._arms.slots != other._arms.slots:
        raise ValueError("merge needs agents whose arms came and went in the same order")
    mind.open(
        mind._bound, added(mind.state(), theirs.state(), mind._bound, type(agent.recipe).__name__)
    )
    agent.lessons += other.lessons


def added(mine: Any, theirs: Any, policy: Any, name: str) -> Any:
    """The state after what led to either state.

    Raises:
        ValueError: naming the recipe, where that is not a sum.
    """
    forgets = declares(policy, "FORGETS")
    if not forgets and hasattr(mine, "merged"):
        return mine.merged(theirs, policy.init())
    why = "forgets" if forgets else "keeps more than sums"
    raise ValueError(
        f"merge needs a recipe whose estimator is a ridge regression or a mean, but {name} {why}"
    )
