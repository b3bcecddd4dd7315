"""The budgets of an agent in its file, and what was spent of them."""

from collections.abc import Hashable, Mapping
from typing import Any

from mobandits.agent.budget import Budget
from mobandits.agent.headers import whole_number
from mobandits.agent.ledger import Ledger
from mobandits.logs.names import checked_name, decoded, encoded
from mobandits.support.checks import number
from mobandits.support.naming import quoted

KEYS = {"objective", "limit", "per", "most", "period", "spent"}


def described_ledger(ledger: Ledger) -> list[dict[str, Any]]:
    """Budgets, and what was spent in their present periods, as JSON can hold them.

    What is reserved follows from the decisions that wait.
    """
    described = []
    for account in ledger.accounts:
        budget = account.budget
        described.append(
            {
                "objective": encoded(checked_name(budget.objective, "objective")),
                "limit": float(budget.limit),
                "per": budget.per,
                "most": _described_most(budget.most),
                "period": account.period,
                "spent": float(account.spent),
            }
        )

    return described


def _described_most(most: Any) -> Any:
    if not isinstance(most, Mapping):
        return None if most is None else float(most)

    pairs = []
    for arm, amount in most.items():
        pairs.append([encoded(checked_name(arm, "arm")), float(amount)])

    return pairs


def made_budgets(given: Any) -> list[Budget]:
    """The budgets of a file.

    Raises:
        ValueError: where they are malformed.
    """
    if not isinstance(given, list):
        raise ValueError(f"ledger must be a list, got {quoted(given)}")

    budgets = []
    for one in given:
        if not isinstance(one, dict) or set(one) != KEYS:
            wanted = ", ".join(sorted(KEYS))
            raise ValueError(f"ledger must have {wanted}, got {quoted(one)}")

        objective = checked_name(decoded(one["objective"]), "objective")
        whole_number("ledger.period", one["period"])
        number("ledger.spent", one["spent"])
        most = one["most"]
        if isinstance(most, list):
            most = {checked_name(decoded(arm), "arm"): amount for arm, amount in most}

        budgets.append(Budget(objective, one["limit"], one["per"], most))

    return budgets


def spent_in(given: list[dict[str, Any]]) -> dict[tuple[Hashable, str], tuple[int, float]]:
    """{(objective, per): (period, spent)} of a file, which `Ledger.restore` takes."""
    spent = {}
    for one in given:
        key = (decoded(one["objective"]), one["per"])
        spent[key] = (int(one["period"]), float(one["spent"]))

    return spent
