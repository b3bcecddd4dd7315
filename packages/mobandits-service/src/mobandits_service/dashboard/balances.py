"""Budgets, as pages show them."""

from collections.abc import Iterable
from dataclasses import dataclass

from mobandits.agent.budget import Balance
from mobandits_service.dashboard.windows import moment_text

LOW = 0.1  # of a budget, from which on a page warns


@dataclass(frozen=True)
class BudgetLine:
    """A budget and what became of it.

    Attributes:
        title: the objective and the period.
        limit: altogether.
        spent: of it, in the present period.
        reserved: for decisions whose bills are awaited.
        left: for further decisions.
        ratio: what is spent and reserved, of the limit.
        renews: when the next period begins; empty: never.
    """

    title: str
    limit: float
    spent: float
    reserved: float
    left: float
    ratio: float
    renews: str

    @property
    def is_low(self) -> bool:
        """Whether little is left."""
        return self.left < LOW * self.limit


def budget_lines(balances: Iterable[Balance]) -> list[BudgetLine]:
    """The budgets of an agent."""
    lines = []
    for balance in balances:
        budget = balance.budget
        period = "in all" if budget.per == "total" else f"per {budget.per}"
        line = BudgetLine(
            title=f"{budget.objective} {period}",
            limit=budget.limit,
            spent=balance.spent,
            reserved=balance.reserved,
            left=balance.left,
            ratio=(balance.spent + balance.reserved) / budget.limit,
            renews="" if balance.renews is None else moment_text(balance.renews),
        )
        lines.append(line)

    return lines
