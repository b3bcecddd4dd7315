"""A round of what agents play, before the first request: a request then loads nothing.

Where nothing is compiled yet, the round is played in Python, and what it needs is asked for (see
`compiling.at_hand`).
"""

import contextlib
from typing import Any

import msgspec
import numpy as np

from mobandits.compiling.at_hand import loading
from mobandits.contracts.protocols import Array
from mobandits.spec import build
from mobandits_service.explaining import rehearse_explanation
from mobandits_service.specification import AgentSpecification, ServiceSpecification

MOST_FEATURES = 64  # of an agent that only plays a round


def load_compiled(specification: ServiceSpecification) -> None:
    """Play a round of every agent, apart from its log: what that needs is loaded afterwards.

    Args:
        specification: of the agents.
    """
    for agent in specification.agents.values():
        play_a_round(agent)


def play_a_round(specification: AgentSpecification, order: Any = None) -> None:
    """Make each call once, as an agent of the specification that nobody else knows.

    It is done with a context for all arms, and with one for each: only the first call of a client
    tells which of them the agent will have.

    Args:
        specification: of the agent.
        order: by which it decides once more, a name or a table; None: only by its own.
    """
    specification = with_few_features(specification)
    agent = specification.agent()
    row = (agent.features,)
    row_per_arm = (len(agent.arms), agent.features)
    for shape in (row, row_per_arm):
        # A recipe may be for the other ones alone.
        with contextlib.suppress(ValueError), loading():
            _play_with(specification, np.ones(shape), order)


def with_few_features(specification: AgentSpecification) -> AgentSpecification:
    """The same agent, with fewer features where it has many.

    Compiled code is the same for any number of them, but states grow with their square.

    Args:
        specification: of the agent.
    """
    if specification.features <= MOST_FEATURES:
        return specification

    fewer = msgspec.structs.replace(specification, features=MOST_FEATURES)
    try:
        fewer.agent()
    except ValueError:
        # A parameter of its policy has a number for each feature.
        return specification

    return fewer


def _play_with(specification: AgentSpecification, context: Array, order: Any) -> None:
    agent = specification.agent()
    decision = agent.decide(context)
    rewards = {}
    for objective in agent.objectives:
        low = 0.0 if objective.low is None else objective.low
        rewards[objective.name] = low

    agent.learn(decision.id, rewards)
    if not specification.budgets:
        # As rewards that workers were told are learned; agents with budgets have no workers.
        decision = agent.decide(context)
        with agent.core.bound.learning_together():
            agent.learn(decision.id, rewards)

    # Recipes that learn from their own decisions alone refuse to.
    with contextlib.suppress(ValueError):
        agent.adopt(context, decision.arm, compare=True)
    rehearse_explanation(agent)
    if order is not None:
        agent.preference = build("orders", order, "order")
        agent.decide(context)
        rehearse_explanation(agent)
