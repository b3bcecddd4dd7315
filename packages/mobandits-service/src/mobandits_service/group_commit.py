"""Group commit of a service: when calls go to the disk, and how coroutines wait for it.

A thread that commits and a loop that answers share one interpreter, and each slows the other down.
So calls that come at the same time are taken first, and then committed in one group. All of a group
are woken at once.
"""

import asyncio
import threading
import weakref
from collections.abc import Awaitable

from mobandits.logs.store.committer import Committer, Group

MOST_GATHERED = 8  # calls: others come without end, and the first one must not wait for all
Waiters = list[asyncio.Future[None]]


class Pace:
    """Starts a commit when a turn of the event loop has brought no further call.

    Args:
        committer: of what agents write.
    """

    def __init__(self, committer: Committer) -> None:
        self._committer = committer
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0

    def begin(self) -> None:
        """Set the pace from now on, by the event loop that runs."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._committer.pacer = self._gather

    def end(self) -> None:
        """Let every group start by itself again."""
        self._committer.pacer = None
        self._committer.start()

    def _gather(self) -> None:
        """The first call of a group was made."""
        loop = self._loop
        if loop is None or threading.get_ident() != self._thread:
            # Who waits in another thread does so for this call alone.
            self._committer.start()
        else:
            loop.call_soon(self._look, 0)

    def _look(self, before: int) -> None:
        """Wait a turn longer where calls have come since the last look, else start."""
        gathered = self._committer.gathered()
        if before < gathered < MOST_GATHERED:
            assert self._loop is not None  # noqa: S101 - it is running this
            self._loop.call_soon(self._look, gathered)
        else:
            self._committer.start()


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
