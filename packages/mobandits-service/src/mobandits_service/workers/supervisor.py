"""The parent of a learner and its workers: it starts them, and starts them again where one ends."""

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import msgspec

from mobandits.logs.address import Address
from mobandits_service.addresses import authority, bound
from mobandits_service.server import BACKLOG, GRACE, Say, check_keys, opened_when_up
from mobandits_service.specification import ServiceSpecification
from mobandits_service.workers.process import LEARNER, WORKER, Order

LOG = logging.getLogger("mobandits.service")
LOOK_SECONDS = 0.1
PAUSE_SECONDS = 1.0  # before a process that ended is started again
PATIENCE = GRACE + 10.0  # seconds in which processes that are told to end may do so


class Child:
    """A process of the service.

    Args:
        order: what it does.
    """

    def __init__(self, order: Order) -> None:
        self._order = order
        self._process: subprocess.Popen[bytes] | None = None
        self._starts_at = 0.0

    @property
    def role(self) -> str:
        """What it is."""
        return self._order.role

    def look_after(self) -> None:
        """Start it where it is not there, after a pause where it has ended."""
        process = self._process
        now = time.monotonic()
        if process is not None:
            status = process.poll()
            if status is None:
                return
            LOG.warning("the %s %s ended with %s", self.role, process.pid, status)
            self._process = None
            self._starts_at = now + PAUSE_SECONDS
        if now >= self._starts_at:
            self._start()

    def _start(self) -> None:
        order = self._order
        descriptors = [order.life]
        if order.listening is not None:
            descriptors.append(order.listening)
        command = [sys.executable, "-m", "mobandits_service.workers.process"]
        # In a session of its own: what is typed at the terminal is for the parent, which ends them
        # in order.
        process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, pass_fds=descriptors, start_new_session=True
        )
        self._process = process
        assert process.stdin is not None  # noqa: S101 - it is a pipe
        with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
            pipe.write(msgspec.json.encode(order))

    def tell_to_end(self) -> None:
        """Have it end, gracefully."""
        if self._process is not None:
            self._process.terminate()

    def wait(self, until: float) -> None:
        """Wait until it has ended; it is killed at a time."""
        process = self._process
        if process is None:
            return
        try:
            process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            LOG.warning("the %s %s does not end, and is killed", self.role, process.pid)
            process.kill()
            process.wait()


def serve_with_workers(
    specification: ServiceSpecification,
    address: Address,
    count: int,
    say: Say,
) -> None:
    """Serve by several processes until this one is told to end, by SIGTERM or an interruption.

    Args:
        specification: of the service.
        address: of the decisions.
        count: of the workers.
        say: is told the address, once connections are taken.

    Raises:
        ValueError: where the address is taken, where keys are needed and there are none, or
            where the store cannot be used.
    """
    # Said here and now, and not by a child again and again.
    with contextlib.closing(opened_when_up(address, specification)) as file:
        if not specification.is_open_without_keys:
            check_keys(file)

    with bound(specification.host, specification.port) as listening, life_line() as life:
        listening.listen(BACKLOG)
        say(f"serving http://{authority(listening)} by {count} workers, decisions in {address}")
        learner = Order(LEARNER, address.url, life, None, specification)
        worker = Order(WORKER, address.url, life, listening.fileno(), specification)
        orders = [learner, *[worker] * count]
        told = told_to_end()
        run_until(told, [Child(order) for order in orders])


def run_until(told: threading.Event, children: list[Child]) -> None:
    """Look after some processes until this one is told to end; then they end, workers first."""
    try:
        while not told.is_set():
            for child in children:
                child.look_after()
            told.wait(LOOK_SECONDS)
    finally:
        until = time.monotonic() + PATIENCE
        # The learner is the last: workers pass calls on to it.
        for role in (WORKER, LEARNER):
            own = [child for child in children if child.role == role]
            for child in own:
                child.tell_to_end()
            for child in own:
                child.wait(until)


def told_to_end() -> threading.Event:
    """Is set when this process is told to end."""
    told = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told.set())

    return told


@contextlib.contextmanager
def life_line() -> Iterator[int]:
    """A pipe whose other end is this process's alone: it is closed when this process ends."""
    reading, writing = os.pipe()
    try:
        yield reading
    finally:
        os.close(writing)
        os.close(reading)
