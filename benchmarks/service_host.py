"""The part of the host in what a service takes: its disk, its loopback address, and its pauses.

Bare processes are measured beside the service; nothing of ours runs in them. The first answers a
byte on a socket after one `fdatasync` of a page, as a service answers after its commit. The second
sleeps for a millisecond again and again, and notes how late it wakes.
"""

import contextlib
import itertools
import json
import os
import socket
import subprocess
import sys
import threading
import time

import numpy as np

PAGE = bytes(4096)
PAGES = 1000  # of a file, which are written one after the other
EXCHANGES = 1000
NAP = 0.001  # seconds
USUAL_SYNC = 0.3  # ms of an `fdatasync` where the goals of the service were set


class Exchange:
    """A process that answers each byte after one `fdatasync`, and a connection to it.

    Args:
        path: of a file on the disk that is measured.
    """

    def __init__(self, path):
        command = [sys.executable, __file__, "answer", str(path)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        port = int(self._process.stdout.readline())
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __call__(self):
        """Exchange a byte."""
        self._socket.sendall(b"?")
        self._socket.recv(1)

    def milliseconds(self):
        """The median of an exchange."""
        return _median_ms(self)

    def close(self):
        """End the process."""
        self._socket.close()
        self._process.wait(60)
        self._process.stdout.close()


class Lateness:
    """A process that notes how late it wakes, as long as it is entered.

    Attributes:
        milliseconds: at the 99.9th percentile; None before its end.
    """

    def __init__(self):
        self.milliseconds = None

    def __enter__(self):
        command = [sys.executable, __file__, "nap"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *error):
        answer, _ = self._process.communicate(timeout=60)
        seconds = json.loads(answer)
        self.milliseconds = 1e3 * float(np.quantile(seconds, 0.999))


def sync_milliseconds(path):
    """The median of an `fdatasync` after a page was written."""
    with _opened(path) as write_page:
        return _median_ms(write_page)


@contextlib.contextmanager
def _opened(path):
    """A call that writes the next page of a file and waits for the disk, as a log is written."""
    file = os.open(path, os.O_CREAT | os.O_RDWR)
    places = itertools.cycle(range(0, PAGES * len(PAGE), len(PAGE)))

    def write_page():
        os.pwrite(file, PAGE, next(places))
        os.fdatasync(file)

    try:
        for _ in range(PAGES):
            os.pwrite(file, PAGE, next(places))
        os.fsync(file)
        yield write_page
    finally:
        os.close(file)


def _median_ms(call):
    seconds = []
    for _ in range(EXCHANGES):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)

    return 1e3 * float(np.median(seconds))


def answer_bytes(path):
    """Answer each byte of one connection after an `fdatasync`, until it is closed."""
    with socket.create_server(("127.0.0.1", 0)) as listening, _opened(path) as write_page:
        _, port = listening.getsockname()
        print(port, flush=True)
        connection, _ = listening.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection:
            while connection.recv(1):
                write_page()
                connection.sendall(b"!")


def nap_until_told():
    """Sleep again and again until standard input ends, and print the seconds of being late."""
    is_over = threading.Event()

    def wait_for_end():
        sys.stdin.read()
        is_over.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    late = []
    while not is_over.is_set():
        began = time.perf_counter()
        time.sleep(NAP)
        late.append(time.perf_counter() - began - NAP)

    print(json.dumps(late))


if __name__ == "__main__":
    if sys.argv[1] == "answer":
        answer_bytes(sys.argv[2])
    else:
        nap_until_told()
