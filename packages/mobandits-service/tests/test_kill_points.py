"""What is left where the service is killed at a point, or the disk fails: the kill table."""

import asyncio
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest
from kill_program import (
    AGENT,
    CALLS,
    CHECKPOINT,
    NAMES,
    Fatal,
    answers_and_states,
    answers_until_killed,
    opened,
    state_of,
    talk,
    told,
)
from services import CONTEXT, ROUTER, served, specification

from mobandits.errors import LogWarning
from mobandits.logs import Store
from mobandits.logs.events import checked
from mobandits.logs.store import SharedFile, shared_file
from mobandits.logs.store.schema import VERSION

TESTS = Path(__file__).parent.parent.parent.parent / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "data"), str(TESTS / "logs")]

from make_store import DESCRIPTION, EVENTS  # noqa: E402 - beside the files it wrote
from sharing import forks, in_a_child  # noqa: E402
from stores import same_events  # noqa: E402

pytestmark = forks

# (when, statement): what the thread that commits is doing. Events are appended by one statement,
# which takes more than 200 steps of SQLite's machine, and is a transaction.
APPENDING = "INSERT INTO appended"
BEFORE_COMMIT = ("before", APPENDING)
INSIDE = [("inside", APPENDING, steps) for steps in (1, 60, 120, 180, 200)]
AFTER_COMMIT = ("after", APPENDING)
# What writes something else has a transaction of several.
BEFORE_SEVERAL = ("before", "BEGIN")
INSIDE_SEVERAL = [
    ("after", "BEGIN"),
    ("after", "INSERT"),
    ("after", "INSERT INTO arms"),
    ("before", "COMMIT"),
]
AFTER_SEVERAL = ("after", "COMMIT")
OF_SEVERAL = ["new arm", "snapshot"]
USUAL = ["decide", "rest of a reward", "preference", "batch"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The answers of the program and the states between its calls, where nobody is killed."""
    return answers_and_states(tmp_path_factory.mktemp("whole") / "log")


def check_killed(tmp_path, whole, name, fault, expected):
    """Kill the service during a call, start it again, and let the client go on.

    Args:
        tmp_path: a folder.
        whole: what happens where nobody is killed.
        name: of the call.
        fault: as of `answers_until_killed`.
        expected: whether the call may be on disk: the truth values that are allowed.
    """
    answers, states = whole
    path = tmp_path / "log"
    number = NAMES.index(name)
    found = answers_until_killed(path, name, *fault)
    # All that was answered before, and no more.
    assert found == answers[:number]

    with opened(path) as running:
        state = state_of(running)
        is_there = state == states[number + 1]
        # A snapshot changes nothing that an agent knows.
        is_unchanged = states[number + 1] == states[number]
        assert is_there or state == states[number]
        assert is_unchanged or is_there in expected

        async def work(client):
            calls = list(CALLS.values())
            for call, answer in zip(calls[:number], answers, strict=False):
                await check_again(client, running, call, answer)
            if is_there and not is_unchanged:
                await check_again(client, running, calls[number], answers[number])
            # Where nothing is left of it, the same call does the same: what was drawn for it too.
            rest = calls[number + is_there :]
            for call, answer in zip(rest, answers[number + is_there :], strict=True):
                assert await told(client, running, call) == answer

        talk(running, work)
        assert state_of(running) == states[-1]


async def check_again(client, running, call, answer):
    """A call that is tried again is answered as it was, and changes nothing."""
    before = state_of(running)
    # Answers say by which order arms are compared now.
    changed = {"replayed": True, "preference": (await client.get(AGENT)).json()["preference"]}
    if call[1].endswith("/decide"):
        assert await told(client, running, call) == {**answer, **changed}
    elif call[1].endswith("/decide_batch"):
        again = await told(client, running, call)
        replayed = [{**each, **changed} for each in answer["decisions"]]
        assert again == {"decisions": replayed}
    elif call[1].endswith("0/rewards"):
        again = await told(client, running, call)
        assert again["repeated"]
    assert state_of(running) == before


@pytest.mark.parametrize("name", USUAL)
def test_killed_before_the_commit_it_had_not_been(tmp_path, whole, name):
    check_killed(tmp_path, whole, name, BEFORE_COMMIT, {False})


@pytest.mark.parametrize("fault", INSIDE, ids=str)
def test_killed_inside_the_statement_that_appends_it_had_not_been(tmp_path, whole, fault):
    check_killed(tmp_path, whole, "rest of a reward", fault, {False})


@pytest.mark.parametrize("fault", INSIDE_SEVERAL, ids=" ".join)
def test_killed_inside_a_transaction_of_several_statements_it_had_not_been(tmp_path, whole, fault):
    check_killed(tmp_path, whole, "new arm", fault, {False})


@pytest.mark.parametrize("name", USUAL)
def test_killed_after_the_commit_before_the_answer_it_is_answered_once_more(tmp_path, whole, name):
    check_killed(tmp_path, whole, name, AFTER_COMMIT, {True})


@pytest.mark.parametrize(
    "fault", [*INSIDE_SEVERAL[:2], ("after", "DELETE"), AFTER_SEVERAL], ids=" ".join
)
def test_killed_during_a_snapshot_the_older_one_serves(tmp_path, whole, fault):
    check_killed(tmp_path, whole, "snapshot", fault, {True, False})


@pytest.mark.parametrize("fault", INSIDE, ids=str)
def test_killed_during_a_change_of_preference_it_is_the_old_one(tmp_path, whole, fault):
    check_killed(tmp_path, whole, "preference", fault, {False})


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name not in OF_SEVERAL])
@pytest.mark.parametrize("fault", [BEFORE_COMMIT, *INSIDE, AFTER_COMMIT], ids=str)
def test_killed_anywhere(tmp_path, whole, name, fault):
    check_killed(tmp_path, whole, name, fault, {fault == AFTER_COMMIT})


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_SEVERAL)
@pytest.mark.parametrize("fault", [BEFORE_SEVERAL, *INSIDE_SEVERAL, AFTER_SEVERAL], ids=" ".join)
def test_killed_anywhere_in_a_transaction_of_several_statements(tmp_path, whole, name, fault):
    if CALLS[name] == CHECKPOINT and fault == ("after", "INSERT INTO arms"):
        pytest.skip("a snapshot makes no arm")
    check_killed(tmp_path, whole, name, fault, {fault == AFTER_SEVERAL})


# --- the tables of a new file


def killed_while_tables_are_made(path, moment, start, skipped):
    """Whether a process was killed that made the tables of a file."""
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        create_tables = shared_file.create_tables

        def create(connection):
            fatal = Fatal(connection, moment, start, skipped)
            fatal.is_armed = True
            create_tables(fatal)

        shared_file.create_tables = create
        try:
            SharedFile(path)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == -signal.SIGKILL


CREATIONS = [
    ("after", "BEGIN", 0),
    *[("after", "CREATE", skipped) for skipped in range(5)],
    ("after", "INSERT", 0),
    ("after", "PRAGMA application_id", 0),
    ("before", "COMMIT", 0),
    ("after", "COMMIT", 0),
]


@pytest.mark.parametrize(("moment", "start", "skipped"), CREATIONS)
def test_killed_while_tables_are_made_the_file_has_all_or_none(tmp_path, moment, start, skipped):
    path = tmp_path / "log"
    assert killed_while_tables_are_made(path, moment, start, skipped)
    connection = sqlite3.connect(path)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    connection.close()
    is_done = (moment, start) == ("after", "COMMIT")
    assert version == (VERSION if is_done else 0)
    assert (tables > 0) == is_done
    # The next attempt is whole.
    with Store(path) as store:
        store.describe(DESCRIPTION)
        store.extend(EVENTS)
        assert same_events(store.events(), map(checked, EVENTS))


# --- a disk that takes nothing


class FailingDisk:
    """The connection of a committer some of whose statements fail.

    Attributes:
        wrong: what statements begin with that fail; None: none does.
        may_fail: set, unless they are to wait before they fail.
    """

    def __init__(self, connection):
        self._connection = connection
        self.wrong = None
        self.may_fail = threading.Event()
        self.may_fail.set()

    def execute(self, sql, *values):
        if self.wrong is not None and sql.lstrip().startswith(self.wrong):
            self.may_fail.wait()
            raise sqlite3.OperationalError("disk I/O error")
        return self._connection.execute(sql, *values)

    def __getattr__(self, name):
        return getattr(self._connection, name)


async def check_refused(client, body):
    """A decision that cannot be kept is not made, and the service says that it is not ready."""
    answer = await client.post(f"{AGENT}/decide", json=body)
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert answer.headers["content-type"] == "application/problem+json"
    ready = await client.get("/health/ready")
    assert ready.status_code == 503


@pytest.mark.parametrize("wrong", [("INSERT", "BEGIN"), ("INSERT", "COMMIT")])
def test_an_error_of_the_disk_is_503_until_a_write_succeeds(tmp_path, caplog, wrong):
    spec = specification(router=ROUTER, other=ROUTER)
    with opened(tmp_path / "log", spec) as running:
        committer = running.file.committer
        disk = FailingDisk(committer._connection)
        committer._connection = disk

        async def work(client):
            body = {"context": CONTEXT, "key": "a"}
            first = (await client.post(f"{AGENT}/decide", json=body)).json()
            known = state_of(running)
            disk.wrong = wrong
            for _ in range(2):
                await check_refused(client, {"context": CONTEXT, "key": "b"})
            # It can be read, which is not enough: what it would decide could not be kept.
            running.agents.open()
            assert (await client.get("/health/ready")).status_code == 503
            await check_refused(client, {"context": CONTEXT, "key": "b"})
            disk.wrong = None
            running.agents.open()
            ready = await client.get("/health/ready")
            assert ready.json()["agents"] == {"router": "ready", "other": "ready"}
            # Other agents of the file had no part in it.
            other = await client.post("/v1/agents/other/decide", json=body)
            assert other.status_code == 200
            again = await client.post(f"{AGENT}/decide", json=body)
            assert again.json() == {**first, "replayed": True}
            assert normal(state_of(running)) == normal(known)

        talk(running, work)
    assert "disk I/O error" in caplog.text


def normal(state):
    """A state without what says how many events its log has."""
    return re.sub(rb'"logged": ?\d+', b"", state)


def test_on_a_full_disk_what_was_answered_stays_and_the_rest_is_503(tmp_path, caplog):
    with opened(tmp_path / "log") as running:
        connection = running.file._connection

        async def work(client):
            answers = []
            answer = await client.post(f"{AGENT}/decide", json={"context": CONTEXT, "key": "0"})
            (count,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {count + 2}")
            while answer.status_code == 200:
                answers.append(answer.json())
                body = {"context": CONTEXT, "key": str(len(answers))}
                answer = await client.post(f"{AGENT}/decide", json=body)
            assert "full" in answer.json()["detail"]
            running.agents.open()
            assert (await client.get("/health/ready")).status_code == 503
            connection.execute("PRAGMA max_page_count = 1000000")
            running.agents.open()
            assert (await client.get("/health/ready")).status_code == 200
            for number, before in enumerate(answers):
                body = {"context": CONTEXT, "key": str(number)}
                again = (await client.post(f"{AGENT}/decide", json=body)).json()
                assert again == {**before, "replayed": True}
            rest = await client.post(f"{AGENT}/decide", json=body | {"key": "new"})
            assert rest.json()["decision"] == str(len(answers))

        talk(running, work)


def test_writes_that_the_system_refuses_lose_nothing_that_was_answered(tmp_path):
    """Files may not grow beyond a limit, as on a disk that is full."""
    path = tmp_path / "log"

    def child():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        with opened(path) as running:

            async def work(client):
                wal = Path(f"{path}-wal")
                limit = wal.stat().st_size + 100_000
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
                count = 0
                while True:
                    body = {"context": CONTEXT, "key": str(count)}
                    answer = await client.post(f"{AGENT}/decide", json=body)
                    if answer.status_code != 200:
                        break
                    count += 1
                assert answer.status_code == 503, answer.text
                # Not even a small snapshot has room.
                resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
                running.agents.open()
                assert not running.agents.all_ready()
                resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
                running.agents.open()
                assert running.agents.all_ready(), [each.status for each in running.agents]
                answer = await client.post(f"{AGENT}/decide", json=body)
                assert answer.json()["decision"] == str(count)
                return count

            return talk(running, work)

    count = int(in_a_child(child))
    with Store(path, agent="router") as store:
        kept = [event.id for event in store.events()]
    assert kept == list(range(count + 1))


def test_a_call_that_was_lost_is_not_answered_by_the_agent_that_was_opened_again(tmp_path):
    with opened(tmp_path / "log") as running:
        committer = running.file.committer
        disk = FailingDisk(committer._connection)
        committer._connection = disk

        async def work(client):
            await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
            disk.wrong = APPENDING
            disk.may_fail.clear()
            calls = [
                asyncio.create_task(client.post(f"{AGENT}/decide", json={"context": CONTEXT}))
                for _ in range(3)
            ]
            hosted = running.agents.named("router")
            while hosted.agent.core.pending.next_id < 4:
                await asyncio.sleep(0)
            # All of it before one of the calls looks.
            disk.may_fail.set()
            running.file.committer.flush()
            disk.wrong = None
            hosted.status = "failed"
            running.agents.open()
            assert hosted.is_ready
            for call in calls:
                answer = await call
                assert answer.status_code == 503
            assert hosted.agent.core.pending.next_id == 1

        talk(running, work)


# --- others


def test_a_second_process_is_refused_and_told_who_has_the_file(tmp_path):
    script = "import sys; from mobandits.logs import Store; Store(sys.argv[1])"
    command = [sys.executable, "-c", script, str(tmp_path / "log")]
    with SharedFile(tmp_path / "log"):
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert f"in use by process {os.getpid()}: one process writes" in done.stderr


def test_times_do_not_fall_where_the_clock_jumps_back(tmp_path):
    path = tmp_path / "log"
    clock = iter([50.0, 20.0, 60.0, 10.0, 0.0])
    times = []
    for _ in range(2):
        with served(path) as running:
            hosted = running.agents.named("router")
            hosted.agent.core.clock = lambda: next(clock)

            async def work(client):
                for _ in range(2):
                    answer = await client.post(f"{AGENT}/decide", json={"context": CONTEXT})
                    number = answer.json()["decision"]
                    found = await client.get(f"{AGENT}/decisions/{number}")
                    times.append(found.json()["at"])

            talk(running, work)
    assert times == [50.0, 50.0, 60.0, 60.0]


def test_decisions_of_another_version_are_adopted_and_counted(tmp_path, whole):
    """A version that draws otherwise, which was killed, and so left no snapshot."""
    path = tmp_path / "log"

    def child():
        with opened(path) as running:
            agent = running.agents.named("router").agent

            async def work(client):
                for number in range(30):
                    agent.core.bound.rng.random()
                    body = {"context": [1.0, number / 30, 0.5], "key": str(number)}
                    answer = await client.post(f"{AGENT}/decide", json=body)
                    reward = {"quality": number / 30, "cost": 0.5}
                    await client.post(f"{AGENT}/decisions/{number}/rewards", json=reward)
                    assert answer.status_code == 200
                running.file.committer.flush()
                os._exit(0)

            talk(running, work)

    in_a_child(child)
    with Store(path, agent="router") as store:
        made = [event for event in store.events() if event.kind == "decide"]
        names = store.arm_names
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with opened(path) as running:

            async def work(client):
                for event in made:
                    number = event.id
                    body = {"context": [1.0, number / 30, 0.5], "key": str(number)}
                    again = (await client.post(f"{AGENT}/decide", json=body)).json()
                    assert again["replayed"]
                    assert again["arm"] == names[event.arm]
                    assert again["propensity"] == event.propensity
                state = (await client.get(AGENT)).json()
                assert (state["decisions"], state["learned"], state["waiting"]) == (30, 30, 0)

            talk(running, work)
            twin = specification().agents["router"].agent()
            for number, event in enumerate(made):
                arm = names[event.arm]
                rewards = {"quality": number / 30, "cost": 0.5}
                twin.adopt([1.0, number / 30, 0.5], arm, propensity=0.5, rewards=rewards)
            agent = running.agents.named("router").agent
            # Whatever it would have drawn, it has learned of the arms that were played.
            explained = [each.explain(each.decide(CONTEXT)).table for each in (agent, twin)]
            columns = ["arm", "objective", "estimate"]
            assert explained[0].select(columns).equals(explained[1].select(columns))
    words = [str(each.message) for each in said if each.category is LogWarning]
    counts = [re.search(r"(\d+) decisions would be made otherwise", text) for text in words]
    (count,) = [int(each.group(1)) for each in counts if each is not None]
    assert 0 < count < 30


# --- loss of power


def test_with_disk_the_answer_waits_for_the_disk(tmp_path):
    for durability, level in (("disk", 2), ("system", 1)):
        with SharedFile(tmp_path / durability, durability) as file:
            found = file._connection.execute("PRAGMA synchronous").fetchone()
            assert found == (level,)
            assert file._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


TRACED = """
import asyncio, os, sys
sys.path[:0] = {path!r}
from kill_program import AGENT
from services import CONTEXT, client_of, specification
from mobandits.logs.store import SharedFile
from mobandits_service.runtime import ServiceRuntime

running = ServiceRuntime(specification(), SharedFile(sys.argv[1], "disk"))
running.agents.open()

async def work():
    async with client_of(running) as client:
        for number in range(5):
            os.write(1, b"asked")
            answer = await client.post(AGENT + "/decide", json={{"context": CONTEXT}})
            assert answer.status_code == 200
            os.write(1, b"answered")

asyncio.run(work())
running.stop()
"""


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace, which sees system calls")
def test_between_a_request_and_its_answer_the_log_is_synchronised(tmp_path):
    script = TRACED.format(path=[place for place in sys.path if place])
    trace = tmp_path / "trace"
    calls = "trace=write,fsync,fdatasync"
    command = ["strace", "-f", "-y", "-e", calls, "-o", str(trace)]
    command += [sys.executable, "-c", script, str(tmp_path / "log")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if "PTRACE" in done.stderr or "ptrace" in done.stderr:
        pytest.skip("this system lets nobody trace")
    assert done.returncode == 0, done.stderr
    seen = []
    for line in trace.read_text().splitlines():
        if '"asked"' in line:
            seen.append("asked")
        elif '"answered"' in line:
            seen.append("answered")
        elif re.search(r"f(data)?sync\(.*log-wal>", line):
            seen.append("synchronised")
    text = " ".join(seen)
    for part in re.findall(r"asked(.*?)answered", text):
        assert "synchronised" in part
    assert text.count("answered") == 5
