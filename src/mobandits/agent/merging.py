"""What two agents learned apart, added up: sums of statistics, less what both started from."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.estimators.linear import RidgeState, recompute_estimates, split_grams
from mobandits.estimators.sample_mean import MeanState
from mobandits.policies.baselines.random_choice import Plays
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
    forgets = any(getattr(part, "FORGETS", False) for part in _parts_of(policy))
    if not forgets and isinstance(mine, RidgeState):
        return _ridges(mine, theirs, policy.init())
    if not forgets and isinstance(mine, MeanState):
        return _means(mine, theirs)
    if isinstance(mine, Plays):
        return Plays(mine.seen + theirs.seen)
    why = "forgets" if forgets else "keeps more than sums"
    raise ValueError(
        f"merge needs a recipe whose estimator is a ridge regression or a mean, but {name} {why}"
    )


def _ridges(mine: RidgeState, theirs: RidgeState, first: RidgeState) -> RidgeState:
    objectives = mine.theta.shape[1]
    if mine.inverse.shape[1] != theirs.inverse.shape[1]:
        part = np.full(objectives, np.nan)
        part[0] = 0.0
        mine = split_grams(mine, part)
        theirs = split_grams(theirs, part)
    gram = mine.gram + theirs.gram - first.gram  # the prior counts once
    out = RidgeState(
        gram,
        np.empty(gram.shape),
        mine.moment + theirs.moment,
        mine.theta.copy(),
        mine.seen + theirs.seen,
        _volume(gram, first.gram),
    )
    for s in range(gram.shape[0]):
        for g in range(gram.shape[1]):
            recompute_estimates(out, s, g)
    return out


def _volume(gram: Array, first: Array) -> Array:
    volume: Array = np.linalg.slogdet(gram)[1] - np.linalg.slogdet(first)[1]
    return volume


def _means(mine: MeanState, theirs: MeanState) -> MeanState:
    return MeanState(mine.seen + theirs.seen, mine.total + theirs.total)


def _parts_of(part: Any) -> list[Any]:
    fields = [getattr(part, name) for name in getattr(part, "__dataclass_fields__", {})]
    return [part, *(inner for field in fields for inner in _parts_of(field))]
