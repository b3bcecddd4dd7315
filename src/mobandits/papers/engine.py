"""What experiments share that are reproduced side by side: threads that play, progress, and a common end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mobandits.simulation.threads import Threads

Progress = Callable[[int, int], None]


class SharedEngine:
    """One for all experiments of a call.

    Args:
        threads: that play; None where Ray does.
        total: the rounds of all simulations.
        progress: called with the rounds that are done and how many there will be.
    """

    def __init__(self, threads: Threads | None, total: int, progress: Progress | None) -> None:
        self.threads = threads
        self._total = total
        self._progress = progress
        self._lock = threading.Lock()
        self._done = 0

    @contextmanager
    def part(self, size: int) -> Iterator[Progress | None]:
        """What a simulation of so many rounds is given to tell its progress; at the end, all of them are done."""
        before = 0

        def said(done: int, total: int) -> None:  # noqa: ARG001 - the form of progress
            nonlocal before
            with self._lock:
                self._done = self._done + done - before
                before = done
                if self._progress is not None:
                    self._progress(self._done, self._total)

        yield None if self._progress is None else said
        said(size, size)

    def check(self) -> None:
        """Between two steps.

        Raises:
            StoppedError: where another experiment has failed, or the user has interrupted.
        """
        if self.threads is not None:
            self.threads.check()
