"""The server: an address, the application behind it, and a graceful end."""

import contextlib
import ipaddress
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from mobandits.errors import SpecError
from mobandits.logs.store import SharedFile
from mobandits.service.application import application
from mobandits.service.running import Running
from mobandits.service.specification import ServiceSpecification
from mobandits.support.naming import quoted

BACKLOG = 1024  # connections that may wait to be taken
GRACE = 20  # seconds in which requests that are being answered may end


def serve(specification: ServiceSpecification, store: Path, say: Callable[[str], None]) -> None:
    """Serve until the process is told to end, by SIGTERM or an interruption.

    Args:
        specification: of the service.
        store: the file of the decisions.
        say: is told the address, once connections are taken.

    Raises:
        ValueError: where the address is taken, or not one of this machine alone, or the store is in
            use.
    """
    check_loopback(specification.host)
    with bound(specification.host, specification.port) as listening:
        # First, so that a second service on the file is refused before it takes a connection.
        file = SharedFile(store, specification.durability)
        app = application(Running(specification, file))
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE
        )
        # Whoever reads the address may connect at once; the server answers in a moment.
        listening.listen(BACKLOG)
        say(f"serving http://{authority(listening)}, decisions in {store}")
        # The server ends gracefully, and then raises the signal once more for whoever was there
        # before: to be told to end is no failure.
        signal.signal(signal.SIGTERM, lambda *_: None)
        uvicorn.Server(config).run(sockets=[listening])


def bound(host: str, port: int) -> socket.socket:
    """A socket of an address.

    Raises:
        SpecError: where somebody else has it.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise SpecError(f"port must be a free one of {host}, got {port}: {error}") from error

    return listening


def authority(listening: socket.socket) -> str:
    """The host and port of a socket, as a URL has them."""
    host, port, *_ = listening.getsockname()
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def check_loopback(host: str) -> None:
    """Refuse an address that others can reach: anybody there could change the agents.

    Raises:
        SpecError: naming it.
    """
    is_loopback = host == "localhost"
    # A name is none of ours, even where it leads here today.
    with contextlib.suppress(ValueError):
        is_loopback = is_loopback or ipaddress.ip_address(host).is_loopback
    if not is_loopback:
        raise SpecError(
            f"host must be an address of this machine alone, such as 127.0.0.1, got {quoted(host)}"
        )
