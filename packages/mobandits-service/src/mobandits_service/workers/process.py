"""A process of a service with workers: the learner, or one of the workers.

Its parent gives it the specification on the standard input, a pipe whose end means that the parent
has ended, and to workers the socket that they share.
"""

import logging
import os
import signal
import socket
import sys
import threading
import time

import msgspec
import uvicorn
from starlette.applications import Starlette

from mobandits.logs.address import Address
from mobandits.support import json_lines
from mobandits_service.addresses import authority, bound
from mobandits_service.application import application
from mobandits_service.connection_limits import Connections
from mobandits_service.postgres.shared_database import SharedDatabase
from mobandits_service.runtime import ServiceRuntime
from mobandits_service.server import BACKLOG, GRACE, server_config
from mobandits_service.specification import ServiceSpecification
from mobandits_service.workers.calls import application_of_worker
from mobandits_service.workers.worker_runtime import WorkerRuntime

LOG = logging.getLogger("mobandits.service")
LOOPBACK = "127.0.0.1"
LEARNER = "learner"
WORKER = "worker"


class Order(msgspec.Struct):
    """What a parent tells a child.

    Attributes:
        role: "learner" or "worker".
        store: the URL of the database.
        life: the descriptor of the pipe.
        listening: that of the socket; None: the child has its own.
        specification: of the service.
    """

    role: str
    store: str
    life: int
    listening: int | None
    specification: ServiceSpecification


def main() -> None:
    """Do what the standard input says, until told to end."""
    json_lines.begin_if_asked()
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    watch_parent(order.life)
    address = Address(order.store)
    if order.role == LEARNER:
        run_learner(order.specification, address)
        return

    assert order.listening is not None  # noqa: S101 - workers share one
    with socket.socket(fileno=order.listening) as listening:
        runtime = WorkerRuntime(order.specification, address)
        run(application_of_worker(runtime), listening)


def run_learner(specification: ServiceSpecification, address: Address) -> None:
    """Learn, or stand by, and answer the calls that workers pass on."""
    with bound(LOOPBACK, 0) as listening, SharedDatabase(address, specification.durability) as file:
        listening.listen(BACKLOG)
        file.url = f"http://{authority(listening)}"
        runtime = ServiceRuntime(specification, file)
        run(application(runtime), listening)


def run(app: Starlette, listening: socket.socket) -> None:
    """Serve an application until the process is told to end."""
    config = server_config(app, Connections())
    # As of `serve`: the server raises the signal once more when it has ended.
    signal.signal(signal.SIGTERM, lambda *_: None)
    uvicorn.Server(config).run(sockets=[listening])


def watch_parent(life: int) -> None:
    """End this process when its parent does, whatever ended that."""

    def watch() -> None:
        # Nothing is ever written: it returns when the last process with the other end is gone.
        os.read(life, 1)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE + GRACE)
        os._exit(1)

    threading.Thread(target=watch, name="mobandits-parent", daemon=True).start()


if __name__ == "__main__":
    main()
