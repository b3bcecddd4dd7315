"""The evaluations of a service: one at a time in a child process, kept over a restart."""

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from mobandits.logs.address import named_for_others
from mobandits.logs.store import SharedStore
from mobandits.support.naming import quoted
from mobandits_client.messages import Evaluation, EvaluationResult, EvaluationWanted
from mobandits_service.child_process import child_answer
from mobandits_service.evaluation_tasks import EvaluationAnswer, EvaluationTask, check_task
from mobandits_service.group_commit import Settlements
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.problems import Problem
from mobandits_service.service_tables import (
    JOB_OF_ID,
    JOBS_OF_AGENT,
    WAITING_JOBS,
    JobRow,
    JobState,
    job_ended,
    job_inserted,
    job_started,
    jobs,
    running_jobs_failed,
)

LOG = logging.getLogger("mobandits.service")
KIND = "evaluation"
MOST_WAITING = 100
MOST_LISTED = 100
LONGEST = 900.0  # seconds
LOST = "the service ended meanwhile"

Begin = Callable[[Coroutine[Any, Any, None]], object]


class Evaluations:
    """The evaluations of a service, and the queue of those that wait.

    Args:
        file: that has them, and the logs.
        settlements: of the file.
        begin: has something done while requests are answered.
    """

    def __init__(self, file: SharedStore, settlements: Settlements, begin: Begin) -> None:
        self._file = file
        self._keep = file.committer.keep
        self._settlements = settlements
        self._begin = begin
        self._waiting: deque[tuple[str, EvaluationTask]] = deque()
        self._is_working = False

    async def resume(self) -> None:
        """Go on with what waited when the service ended; what ran then has failed."""
        self._keep([running_jobs_failed(LOST)])
        await self._settlements.settled()
        rows = await self._jobs(WAITING_JOBS)
        known = {number for number, _ in self._waiting}
        for row in rows:
            if row.id in known:
                continue
            try:
                task = msgspec.json.decode(row.specification, type=EvaluationTask)
            except msgspec.MsgspecError as error:
                await self._end(row.id, "failed", f"it cannot be read: {error}")
                continue
            self._waiting.append((row.id, task))

        self._work()

    async def submit(self, hosted: HostedAgent, wanted: EvaluationWanted) -> Evaluation:
        """An evaluation more; it waits its turn.

        Raises:
            ValueError: where it does not say what to evaluate, or the agent has no such thing.
            Problem: where too many wait.
        """
        task = EvaluationTask("", hosted.name, hosted.specification, wanted)
        # In a thread: to bind a policy may take longer than others should wait.
        await asyncio.to_thread(check_task, hosted, task)
        if len(self._waiting) >= MOST_WAITING:
            raise Problem(429, f"{MOST_WAITING} evaluations wait already", retry_after=60)

        number = secrets.token_hex(8)
        text = msgspec.json.encode(task).decode()
        kept = self._keep([job_inserted(number, hosted.name, KIND, text)])
        await self._settlements.settled()
        kept.check()
        self._waiting.append((number, task))
        self._work()

        return await self.named(hosted.name, number)

    async def named(self, agent: str, number: str) -> Evaluation:
        """An evaluation of an agent.

        Raises:
            Problem: where there is none.
        """
        rows = await self._jobs(JOB_OF_ID, number, agent, KIND)
        if not rows:
            raise Problem(404, f"there is no evaluation {quoted(number)}")

        return as_evaluation(rows[0])

    async def of(self, agent: str) -> list[Evaluation]:
        """The last evaluations of an agent, the newest first."""
        rows = await self._jobs(JOBS_OF_AGENT, agent, KIND, MOST_LISTED)
        return [as_evaluation(row) for row in rows]

    async def _jobs(self, query: str, *values: Any) -> list[JobRow]:
        return await asyncio.to_thread(
            self._file.asked, lambda reader: jobs(reader, query, *values)
        )

    # --- the work

    def _work(self) -> None:
        if self._waiting and not self._is_working:
            self._is_working = True
            self._begin(self._work_off())

    async def _work_off(self) -> None:
        """Evaluate one after the other, until none waits."""
        try:
            while self._waiting:
                number, task = self._waiting.popleft()
                self._keep([job_started(number)])
                answer = await self._answer(task)
                if answer.result is None:
                    await self._end(number, "failed", answer.error or "it gave no result")
                else:
                    await self._end(number, "done", answer.result)
        finally:
            self._is_working = False

    async def _answer(self, task: EvaluationTask) -> EvaluationAnswer:
        try:
            whole = msgspec.structs.replace(task, store=named_for_others(self._file.path))
            waiting = child_answer("mobandits_service.evaluating", whole)
            content = await asyncio.wait_for(waiting, LONGEST)
            return msgspec.json.decode(content, type=EvaluationAnswer)
        except TimeoutError:
            return EvaluationAnswer(error=f"it took longer than {LONGEST:g} seconds")
        except (OSError, msgspec.MsgspecError) as error:
            LOG.warning("an evaluation failed: %s", error)
            return EvaluationAnswer(error="its process ended without a result")

    async def _end(self, number: str, state: JobState, result: EvaluationResult | str) -> None:
        text = msgspec.json.encode(result).decode()
        kept = self._keep([job_ended(number, state, text)])
        await self._settlements.settled()
        if kept.failure is not None:
            LOG.warning(
                "evaluation %s has ended, which could not be kept: %s", number, kept.failure
            )


def as_evaluation(row: JobRow) -> Evaluation:
    """A job as it is told."""
    task = msgspec.json.decode(row.specification, type=EvaluationTask)
    result = None
    error = None
    if row.state == "done" and row.result is not None:
        result = msgspec.json.decode(row.result, type=EvaluationResult)
    if row.state == "failed" and row.result is not None:
        error = msgspec.json.decode(row.result, type=str)

    return Evaluation(
        id=row.id,
        agent=row.agent,
        state=row.state,
        wanted=task.wanted,
        created=row.created,
        ended=row.ended,
        result=result,
        error=error,
    )
