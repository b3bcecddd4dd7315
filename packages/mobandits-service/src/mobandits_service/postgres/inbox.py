"""Inbox of workers: its rows, how their learner reads them, and the statements that empty it."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from mobandits.logs.store.rows import Statement
from mobandits.support.numbering import SPAN, incarnation_of
from mobandits_client.messages.base import Rewards
from mobandits_service.postgres.connection import PostgresConnection, as_sqlite_errors

# Numbers of one worker come in its order, and those of all workers are different.
SELECT_DECISIONS = """
SELECT id, agent, arm, propensity, error, front, rows, features, context, eligible, key, request,
    active, epoch, position, at
FROM inbox_decisions WHERE refused IS NULL AND agent = ANY(?::bigint[]) ORDER BY id LIMIT ?
"""
SELECT_REWARDS = """
SELECT call, agent, decision, at, objective, value
FROM inbox_rewards WHERE late IS NULL AND agent = ANY(?::bigint[]) ORDER BY call, objective LIMIT ?
"""
DELETE_DECISIONS = "DELETE FROM inbox_decisions WHERE id = ANY(?::bigint[])"
DELETE_REWARDS = "DELETE FROM inbox_rewards WHERE late IS NULL AND call = ANY(?::bigint[])"
REFUSE_DECISION = "UPDATE inbox_decisions SET refused = ? WHERE id = ?"
CALL_LATE = "UPDATE inbox_rewards SET late = ? WHERE late IS NULL AND call = ?"
# Where another learner took the store, there is no such epoch: the column must have one, and the
# whole call of the learner fails.
PUT_APPLIED = """
INSERT INTO applied VALUES (?, ?, (SELECT epoch FROM learner WHERE epoch = ?), ?, ?, ?)
ON CONFLICT (agent, incarnation) DO UPDATE SET epoch = excluded.epoch,
    n = greatest(applied.n, excluded.n), seq = excluded.seq, at = excluded.at
"""


class InboxDecision(NamedTuple):
    """A decision of a worker, as its row has it after the number.

    Attributes:
        agent: the number of its agent.
        arm: the number of the arm, as of `decisions`.
        propensity: or None.
        error: of the propensity.
        front: the numbers of its arms as JSON; None: not known.
        rows: of the context: eligible arms or 1.
        features: likewise.
        context: its numbers as bytes.
        eligible: the numbers of the arms as JSON.
        key: of the client, or None.
        request: a digest of what was asked with the key.
        active: whether it takes effect at once.
        epoch: of the state that it was made from.
        position: likewise, its last event.
        at: the time.
        fence: behind which that state was published; None: the decision has joined the inbox.
    """

    agent: int
    arm: int
    propensity: float | None
    error: float
    front: str | None
    rows: int
    features: int
    context: bytes
    eligible: str
    key: str | None
    request: str | None
    active: bool
    epoch: int
    position: int
    at: float
    fence: int | None = None


class InboxReward(NamedTuple):
    """The rewards of one call, of which all join the inbox or none.

    Attributes:
        agent: the number of its agent.
        decision: that is rewarded.
        at: the time.
        rewards: {objective as `name_text` writes it: value}.
    """

    agent: int
    decision: int
    at: float
    rewards: Rewards


NumberedDecision = tuple[int, InboxDecision]
NumberedReward = tuple[int, InboxReward]


class Batch(NamedTuple):
    """Some of the inbox.

    Attributes:
        decisions: with the workers' numbers for them; those of one worker in its order.
        rewards: with the numbers of their calls, likewise.
        has_all_decisions: whether there are no further decisions: else some of the rewards may be
            of decisions that are not in it.
        has_all_rewards: whether there are no further rewards.
    """

    decisions: list[NumberedDecision]
    rewards: list[NumberedReward]
    has_all_decisions: bool
    has_all_rewards: bool


def waiting_batch(connection: PostgresConnection, agents: Sequence[int], limit: int) -> Batch:
    """Batch that waits for a learner, of one moment.

    Args:
        connection: outside of a transaction.
        agents: the numbers of those whose rows are wanted.
        limit: how many decisions, and how many rewards.
    """
    numbers = list(agents)
    session = connection.session
    with as_sqlite_errors(), session.transaction():
        session.execute(b"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        decision_rows = connection.execute(SELECT_DECISIONS, (numbers, limit)).fetchall()
        reward_rows = connection.execute(SELECT_REWARDS, (numbers, limit)).fetchall()

    decisions = [(number, InboxDecision(*row)) for number, *row in decision_rows]
    has_all_rewards = len(reward_rows) < limit
    rewards = _calls(reward_rows, is_cut=not has_all_rewards)

    return Batch(decisions, rewards, len(decision_rows) < limit, has_all_rewards)


def _calls(rows: Sequence[Any], *, is_cut: bool) -> list[NumberedReward]:
    calls = []
    for call, own in itertools.groupby(rows, key=lambda row: row[:4]):
        number, agent, decision, at = call
        rewards = {objective: value for *_, objective, value in own}
        calls.append((number, InboxReward(agent, decision, at, rewards)))

    # Of the last one, some rewards may be behind the limit.
    if is_cut and len(calls) > 1:
        calls.pop()

    return calls


def moved(
    agent: int,
    epoch: int,
    decisions: Iterable[int],
    rewards: Iterable[int],
    seq: int,
    at: float,
) -> list[Statement]:
    """Statements that take rows out of the inbox that became events.

    Args:
        agent: its number.
        epoch: of the learner.
        decisions: the numbers of decisions.
        rewards: the numbers of calls with rewards.
        seq: the agent's event after all of them.
        at: the time.
    """
    decision_numbers = list(decisions)
    reward_numbers = list(rewards)
    statements: list[Statement] = []
    if decision_numbers:
        statements.append((DELETE_DECISIONS, (decision_numbers,)))
    if reward_numbers:
        statements.append((DELETE_REWARDS, (reward_numbers,)))

    last: dict[int, int] = {}
    for number in [*decision_numbers, *reward_numbers]:
        incarnation = incarnation_of(number)
        last[incarnation] = max(last.get(incarnation, 0), number % SPAN)
    for incarnation, n in sorted(last.items()):
        statements.append((PUT_APPLIED, (agent, incarnation, epoch, n, seq, at)))

    return statements


def decision_refused(number: int, why: str) -> Statement:
    """Statement that leaves a decision in the inbox that the agent cannot take in."""
    return REFUSE_DECISION, (why, number)


def call_late(number: int, why: str) -> Statement:
    """Statement that leaves rewards in the inbox for which nothing waits."""
    return CALL_LATE, (why, number)
