"""The server: an address, the application behind it, and a graceful end."""

import contextlib
import signal
from collections.abc import Callable

import uvicorn

from mobandits.errors import SpecError
from mobandits.logs.address import Place
from mobandits.logs.store import SharedStore
from mobandits.logs.store.opening import open_shared
from mobandits.service.addresses import authority, bound, is_loopback
from mobandits.service.application import application
from mobandits.service.running import Running
from mobandits.service.specification import ServiceSpecification

BACKLOG = 1024  # connections that may wait to be taken
GRACE = 20  # seconds in which requests that are being answered may end


def serve(specification: ServiceSpecification, store: Place, say: Callable[[str], None]) -> None:
    """Serve until the process is told to end, by SIGTERM or an interruption.

    Args:
        specification: of the service.
        store: of the decisions.
        say: is told the address, once connections are taken.

    Raises:
        ValueError: where the address is taken, where others can reach it and there are no keys, or
            where the store is in use.
    """
    with contextlib.ExitStack() as opened:
        file = open_shared(store, specification.durability)
        opened.callback(file.close)
        if not is_loopback(specification.host):
            check_keys(file)

        listening = opened.enter_context(bound(specification.host, specification.port))
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


def check_keys(file: SharedStore) -> None:
    """Refuse to be reached by others without a key that lets anybody in.

    Raises:
        SpecError: saying how to make one.
    """
    if any(key.revoked is None for key in file.all_keys()):
        return

    raise SpecError(
        f"{file.path} must have a key before others can reach the service: "
        f"`mobandits keys add NAME --store {file.path} --scope decide` makes one"
    )
