"""The server: an address, the application behind it, and a graceful end."""

import ipaddress
from pathlib import Path

import uvicorn

from mobandits.errors import SpecError
from mobandits.logs.store import SharedFile
from mobandits.service.application import application
from mobandits.service.running import Running
from mobandits.service.specification import ServiceSpecification
from mobandits.support.naming import quoted

GRACE = 20  # seconds in which requests that are being answered may end


def serve(specification: ServiceSpecification, store: Path) -> None:
    """Serve until the process is told to end.

    Args:
        specification: of the service.
        store: the file of the decisions.

    Raises:
        ValueError: where the address is not one of this machine alone, or the store is in use.
    """
    check_loopback(specification.host)
    file = SharedFile(store, specification.durability)
    app = application(Running(specification, file))
    uvicorn.run(
        app,
        host=specification.host,
        port=specification.port,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=GRACE,
    )


def check_loopback(host: str) -> None:
    """Refuse an address that others can reach, since there are no keys yet.

    Raises:
        SpecError: naming it.
    """
    is_loopback = host == "localhost"
    try:
        is_loopback = is_loopback or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = is_loopback or False
    if not is_loopback:
        raise SpecError(f"host must be an address of this machine alone, got {quoted(host)}")
