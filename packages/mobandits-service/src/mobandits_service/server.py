"""The server: an address, the application behind it, and a graceful end."""

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

import uvicorn
from starlette.applications import Starlette

from mobandits.errors import SpecError, UnavailableError
from mobandits.logs.address import Address, Place
from mobandits.logs.store import SharedStore, open_shared
from mobandits.support import json_lines
from mobandits_service.addresses import authority, bound
from mobandits_service.application import application
from mobandits_service.connection_limits import IDLE_SECONDS, Connections, protocol_of
from mobandits_service.runtime import ServiceRuntime
from mobandits_service.specification import ServiceSpecification

BACKLOG = 1024  # connections that may wait to be taken
GRACE = 20  # seconds in which requests that are being answered may end

Say = Callable[[str], None]  # shows a line to whoever started the program

LOG = logging.getLogger("mobandits.service")
STORE_SECONDS = 60.0  # in which a database may come up, before the start has failed
RETRY_SECONDS = 1.0


class Companion(Protocol):
    """What runs beside a server, and calls it."""

    def start(self, url: str) -> None:
        """Begin; the server takes connections, and answers in a moment."""

    def stop(self) -> None:
        """End; calls are answered until it returns. Once more is no error."""


def serve(
    specification: ServiceSpecification,
    store: Place,
    say: Say,
    companion: Companion | None = None,
) -> None:
    """Serve until the process is told to end, by SIGTERM or an interruption.

    Args:
        specification: of the service.
        store: of the decisions.
        say: is told the address, once connections are taken.
        companion: runs beside the server; None: nothing does.

    Raises:
        UnavailableError: where the address or the file is taken, or a database stays down.
        ValueError: where keys are needed and there are none, or
            where the store is in use.
    """
    with contextlib.ExitStack() as opened:
        file = opened_when_up(store, specification)
        opened.callback(file.close)
        if not specification.is_open_without_keys:
            check_keys(file)

        listening = opened.enter_context(bound(specification.host, specification.port))
        runtime = ServiceRuntime(specification, file)
        config = server_config(application(runtime), runtime.telemetry.connections)
        # Whoever reads the address may connect at once; the server answers in a moment.
        listening.listen(BACKLOG)
        say(f"serving http://{authority(listening)}, decisions in {store}")
        # The server ends gracefully, and then raises the signal once more for whoever was there
        # before: to be told to end is no failure.
        signal.signal(signal.SIGTERM, lambda *_: None)
        if companion is None:
            uvicorn.Server(config).run(sockets=[listening])
            return

        opened.callback(companion.stop)
        companion.start(f"http://{authority(listening)}")
        AccompaniedServer(config, companion).run(sockets=[listening])


def opened_when_up(store: Place, specification: ServiceSpecification) -> SharedStore:
    """The store of a service, once its database takes connections.

    Args:
        store: of the decisions.
        specification: of the service.

    Raises:
        UnavailableError: where a file is in use, or a database is not up within a minute.
        LogError: where it cannot be opened.
    """
    until = time.monotonic() + STORE_SECONDS
    while True:
        try:
            return open_shared(store, specification.durability)
        except UnavailableError as error:
            # After a start of the machine, the service may be up before its database is. A file
            # is in use by a process that was meant to have it.
            if not isinstance(store, Address) or time.monotonic() >= until:
                raise
            LOG.warning("waits for the store: %s", error)
            time.sleep(RETRY_SECONDS)


def server_config(app: Starlette, connections: Connections) -> uvicorn.Config:
    """How an application is served: that of a service, of its learner, or of a worker.

    Args:
        app: what answers.
        connections: where those of the server are counted.
    """
    # The server's own loggers write text; without them, whoever logs for all writes its lines.
    logs: dict[str, Any] = {"log_config": None} if json_lines.are_asked() else {}

    return uvicorn.Config(
        app,
        **logs,
        http=protocol_of(connections),
        timeout_keep_alive=IDLE_SECONDS,
        log_level="warning",
        access_log=False,
        # Nothing depends on what proxies say of a client; pages read the header themselves.
        proxy_headers=False,
        # Nobody needs to know, and every client reads it in every answer.
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )


class AccompaniedServer(uvicorn.Server):
    """A server that answers until its companion has stopped.

    Args:
        config: of the server.
        companion: runs beside it.
    """

    def __init__(self, config: uvicorn.Config, companion: Companion) -> None:
        super().__init__(config)
        self._companion = companion
        self._is_told_to_end = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End gracefully; told once more, end at once."""
        if self._is_told_to_end:
            super().handle_exit(sig, frame)
            return

        self._is_told_to_end = True

        def end() -> None:
            self._companion.stop()
            uvicorn.Server.handle_exit(self, sig, frame)

        # In a thread: signals are handled in the loop's, which must answer meanwhile.
        threading.Thread(target=end, daemon=True).start()


def check_keys(file: SharedStore) -> None:
    """Refuse to start without a key that lets anybody in, where keys are needed.

    Raises:
        SpecError: saying how to make one.
    """
    if any(key.revoked is None for key in file.all_keys()):
        return

    raise SpecError(
        f"{file.path} must have a key where others can reach the service, or keys are required: "
        f"`mobandits keys add NAME --store {file.path} --scope decide` makes one"
    )
