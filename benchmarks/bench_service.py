"""What an answer of the decision service costs: with and without a disk behind it, with one agent and with fifty.

Servers run in processes of their own, on the loopback address; this process is the clients, on 16 connections.
"""

import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import harness
import msgspec
import uvicorn

from mobandits.client import Client
from mobandits.logs.store import SharedFile
from mobandits.service.addresses import authority, bound
from mobandits.service.application import application
from mobandits.service.hosted_agent import READY, HostedAgent
from mobandits.service.running import Running
from mobandits.service.settlements import Settlements
from mobandits.service.specification import ServiceSpecification

CONNECTIONS = 16
REQUESTS = 3200  # per turn
TURNS = 5
AGENT = {
    "policy": {"name": "with-floor", "recipe": {"name": "mol-ucb", "scale": 0.3}, "epsilon": 0.1},
    "arms": [f"arm {number}" for number in range(10)],
    "features": 10,
    "objectives": ["quality", "cost"],
}
CONTEXT = [1.0, *(0.1 * number for number in range(9))]
SIDES = {
    "no store": ("no store", 1),
    "disk": ("store", 1),
    "disk, a commit per call": ("alone", 1),
    "disk, 50 agents": ("store", 50),
}


# --- a server


def serve(kind, agents, folder):
    """Serve until the process is ended; the address is printed."""
    content = {"agents": {f"a{n}": AGENT for n in range(agents)}, "log_requests": False}
    specification = msgspec.convert(content, ServiceSpecification)
    if kind == "no store":
        answer_without_a_store()
    if kind == "alone":
        commit_each_call_alone()

    running = Running(specification, SharedFile(folder / "store.db", "disk"))
    with bound("127.0.0.1", 0) as listening:
        listening.listen(64)
        print(authority(listening), flush=True)
        config = uvicorn.Config(application(running), log_level="error", access_log=False)
        uvicorn.Server(config).run(sockets=[listening])


def answer_without_a_store():
    """The same server, which keeps nothing."""

    def open_without(hosted):
        hosted._agent = hosted.specification.agent()
        hosted._preference = hosted._preference_in_words()
        hosted.status = READY

    async def at_once(_):
        pass

    HostedAgent.open = open_without
    HostedAgent.check_saved = lambda _: None
    Settlements.settled = at_once


def commit_each_call_alone():
    """The same server, which takes the next call when the one before is on disk."""

    async def flushed(settlements):
        settlements._file.flush()

    Settlements.settled = flushed


# --- clients


@contextlib.contextmanager
def server(kind, agents):
    """The port of a server that is ready."""
    with tempfile.TemporaryDirectory(dir=harness.ROOT) as folder:
        command = [sys.executable, __file__, "--serve", kind, str(agents), folder]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            port = int(process.stdout.readline().rsplit(":", 1)[1])
            wait_until_ready(port)
            yield port
        finally:
            process.terminate()
            process.wait(30)
            process.stdout.close()


def wait_until_ready(port):
    with Client(f"http://127.0.0.1:{port}", "a0", attempts=1) as client:
        for _ in range(600):
            with contextlib.suppress(Exception):
                if client._http.get("/health/ready").status_code == 200:
                    return
            time.sleep(0.1)
    raise TimeoutError("the service is not ready")


def request(agent):
    body = json.dumps({"context": CONTEXT}).encode()
    head = f"POST /v1/agents/{agent}/decide HTTP/1.1\r\nHost: localhost\r\n"
    return head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body


async def load(port, agents):
    """Seconds of every answer, of REQUESTS on CONNECTIONS connections."""
    requests = itertools.cycle([request(f"a{n}") for n in range(agents)])
    seconds = []

    async def one():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(REQUESTS // CONNECTIONS):
            start = time.perf_counter()
            writer.write(next(requests))
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            await reader.readexactly(length)
            seconds.append(time.perf_counter() - start)
        writer.close()

    await asyncio.gather(*(one() for _ in range(CONNECTIONS)))
    return seconds


class Side:
    """A server under load."""

    def __init__(self, port, agents):
        self.port = port
        self.agents = agents
        self.answers = []

    def __call__(self):
        """Microseconds per decision."""
        start = time.perf_counter()
        self.answers += asyncio.run(load(self.port, self.agents))
        return 1e6 * (time.perf_counter() - start) / REQUESTS


def check(ports):
    """All of them decide alike: the same arms with the same propensities."""
    found = []
    for port in ports:
        with Client(f"http://127.0.0.1:{port}", "a0", attempts=1) as client:
            made = [client.decide(CONTEXT) for _ in range(20)]
            found.append([(choice.arm, choice.propensity) for choice in made])
    assert all(each == found[0] for each in found)


def one_call_at_a_time(port):
    """Microseconds per decision of the Python client, which waits for each answer."""
    with Client(f"http://127.0.0.1:{port}", "a0") as client:
        return harness.in_turn({"client": lambda: client.decide(CONTEXT)}, 7, 0.2)["client"]


def main():
    with contextlib.ExitStack() as stack:
        sides = {}
        for name, (kind, agents) in SIDES.items():
            sides[name] = Side(stack.enter_context(server(kind, agents)), agents)
        check([side.port for side in sides.values()])
        times = harness.readings(sides, TURNS)
        waiting = one_call_at_a_time(sides["disk"].port)

    rows = []
    for name in ("no store", "disk, a commit per call", "disk, 50 agents"):
        case = f'a decision, {CONNECTIONS} connections: {name}, against "disk"'
        answers = sorted(sides[name].answers)
        slow = 1e3 * answers[int(0.99 * len(answers))]
        rows.append(
            harness.row(case, name, times[name], "disk", times["disk"], p99_ms=round(slow, 2))
        )
    rows.append(harness.own_row("a decision of the Python client, one after the other", waiting))
    harness.write("service", "The decision service", rows, NOTES)


NOTES = [
    "Answers come after their commit, with one sync of the disk per group of calls; clients run on the same two cores.",
    "Ten arms, ten shared features, exact propensities. Checked first: all servers decide alike.",
]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
    else:
        main()
