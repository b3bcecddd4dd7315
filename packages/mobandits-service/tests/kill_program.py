"""Calls of a client, a process that is killed in the middle of them, and what they lead to."""

import asyncio
import contextlib
import itertools
import json
import os
import signal

from services import CONTEXT, client_of, served

AGENT = "/v1/agents/router"
CHECKPOINT = ("", "checkpoint", None)
NOW = 1000.0  # on every clock: states hold the time
PATIENCE = 120  # seconds after which a child that hangs is ended

OTHER = [0.3, 0.9, -0.5]
CALLS = {
    "decide": ("POST", f"{AGENT}/decide", {"context": CONTEXT, "key": "a"}),
    "decide between some": (
        "POST",
        f"{AGENT}/decide",
        {"context": OTHER, "key": "b", "eligible": ["large"]},
    ),
    "part of a reward": ("POST", f"{AGENT}/decisions/0/rewards", {"quality": 0.5}),
    "rest of a reward": ("POST", f"{AGENT}/decisions/0/rewards", {"cost": 0.125}),
    "preference": ("PUT", f"{AGENT}/preference", {"order": {"name": "lexicographic"}}),
    "decide after it": ("POST", f"{AGENT}/decide", {"context": OTHER, "key": "c"}),
    "new arm": ("PUT", f"{AGENT}/arms/huge", {"like": "large"}),
    "snapshot": CHECKPOINT,
    "batch": (
        "POST",
        f"{AGENT}/decide_batch",
        {"contexts": [CONTEXT, OTHER], "keys": ["d", "e"]},
    ),
    "inactive": ("POST", f"{AGENT}/decide", {"context": CONTEXT, "key": "f", "active": False}),
    "activate": ("POST", f"{AGENT}/decisions/5/activate", None),
    "abandon": ("POST", f"{AGENT}/decisions/1/abandon", None),
    "arm that leaves": ("DELETE", f"{AGENT}/arms/small", None),
    "rewards": (
        "POST",
        f"{AGENT}/rewards",
        [
            {"decision": "2", "rewards": {"quality": 0.25, "cost": 0.5}},
            {"key": "f", "rewards": {"quality": 1.0}},
        ],
    ),
}
NAMES = list(CALLS)


class Fatal:
    """The connection of a committer, during one of whose statements the process is killed.

    Args:
        connection: of the committer.
        moment: "before" a statement, "after" it, or "inside": in the middle of it.
        start: how the statement begins.
        skipped: how many of them go well before; inside, how many steps of SQLite's machine do.

    Attributes:
        is_armed: whether it looks at statements by now.
    """

    def __init__(self, connection, moment, start, skipped=0):
        self._connection = connection
        self._moment = moment
        self._start = start
        self._left = 1 if moment == "inside" else skipped + 1
        self._steps = skipped
        self.is_armed = False

    def execute(self, sql, *values):
        is_fatal = self.is_armed and sql.lstrip().startswith(self._start)
        if is_fatal:
            self._left -= 1
            is_fatal = self._left == 0
        if is_fatal and self._moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        if is_fatal and self._moment == "inside":
            self._connection.set_progress_handler(killing_after(self._steps), 1)
        done = self._connection.execute(sql, *values)
        if is_fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    def __getattr__(self, name):
        return getattr(self._connection, name)


def killing_after(steps):
    """A function that kills the process when it is called so often."""
    left = itertools.count(steps, -1)

    def step():
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return step


@contextlib.contextmanager
def opened(path, spec=None):
    """A service on a file whose clock stands still."""
    with served(path, spec) as running:
        for hosted in running.agents:
            hosted.agent.core.clock = lambda: NOW
        yield running


async def told(client, running, call):
    """The answer to one call."""
    method, path, body = call
    if call == CHECKPOINT:
        running.agents.named("router").agent.checkpoint()
        running.file.committer.flush()
        return None
    answer = await client.request(method, path, json=body)
    assert answer.status_code in {200, 201, 204}, (call, answer.text)
    return answer.json() if answer.content else None


def talk(running, work):
    """What `work(client)` returns."""

    async def whole():
        async with client_of(running) as client:
            return await work(client)

    return asyncio.run(whole())


def state_of(running):
    """All that the agent knows."""
    return running.agents.named("router").agent.to_bytes()


def answers_and_states(path):
    """What is answered where nobody is killed, and what the agent knows before and after each."""
    with opened(path) as running:

        async def work(client):
            answers = []
            states = [state_of(running)]
            for call in CALLS.values():
                answers.append(await told(client, running, call))
                states.append(state_of(running))
            return answers, states

        return talk(running, work)


def answers_until_killed(path, name, moment, start, skipped=0):
    """What was answered by a process that was killed during the call of that name."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        try:
            _run_child(path, writing, NAMES.index(name), (moment, start, skipped))
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answers = [json.loads(line) for line in pipe]
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, status
    return answers


def _run_child(path, writing, last, fault):
    with opened(path) as running:
        committer = running.file.committer
        fatal = Fatal(committer._connection, *fault)
        committer._connection = fatal

        async def work(client):
            for number, call in enumerate(CALLS.values()):
                fatal.is_armed = number == last
                answer = await told(client, running, call)
                os.write(writing, (json.dumps(answer) + "\n").encode())

        talk(running, work)
