"""Work that several threads do at once, and work that the child of a fork does."""

import os
import signal
import sys
import threading

import pytest

THREADS = 4
HASTE = 1e-6  # seconds after which a thread is interrupted: as often as possible
PATIENCE = 20  # seconds after which a child that hangs is ended

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")


def together(work):
    """Run `work(number)` in some threads at once, and raise what they raise."""
    errors, start, patience = [], threading.Barrier(THREADS), sys.getswitchinterval()

    def run(number):
        start.wait()
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 - it is raised below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    sys.setswitchinterval(HASTE)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(patience)
    if errors:
        raise errors[0]


def in_a_child(work):
    """What `work` returns, or the error that it raises, as text: in a fork."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        try:
            said = str(work())
        except BaseException as error:  # noqa: BLE001
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read().decode()
    assert os.waitpid(child, 0)[1] == 0
    return text
