"""Rewards that were told wrong: the agent learns its log again, with the right ones."""

import math
from typing import Any

from mobandits.agent.change import Change
from mobandits.agent.core import AgentCore
from mobandits.agent.inputs import reward_list
from mobandits.agent.relearning import replaced
from mobandits.agent.replayed_events import set_clock
from mobandits.agent.retuning import rebound
from mobandits.logs.events import Correct
from mobandits.support.naming import quoted


def correct(core: AgentCore, decision_id: int, rewards: Any, again: Correct | None = None) -> None:
    """Have learned other rewards of a decision; see `Agent.correct`.

    With `again`, an event of the log says what they were before.
    """
    with core.lock, Change(core) as change:
        number = core.pending.number(decision_id)
        right = reward_list(rewards, core.reward_places)
        core.guard.check_rewards(core.scales.inward(right))
        core.ledger.check_bills(right)
        core.expectations.check(right)
        event = again or _event(core, number, right)
        # Not every estimator can take a reward back, and each can learn the log again.
        bound = rebound(core, core.recipe, core.propensity, core.objectives, [event])
        change.write(event)

        core.bound = bound
        _keep(core, number, right)
        was = reward_list(event.was, core.reward_places)
        core.ledger.correct(event.decided, was, right)


def correct_again(core: AgentCore, event: Correct) -> None:
    """Replay a correction, at its time."""
    set_clock(core, event)
    correct(core, event.id, event.rewards, again=event)


def _event(core: AgentCore, number: int, right: list[float]) -> Correct:
    """The correction in the log.

    Raises:
        ValueError: where there is no log, no such decision, or it has no such reward.
    """
    writer = core.writer
    if writer is None:
        raise ValueError("correct needs an agent with a log, to learn from it again")

    recorded = writer.store.decision(number)
    if recorded is None:
        raise ValueError(core.pending.why_unknown(number))

    told = recorded.rewards
    # What is remembered has what was learned by default, too.
    pending = core.pending.open.get(number)
    known = core.pending.settled.get(number) if pending is None else pending.rewards
    if known is not None:
        told = dict(zip(core.objective_names, known, strict=True))

    rewards = {}
    was = {}
    for name, value in zip(core.objective_names, right, strict=True):
        if math.isnan(value):
            continue
        if math.isnan(told.get(name, math.nan)):
            rule = f"rewards must correct what decision {number} was told"
            raise ValueError(f"{rule}, got {quoted(name)}, of which it was told nothing")

        rewards[name] = value
        was[name] = told[name]

    if not rewards:
        raise ValueError("rewards must have at least one number, got none")

    decided = recorded.event.time if recorded.event.made_by == "us" else None
    return Correct(id=number, rewards=rewards, was=was, decided=decided)


def _keep(core: AgentCore, number: int, right: list[float]) -> None:
    """Remember the right rewards of a decision, where it waits for others or was settled."""
    waiting = core.pending.open.get(number)
    if waiting is not None and waiting.rewards is not None:
        known = replaced(waiting.rewards, right)
        core.pending.open[number] = waiting._replace(rewards=known)

    settled = core.pending.settled
    if number in settled:
        settled[number] = tuple(replaced(settled[number], right))
