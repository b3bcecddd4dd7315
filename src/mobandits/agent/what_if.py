"""A copy of what an agent believes, apart from it: to ask what it would do under other terms."""

from typing import Any

from mobandits.agent.bound_policy import BoundPolicy
from mobandits.agent.core import AgentCore
from mobandits.agent.resize_state import copy_of_state


def believing_copy(core: AgentCore) -> AgentCore:
    """Another core with the arms, the policy, the preference and what was learned; nothing waits.

    Only arrays are copied while calls of the agent wait. Nothing that is asked of the copy changes
    the agent, its stream or its log.

    Args:
        core: of the agent.

    Example:
        >>> from mobandits.agent import Agent
        >>> from mobandits.policies import MolUcb
        >>> agent = Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=2)
        >>> agent.learn(agent.decide([0.5, 0.1]).id, [1.0, 0.5])
        >>> copy = believing_copy(agent.core)
        >>> copy.bound.stage, len(copy.pending.open), copy.writer is None
        (1, 0, True)
    """
    with core.lock:
        before = core.bound
        shape = before.shape
        order = before.order
        stage = before.stage
        left = before.left
        arms = core.arms.saved()
        shared = core.contexts.shared
        recipe = core.recipe
        propensity = core.propensity
        state: Any = copy_of_state(before.state()) if stage else None

    copy = AgentCore(
        recipe,
        arms=arms.names,
        features=core.declared_features,
        objectives=core.objectives,
        seed=core.seed,
        rounds=core.rounds,
        propensity=propensity,
        samples=core.samples,
        pending=1,
        max_age=None,
        remembered=0,
        clock=core.clock,
    )
    copy.arms.restore(*arms)
    copy.contexts.set_layout(shared=shared)
    own_recipe = copy.in_own_terms(recipe)
    copy.bound = BoundPolicy(own_recipe, shape, core.seed, propensity)
    if stage:
        copy.bound.restore(stage, left, lambda _: state)
    if order is not None:
        copy.bound.set_order(order)

    return copy
