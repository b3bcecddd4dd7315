"""An agent whose clock was ahead for a while goes on at the right time."""

from collections.abc import Hashable

from mobandits.agent.budget import period_of, start_of
from mobandits.agent.change import Change
from mobandits.agent.core import AgentCore
from mobandits.agent.inputs import as_seconds
from mobandits.logs.events import Clock

# What was spent of each budget that renews: (objective, per, amount).
Spent = list[tuple[Hashable, str, float]]


def reset_clock(core: AgentCore) -> float:
    """Go on at the time of the clock where the agent's is later; see `Agent.reset_clock`."""
    with core.lock:
        reading = as_seconds(core.clock())
        ahead = core.now - reading
        if ahead <= 0.0:
            return 0.0

        with Change(core, reading) as change:
            spent = _spent_by(core, reading)
            change.write(Clock(spent=spent))
            _go_back(core, reading, spent)

        return ahead


def reset_clock_again(core: AgentCore, event: Clock) -> None:
    """Replay a reset."""
    _go_back(core, core.clock(), event.spent)


def _spent_by(core: AgentCore, now: float) -> Spent:
    """Spending of each budget in the period of a moment, and later, while the clock was ahead.

    A log knows all of it. Without one, what was spent before the clock went ahead is forgotten.
    """
    spent: Spent = []
    for account in core.ledger.accounts:
        per = account.budget.per
        if per == "total":
            continue

        name = account.budget.objective
        amount = account.spent
        if core.writer is not None:
            start = start_of(per, period_of(per, now))
            amount = core.writer.store.spent_since(name, start)

        spent.append((name, per, amount))

    return spent


def _go_back(core: AgentCore, now: float, spent: Spent) -> None:
    core.now = now
    core.pending.limit_times(now)
    core.sessions.limit_times(now)
    figures = core.ledger.spent()
    for name, per, amount in spent:
        figures[name, per] = (period_of(per, now), amount)

    core.ledger.restore(figures, core.pending.own, now)
