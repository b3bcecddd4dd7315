"""Budgets of an agent that are hard: what decisions may cost is reserved before they are made.

A decision reserves the most that it may cost. Its reward settles that at what it did cost, and a
decision that is abandoned, or dropped, gives it back. Arms for which too little is left are not
eligible. Periods are those of the calendar, in UTC, and a decision belongs to the period in which
it was made: a bill that comes later is one of that period, and takes nothing from the next.
"""

import datetime as dt
import math
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mobandits.agent.arms import Arms
from mobandits.agent.budget import Balance, Budget, end_of, period_of
from mobandits.agent.decision import Offer, narrowed
from mobandits.agent.pending import Pending, Waiting
from mobandits.errors import BudgetError, InputWarning
from mobandits.logs.objectives import Objective
from mobandits.support.naming import quoted, shortened, wrong_value
from mobandits.support.nearest import refusal

# Sums of amounts round: a share of the limit that is no money.
ROUNDING = 1e-9


class Account:
    """One budget at work.

    Attributes:
        budget: which.
        objective: its objective.
        place: the number of the objective.
        period: the present one.
        spent: what its decisions did cost.
        reserved: {decision: amount} of decisions without a bill.
        held: the sum of these amounts.
    """

    def __init__(self, budget: Budget, objective: Objective, place: int) -> None:
        self.budget = budget
        self.objective = objective
        self.place = place
        self.period = period_of(budget.per, 0.0)
        self.spent = 0.0
        self.reserved: dict[int, float] = {}
        self.held = 0.0

    def most(self, name: Hashable) -> float | None:
        """Largest cost of a decision for an arm; None where none was declared."""
        declared = self.budget.most
        if isinstance(declared, Mapping):
            return declared.get(name, self.objective.high)
        return self.objective.high if declared is None else declared

    def largest(self) -> float:
        """Largest cost of any decision."""
        declared = self.budget.most
        amounts = [self.objective.high]
        if isinstance(declared, Mapping):
            amounts += declared.values()
        else:
            amounts.append(declared)

        known = [amount for amount in amounts if amount is not None]

        return max(known)

    def turn(self, now: float) -> None:
        """Begin a new period where its time has come."""
        period = period_of(self.budget.per, now)
        if period != self.period:
            self.period = period
            self.spent = 0.0
            self.reserved.clear()
            self.held = 0.0

    @property
    def left(self) -> float:
        """Amount that is left for further decisions."""
        return self.budget.limit - self.spent - self.held

    def fits(self, amount: float) -> bool:
        """Whether there is room for an amount."""
        return amount <= self.left + ROUNDING * self.budget.limit

    def reserve(self, number: int, amount: float) -> None:
        """Hold an amount for a decision."""
        self.reserved[number] = amount
        self.held += amount

    def release(self, number: int) -> bool:
        """Hold it no more; False where nothing was held in this period."""
        amount = self.reserved.pop(number, None)
        if amount is None:
            return False

        # Exact where nothing waits, so that roundings do not add up over years.
        self.held = self.held - amount if self.reserved else 0.0

        return True

    def settle(self, number: int, cost: float) -> None:
        """The bill of a decision."""
        if self.release(number):
            self.spent += cost

    def balance(self) -> Balance:
        """Balance of the account."""
        renews = end_of(self.budget.per, self.period)
        # Added up anew: `held` has the roundings of all that came and went.
        reserved = math.fsum(self.reserved.values())
        left = self.budget.limit - self.spent - reserved

        return Balance(self.budget, self.spent, reserved, left, renews)


