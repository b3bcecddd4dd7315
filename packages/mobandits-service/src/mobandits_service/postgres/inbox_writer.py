"""Writer of a worker's inbox: a group of calls in one transaction, and what became of each.

All that several workers may have at once is settled by keys of the tables. A row that is new joins
the inbox. Only then it is compared with what the learner has moved on: a row that was moved before
is seen there, and one that is being moved makes the insertion wait until it was.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from mobandits.logs.store.content import decision_of_key
from mobandits.logs.store.schema import APPLICATION_ID
from mobandits.support.numbering import number_of_worker
from mobandits_client.messages.base import Rewards
from mobandits_service.postgres.connection import PostgresConnection, as_sqlite_errors
from mobandits_service.postgres.inbox import InboxDecision, InboxReward
from mobandits_service.postgres.publications import SHARE_FENCES

# In the order of keys, as in every other worker: two that wait for each other would wait for ever.
INSERT_DECISIONS = """
INSERT INTO inbox_decisions
SELECT id, agent, arm, propensity, error, front, rows, features, context, eligible, key,
    request, active, epoch, position, at, NULL
FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::float8[], ?::float8[], ?::text[],
    ?::bigint[], ?::bigint[], ?::bytea[], ?::text[], ?::text[], ?::text[], ?::boolean[],
    ?::bigint[], ?::bigint[], ?::float8[], ?::bigint[])
    AS row (id, agent, arm, propensity, error, front, rows, features, context, eligible,
        key, request, active, epoch, position, at, fence)
JOIN fences USING (agent, fence) ORDER BY agent, key
ON CONFLICT DO NOTHING RETURNING id
"""
TAKE_BACK_KNOWN = """
DELETE FROM inbox_decisions USING decisions
WHERE inbox_decisions.id = ANY(?::bigint[])
    AND decisions.agent = inbox_decisions.agent AND decisions.key = inbox_decisions.key
RETURNING inbox_decisions.id
"""
EXISTS = """
(EXISTS (SELECT FROM inbox_decisions WHERE inbox_decisions.id = row.decision
        AND inbox_decisions.agent = row.agent)
    OR EXISTS (SELECT FROM decisions WHERE decisions.agent = row.agent
        AND decisions.id = row.decision))
"""
REWARD_COLUMNS = 6  # of a row of the next statement
INSERT_REWARDS = f"""
INSERT INTO inbox_rewards SELECT agent, decision, objective, value, call, at, NULL
FROM unnest(?::bigint[], ?::bigint[], ?::text[], ?::float8[], ?::bigint[], ?::float8[])
    AS row (agent, decision, objective, value, call, at)
WHERE {EXISTS} ORDER BY agent, decision, objective
ON CONFLICT DO NOTHING RETURNING call, objective
"""  # noqa: S608 - a text of our own
TAKE_BACK_REWARDS = """
DELETE FROM inbox_rewards USING rewards
WHERE inbox_rewards.late IS NULL AND inbox_rewards.call = ANY(?::bigint[])
    AND rewards.agent = inbox_rewards.agent
    AND rewards.decision = inbox_rewards.decision AND rewards.objective = inbox_rewards.objective
