"""The engine that experiments share which are reproduced side by side."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from mobandits.simulation.threads import Threads
from mobandits.support.progress import ProgressCallback


class SharedEngine:
    """The threads and the progress of all experiments of a call.

    Args:
        threads: that play; None where Ray does.
        total: the rounds of all simulations.
        progress: called with the rounds that are done and how many there will be.
    """

    def __init__(
        self, threads: Threads | None, total: int, progress: ProgressCallback | None
    ) -> None:
        self.threads = threads
        self._total = total
        self._progress = progress
        self._lock = threading.Lock()
        self._done = 0

    @contextmanager
    def progress_of(self, rounds: int) -> Iterator[ProgressCallback | None]:
        """The progress of one simulation; when it ends, all of its rounds count as done.

        Args:
            rounds: of all trials of the simulation.
        """
        reported = 0

        def report(done: int, total: int) -> None:  # noqa: ARG001 - the form of progress
            nonlocal reported
            # Several simulations report from several threads.
            with self._lock:
                self._done += done - reported
                reported = done
                if self._progress is not None:
                    self._progress(self._done, self._total)

        yield None if self._progress is None else report
        # Trials of an earlier call report nothing, and a simulation may end before its last look.
        report(rounds, rounds)

    def check(self) -> None:
        """Between two steps.

        Raises:
            StoppedError: where another experiment has failed, or the user has interrupted.
        """
        if self.threads is not None:
            self.threads.check()
