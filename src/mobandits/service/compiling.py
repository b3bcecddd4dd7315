"""What agents play, compiled before the first request, in a process of its own.

A process that compiles answers nobody for seconds. So a child compiles into the cache of this
machine, and the service loads from there what is left to load.
"""

import contextlib
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.service.explaining import rehearse_explanation
from mobandits.service.specification import AgentSpecification, ServiceSpecification
from mobandits.spec import build
from mobandits.support import json_lines

MOST_FEATURES = 64  # of an agent that only plays a round
LONGEST = 600.0  # seconds; a recipe takes up to twenty


class Rehearsal(msgspec.Struct):
    """What a child is told to play.

    Attributes:
        specification: of the agents.
        orders: {agent: the order that it plays by afterwards}.
    """

    specification: ServiceSpecification
    orders: dict[str, Any]


def compile_in_child(
    specification: ServiceSpecification, orders: Mapping[str, Any] | None = None
) -> None:
    """Compile in a child process what all agents play.

    Args:
        specification: of the agents.
        orders: {agent: an order that it plays by as well}, each a name or a table.

    Raises:
        subprocess.SubprocessError: where the child fails, or does not end.
    """
    content = msgspec.json.encode(Rehearsal(specification, dict(orders or {})))
    command = [sys.executable, "-m", "mobandits.service.compiling"]
    subprocess.run(command, input=content, check=True, timeout=LONGEST)  # noqa: S603


def load_compiled(
    specification: ServiceSpecification, orders: Mapping[str, Any] | None = None
) -> None:
    """Play a round of every agent, apart from its log: what that needs is compiled afterwards.

    Args:
        specification: of the agents.
        orders: as of `compile_in_child`.
    """
    orders = orders or {}
    for name, agent in specification.agents.items():
        play_a_round(agent, orders.get(name))


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
        with contextlib.suppress(ValueError):
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
    # Recipes that learn from their own decisions alone refuse to.
    with contextlib.suppress(ValueError):
        agent.adopt(context, decision.arm, compare=True)
    rehearse_explanation(agent)
    if order is not None:
        agent.preference = build("orders", order, "order")
        agent.decide(context)
        rehearse_explanation(agent)


if __name__ == "__main__":
    json_lines.begin_if_asked()
    rehearsal = msgspec.json.decode(sys.stdin.buffer.read(), type=Rehearsal)
    load_compiled(rehearsal.specification, rehearsal.orders)
