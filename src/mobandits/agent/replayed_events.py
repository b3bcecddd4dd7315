"""The events of a log, done once more."""

from collections.abc import Hashable
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
from mobandits.logs.arm_registry import CHANGES, ArmRegistry
from mobandits.logs.parts_as_data import made
from mobandits.logs.store.rows import Event
from mobandits.support.checks import integer
from mobandits.support.naming import quoted
from mobandits.support.numbering import SPAN


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
    # At its time, so that defaults and age limits come when they came before.
    core.clock = lambda: event.get("time", core.now)
    # What one call did happened in one moment: time brings nothing in the middle.
    core.is_timed = event.get("batch") is not True
    kind = event["kind"]
    names = arms.names
    decision = None
    try:
        arms.follow(event, where)
        if kind == "decide":
            decision = _replay_decision(
                core, event, names, where, adopting=adopting, differing=differing
            )
        elif kind == "learn":
            core.learn(event["id"], event["rewards"])
        elif kind == "activate":
            core.activate(event["id"])
        elif kind == "abandon":
            core.abandon(event["id"])
        else:
            _replay_change(core, event, where, adopting=adopting)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, LogError):
            raise

        raise LogError(f"{where} cannot be replayed: {error}") from error
    finally:
        core.is_timed = True

    return decision


def _replay_change(core: AgentCore, event: Event, where: str, *, adopting: bool) -> None:
    """Change once more what the agent chooses among, and how; other kinds mean nothing here."""
    kind = event["kind"]
    if kind in CHANGES:
        _change_arms(core, event)
    elif kind == "preference" and not adopting:
        order = event["order"]
        core.set_preference(None if order is None else made(order, "preference"))
    elif kind == "clock":
        reset_clock_again(core, event)
    elif kind == "lost":
        _lose_again(core, event)
    elif kind == "first_prices" and not adopting:
        begin_with(core.bound, event["prices"])
    elif kind == "reprice":
        reprice_again(core, event, adopting=adopting)
    elif kind == "state":
        if adopting:
            what = "a state that was learned elsewhere, and cannot be learned again"
            raise LogError(f"{where} is {what}")

        take_over_again(core, event)


def _change_arms(core: AgentCore, event: Event) -> None:
    if event["kind"] == "remove":
        core.remove_arm(event["arm"])
    elif "was" in event:
        core.rename_arm(event["was"], event["arm"])
    else:
        core.add_arm(event["arm"], event.get("like"))


def _lose_again(core: AgentCore, event: Event) -> None:
    """Go on after decisions that the store has lost."""
    following = event["next"]
    integer("next", following, at_least=0, at_most=SPAN)
    core.pending.skip_to(following)
    # Of a store that was damaged: no reward of theirs could be kept.
    for number in event.get("decisions", ()):
        if number in core.pending.open:
            core.pending.abandon(number)


def _replay_decision(
    core: AgentCore,
    event: Event,
    names: list[Hashable],
    where: str,
    *,
    adopting: bool,
    differing: list[int] | None,
) -> Decision:
    if "worker" in event:
        return _take_in_again(core, event, names)

    # Without their keys, which the store would find.
    if adopting or event.get("made_by") == "observed":
        decision = _adopt_again(core, event, names)
    else:
        options = CallOptions(active=event.get("active", True))
        decision = core.decide(_context_of(event), _eligible_of(event, names), options)

    if decision.id != event["id"]:
        raise _led_elsewhere(event, names, where, decision)
    if decision.arm == names[event["arm"]]:
        return decision

    if differing is not None:
        differing.append(decision.id)

    return _adopted_instead(core, event, names, where, decision)


def _adopted_instead(
    core: AgentCore, event: Event, names: list[Hashable], where: str, made_now: Decision
) -> Decision:
    """The decision of an event as it was, in place of the one that was made again.

    What was drawn stays drawn: the next decision draws what it drew then, where this one drew as
    many numbers.
    """
    arm = names[event["arm"]]
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
    core: AgentCore, event: Event, names: list[Hashable], *, own: bool = False
) -> Decision:
    """The decision of an event, taken as it was; `own`: by this agent."""
    context, _ = _as_it_was(core, event, names)
    arm = names[event["arm"]]
    decision = adopt(core, context, arm, event["propensity"], None, None, own=own)
    if not event.get("active", True):
        core.pending.set_inactive(decision.id)

    return decision


def _take_in_again(core: AgentCore, event: Event, names: list[Hashable]) -> Decision:
    """The decision of a worker, taken in as it was."""
    context, eligible = _as_it_was(core, event, names)
    epoch, position = event["snapshot"]
    decision = Decision(event["id"], names[event["arm"]], event["propensity"])
    options = CallOptions(active=event.get("active", True))
    made_by_worker = DecisionOfWorker(decision, options, Source(epoch, position))

    return keep_of_worker(core, made_by_worker, context, eligible)


def _as_it_was(
    core: AgentCore, event: Event, names: list[Hashable]
) -> tuple[Any, list[Hashable] | None]:
    """The context of a decision that is not made again, and the arms that were eligible."""
    context = _context_of(event)
    eligible = _eligible_of(event, names)
    if eligible is not None and context is not None and context.ndim == 2:
        # Rows of arms that were not eligible are zeros, which a recipe may refuse.
        rows_by_arm = dict(zip(core.arms.names, context, strict=True))
        context = {name: rows_by_arm[name] for name in eligible}

    return context, eligible


def _context_of(event: Event) -> Any:
    """The context of an event, as an application would give it."""
    rows = event.get("context")
    if rows is None:
        return None

    is_shared = len(rows) == 1 and not event.get("own")
    return np.array(rows[0] if is_shared else rows)


def _eligible_of(event: Event, names: list[Hashable]) -> list[Hashable] | None:
    """The arms that were eligible; None: all."""
    eligible = event.get("eligible")
    return None if eligible is None else [names[number] for number in eligible]


def _led_elsewhere(event: Event, names: list[Hashable], where: str, decision: Decision) -> LogError:
    logged = f"decision {event['id']} for arm {quoted(names[event['arm']])}"
    replayed = f"decision {decision.id} for {quoted(decision.arm)}"
    return LogError(
        f"{where} was {logged}, and replaying leads to {replayed}: the log was written with "
        "other versions or parameters"
    )
