"""The decision service at half of its load for a while: memory, open files, log and latencies.

`python benchmarks/soak_service.py --minutes 60`. The server runs in a process of its own, on the loopback address; this
process is the clients, on 16 connections: each decides with a key and rewards what it decided.
"""

import argparse
import asyncio
import contextlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import harness
import httpx
import msgspec
import numpy as np

from mobandits_service.server import serve
from mobandits_service.specification import ServiceSpecification

CONNECTIONS = 16
CALIBRATION = 10.0  # seconds at full load, which say what half of it is
SHARE = 0.5
ROWS = 12  # of the table
AGENT = {
    "policy": {"name": "with-floor", "recipe": {"name": "mol-ucb", "scale": 0.3}, "epsilon": 0.1},
    "arms": [f"arm {number}" for number in range(10)],
    "features": 10,
    "objectives": ["quality", "cost"],
    "remembered": 10_000,
}


def run_server(folder):
    """Serve until the process is told to end; the address is printed."""
    content = {"agents": {"a": AGENT}, "port": 0, "log_requests": False}
    specification = msgspec.convert(content, ServiceSpecification)
    serve(specification, folder / "store.db", lambda line: print(line, flush=True))


@contextlib.contextmanager
def server(folder):
    """The process and the address of a server that is ready."""
    command = [sys.executable, __file__, "--serve", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().split()[1].rstrip(",")
        for _ in range(1200):
            if httpx.get(f"{url}/health/ready", timeout=60).status_code == 200:
                break
            time.sleep(0.1)
        yield process, url
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


class Load:
    """Clients that decide and reward, as fast as they are answered or at a rate.

    Attributes:
        seconds: that decides took, since the last look.
        failures: how many calls were not answered with 200.
    """

    def __init__(self, url):
        self.url = url
        self.seconds = []
        self.failures = 0
        self.calls = 0

    async def run(self, until, rate=None):
        """Call until a moment; `rate`: pairs of calls per second, of all connections together."""
        clients = (self.call(number, until, rate) for number in range(CONNECTIONS))
        await asyncio.gather(*clients)

    async def call(self, number, until, rate):
        rng = np.random.default_rng([number, int(until)])
        pause = None if rate is None else CONNECTIONS / rate
        due = time.monotonic() + rng.random() * (pause or 0.0)
        async with httpx.AsyncClient(base_url=f"{self.url}/v1/agents/a", timeout=60) as client:
            while time.monotonic() < until:
                await self.pair(client, rng)
                if pause is not None:
                    due += pause
                    await asyncio.sleep(max(0.0, due - time.monotonic()))

    async def pair(self, client, rng):
        self.calls += 1
        body = {"context": [1.0, *rng.random(9).tolist()], "key": rng.bytes(8).hex()}
        began = time.perf_counter()
        answer = await client.post("/decide", json=body)
        self.seconds.append(time.perf_counter() - began)
        if answer.status_code != 200:
            self.failures += 1
            return
        rewards = {"quality": rng.random(), "cost": rng.random()}
        path = f"/decisions/{answer.json()['decision']}/rewards"
        told = await client.post(path, json=rewards)
        self.failures += told.status_code != 200


def looked_at(process, folder):
    """(MiB of memory, open files, MiB of the write-ahead log, MiB of the store)."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    (resident,) = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")]
    files = sum(1 for _ in Path(f"/proc/{process.pid}/fd").iterdir())
    sizes = [(folder / name).stat().st_size / 2**20 for name in ("store.db-wal", "store.db")]
    return int(resident) / 1024, files, *sizes


async def soak(minutes, folder):
    """Run, and print a row per part of the time."""
    with server(folder) as (process, url):
        load = Load(url)
        await load.run(time.monotonic() + CALIBRATION)
        rate = SHARE * load.calls / CALIBRATION
        print(f"full load: {load.calls / CALIBRATION:,.0f} decides and rewards per second")
        print(
            "| minute | pairs/s | p50 ms | p99 ms | p99.9 ms | MiB | files | WAL MiB | store MiB |"
        )
        print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
        rows = []
        part = 60.0 * minutes / ROWS
        for number in range(ROWS):
            load.seconds = []
            load.calls = 0
            await load.run(time.monotonic() + part, rate)
            quantiles = 1e3 * np.quantile(load.seconds, [0.5, 0.99, 0.999])
            row = looked_at(process, folder)
            rows.append(row)
            shown = [(number + 1) * part / 60.0, load.calls / part, *quantiles, *row]
            print("| " + " | ".join(f"{each:,.1f}" for each in shown) + " |", flush=True)

        middle, last = np.array(rows[ROWS // 2]), np.array(rows[-1])
        print(f"failures: {load.failures}; second half: {last[0] - middle[0]:+.1f} MiB of memory, ")
        print(f"{last[1] - middle[1]:+.0f} files, {last[2] - middle[2]:+.1f} MiB of WAL")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--serve", type=Path)
    options = parser.parse_args()
    if options.serve is not None:
        run_server(options.serve)
        return
    with tempfile.TemporaryDirectory(dir=harness.ROOT) as folder:
        asyncio.run(soak(options.minutes, Path(folder)))


if __name__ == "__main__":
    main()
