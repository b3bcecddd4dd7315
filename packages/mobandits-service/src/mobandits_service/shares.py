"""The share of the decisions that an agent's policy makes, when a service opens it.

The share is a parameter of the recipe, and a store has agents of one recipe. So an agent whose file
says another share than before is opened with the one before, and goes on with the new one.
"""

import re
from typing import Any

from mobandits.agent import Agent
from mobandits.contracts.protocols import Recipe
from mobandits.logs.store import Store
from mobandits.policies import Rollout
from mobandits.support.naming import short_repr
from mobandits_service.specification import AgentSpecification

RECORDED = re.compile(r"Rollout\(.*, baseline=(?P<baseline>.*?)(, share=(?P<share>[^,()]+))?\)")


def opened_agent(specification: AgentSpecification, store: Store) -> Agent:
    """The agent of a store, new or gone on, with the share that its specification says.

    Args:
        specification: of the agent.
        store: its log.

    Raises:
        ValueError: where the store has an agent that differs by more than its share.
    """
    wanted = specification.recipe()
    description = store.description
    before = wanted if description is None else recorded_recipe(wanted, description)
    if before is None or before == wanted:
        return specification.agent(log=store)

    agent = specification.agent(log=store, recipe=before)
    try:
        agent.retune(wanted)
    except BaseException:
        agent.close()
        raise

    return agent


def recorded_recipe(wanted: Recipe, description: dict[str, Any]) -> Recipe | None:
    """The recipe that a store describes, where it differs by share and baseline at most; else None.

    Args:
        wanted: the recipe of a specification.
        description: of the agent, by its store.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> before = Rollout(MolUcb(scale=0.3), "small", 0.1)
        >>> description = {"recipe": short_repr(before), "arms": ["small", "large"]}
        >>> recorded_recipe(MolUcb(scale=0.3), description) == before
        True
        >>> recorded_recipe(MolUcb(scale=0.5), description) is None
        True
    """
    inner = wanted.recipe if isinstance(wanted, Rollout) else wanted
    text = description.get("recipe", "")
    candidates: list[Recipe] = [inner]
    found = RECORDED.fullmatch(text)
    if found is not None:
        arms = [arm for arm in description["arms"] if repr(arm) == found["baseline"]]
        # A share that is the default is left out.
        share = Rollout.share if found["share"] is None else float(found["share"])
        candidates = [Rollout(inner, arm, share) for arm in arms]

    # The text is compared whole: what is rebuilt of it is right, or is not taken.
    for candidate in candidates:
        if short_repr(candidate) == text:
            return candidate

    return None
