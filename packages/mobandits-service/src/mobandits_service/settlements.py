"""How coroutines wait for the disk: all of a group of calls are woken at once."""

import asyncio
import weakref
from collections.abc import Awaitable

from mobandits.logs.store.committer import Committer, Group

Waiters = list[asyncio.Future[None]]


class Settlements:
    """Wakes the coroutines whose calls are on disk.

    Args:
        committer: of what agents write.
    """

    def __init__(self, committer: Committer) -> None:
        self._committer = committer
        self._waiters = weakref.WeakKeyDictionary[Group, Waiters]()

    def settled(self) -> Awaitable[None]:
        """What is awaited until everything that was written so far is on disk, or given up."""
        loop = asyncio.get_running_loop()
        # One for each who waits: a client that goes away must not wake the others.
        waiter = loop.create_future()
        group = self._committer.last_group()
        if group is None:
            waiter.set_result(None)
        elif group in self._waiters:
            self._waiters[group].append(waiter)
        else:
            waiters = [waiter]
            self._waiters[group] = waiters
            # By the thread that commits; or here, where the group was settled meanwhile. It knows
            # the waiters, and not the group, which knows it: that would be garbage in a cycle,
            # which is looked for at length, with all that its calls have written.
            group.settled.add_done_callback(lambda _: loop.call_soon_threadsafe(wake, waiters))

        return waiter


def wake(waiters: Waiters) -> None:
    """Wake those whose clients have not gone away."""
    for waiter in waiters:
        if not waiter.done():
            waiter.set_result(None)
