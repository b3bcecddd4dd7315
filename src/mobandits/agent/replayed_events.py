"""The events of a log, done once more."""

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from mobandits.agent.adoption import adopt
from mobandits.agent.clock import reset_clock_again
from mobandits.agent.core import AgentCore
from mobandits.agent.decision import Decision
from mobandits.agent.first_prices import begin_with
from mobandits.agent.keys import CallOptions
from mobandits.agent.repricing import reprice_again
from mobandits.agent.transfer import take_over_again
from mobandits.agent.workers import DecisionOfWorker, Source, keep_of_worker
from mobandits.errors import LogError
from mobandits.logs.arm_registry import ArmRegistry
from mobandits.logs.events import (
    Abandon,
    Activate,
    Add,
    Clock,
    Correct,
    Decide,
    Event,
    FirstPrices,
    Learn,
    Lost,
    Preference,
    Remove,
    Reprice,
    State,
)
from mobandits.logs.parts_as_data import made
from mobandits.support.naming import quoted


def replay(
    core: AgentCore,
    event: Event,
    arms: ArmRegistry,
    where: str,
    *,
    adopting: bool = False,
    differing: list[int] | None = None,
) -> Decision | None:
    """Do once more what an event says, at its time: the decision, where it is one.

    Args:
        core: of the agent.
        event: of its log; one that changed its parameters is not for here.
        arms: that were there before it; they follow.
        where: what errors call the event.
        adopting: whether decisions are taken as they were, and not made again, and preferences,
            which teach nothing, are passed over.
        differing: takes the numbers of decisions that are made otherwise by this version of the
            library, or on this machine: they are adopted as they were.

    Raises:
        LogError: where it does not lead to what was logged, and the recipe can learn only from its
            own decisions.
    """
    set_clock(core, event)
    # What one call did happened in one moment: time brings nothing in the middle.
    core.is_timed = not event.batch
    names = arms.names
    decision = None
    try:
        arms.follow(event, where)
        if isinstance(event, Decide):
            decision = _replay_decision(
                core, event, names, where, adopting=adopting, differing=differing
            )
            # The event says which arms its session left: that may keep arms for another time by now.
            if event.session is not None:
                core.sessions.keep(event.session, decision, event.kept, core.now)
        elif adopting:
            _learn_again(core, event, where)
        else:
            AGAIN[type(event)](core, event)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, LogError):
            raise

        raise LogError(f"{where} cannot be replayed: {error}") from error
    finally:
        core.is_timed = True

    return decision


def set_clock(core: AgentCore, event: Event) -> None:
    """Have the clock stand at the time of an event: what time brings comes when it came before."""
    core.clock = lambda: core.now if event.time is None else event.time


def _learn_again(core: AgentCore, event: Event, where: str) -> None:
    """Do once more what an event says, for an agent that learns the log by another recipe.

    Corrections are known to it from the beginning.
    """
    if isinstance(event, State):
        raise LogError(
            f"{where} is a state that was learned elsewhere, and cannot be learned again"
        )
    if isinstance(event, Reprice):
        event.prices = None  # it looks for its own
    if not isinstance(event, Preference | FirstPrices | Correct):
        AGAIN[type(event)](core, event)


def _add_again(core: AgentCore, event: Add) -> None:
    if event.renames:
        core.rename_arm(event.was, event.arm)
    else:
        core.add_arm(event.arm, event.like)


def _prefer_again(core: AgentCore, event: Preference) -> None:
    order = event.order
    core.set_preference(None if order is None else made(order, "preference"))


def _begin_again(core: AgentCore, event: FirstPrices) -> None:
    begin_with(core.bound, event.prices)


def _lose_again(core: AgentCore, event: Lost) -> None:
    """Go on after decisions that the store has lost."""
    core.pending.skip_to(event.next)
    # Of a store that was damaged: no reward of theirs could be kept.
    for number in event.decisions or ():
        if number in core.pending.open:
            core.pending.abandon(number)


