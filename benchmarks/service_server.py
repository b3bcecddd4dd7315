"""Servers of the decision service that are measured, each in a process of its own on the loopback address.

    python benchmarks/service_server.py SIDE AGENTS STORE

serves until it is ended, and prints its address.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import harness
import httpx
import msgspec
import uvicorn

from mobandits.logs.store import open_shared
from mobandits_service.addresses import authority, bound
from mobandits_service.application import application
from mobandits_service.group_commit import Settlements
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.runtime import ServiceRuntime
from mobandits_service.server import server_config
from mobandits_service.specification import ServiceSpecification

STORE = "store"
NO_STORE = "no-store"
ALONE = "alone"  # every call in a commit of its own

ARMS = [f"arm {number}" for number in range(10)]
FEATURES = 10
AGENT = {
    "policy": {"name": "with-floor", "recipe": {"name": "mol-ucb", "scale": 0.3}, "epsilon": 0.1},
    "arms": ARMS,
    "features": FEATURES,
    "objectives": ["quality", "cost"],
}
PATIENCE = 120.0  # seconds until a server must be ready


def specification(agents=1, snapshot_every=10_000):
    """A service of so many agents: ten arms, ten shared features, exact propensities."""
    content = {
        "agents": {f"a{number}": AGENT for number in range(agents)},
        "log_requests": False,
        "snapshot_every": snapshot_every,
    }
    return msgspec.convert(content, ServiceSpecification)


def serve(side, agents, store, snapshot_every):
    """Serve until the process is ended."""
    if side == NO_STORE:
        answer_without_a_store()
    if side == ALONE:
        commit_each_call_alone()

    running = ServiceRuntime(specification(agents, snapshot_every), open_shared(store, "disk"))
    with bound("127.0.0.1", 0) as listening:
        listening.listen(64)
        print(authority(listening), flush=True)
        app = application(running)
        config = server_config(app, running.telemetry.connections)
        uvicorn.Server(config).run(sockets=[listening])


def answer_without_a_store():
    """The same server, which keeps nothing."""

    def load_without(hosted):
        hosted._agent = hosted.specification.agent()
        hosted._preference = hosted._preference_in_words()

    async def at_once(_):
        pass

    HostedAgent._load = load_without
    HostedAgent.check_saved = lambda *_: None
    Settlements.settled = at_once


def commit_each_call_alone():
    """The same server, which takes the next call when the one before is on disk."""

    async def flushed(settlements):
        settlements._committer.flush()

    Settlements.settled = flushed


# --- from outside


class Server:
    """A server that runs.

    Attributes:
        port: of it.
        ready_seconds: from the start of its process until all agents could decide.
    """

    def __init__(self, side, agents, store, snapshot_every):
        command = [sys.executable, __file__, side, str(agents), str(store), str(snapshot_every)]
        start = time.perf_counter()
        # As services run: what is not compiled yet is answered in Python meanwhile.
        settings = os.environ | {"MOBANDITS_COMPILING": "auto"}
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=settings)
        self.port = int(self._process.stdout.readline().rsplit(":", 1)[1])
        self._wait_until_ready(start + PATIENCE)
        self.ready_seconds = time.perf_counter() - start

    def _wait_until_ready(self, until):
        while time.perf_counter() < until:
            if httpx.get(f"{self.url}/health/ready").status_code == 200:
                return
            time.sleep(0.02)
        raise TimeoutError("the service is not ready")

    @property
    def url(self):
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def put_preference(self, order):
        """Compare arms by another order from now on."""
        url = f"{self.url}/v1/agents/a0/preference"
        answered = httpx.put(url, json={"order": order}, timeout=600.0)
        assert answered.status_code == 200, answered.text

    def open_page(self, path):
        """Open a page of the dashboard."""
        answered = httpx.get(f"{self.url}{path}")
        assert answered.status_code == 200, answered.text

    def end(self):
        """End the process, gracefully."""
        self._process.terminate()
        self._process.wait(60)
        self._process.stdout.close()


@contextlib.contextmanager
def server(side=STORE, agents=1, store=None, snapshot_every=10_000):
    """A server that is ready; without a store, one in a folder that is removed afterwards."""
    with contextlib.ExitStack() as opened:
        if store is None:
            folder = opened.enter_context(folder_on_disk())
            store = folder / "store.db"

        running = Server(side, agents, store, snapshot_every)
        opened.callback(running.end)
        yield running


@contextlib.contextmanager
def folder_on_disk():
    """A folder on the disk of the repository: that of temporary files may be memory."""
    with tempfile.TemporaryDirectory(dir=harness.ROOT, prefix=".bench-") as name:
        yield Path(name)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
