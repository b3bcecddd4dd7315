"""Agents as they are, and how they are changed."""

from typing import Annotated, Any

import msgspec

from mobandits_client.messages.base import Message

# The bound of agents; a test of the service compares both.
MOST_FACTOR = 1e9  # by which all announcements together may change what an arm costs


class ObjectiveState(Message):
    """An objective of an agent."""

    name: str
    minimise: bool
    unit: str


class AgentState(Message):
    """An agent as it is now.

    Attributes:
        name: of the agent.
        status: "starting", "ready", or why it cannot decide.
        policy: as text.
        arms: that there are.
        features: the length of a context row.
        objectives: of its rewards.
        preference: the order by which arms are compared.
        decisions: how many there ever were.
        waiting: how many decisions wait for rewards.
        learned: how many rewards, or parts of one, were learned.
        dropped: how many decisions were dropped, by reason.
        specification: as the file or a call gave it, without what was fitted to data.
    """

    name: str
    status: str
    policy: str
    arms: list[str]
    features: int
    objectives: list[ObjectiveState]
    preference: str
    decisions: int
    waiting: int
    learned: int
    dropped: dict[str, int]
    specification: Any


class AgentList(Message):
    """All agents."""

    agents: list[AgentState]


class NewArm(Message):
    """An arm that joins.

    Attributes:
        like: an arm whose statistics it begins with; null: from nothing.
    """

    like: str | None = None


class Share(Message):
    """The share of the decisions that an agent's policy makes; its baseline arm makes the others.

    Attributes:
        share: in [0, 1].
    """

    share: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class NewPrice(Message):
    """An announced price of an arm.

    Attributes:
        factor: what the arm costs now over what it cost when the agent began to learn.
        objective: the cost; null: the one that has a budget.
    """

    factor: Annotated[float, msgspec.Meta(ge=1.0 / MOST_FACTOR, le=MOST_FACTOR)]
    objective: str | None = None


class ArmPrice(Message):
    """What announcements say of an arm's cost.

    Attributes:
        arm: its name.
        objective: the cost.
        factor: what the arm costs now over what it cost when the agent began to learn.
    """

    arm: str
    objective: str
    factor: float


class PriceList(Message):
    """The announced prices of an agent's arms."""

    prices: list[ArmPrice]


class BudgetState(Message):
    """What became of a budget.

    Attributes:
        objective: of the costs.
        per: "total", or the period after which it renews: "month", "day" or "hour", in UTC.
        limit: on the costs of a period.
        spent: in the present one, as far as bills have come.
        reserved: for decisions whose bills are awaited.
        left: for further decisions.
        renews: when the next period begins, in seconds since 1970; null: never.
    """

    objective: str
    per: str
    limit: float
    spent: float
    reserved: float
    left: float
    renews: float | None


class BudgetList(Message):
    """The budgets of an agent."""

    budgets: list[BudgetState]
