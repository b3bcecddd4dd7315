"""The past of the demonstration's agent, so that there is something to see at once."""

import time
from pathlib import Path

import numpy as np

from mobandits.agent import Agent
from mobandits.logs.store import SharedFile, Store
from mobandits_service.demo.prompts import PromptTable
from mobandits_service.specification import AgentSpecification

DECISIONS = 3000
SECONDS = 3600.0  # in which they were made, until now
GRADES_LATE = 10  # prompts after which the quality of an answer is known
SEED = 11  # of the moments at which prompts came


def make_history(
    specification: AgentSpecification,
    agent_name: str,
    path: Path,
    prompts: PromptTable,
) -> int:
    """Have an agent decide and learn as if it had done so for an hour.

    An agent that is in the store already is left as it is.

    Args:
        specification: of the agent.
        agent_name: in the store.
        path: of the store, which is made where it does not exist.
        prompts: to decide on, in their order.

    Returns:
        How many decisions the agent has made.

    Raises:
        LogError: where the store is in use, or no store.
    """
    with SharedFile(path, "system") as file, Store(file, agent=agent_name) as store:
        is_new = store.description is None
        agent = specification.agent(log=store)
        try:
            if is_new:
                _play(agent, prompts)
            return agent.core.pending.next_id
        finally:
            agent.close()


def _play(agent: Agent, prompts: PromptTable) -> None:
    now = 0.0
    agent.core.clock = lambda: now
    grades: list[tuple[int, float]] = []
    for prompt, moment in enumerate(past_moments(DECISIONS)):
        now = moment
        decision = agent.decide(prompts.contexts[prompt])
        model = prompts.models.index(str(decision.arm))
        cost = prompts.cost(prompt, model)
        agent.learn(decision.id, {"cost": cost})
        quality = float(prompts.quality[prompt, model])
        grades.append((decision.id, quality))
        if len(grades) > GRADES_LATE:
            _grade(agent, grades.pop(0))

    for graded in grades:
        _grade(agent, graded)


def past_moments(count: int) -> list[float]:
    """Moments at which prompts came, in seconds since 1970: irregular ones, until now."""
    rng = np.random.default_rng(SEED)
    gaps = rng.exponential(size=count)
    passed = np.cumsum(gaps)
    # The first came the whole time ago, and the last one a moment ago.
    ages = 1.0 - passed / passed[-1]
    moments = time.time() - SECONDS * ages
    ordered: list[float] = moments.tolist()

    return ordered


def _grade(agent: Agent, graded: tuple[int, float]) -> None:
    number, quality = graded
    agent.learn(number, {"quality": quality})
