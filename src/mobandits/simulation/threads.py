"""Trials on the threads of this process: loops are compiled and let each other run."""

import contextlib
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any, Self

import polars as pl

from mobandits.simulation.trial import Setup, play_trial


class Threads:
    """Threads that play trials at the same time, of one simulation or of several that share them.

    A context manager: where it is left with an error, every trial ends at its next block.

    Args:
        workers: how many.
    """

    def __init__(self, workers: int) -> None:
        self._pool = ThreadPoolExecutor(workers)
        self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        self._stopped = kind is not None
        # What runs ends at its next block, by `check`; what waits never begins.
        self._pool.shutdown(cancel_futures=self._stopped)

    def check(self) -> None:
        """Stop the steps of those that share the threads, where one of them has failed.

        Raises:
            StoppedError: where they were left with an error.
        """
        if self._stopped:
            raise StoppedError

    def play(
        self,
        setup: Setup,
        todo: Sequence[int],
        keep: Callable[[int, pl.DataFrame], None],
        begin: Callable[[], None],
        after_rounds: Callable[[int], None],
    ) -> None:
        """Play trials, after those that were asked for before.

        Args:
            setup: the simulation.
            todo: the numbers of its trials.
            keep: called with every trial's number and table by the thread that played it, so that
                an interruption elsewhere loses nothing.
            begin: called when a trial begins.
            after_rounds: called with the number of rounds just played.

        Raises:
            Exception: what a trial raised first.
        """

        def after_block(rounds: int) -> None:
            self.check()
            after_rounds(rounds)

        def play_and_keep(trial: int) -> None:
            begin()
            table = play_trial(setup, trial, after_block)
            keep(trial, table)

        self.each(play_and_keep, todo)

    def each(self, function: Callable[[int], None], numbers: Sequence[int]) -> None:
        """Call a function with every number, and wait until all calls have ended, or one failed.

        Raises:
            Exception: what the first that failed has raised.
        """
        settle([self._pool.submit(function, number) for number in numbers])


class StoppedError(Exception):
    """Another trial failed, or the user interrupted."""


def settle(futures: Collection[Future[None]]) -> None:
    """Wait until all futures are done, or one has failed.

    Raises:
        Exception: what the first that failed has raised.
    """
    # A queue, and not `concurrent.futures.wait`, which takes a lock of every future: an interruption
    # while it has them leaves one taken, and the thread that plays this trial never ends.
    done = SimpleQueue[Future[None]]()
    for future in futures:
        future.add_done_callback(done.put)  # also where it is cancelled

    left = len(futures)
    while left > 0:
        # With a time limit, since an interruption of the process may have reached another thread,
        # and Python delivers it here only between two waits.
        with contextlib.suppress(Empty):
            done.get(timeout=0.1).result()
            left -= 1
