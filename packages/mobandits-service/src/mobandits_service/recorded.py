"""Decisions of an agent as its store has them, in the words of messages."""

from collections.abc import Collection, Hashable, Sequence
from typing import Literal

import msgspec
import numpy as np

from mobandits.agent.core import AgentCore
from mobandits.agent.pending import INACTIVE
from mobandits.logs.store import Store
from mobandits.logs.store.lookup import RecordedDecision
from mobandits.logs.store.pages import Page, PageWanted
from mobandits.monitoring.changes import preference_in_words
from mobandits.support.naming import quoted
from mobandits_client.messages import DecisionList, DecisionsQuery, Recorded
from mobandits_service.problems import Problem


def recorded_decision(core: AgentCore, store: Store, number: int) -> Recorded:
    """A decision as it was, with its rewards, its context and the preference of that time.

    Args:
        core: of the agent.
        store: of the agent.
        number: of the decision.

    Raises:
        Problem: where it is not on disk, or was deleted.
    """
    page = store.page(PageWanted(limit=1, number=number))
    if not page.decisions:
        raise Problem(404, f"there is no decision {number}")

    (found,) = page.decisions
    context = found.event.context
    changes = store.last_changes(["preference"], before=found.seq)

    return msgspec.structs.replace(
        _message(core, store.arm_names, page, found),
        context=None if context is None else np.asarray(context).tolist(),
        preference=preference_in_words(changes[0], core.objective_names) if changes else None,
    )


def found_decision(store: Store, number: int) -> RecordedDecision:
    """A decision as the store has it, with its rewards, those included that are not on disk yet.

    Args:
        store: of the agent.
        number: of the decision.

    Raises:
        Problem: where there is none, or it was deleted.
    """
    found = store.decision(number)
    if found is None:
        raise Problem(404, f"there is no decision {number}")

    return found


def decision_list(
    core: AgentCore, store: Store, query: DecisionsQuery, after: int | None
) -> DecisionList:
    """A page of decisions.

    Args:
        core: of the agent.
        store: of the agent.
        query: which decisions.
        after: the number that its `after` is.

    Raises:
        Problem: where there never was such an arm.
    """
    arm = None if query.arm is None else _arm_number(query.arm, store.arm_names)
    wanted = PageWanted(
        limit=query.limit,
        after=after,
        newest=query.order == "newest",
        arm=arm,
        made_by=query.made_by,
        status=query.status,
    )
    waiting: Collection[int] = core.pending.open
    if query.status == "waiting":
        # They are gone through in the agent's order, while others are made and settled.
        with core.lock:
            waiting = list(waiting)

    page = store.page(wanted, waiting)
    following = None if page.next is None else str(page.next)

    names = store.arm_names
    messages = [_message(core, names, page, found) for found in page.decisions]

    return DecisionList(messages, following)


def _arm_number(name: str, names: Sequence[Hashable]) -> int:
    texts = [str(each) for each in names]
    if name not in texts:
        raise Problem(422, f"arm must be one that there was once, got {quoted(name)}")

    return texts.index(name)


def _message(
    core: AgentCore, names: Sequence[Hashable], page: Page, found: RecordedDecision
) -> Recorded:
    event = found.event
    number = event.id
    eligible = event.eligible
    # The agent knows what it waits for; the store does not know of defaults and of ages.
    pending = core.pending.open.get(number)
    status: Literal["waiting", "settled"] = "settled" if pending is None else "waiting"
    is_active = event.active or number in page.activated
    if pending is not None:
        is_active = pending.since != INACTIVE

    return Recorded(
        decision=str(number),
        arm=str(names[event.arm]),
        at=event.time,
        propensity=event.propensity,
        eligible=None if eligible is None else [str(names[arm]) for arm in eligible],
        made_by=event.made_by,
        key=event.key,
        status=status,
        active=is_active,
        rewards=found.rewards,
    )