RETURNING inbox_rewards.call, inbox_rewards.objective
"""
SELECT_PRESENT = f"""
SELECT agent, decision FROM unnest(?::bigint[], ?::bigint[]) AS row (agent, decision)
WHERE {EXISTS}
"""  # noqa: S608 - likewise
SELECT_KNOWN = """
SELECT agent, decision, objective, value FROM inbox_rewards
JOIN unnest(?::bigint[], ?::bigint[]) AS row (agent, decision) USING (agent, decision)
UNION ALL
SELECT agent, decision, objective, value FROM rewards
JOIN unnest(?::bigint[], ?::bigint[]) AS row (agent, decision) USING (agent, decision)
"""
DELETE_CALLS = "DELETE FROM inbox_rewards WHERE late IS NULL AND call = ANY(?::bigint[])"
INBOX_DECISION_OF_KEY = """
SELECT id, arm, propensity, error, front, request FROM inbox_decisions WHERE agent = ? AND key = ?
"""


class Earlier(NamedTuple):
    """A decision that an earlier call made with the same key.

    Attributes:
        id: of it.
        arm: the number of the arm.
        propensity: or None.
        error: of the propensity.
        front: the numbers of its arms as JSON; None: not known.
        request: a digest of what was asked then.
    """

    id: int
    arm: int
    propensity: float | None
    error: float
    front: str | None
    request: str | None


class Accepted(NamedTuple):
    """Answer to rewards.

    Attributes:
        is_known: whether there is such a decision.
        before: {objective: value} that were known before.
        is_contradicted: whether one of them has another value now: then none is accepted.
    """

    is_known: bool
    before: Rewards
    is_contradicted: bool


# The number of a decision that is new; one that was there; None: the state was behind a fence.
Answer = int | Earlier | None


class InboxWriter:
    """Writes the calls of one incarnation of a worker.

    Args:
        connection: which nobody else uses.
        incarnation: of the worker.
        source: what errors call the store.

    Attributes:
        incarnation: as given.
    """

    def __init__(self, connection: PostgresConnection, incarnation: int, source: str) -> None:
        self.incarnation = incarnation
        self._connection = connection
        self._source = source
        self._n = 0

    def write(
        self, decisions: Sequence[InboxDecision], rewards: Sequence[InboxReward]
    ) -> tuple[list[Answer], list[Accepted]]:
        """Have a group in the inbox; when this returns it is committed.

        Args:
            decisions: that workers have made.
            rewards: of different decisions.

        Returns:
            the answers to the decisions, and those to the rewards.

        Raises:
            sqlite3.Error: where that is not certain: nothing more may be written with this one.
        """
        if not decisions and not rewards:
            return [], []

        numbers = [self._next() for _ in decisions]
        calls = [self._next() for _ in rewards]
        connection = self._connection
        agents = sorted({row.agent for row in decisions})
        with as_sqlite_errors(), connection.session.pipeline():
            connection.execute("BEGIN")
            if decisions:
                connection.execute(SHARE_FENCES, (APPLICATION_ID, agents))
                sent_decisions = self._send_decisions(decisions, numbers)
            if rewards:
                sent_rewards = self._send_rewards(rewards, calls)

        new = _first_but_second(*sent_decisions) if decisions else set()
        accepted = _accepted(rewards, calls, *sent_rewards) if rewards else []
        contradicted = [
            call for call, each in zip(calls, accepted, strict=True) if each.is_contradicted
        ]
        if contradicted:
            connection.execute(DELETE_CALLS, (contradicted,))
        connection.execute("COMMIT")
        answers: list[Answer] = []
        for row, number in zip(decisions, numbers, strict=True):
            is_new = (number,) in new
            answers.append(number if is_new else self.earlier(row.agent, row.key))

        return answers, accepted

    def earlier(self, agent: int, key: str | None) -> Earlier | None:
        """The decision of a client's key; None where there is none."""
        if key is None:
            return None

        connection = self._connection
        # In this order: one that is moved on meanwhile is seen where it comes to.
        row = connection.execute(INBOX_DECISION_OF_KEY, (agent, key)).fetchone()
        if row is not None:
            return Earlier(*row)

        event = decision_of_key(connection, agent, key, self._source)
        if event is None:
            return None

        front = None if event.front is None else json.dumps(event.front)

        return Earlier(
            event.id,
            event.arm,
            event.propensity,
            event.error,
            front,
            event.request,
        )

    def _next(self) -> int:
        self._n += 1
        return number_of_worker(self.incarnation, self._n)

    # What was sent: statements whose answers are still to be read.

    def _send_decisions(
        self, decisions: Sequence[InboxDecision], numbers: list[int]
    ) -> tuple[Any, Any]:
        # The columns of the statement are the fields, after the number.
        rows = [(number, *each) for number, each in zip(numbers, decisions, strict=True)]
        columns = [list(column) for column in zip(*rows, strict=True)]
        connection = self._connection
        inserted = connection.execute(INSERT_DECISIONS, columns)
        taken_back = None
        if any(each.key is not None for each in decisions):
            taken_back = connection.execute(TAKE_BACK_KNOWN, (numbers,))

        return inserted, taken_back

    def _send_rewards(self, rewards: Sequence[InboxReward], calls: list[int]) -> tuple[Any, ...]:
        rows = []
        for call, each in zip(calls, rewards, strict=True):
            for objective, value in each.rewards.items():
                row = (each.agent, each.decision, objective, value, call, each.at)
                rows.append(row)

        columns = [list(column) for column in zip(*rows, strict=True)]
        if not rows:
            columns = [[]] * REWARD_COLUMNS
        agents = [each.agent for each in rewards]
        decisions = [each.decision for each in rewards]
        connection = self._connection
        inserted = connection.execute(INSERT_REWARDS, columns)
        taken_back = connection.execute(TAKE_BACK_REWARDS, (calls,))
        present = connection.execute(SELECT_PRESENT, (agents, decisions))
        known = connection.execute(SELECT_KNOWN, (agents, decisions, agents, decisions))

        return inserted, taken_back, present, known


def _first_but_second(first: Any, second: Any) -> set[Any]:
    """The rows of a statement without those of another one; None has none."""
    rows = set(first.fetchall())
    return rows if second is None else rows - set(second.fetchall())


def _accepted(
    rewards: Sequence[InboxReward],
    calls: Sequence[int],
    inserted: Any,
    taken_back: Any,
    present: Any,
    known: Any,
) -> list[Accepted]:
    """Answers to the rewards of each call.

    Args:
        rewards: of the calls.
        calls: their numbers.
        inserted: answers to `INSERT_REWARDS`.
        taken_back: answers to `TAKE_BACK_REWARDS`.
        present: answers to `SELECT_PRESENT`.
        known: answers to `SELECT_KNOWN`, which has those of the group as well.
    """
    own = _first_but_second(inserted, taken_back)
    places = set(present.fetchall())
    # {(agent, decision): {objective: value}}
    values: dict[tuple[int, int], Rewards] = {}
    for agent, decision, objective, value in known.fetchall():
        values.setdefault((agent, decision), {})[objective] = value

    answers = []
    for call, each in zip(calls, rewards, strict=True):
        place = (each.agent, each.decision)
        now = values.get(place, {})
        before = {name: value for name, value in now.items() if (call, name) not in own}
        is_contradicted = any(
            value != before.get(name, value) for name, value in each.rewards.items()
        )
        answers.append(Accepted(place in places, before, is_contradicted))

    return answers
