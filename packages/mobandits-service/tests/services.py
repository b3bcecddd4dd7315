"""A service in the process of a test, or in one of its own."""

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import msgspec

from mobandits.logs.store import SharedFile
from mobandits_service.application import application
from mobandits_service.runtime import ServiceRuntime
from mobandits_service.specification import ServiceSpecification

ROUTER = {
    "policy": {"name": "with-floor", "recipe": {"name": "mol-ucb", "scale": 0.3}, "epsilon": 0.1},
    "arms": ["small", "large"],
    "features": 3,
    "objectives": ["quality", {"name": "cost", "minimise": True, "unit": "USD"}],
}
CONTEXT = [1.0, 0.2, 0.7]
PATIENCE = 300.0  # seconds: a busy machine compiles for long


def specification(**agents):
    content = {"agents": agents or {"router": ROUTER}, "log_requests": False}
    return msgspec.convert(content, ServiceSpecification)


@contextlib.contextmanager
def served(path, spec=None):
    """The parts of a service whose agents are open, without a server."""
    running = ServiceRuntime(spec or specification(), SharedFile(path, "system"))
    running.agents.open()
    try:
        yield running
    finally:
        running.stop()


def client_of(running):
    """A client that talks to the application itself."""
    transport = httpx.ASGITransport(application(running), raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost")


def ask(path, talk, spec=None):
    """What `talk(client, running)` returns, of a service on a new file or an old one."""
    with served(path, spec) as running:

        async def whole():
            async with client_of(running) as client:
                return await talk(client, running)

        return asyncio.run(whole())


class Served:
    """A service in a process of its own."""

    def __init__(self, folder: Path, **more):
        self.file = folder / "router.toml"
        lines = ["port = 0", "[agents.router]"]
        lines += [f"{name} = {toml(value)}" for name, value in {**ROUTER, **more}.items()]
        self.file.write_text("\n".join(lines))
        self.process = None
        self.url = None

    def start(self, port=0):
        command = [sys.executable, "-m", "mobandits", "serve", str(self.file), "--port", str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        self.url = re.search(r"http://[^\s,]+", line).group()
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if httpx.get(f"{self.url}/health/ready", timeout=PATIENCE).status_code == 200:
                return self
            time.sleep(0.1)
        raise AssertionError("the service is not ready")

    def end(self, number=signal.SIGTERM):
        os.kill(self.process.pid, number)
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said.decode()

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def toml(value):
    """A value as TOML writes it."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{name} = {toml(each)}" for name, each in value.items())
        return "{ " + pairs + " }"
    if isinstance(value, list):
        return "[" + ", ".join(toml(each) for each in value) + "]"
    return json.dumps(value)
