"""The pages of a service that runs in a thread of a test, at an address of this machine."""

import contextlib
import socket
import threading
import time

import httpx
import uvicorn
from services import PATIENCE

from mobandits.logs.store import SharedFile
from mobandits_service.application import application
from mobandits_service.runtime import ServiceRuntime


@contextlib.contextmanager
def serving_pages(path, spec):
    """The address of a service whose agents are ready."""
    listening = socket.create_server(("127.0.0.1", 0))
    running = ServiceRuntime(spec, SharedFile(path, "system"))
    config = uvicorn.Config(application(running), log_level="warning", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        wait_until_ready(url)
        yield url
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listening.close()


def wait_until_ready(url):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{url}/health/ready", timeout=PATIENCE).status_code == 200:
                return
        time.sleep(0.1)
    raise AssertionError("the service is not ready")
