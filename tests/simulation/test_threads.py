"""Threads that several simulations share: what fails in one ends all of them."""

import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest
from twins.tiny import Plain, Tiny

from mobandits.simulation import prepare
from mobandits.simulation.threads import StoppedError, Threads


def test_trials_that_never_began_end_as_well():
    endless, begun = prepare(Plain(), Tiny(), rounds=10**9, trials=1).setup, threading.Event()

    def play(threads):
        threads.play(endless, [0], lambda *_: None, begun.set, lambda _: None)

    def leave(pool, threads):
        with threads:
            futures.append(pool.submit(play, threads))
            begun.wait(60.0)
            futures.append(pool.submit(play, threads))
            while not threads._pool._work_queue.qsize():
                time.sleep(0.01)
            raise ZeroDivisionError

    futures, threads = [], Threads(1)
    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(ZeroDivisionError):
            leave(pool, threads)
        first, second = futures
        assert isinstance(first.exception(60.0), StoppedError)
        assert isinstance(second.exception(60.0), CancelledError)
    with pytest.raises(StoppedError):
        threads.check()
