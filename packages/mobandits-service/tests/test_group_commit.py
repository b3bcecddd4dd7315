"""When groups of calls go to the disk: what gathers, who starts it, and that nobody waits for ever."""

import asyncio
import threading
import weakref

from mobandits.logs import Store
from mobandits.logs.store import SharedFile
from mobandits_service.group_commit import MOST_GATHERED, Pace, Settlements

PATIENCE = 60  # seconds
DESCRIPTION = {
    "arms": ["small", "large"],
    "objectives": [{"name": "quality", "minimise": False}],
}


def decide(number):
    return {"kind": "decide", "id": number, "arm": 1, "propensity": 0.5}


def with_pace(path, calls):
    """The sizes of the groups that `calls(store, settlements)` leads to."""
    commits = []

    async def paced(file, store):
        pace = Pace(file.committer)
        pace.begin()
        try:
            await asyncio.wait_for(calls(store, Settlements(file.committer)), PATIENCE)
        finally:
            pace.end()

    with SharedFile(path) as file, Store(file) as store:
        store.describe(DESCRIPTION)
        file.committer.flush()
        file.committer.observer = lambda count, _: commits.append(count)
        asyncio.run(paced(file, store))

    return commits


def test_calls_of_one_turn_are_one_group(tmp_path):
    async def calls(store, settlements):
        async def one(number):
            store.append(decide(number))
            await settlements.settled()

        await asyncio.gather(*(one(number) for number in range(MOST_GATHERED - 1)))
        await one(MOST_GATHERED)

    assert with_pace(tmp_path / "log", calls) == [MOST_GATHERED - 1, 1]


def test_a_group_is_started_while_calls_still_come(tmp_path):
    started = threading.Event()

    async def calls(store, settlements):
        store._file.committer.observer = lambda *_: started.set()
        # A call in every turn: there never is one without.
        number = 0
        while not started.is_set():
            store.append(decide(number))
            await asyncio.sleep(0.0)
            number += 1
        await settlements.settled()

    with_pace(tmp_path / "log", calls)


def test_a_call_of_another_thread_is_committed_at_once(tmp_path):
    async def calls(store, settlements):
        thread = threading.Thread(target=store.append, args=(decide(0),))
        thread.start()
        # The loop does nothing meanwhile.
        thread.join(PATIENCE)
        group = store._file.committer.last_group()
        if group is not None:
            group.settled.result(timeout=PATIENCE)

    assert with_pace(tmp_path / "log", calls) == [1]


def test_what_has_gathered_in_the_end_is_committed(tmp_path):
    async def calls(store, settlements):
        store.append(decide(0))

    assert with_pace(tmp_path / "log", calls) == [1]


def test_a_group_that_is_settled_is_gone_without_a_collection(tmp_path):
    async def calls(store, settlements):
        store.append(decide(0))
        group = weakref.ref(store._file.committer.last_group())
        await settlements.settled()
        # The thread that commits lets go of it when it takes the next one.
        store.append(decide(1))
        await settlements.settled()
        assert group() is None

    with_pace(tmp_path / "log", calls)
