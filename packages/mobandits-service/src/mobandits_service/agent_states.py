"""An agent as it is now, in the words of messages."""

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from mobandits.agent import Agent
from mobandits.agent.budget import Balance
from mobandits.agent.resize_state import arrays
from mobandits.support.naming import short_repr
from mobandits_client.messages import AgentState, BudgetState, ObjectiveState
from mobandits_service.specification import AgentSpecification

Objectives = Sequence[ObjectiveState]

LOW = 0.1  # of a budget's limit


def state_of_open(
    agent: Agent, name: str, status: str, specification: AgentSpecification, preference: str
) -> AgentState:
    """An agent that is open.

    Args:
        agent: itself.
        name: of the agent.
        status: in the service.
        specification: of the agent.
        preference: in words.
    """
    objectives = [
        ObjectiveState(str(each.name), each.minimise, each.unit) for each in agent.objectives
    ]

    return AgentState(
        name=name,
        status=status,
        policy=short_repr(agent.recipe),
        arms=[str(arm) for arm in agent.arms],
        features=agent.features,
        objectives=objectives,
        preference=preference,
        decisions=agent.core.pending.made,
        waiting=agent.waiting,
        learned=agent.lessons,
        dropped=agent.dropped,
        specification=msgspec.to_builtins(specification.shown()),
    )


def state_of_closed(name: str, status: str, specification: AgentSpecification) -> AgentState:
    """An agent that is not open: what its specification says. Arguments as of `state_of_open`."""
    return AgentState(
        name=name,
        status=status,
        policy=short_repr(specification.recipe()),
        arms=specification.arms,
        features=specification.features,
        objectives=[],
        preference="",
        decisions=0,
        waiting=0,
        learned=0,
        dropped={},
        specification=msgspec.to_builtins(specification.shown()),
    )


def has_nan(agent: Agent) -> bool:
    """Whether a number of an agent's state is none (NaN), from which no reward leads back."""
    bound = agent.core.bound
    if bound.stage == 0:
        return False  # before its first context it has no state

    for array in arrays(bound.state()):
        numbers = np.asarray(array)
        if numbers.dtype.kind == "f" and np.isnan(numbers).any():
            return True

    return False


def is_low(budget: BudgetState) -> bool:
    """Whether little is left of a budget, so that pages warn."""
    return budget.left < LOW * budget.limit


def budget_states(balances: Iterable[Balance]) -> list[BudgetState]:
    """What became of the budgets of an agent."""
    states = []
    for balance in balances:
        budget = balance.budget
        state = BudgetState(
            objective=str(budget.objective),
            per=budget.per,
            limit=budget.limit,
            spent=balance.spent,
            reserved=balance.reserved,
            left=balance.left,
            renews=balance.renews,
        )
        states.append(state)

    return states