AGAIN: dict[type[Event], Callable[[AgentCore, Any], None]] = {
    Learn: lambda core, event: core.learn(event.id, event.rewards),
    Activate: lambda core, event: core.activate(event.id),
    Abandon: lambda core, event: core.abandon(event.id),
    Add: _add_again,
    Remove: lambda core, event: core.remove_arm(event.arm),
    Preference: _prefer_again,
    Clock: reset_clock_again,
    Lost: _lose_again,
    FirstPrices: _begin_again,
    Reprice: reprice_again,
    State: take_over_again,
}


def _replay_decision(
    core: AgentCore,
    event: Decide,
    names: list[Hashable],
    where: str,
    *,
    adopting: bool,
    differing: list[int] | None,
) -> Decision:
    if event.worker is not None:
        return _take_in_again(core, event, names)

    # Without their keys, which the store would find.
    if adopting or event.made_by == "observed":
        decision = _adopt_again(core, event, names)
    else:
        options = CallOptions(active=event.active)
        decision = core.decide(_context_of(event), _eligible_of(event, names), options)

    if decision.id != event.id:
        raise _led_elsewhere(event, names, where, decision)
    if decision.arm == names[event.arm]:
        return decision

    if differing is not None:
        differing.append(decision.id)

    return _adopted_instead(core, event, names, where, decision)


def _adopted_instead(
    core: AgentCore, event: Decide, names: list[Hashable], where: str, made_now: Decision
) -> Decision:
    """The decision of an event as it was, in place of the one that was made again.

    What was drawn stays drawn: the next decision draws what it drew then, where this one drew as
    many numbers.
    """
    arm = names[event.arm]
    # One between other arms was never made by an agent like this one.
    if arm not in made_now.eligible:
        raise _led_elsewhere(event, names, where, made_now)

    core.pending.abandon(made_now.id)
    core.pending.next_id = made_now.id
    try:
        return _adopt_again(core, event, names, own=True)
    except ValueError as error:
        raise _led_elsewhere(event, names, where, made_now) from error


def _adopt_again(
    core: AgentCore, event: Decide, names: list[Hashable], *, own: bool = False
) -> Decision:
    """The decision of an event, taken as it was; `own`: by this agent."""
    context, _ = _as_it_was(core, event, names)
    arm = names[event.arm]
    decision = adopt(core, context, arm, event.propensity, None, None, own=own)
    if not event.active:
        core.pending.set_inactive(decision.id)

    return decision


def _take_in_again(core: AgentCore, event: Decide, names: list[Hashable]) -> Decision:
    """The decision of a worker, taken in as it was."""
    context, eligible = _as_it_was(core, event, names)
    if event.snapshot is None:
        raise ValueError("a decision of a worker must have a snapshot, got none")

    decision = Decision(event.id, names[event.arm], event.propensity)
    options = CallOptions(active=event.active)
    made_by_worker = DecisionOfWorker(decision, options, Source(*event.snapshot))

    return keep_of_worker(core, made_by_worker, context, eligible)


def _as_it_was(
    core: AgentCore, event: Decide, names: list[Hashable]
) -> tuple[Any, list[Hashable] | None]:
    """The context of a decision that is not made again, and the arms that were eligible."""
    context = _context_of(event)
    eligible = _eligible_of(event, names)
    if eligible is not None and context is not None and context.ndim == 2:
        # Rows of arms that were not eligible are zeros, which a recipe may refuse.
        rows_by_arm = dict(zip(core.arms.names, context, strict=True))
        context = {name: rows_by_arm[name] for name in eligible}

    return context, eligible


def _context_of(event: Decide) -> Any:
    """The context of an event, as an application would give it."""
    rows = event.context
    if rows is None:
        return None

    is_shared = len(rows) == 1 and not event.own
    return np.array(rows[0] if is_shared else rows)


def _eligible_of(event: Decide, names: list[Hashable]) -> list[Hashable] | None:
    """The arms that were eligible; None: all."""
    if event.eligible is None:
        return None

    return [names[number] for number in event.eligible]


def _led_elsewhere(
    event: Decide, names: list[Hashable], where: str, decision: Decision
) -> LogError:
    logged = f"decision {event.id} for arm {quoted(names[event.arm])}"
    replayed = f"decision {decision.id} for {quoted(decision.arm)}"
    return LogError(
        f"{where} was {logged}, and replaying leads to {replayed}: the log was written with "
        "other versions or parameters"
    )