class Ledger:
    """The budgets of an agent.

    Args:
        budgets: any number of them.
        objectives: of the agent.
        arms: of the agent.

    Attributes:
        accounts: one per budget.
        is_timed: whether some budget renews.

    Raises:
        ValueError: where a budget does not fit the agent.
    """

    def __init__(
        self, budgets: Iterable[Budget], objectives: Sequence[Objective], arms: Arms
    ) -> None:
        self._arms = arms
        names = [objective.name for objective in objectives]
        self.accounts = []
        for budget in _checked(budgets):
            if budget.objective not in names:
                raise wrong_value(
                    f"Budget.objective must be one of the agent's, {quoted(names)}",
                    budget.objective,
                )

            place = names.index(budget.objective)
            objective = objectives[place]
            if not objective.minimise:
                raise wrong_value(
                    "Budget.objective must have minimise=True, as costs have", objective.name
                )

            self.accounts.append(Account(budget, objective, place))

        self.is_timed = any(account.budget.per != "total" for account in self.accounts)
        for name in arms.names:
            self.check_arm(name)

    def check_arm(self, name: Hashable) -> None:
        """Refuse an arm of which nobody said what it may cost."""
        for account in self.accounts:
            if account.most(name) is None:
                title = quoted(account.objective.name)
                raise ValueError(
                    f"Budget.most must say what a decision for arm {quoted(name)} may cost at "
                    f"most, or objective {title} must have a range, got neither"
                )

    def warn_of_unknown_arms(self) -> None:
        """Warn of arms that budgets name and the agent does not have: they may be added later."""
        for account in self.accounts:
            most = account.budget.most
            named = most if isinstance(most, Mapping) else {}
            unknown = [name for name in named if name not in self._arms.names]
            if unknown:
                known = shortened(", ".join(map(str, self._arms.names)))
                rule = f"name arms of the agent, which are {known}"
                message = refusal("Budget.most", rule, unknown[0], self._arms.names)
                # Of the line that makes the agent.
                warnings.warn(message, InputWarning, stacklevel=3)

    def fitting(self, offer: Offer, now: float, count: int = 1) -> Offer:
        """The arms of an offer for which enough is left.

        Args:
            offer: names, slots and rows; the last axis but one of rows is that of arms, or 1.
            now: the time.
            count: how many decisions must fit, whichever of the arms they are for.

        Raises:
            BudgetError: where none is left.
        """
        names = offer[0]
        self.turn(now)
        kept = [i for i, name in enumerate(names) if self._fits(name, count)]
        if len(kept) == len(names):
            return offer
        if not kept:
            self._refuse(names, count)

        return narrowed(offer, np.array(kept))

    def _fits(self, name: Hashable, count: int) -> bool:
        return all(account.fits(count * (account.most(name) or 0.0)) for account in self.accounts)

    def _refuse(self, names: Sequence[Hashable], count: int) -> None:
        # Of those without room for any arm, the one that is the last to renew.
        empty = []
        for account in self.accounts:
            amounts = [count * (account.most(name) or 0.0) for name in names]
            if not any(map(account.fits, amounts)):
                empty.append((account, min(amounts)))

        # Every arm may fit one budget and break another: then all of them are asked.
        if not empty:
            empty = [(account, account.largest()) for account in self.accounts]

        account, least = max(empty, key=lambda pair: _or_never(pair[0].balance().renews))
        say = account.objective.say
        budget = account.budget
        renews = account.balance().renews
        when = "it does not renew"
        if renews is not None:
            moment = dt.datetime.fromtimestamp(renews, dt.UTC)
            when = f"it renews at {moment:%Y-%m-%d %H:%M} UTC"

        period = "in total" if budget.per == "total" else f"per {budget.per}"
        raise BudgetError(
            f"the budget of {quoted(budget.objective)}, {say(budget.limit)} {period}, has "
            f"{say(account.left)} left, and {say(least)} must be reserved: {when}",
            renews,
        )

    def reserve(self, number: int, pending: Pending) -> None:
        """Hold what a decision may cost, where it was made in the present period."""
        for account in self.accounts:
            period = period_of(account.budget.per, pending.time)
            # Decisions of earlier periods do not turn it back.
            if period > account.period:
                account.turn(pending.time)
            if period == account.period:
                account.reserve(number, self._amount(account, pending))

    def _amount(self, account: Account, pending: Pending) -> float:
        slots = self._arms.slots
        if slots[pending.arm] == pending.birth:
            for name in self._arms.names:
                if self._arms.slot(name) == pending.arm:
                    return account.most(name) or 0.0

        # The arm left: which one it was is not kept.
        return account.largest()

    def release(self, number: int) -> None:
        """Give back what a decision had reserved."""
        for account in self.accounts:
            account.release(number)

    def check_bills(self, rewards: Sequence[float]) -> None:
        """Refuse negative costs among rewards, (objectives,), NaN where not observed.

        Raises:
            ValueError: naming the objective: a budget would grow by what is paid back.
        """
        for account in self.accounts:
            cost = rewards[account.place]
            if cost < 0.0:
                rule = f"rewards[{quoted(account.objective.name)}] must be at least 0"
                raise ValueError(f"{rule}, as it is in a budget, got {cost:g}")

    def settle(self, number: int, rewards: Sequence[float]) -> None:
        """The bills among new rewards, (objectives,), NaN where not observed."""
        for account in self.accounts:
            cost = rewards[account.place]
            if not math.isnan(cost):
                account.settle(number, cost)

    def correct(self, decided: float | None, was: Sequence[float], right: Sequence[float]) -> None:
        """Other bills, (objectives,), NaN where none changes.

        Args:
            decided: when the decision was made; None: by somebody else.
            was: the bills so far.
            right: the right ones.
        """
        if decided is None:
            return

        for account in self.accounts:
            change = right[account.place] - was[account.place]
            is_present = period_of(account.budget.per, decided) == account.period
            if is_present and not math.isnan(change):
                account.spent += change

    def turn(self, now: float) -> None:
        """Begin new periods where their time has come."""
        for account in self.accounts:
            account.turn(now)

    def restore(
        self,
        spent: Mapping[tuple[Hashable, str], tuple[int, float]],
        waiting: Waiting,
        now: float,
    ) -> None:
        """Go on from where another ledger was.

        Args:
            spent: {(objective, per): (period, spent)}.
            waiting: the decisions that wait.
            now: the time.
        """
        for account in self.accounts:
            key = (account.budget.objective, account.budget.per)
            first = period_of(account.budget.per, 0.0)
            account.period, account.spent = spent.get(key, (first, 0.0))
            account.turn(now)
            account.reserved.clear()
            account.held = 0.0
            for decision, pending in waiting.items():
                is_billed = pending.rewards is not None and not math.isnan(
                    pending.rewards[account.place]
                )
                is_present = period_of(account.budget.per, pending.time) == account.period
                if is_present and not is_billed:
                    account.reserve(decision, self._amount(account, pending))

    def spent(self) -> dict[tuple[Hashable, str], tuple[int, float]]:
        """Spending by budget, as `restore` takes it."""
        return {
            (account.budget.objective, account.budget.per): (account.period, account.spent)
            for account in self.accounts
        }


def _or_never(renews: float | None) -> float:
    return math.inf if renews is None else renews


def _checked(budgets: Any) -> list[Budget]:
    if isinstance(budgets, Budget):
        budgets = [budgets]

    checked = list(budgets)
    for budget in checked:
        if not isinstance(budget, Budget):
            raise wrong_value("budgets must be a list of Budget('cost', 5.0, per='day')", budget)

    keys = [(budget.objective, budget.per) for budget in checked]
    for objective, per in keys:
        if keys.count((objective, per)) > 1:
            shown = quoted(objective)
            raise ValueError(
                f"budgets must be one per objective and period, got {shown} {per} twice"
            )

    return checked
