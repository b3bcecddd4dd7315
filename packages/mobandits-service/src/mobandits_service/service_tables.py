"""Tables of a service beside the log: agents that a call made, and jobs."""

import json
import time
from typing import Any, Literal, NamedTuple

from mobandits.logs.store.rows import Statement
from mobandits.logs.store.session import Session

HostedState = Literal["served", "ended"]
JobState = Literal["waiting", "running", "done", "failed"]

PUT_HOSTED = """
INSERT INTO hosted VALUES (?, ?, ?, ?) ON CONFLICT (agent) DO UPDATE
SET specification = excluded.specification, state = excluded.state, changed = excluded.changed
"""
SELECT_HOSTED = "SELECT agent, specification, state FROM hosted ORDER BY changed, agent"
INSERT_JOB = "INSERT INTO jobs VALUES (?, ?, ?, ?, 'waiting', NULL, ?, NULL)"
START_JOB = "UPDATE jobs SET state = 'running' WHERE id = ?"
END_JOB = "UPDATE jobs SET state = ?, result = ?, ended = ? WHERE id = ?"
FAIL_RUNNING = """
UPDATE jobs SET state = 'failed', result = ?, ended = ? WHERE state = 'running'
"""
SELECT_JOBS = "SELECT id, agent, specification, state, result, created, ended FROM jobs"
JOBS_OF_AGENT = f"{SELECT_JOBS} WHERE agent = ? AND kind = ? ORDER BY created DESC, id LIMIT ?"
JOB_OF_ID = f"{SELECT_JOBS} WHERE id = ? AND agent = ? AND kind = ?"
WAITING_JOBS = f"{SELECT_JOBS} WHERE state = 'waiting' ORDER BY created, id"


class HostedRow(NamedTuple):
    """An agent that a call made.

    Attributes:
        agent: its name.
        specification: as JSON.
        state: "served", or "ended".
    """

    agent: str
    specification: str
    state: HostedState


class JobRow(NamedTuple):
    """A job of a service.

    Attributes:
        id: of the job.
        agent: the name of the agent that it is about.
        specification: as JSON.
        state: "waiting", "running", "done" or "failed".
        result: as JSON; of a job that failed, why; None before.
        created: seconds since 1970.
        ended: likewise; None before.
    """

    id: str
    agent: str
    specification: str
    state: JobState
    result: str | None
    created: float
    ended: float | None


def hosted_rows(connection: Session) -> list[HostedRow]:
    """The agents that calls made, those that were ended as well."""
    return [HostedRow(*row) for row in connection.execute(SELECT_HOSTED)]


def hosted_put(agent: str, specification: str, state: HostedState) -> Statement:
    """Statement that keeps an agent that a call made, or ended."""
    return PUT_HOSTED, (agent, specification, state, time.time())


def job_inserted(number: str, agent: str, kind: str, specification: str) -> Statement:
    """Statement that keeps a job that waits."""
    return INSERT_JOB, (number, agent, kind, specification, time.time())


def job_started(number: str) -> Statement:
    """Statement that keeps that a job runs."""
    return START_JOB, (number,)


def job_ended(number: str, state: JobState, result: str) -> Statement:
    """Statement that keeps the end of a job."""
    return END_JOB, (state, result, time.time(), number)


def running_jobs_failed(why: str) -> Statement:
    """Statement that keeps that all jobs that ran have failed."""
    return FAIL_RUNNING, (json.dumps(why), time.time())


def jobs(connection: Session, query: str, *values: Any) -> list[JobRow]:
    """The jobs that a query of this module selects."""
    return [JobRow(*row) for row in connection.execute(query, values)]
