"""When calls go to the disk: once the event loop has taken all those that have come.

A thread that commits and a loop that answers share one interpreter, and each slows the other down.
So calls that come at the same time are taken first, and then committed in one group.
"""

import asyncio
import threading

from mobandits.logs.store.committer import Committer

MOST_GATHERED = 8  # calls: others come without end, and the first one must not wait for all


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
