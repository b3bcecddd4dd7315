"""The events of a log, done once more."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from mobandits.agent.adoption import adopt
from mobandits.agent.core import AgentCore
from mobandits.agent.decision import Decision
from mobandits.agent.descriptions import made
from mobandits.agent.keys import Circumstances
from mobandits.agent.transfer import take_over_again
from mobandits.errors import LogError
from mobandits.support.naming import quoted


def replay(
    core: AgentCore,
    event: dict[str, Any],
    names: list[Hashable],
    where: str,
    *,
    adopting: bool = False,
) -> Decision | None:
    """Do once more what an event says, at its time: the decision, where it is one.

    Args:
        core: of the agent.
        event: of its log; one that changed its parameters is not for here.
        names: of all arms that ever were, by number.
        where: what errors call the event.
        adopting: whether decisions are taken as they were, and not made again, and preferences,
            which teach nothing, are passed over.

    Raises:
        LogError: where it does not lead to what was logged.
    """
    # At its time, so that defaults and age limits come when they came before.
    core.clock = lambda: event.get("time", core.now)
    # What one call did happened in one moment: time brings nothing in the middle.
    core.is_timed = event.get("batch") is not True
    kind = event["kind"]
    decision = None
    try:
        if kind == "decide":
            decision = _replay_decision(core, event, names, where, adopting=adopting)
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


def _replay_change(core: AgentCore, event: dict[str, Any], where: str, *, adopting: bool) -> None:
    """Change once more what the agent chooses among, and how; other kinds mean nothing here."""
    kind = event["kind"]
    if kind == "add":
        core.add_arm(event["arm"], event.get("like"))
    elif kind == "remove":
        core.remove_arm(event["arm"])
    elif kind == "preference" and not adopting:
        order = event["order"]
        core.set_preference(None if order is None else made(order, "preference"))
    elif kind == "state":
        if adopting:
            what = "a state that was learned elsewhere, and cannot be learned again"
            raise LogError(f"{where} is {what}")

        take_over_again(core, event)


def _replay_decision(
    core: AgentCore, event: dict[str, Any], names: list[Hashable], where: str, *, adopting: bool
) -> Decision:
    rows = event.get("context")
    context: Any = None
    if rows is not None:
        is_shared = len(rows) == 1 and not event.get("own")
        context = np.array(rows[0] if is_shared else rows)

    eligible = event.get("eligible")
    if eligible is not None:
        eligible = [names[number] for number in eligible]

    logged_arm = names[event["arm"]]
    active = event.get("active", True)
    # Without their keys, which the store would find.
    if adopting or event.get("made_by") == "observed":
        if eligible is not None and context is not None and context.ndim == 2:
            # Rows of arms that were not eligible are zeros, which a recipe may refuse.
            rows_by_arm = dict(zip(core.arms.names, context, strict=True))
            context = {name: rows_by_arm[name] for name in eligible}
        decision = adopt(core, context, logged_arm, event["propensity"], None, None)
        if not active:
            core.pending.set_inactive(decision.id)
    else:
        how = Circumstances(active=active)
        decision = core.decide(context, eligible, how)

    if decision.id != event["id"] or decision.arm != logged_arm:
        logged = f"decision {event['id']} for arm {quoted(logged_arm)}"
        replayed = f"decision {decision.id} for {quoted(decision.arm)}"
        raise LogError(
            f"{where} was {logged}, and replaying leads to {replayed}: the log was written with "
            "other versions or parameters"
        )

    return decision
