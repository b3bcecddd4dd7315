"""How long a service takes until it is ready, and what it keeps in memory: S6 and S8."""

import gc
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
from service_server import FEATURES, folder_on_disk, server, specification

from mobandits.logs.store import SharedFile
from mobandits_service.calls.requests import MOST_CALLS
from mobandits_service.hosted_agent import HostedAgent

EVENTS = 100_000
TURNS = 3
DECISIONS = 100_000
REWARDS = [0.5, 0.25]
REMEMBERED = 1000


# --- S6: ready again


def leave_events(path):
    """A store with events and no snapshot, as a killed process would leave it."""
    spec = specification().agents["a0"]
    contexts = np.random.default_rng(0).normal(size=(1000, FEATURES)).tolist()
    with SharedFile(path, "system") as file:
        hosted = HostedAgent("a0", spec, file)
        hosted.open()
        agent = hosted.agent
        for number in range(EVENTS // 2):
            decision = agent.decide(contexts[number % len(contexts)])
            agent.learn(decision.id, REWARDS)
        # Without `close`, which would take a snapshot.
        agent.core.writer.store.close()


def seconds_until_ready():
    """Seconds until a service is ready: {"snapshot": ..., "events": ...}, several each."""
    seconds = {"snapshot": [], "events": []}
    with folder_on_disk() as folder:
        # In a process of its own: this one stays as small as it was.
        command = [sys.executable, __file__, "leave", str(folder / "events.db")]
        subprocess.run(command, check=True)
        shutil.copy(folder / "events.db", folder / "snapshot.db")
        with server(store=folder / "snapshot.db"):
            pass  # a graceful end takes a snapshot
        for turn in range(TURNS):
            for name, times in seconds.items():
                # A copy, since the end of a service takes a snapshot.
                copy = folder / f"{name}-{turn}.db"
                shutil.copy(folder / f"{name}.db", copy)
                with server(store=copy) as running:
                    times.append(running.ready_seconds)

    return seconds


# --- S8: memory


def bytes_per_decision():
    """{"waiting": ..., "settled": ...} bytes of resident memory, in a process of its own."""
    with folder_on_disk() as folder:
        command = [sys.executable, __file__, "memory", str(folder / "store.db")]
        ended = subprocess.run(command, check=True, capture_output=True, text=True)
        waiting, settled = map(float, ended.stdout.split())
        return {"waiting": waiting, "settled": settled}


def print_memory(path):
    """Decisions that wait, which then are settled; and as many that are settled at once."""
    content = specification().agents["a0"]
    spec = type(content)(**{**_fields(content), "remembered": REMEMBERED})
    with SharedFile(path, "system") as file:
        hosted = HostedAgent("a0", spec, file)
        hosted.open()
        agent = hosted.agent
        context = [0.1] * FEATURES

        def wait_for_room():
            # As a service does: what waits for the disk is no part of what a decision costs.
            if file.committer.waiting() >= MOST_CALLS:
                file.committer.flush()

        def decide_all():
            numbers = []
            for _ in range(DECISIONS):
                numbers.append(agent.decide(context).id)
                wait_for_room()
            return numbers

        def learn_each(numbers):
            for number in numbers:
                agent.learn(number, REWARDS)
                wait_for_room()

        learn_each([agent.decide(context).id for _ in range(2 * REMEMBERED)])
        file.committer.flush()
        before = resident()
        numbers = decide_all()
        file.committer.flush()
        with_waiting = resident()
        learn_each(numbers)
        file.committer.flush()
        del numbers
        start = resident()
        for _ in range(DECISIONS):
            agent.learn(agent.decide(context).id, REWARDS)
            wait_for_room()
        file.committer.flush()
        end = resident()
        hosted.close()

    print((with_waiting - before) / DECISIONS, (end - start) / DECISIONS)


def _fields(struct):
    return {name: getattr(struct, name) for name in struct.__struct_fields__}


def resident():
    """Bytes of resident memory."""
    gc.collect()
    return psutil.Process().memory_info().rss


if __name__ == "__main__":
    {"leave": leave_events, "memory": print_memory}[sys.argv[1]](Path(sys.argv[2]))
