"""What a learner reads of the inbox of its workers, and the statements that move it on."""

import itertools
import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.logs.store.postgres.connection import PostgresConnection, as_sqlite_errors
from mobandits.logs.store.rows import DOUBLE, Statement
from mobandits.support.numbering import SPAN, incarnation_of

# Numbers of one worker come in its order, and those of all workers are different.
SELECT_ASKED = """
SELECT id, agent, arm, propensity, error, front, rows, features, context, eligible, key, request,
    active, epoch, position
FROM asked WHERE refused IS NULL AND agent = ANY(?::bigint[]) ORDER BY id LIMIT ?
"""
SELECT_TOLD = """
SELECT agent, decision, call, objective, value
FROM told WHERE late IS NULL AND agent = ANY(?::bigint[]) ORDER BY call, objective LIMIT ?
"""
DELETE_ASKED = "DELETE FROM asked WHERE id = ANY(?::bigint[])"
DELETE_TOLD = "DELETE FROM told WHERE late IS NULL AND call = ANY(?::bigint[])"
REFUSE_ASKED = "UPDATE asked SET refused = ? WHERE id = ?"
CALL_LATE = "UPDATE told SET late = ? WHERE late IS NULL AND call = ?"
# Where another learner took the store, there is no such epoch: the column must have one, and the
# whole call of the learner fails.
PUT_APPLIED = """
INSERT INTO applied VALUES (?, ?, (SELECT epoch FROM learner WHERE epoch = ?), ?, ?, ?)
ON CONFLICT (agent, incarnation) DO UPDATE SET epoch = excluded.epoch,
    n = greatest(applied.n, excluded.n), seq = excluded.seq, at = excluded.at
"""


class AskedRow(NamedTuple):
    """A decision of a worker.

    Attributes:
        id: the worker's number for it.
        agent: the number of its agent.
        arm: the number of the arm, as of `decisions`.
        propensity: or None.
        error: of the propensity.
        front: the numbers of its arms; None: not known.
        context: (eligible arms or 1, features).
        eligible: the numbers of the arms.
        key: of the client, or None.
        request: a digest of what was asked with the key.
        active: whether it takes effect at once.
        epoch: of the state that it was made from.
        position: likewise, its last event.
    """

    id: int
    agent: int
    arm: int
    propensity: float | None
    error: float
    front: list[int] | None
    context: Array
    eligible: list[int]
    key: str | None
    request: str | None
    active: bool
    epoch: int
    position: int


class ToldCall(NamedTuple):
    """The rewards of one call.

    Attributes:
        agent: the number of its agent.
        decision: that is rewarded.
        number: of the call.
        rewards: {objective as `name_text` writes it: value}.
    """

    agent: int
    decision: int
    number: int
    rewards: dict[str, float]


class Batch(NamedTuple):
    """Some of the inbox.

    Attributes:
        asked: decisions, those of one worker in its order.
        told: rewards, likewise.
        has_all_asked: whether there are no further decisions: else some of the rewards may be of
            decisions that are not in it.
        has_all_told: whether there are no further rewards.
    """

    asked: list[AskedRow]
    told: list[ToldCall]
    has_all_asked: bool
    has_all_told: bool


def waiting_batch(connection: PostgresConnection, agents: Sequence[int], limit: int) -> Batch:
    """What waits for a learner, of one moment.

    Args:
        connection: outside of a transaction.
        agents: the numbers of those whose rows are wanted.
        limit: how many decisions, and how many rewards.
    """
    numbers = list(agents)
    session = connection.session
    with as_sqlite_errors(), session.transaction():
        session.execute(b"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        asked_rows = connection.execute(SELECT_ASKED, (numbers, limit)).fetchall()
        told_rows = connection.execute(SELECT_TOLD, (numbers, limit)).fetchall()

    asked = [asked_row(row) for row in asked_rows]
    has_all_told = len(told_rows) < limit
    told = _calls(told_rows, is_cut=not has_all_told)

    return Batch(asked, told, len(asked_rows) < limit, has_all_told)


def asked_row(row: Sequence[Any]) -> AskedRow:
    """A row of `SELECT_ASKED`."""
    number, agent, arm, propensity, error, front, rows, features, blob, eligible, *rest = row
    context = np.frombuffer(blob, DOUBLE).reshape(rows, features)
    arms_of_front = None if front is None else json.loads(front)

    return AskedRow(
        number,
        agent,
        arm,
        propensity,
        error,
        arms_of_front,
        context,
        json.loads(eligible),
        *rest,
    )


def _calls(rows: Sequence[Any], *, is_cut: bool) -> list[ToldCall]:
    calls = []
    for (agent, decision, number), own in itertools.groupby(rows, key=lambda row: row[:3]):
        rewards = {objective: value for *_, objective, value in own}
        calls.append(ToldCall(agent, decision, number, rewards))

    # Of the last one, some rewards may be behind the limit.
    if is_cut and len(calls) > 1:
        calls.pop()

    return calls


def moved(
    agent: int, epoch: int, asked: Iterable[int], told: Iterable[int], seq: int, at: float
) -> list[Statement]:
    """What takes rows out of the inbox that became events.

    Args:
        agent: its number.
        epoch: of the learner.
        asked: the numbers of decisions.
        told: the numbers of calls that told rewards.
        seq: the agent's event after all of them.
        at: the time.
    """
    asked_numbers = list(asked)
    told_numbers = list(told)
    statements: list[Statement] = []
    if asked_numbers:
        statements.append((DELETE_ASKED, (asked_numbers,)))
    if told_numbers:
        statements.append((DELETE_TOLD, (told_numbers,)))

    last: dict[int, int] = {}
    for number in [*asked_numbers, *told_numbers]:
        incarnation = incarnation_of(number)
        last[incarnation] = max(last.get(incarnation, 0), number % SPAN)
    for incarnation, n in sorted(last.items()):
        statements.append((PUT_APPLIED, (agent, incarnation, epoch, n, seq, at)))

    return statements


def decision_refused(number: int, why: str) -> Statement:
    """What leaves a decision in the inbox that the agent cannot take in."""
    return REFUSE_ASKED, (why, number)


def call_late(number: int, why: str) -> Statement:
    """What leaves rewards in the inbox for which nothing waits."""
    return CALL_LATE, (why, number)
