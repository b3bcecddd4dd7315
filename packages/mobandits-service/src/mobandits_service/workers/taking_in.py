"""What an agent does with some rows of the inbox: one call, which is committed whole or not at all."""

import functools
import json
import logging
import time
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from mobandits.agent.core import AgentCore
from mobandits.agent.decision import Decision
from mobandits.agent.keys import CallOptions
from mobandits.agent.workers import DecisionOfWorker, Source, take_in
from mobandits.errors import LogError
from mobandits.logs.names import name_of
from mobandits.logs.store import Store
from mobandits.logs.store.rows import DOUBLE
from mobandits.support.numbering import is_of_worker
from mobandits_service.postgres.inbox import (
    InboxReward,
    NumberedDecision,
    NumberedReward,
    call_late,
    decision_refused,
    moved,
)

LOG = logging.getLogger("mobandits.service")


class Taken(NamedTuple):
    """What became of some rows.

    Attributes:
        decisions: that were taken in.
        lessons: how many calls told rewards that were learned.
        late: how many told rewards for which nothing waited.
        refused: how many decisions the agent could not take in.
    """

    decisions: list[Decision]
    lessons: int
    late: int
    refused: int


def take_rows(
    core: AgentCore,
    store: Store,
    epoch: int,
    inbox_decisions: Sequence[NumberedDecision],
    inbox_rewards: Sequence[NumberedReward],
    *,
    has_all_decisions: bool,
) -> Taken:
    """Take in decisions, and then learn rewards; all of it is one call of the store.

    Args:
        core: of the agent.
        store: of the agent.
        epoch: of this learner.
        inbox_decisions: decisions of the agent, those of one worker in its order.
        inbox_rewards: rewards of the agent, likewise.
        has_all_decisions: whether no further decision was in the inbox when these rewards were
            read.

    Raises:
        LogError: where the store takes no events; what was done is lost then with the agent.
    """
    agent = store.number
    assert agent is not None  # noqa: S101 - it has decisions in the inbox
    decisions = []
    learned = []
    late = 0
    refused = 0
    with core.lock, store.in_one_call() as more, core.bound.learning_together():
        made = decisions_of_rows(inbox_decisions, store.arm_names)
        for (decision, _, _), why in zip(made, take_in(core, made), strict=True):
            if why is None:
                decisions.append(decision)
                continue

            refused += 1
            more.append(decision_refused(decision.id, why))
            LOG.error("decision %s of a worker cannot be taken in: %s", decision.id, why)

        for number, call in inbox_rewards:
            if _may_come(core, call.decision) and not has_all_decisions:
                continue
            why = _learned(core, call)
            if why is None:
                learned.append(number)
                continue

            late += 1
            more.append(call_late(number, why))

        ids = [decision.id for decision in decisions]
        more.extend(moved(agent, epoch, ids, learned, len(store), time.time()))

    return Taken(decisions, len(learned), late, refused)


def decisions_of_rows(
    rows: Sequence[NumberedDecision], names: Sequence[Hashable]
) -> list[DecisionOfWorker]:
    """Rows of the inbox as the agent takes them in.

    Args:
        rows: with the numbers of the decisions.
        names: of all arms that ever were, by number.
    """

    # Many rows have the same arms.
    @functools.cache
    def named(numbers: str) -> tuple[Hashable, ...]:
        return tuple(names[arm] for arm in json.loads(numbers))

    blobs = b"".join(row.context for _, row in rows)
    # A copy, which can be written into, as contexts of applications can.
    features = np.frombuffer(blobs, DOUBLE).copy()
    made = []
    start = 0
    for number, row in rows:
        end = start + row.rows * row.features
        decision = Decision(
            number,
            names[row.arm],
            row.propensity,
            None if row.front is None else named(row.front),
            error=row.error,
            context=features[start:end].reshape(row.rows, row.features),
            eligible=named(row.eligible),
        )
        options = CallOptions(row.key, row.request, row.active)
        made.append(DecisionOfWorker(decision, options, Source(row.epoch, row.position)))
        start = end

    return made


def _may_come(core: AgentCore, number: int) -> bool:
    """Whether a decision may still be in the inbox."""
    pending = core.pending
    is_known = number in pending.open or number in pending.settled
    return is_of_worker(number) and not is_known


def _learned(core: AgentCore, call: InboxReward) -> str | None:
    """Why rewards were not learned; None: they were."""
    rewards = {name_of(objective): value for objective, value in call.rewards.items()}
    try:
        core.learn(call.decision, rewards)
    except LogError:
        raise
    except ValueError as error:
        return str(error)

    return None
