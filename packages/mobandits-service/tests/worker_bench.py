"""A learner and its workers in one process, step by step and without HTTP."""

import asyncio
import contextlib
import time

import numpy as np
from services import CONTEXT, PATIENCE, specification

from mobandits.logs.store import open_shared
from mobandits_client.messages import Decide
from mobandits_service.runtime import ServiceRuntime
from mobandits_service.workers.worker import Worker

AGENT = "router"


class Bench:
    """The parts of a service on a database, and its workers.

    Attributes:
        running: the learner's parts; nothing of it goes on by itself.
        workers: as many as were asked for.
    """

    def __init__(self, address, workers, spec=None):
        self.address = address
        file = open_shared(address, "system")
        file.url = "http://127.0.0.1:1"  # nobody passes anything on
        self.running = ServiceRuntime(spec or specification(), file)
        self.workers = [Worker(address, "system") for _ in range(workers)]

    async def __aenter__(self):
        assert self.running.file.hold() is None
        await asyncio.to_thread(self.running.agents.open)
        for worker in self.workers:
            worker.start()
        if not self.agent.core.bound.stage:
            # The first decision is the learner's.
            self.hosted.decide(Decide(context=CONTEXT))
        await self.publish()
        return self

    async def __aexit__(self, *error):
        for worker in self.workers:
            worker.close()
        self.running.stop()

    @property
    def hosted(self):
        return self.running.agents.named(AGENT)

    @property
    def agent(self):
        return self.hosted.agent

    async def take(self):
        """Have all that is in the inbox taken in."""
        while await self.running.learner.inbox.take_some():
            pass

    async def publish(self):
        """Have workers know all that the learner does."""
        await self.running.learner.publisher.publish()
        position = self.agent.core.writer.position()
        until = time.monotonic() + PATIENCE
        for worker in self.workers:
            while True:
                with contextlib.suppress(Exception):
                    copy = worker.copies.named(AGENT)
                    if copy.version.position == position and worker.copies.failure is None:
                        break
                assert time.monotonic() < until, worker.copies.failure
                await asyncio.sleep(0.01)


def on_bench(address, talk, workers=2, spec=None):
    """What `talk(bench)` returns."""

    async def whole():
        async with Bench(address, workers, spec) as bench:
            return await talk(bench)

    return asyncio.run(whole())


def contexts(seed, count, features=3):
    return np.random.default_rng(seed).random((count, features)).tolist()
