"""How coroutines wait for the disk: all of a group of calls are woken at once."""

import asyncio
import weakref
from collections.abc import Awaitable
from concurrent.futures import Future

from mobandits.logs.store import SharedStore
from mobandits.logs.store.committer import Group

Waiters = list[asyncio.Future[None]]


class Settlements:
    """Wakes the coroutines whose calls are on disk.

    Args:
        file: that agents write into.
    """

    def __init__(self, file: SharedStore) -> None:
        self._file = file
        self._waiters = weakref.WeakKeyDictionary[Group, Waiters]()

    def settled(self) -> Awaitable[None]:
        """What is awaited until everything that was written so far is on disk, or given up."""
        loop = asyncio.get_running_loop()
        # One for each who waits: a client that goes away must not wake the others.
        waiter = loop.create_future()
        group = self._file.last_group()
        if group is None:
            waiter.set_result(None)
            return waiter

        waiters = self._waiters.get(group)
        if waiters is None:
            waiters = [waiter]
            self._waiters[group] = waiters
            wake_with(group, waiters, loop)
        else:
            waiters.append(waiter)

        return waiter


def wake_with(group: Group, waiters: Waiters, loop: asyncio.AbstractEventLoop) -> None:
    """Have the waiters of a group woken once it is settled, and those that join them until then."""

    # These know the waiters, and not the group, which knows them: it would be garbage in a cycle,
    # which is looked for at length, with all that its calls have written.
    def wake() -> None:
        for waiter in waiters:
            # Unless its client has gone away.
            if not waiter.done():
                waiter.set_result(None)

    def wake_in_loop(_: Future[None]) -> None:
        loop.call_soon_threadsafe(wake)

    # Called by the thread that commits; or here, where the group was settled meanwhile.
    group.settled.add_done_callback(wake_in_loop)
