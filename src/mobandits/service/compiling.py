"""What agents play, compiled before the first request, in a process of its own.

A process that compiles answers nobody for seconds. So a child compiles into the cache of this
machine, and the service loads from there what is left to load.
"""

import contextlib
import subprocess
import sys

import msgspec
import numpy as np

from mobandits.service.specification import AgentSpecification, ServiceSpecification

LONGEST = 600.0  # seconds; a recipe takes up to twenty


def compile_in_child(specification: ServiceSpecification) -> None:
    """Compile in a child process what all agents play.

    Raises:
        subprocess.SubprocessError: where the child fails, or does not end.
    """
    content = msgspec.json.encode(specification)
    command = [sys.executable, "-m", "mobandits.service.compiling"]
    subprocess.run(command, input=content, check=True, timeout=LONGEST)  # noqa: S603


def load_compiled(specification: ServiceSpecification) -> None:
    """Play a round of every agent, apart from its log: what that needs is compiled afterwards."""
    for agent in specification.agents.values():
        play_a_round(agent)


def play_a_round(specification: AgentSpecification) -> None:
    """Make each call once, as an agent of the specification that nobody else knows."""
    agent = specification.agent()
    context = np.ones(agent.features)
    decision = agent.decide(context)
    rewards = {}
    for objective in agent.objectives:
        low = 0.0 if objective.low is None else objective.low
        rewards[objective.name] = low

    agent.learn(decision.id, rewards)
    # Recipes that learn from their own decisions alone refuse to, and some cannot be explained.
    with contextlib.suppress(ValueError):
        agent.adopt(context, decision.arm, compare=True)
    with contextlib.suppress(ValueError):
        agent.explain(decision)


if __name__ == "__main__":
    load_compiled(msgspec.json.decode(sys.stdin.buffer.read(), type=ServiceSpecification))
