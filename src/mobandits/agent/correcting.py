"""Rewards that were told wrong: the agent learns its log again, with the right ones."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mobandits.agent.actors import changed_by
from mobandits.agent.bound_policy import BoundPolicy
from mobandits.agent.change import Change
from mobandits.agent.core import AgentCore
from mobandits.agent.first_prices import begin_with, has_prices, prices_by
from mobandits.agent.inputs import reward_list
from mobandits.agent.recording import StoreWriter
from mobandits.agent.relearning import replaced
from mobandits.agent.repricing import log_at_hand
from mobandits.agent.retuning import rebound
from mobandits.support.naming import quoted


def correct(
    core: AgentCore, decision_id: int, rewards: Any, again: dict[str, Any] | None = None
) -> None:
    """Have learned other rewards of a decision; see `Agent.correct`.

    With `again`, what an event of the log says came of it, in place of what would come now.
    """
    with core.lock, Change(core) as change:
        number = core.pending.number(decision_id)
        right = reward_list(rewards, core.reward_places)
        core.guard.check_rewards(core.scales.inward(right))
        core.ledger.check_bills(right)
        core.expectations.check(right)
        fields = again or _fields(core, number, right)
        # Not every estimator can take a reward back, and each can learn the log again.
        bound = rebound(core, core.recipe, core.propensity, core.objectives, [fields])
        if again is None:
            fields["prices"] = _prices(core, bound, number, right)
        change.write("correct", **fields, **changed_by())

        core.bound = bound
        begin_with(bound, fields["prices"])
        _keep(core, number, right)
        if fields["decided"] is not None:
            was = reward_list(fields["was"], core.reward_places)
            more = [new - old for new, old in zip(right, was, strict=True)]
            core.ledger.correct(fields["decided"], more)


def correct_again(core: AgentCore, event: dict[str, Any]) -> None:
    """Replay a correction, at its time."""
    core.clock = lambda: event["time"]
    correct(core, event["id"], event["rewards"], again=event)


def _fields(core: AgentCore, number: int, right: list[float]) -> dict[str, Any]:
    """The fields of the event of a correction.

    Raises:
        ValueError: where there is no log, no such decision, or it has no such reward.
    """
    writer = core.writer
    if not isinstance(writer, StoreWriter):
        raise ValueError("correct needs an agent with a log, to learn from it again")

    recorded = writer.store.decision(number)
    if recorded is None:
        raise ValueError(core.pending.why_unknown(number))

    told = [recorded.rewards.get(name, math.nan) for name in core.objective_names]
    pending = core.pending.open.get(number)
    # These have what was learned by default, too.
    known: Sequence[float] = core.pending.settled.get(number, told)
    if pending is not None and pending.rewards is not None:
        known = pending.rewards

    rewards = {}
    was = {}
    for name, new, old in zip(core.objective_names, right, known, strict=True):
        if math.isnan(new):
            continue
        if math.isnan(old):
            rule = f"rewards must correct what decision {number} was told"
            raise ValueError(f"{rule}, got {quoted(name)}, of which it was told nothing")

        rewards[name] = new
        was[name] = old

    if not rewards:
        raise ValueError(f"rewards must have at least one number, got {quoted(rewards)}")

    is_own = recorded.made_by == "us"
    decided = recorded.event.get("time") if is_own else None
    return {"id": number, "rewards": rewards, "was": was, "decided": decided}


def _prices(core: AgentCore, bound: BoundPolicy, number: int, right: list[float]) -> Any:
    """The prices of a budget on the last rounds, one of which is corrected; None: there are none."""
    if not has_prices(core.recipe):
        return None

    log = log_at_hand(core)
    if log is not None:
        rows = log.rewards.copy()
        for name, value in zip(core.objective_names, right, strict=True):
            if not math.isnan(value):
                rows[log.ids == number, log.objective_names.index(name)] = value
        log = replace(log, rewards=rows)

    return prices_by(core, bound, log)


def _keep(core: AgentCore, number: int, right: list[float]) -> None:
    """Remember the right rewards of a decision, where it waits for others or was settled."""
    pending = core.pending
    waiting = pending.open.get(number)
    if waiting is not None and waiting.rewards is not None:
        known = replaced(waiting.rewards, right)
        pending.open[number] = waiting._replace(rewards=known)
    if number in pending.settled:
        pending.settled[number] = tuple(replaced(pending.settled[number], right))
