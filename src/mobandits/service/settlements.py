"""How coroutines wait for the disk: one future per group of calls."""

import asyncio
from concurrent.futures import Future

from mobandits.logs.store import SharedStore
from mobandits.logs.store.committer import Group


class Settlements:
    """Wakes the coroutines whose calls are on disk.

    Args:
        file: that agents write into.
    """

    def __init__(self, file: SharedStore) -> None:
        self._file = file
        self._waiters: dict[Group, asyncio.Future[None]] = {}

    async def settled(self) -> None:
        """Wait until everything that was written so far is on disk, or given up."""
        group = self._file.last_group()
        if group is None:
            return

        waiter = self._waiters.get(group)
        if waiter is None:
            waiter = self._waiter_for(group)

        # Shielded: a client that goes away must not wake the others.
        await asyncio.shield(waiter)

    def _waiter_for(self, group: Group) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        self._waiters[group] = waiter

        def wake() -> None:
            del self._waiters[group]
            waiter.set_result(None)

        def wake_in_loop(_: Future[None]) -> None:
            loop.call_soon_threadsafe(wake)

        # Called by the thread that commits; or here, where the group was settled meanwhile.
        group.settled.add_done_callback(wake_in_loop)

        return waiter
