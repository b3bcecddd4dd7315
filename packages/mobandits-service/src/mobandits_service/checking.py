"""What a service would run, in words: `mobandits serve --check`."""

from collections.abc import Iterator

from mobandits.agent import Agent
from mobandits.support.naming import quantity, shortened
from mobandits_service.preferences import present_preference
from mobandits_service.specification import AgentSpecification, BudgetSpecification


def agent_in_words(name: str, specification: AgentSpecification) -> Iterator[str]:
    """Lines that say what an agent of a service is.

    Args:
        name: of the agent.
        specification: of the agent, checked.
    """
    agent = specification.agent()
    arms = shortened(", ".join(specification.arms))
    yield f"{name}: {agent.recipe}"
    yield f"  arms: {arms}"
    yield f"  context: {_context_in_words(agent)}"
    yield f"  objectives: {_objectives_in_words(agent)}"
    yield f"  preference: {present_preference(agent.core)}"
    yield f"  propensities: {specification.propensity}"
    if specification.share is not None:
        yield f"  share: {specification.share:g} of the decisions, else {specification.baseline}"
    if specification.sticky is not None:
        yield f"  sticky: {specification.sticky:g} seconds"
    for budget in specification.budgets:
        yield f"  budget: {_budget_in_words(budget, agent)}"


def _context_in_words(agent: Agent) -> str:
    numbers = quantity(agent.features, "number")
    if agent.encoder is None:
        return numbers if agent.features else "none"

    columns = [f"{column}:{kind.NAME}" for column, kind in agent.encoder.columns.items()]

    return f"columns {shortened(', '.join(columns))}, as {numbers}"


def _objectives_in_words(agent: Agent) -> str:
    texts = []
    for objective in agent.objectives:
        direction = "less is better" if objective.minimise else "more is better"
        unit = f" in {objective.unit}" if objective.unit else ""
        texts.append(f"{objective.name}{unit} ({direction})")

    return ", ".join(texts)


def _budget_in_words(budget: BudgetSpecification, agent: Agent) -> str:
    units = {str(objective.name): objective.unit for objective in agent.objectives}
    unit = units.get(budget.objective, "")
    limit = f"{budget.limit:g} {unit}".rstrip()

    return f"{budget.objective} at most {limit} {period_in_words(budget.per)}"


def period_in_words(per: str) -> str:
    """The period of a budget, as the end of a phrase.

    Example:
        >>> period_in_words("total"), period_in_words("day")
        ('in all', 'per day')
    """
    return "in all" if per == "total" else f"per {per}"
