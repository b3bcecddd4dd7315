"""What a store costs: an event per durability; opening, reading, exporting, shortening.

With the URL of an empty database, also what the learner of workers takes in:
`python benchmarks/bench_store.py postgresql://...`.
"""

import asyncio
import itertools
import sys
import tempfile
import time
from pathlib import Path

import harness
import numpy as np
import service_server

import mobandits as mob
from mobandits.logs import Store, export, scan
from mobandits.logs.address import Address
from mobandits.logs.events import Decide, Learn
from mobandits.logs.store import open_shared
from mobandits.logs.store.rows import statements_of
from mobandits.logs.store.transactions import execute_all, transaction
from mobandits_client.messages import Decide as DecideCall
from mobandits_service.interpreter import spare_what_stays
from mobandits_service.postgres.connection import connected
from mobandits_service.postgres.inbox import InboxDecision, InboxReward
from mobandits_service.postgres.inbox_writer import InboxWriter
from mobandits_service.postgres.merged_statements import merged
from mobandits_service.postgres.publications import new_incarnation
from mobandits_service.postgres.shared_database import IN_SYSTEM
from mobandits_service.runtime import ServiceRuntime

DESCRIPTION = {"arms": list(range(50)), "objectives": ["q", "c"]}
BATCH = {"disk": 300, "system": 2000, "buffered": 2000}
PAIRS = 50_000
STATE = bytes(100_000)


def pairs(rows, features):
    """Decisions and a lesson for each."""
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(64, rows, features))
    for i in itertools.count():
        yield (
            {
                "kind": "decide",
                "id": i,
                "time": i / 7,
                "context": contexts[i % 64],
                "arm": i % 50,
                "propensity": 0.5,
            },
            {"kind": "learn", "id": i, "time": i / 7, "rewards": {"q": i / 3, "c": -i / 9}},
        )


KINDS = {"5 features that arms share": (1, 5), "50 arms of 20 features": (50, 20)}


class Side:
    """A store that appends batches of decisions, and of the lessons that belong to them."""

    def __init__(self, store, shape, batch):
        self.store = store
        store.describe(DESCRIPTION)
        self._pairs = pairs(*shape)
        self._batch = batch

    def __call__(self):
        """Microseconds of a decision and of a lesson."""
        batch = list(itertools.islice(self._pairs, self._batch))
        times = []
        for position in (0, 1):
            events = [pair[position] for pair in batch]
            start = time.perf_counter()
            for event in events:
                self.store.append(event)
            times.append(1e6 * (time.perf_counter() - start) / len(events))
        return times


def costs():
    """Two rows per durability and kind of context."""
    rows = []
    for durability, count in BATCH.items():
        for kind, shape in KINDS.items():
            with (
                tempfile.TemporaryDirectory(dir=harness.ROOT) as folder,
                Store(f"{folder}/store", durability) as store,
            ):
                found = harness.readings({"ours": Side(store, shape, count)}, repeats=7)
            for position, name in enumerate(("a decision", "a lesson of two objectives")):
                ours = [times[position] for times in found["ours"]]
                case = f'"{durability}", {kind}: {name}'
                rows.append(harness.own_row(case, ours))
    return rows


class Deciding:
    """An agent that decides batches of contexts, and learns their rewards."""

    def __init__(self, agent, contexts, batch):
        self.agent = agent
        self._contexts = contexts
        self._batch = batch

    def __call__(self):
        """Microseconds of `decide` and of `learn`."""
        contexts = self._contexts
        start = time.perf_counter()
        made = [self.agent.decide(contexts[i % len(contexts)]).id for i in range(self._batch)]
        decided = time.perf_counter()
        for number in made:
            self.agent.learn(number, [0.5, 0.25])

        learned = time.perf_counter()
        return [1e6 * span / self._batch for span in (decided - start, learned - decided)]


def agents():
    """Two rows per durability and kind of context: whole calls of an agent, with MolUcb."""
    rows = []
    rng = np.random.default_rng(0)
    for durability, count in {**BATCH, None: 2000}.items():
        for kind, (arms, features) in KINDS.items():
            shape = features if arms == 1 else (arms, features)
            contexts = list(rng.normal(size=(64, *np.atleast_1d(shape))) / features)
            options = {"arms": 50, "features": features, "objectives": ["q", "c"]}
            with tempfile.TemporaryDirectory(dir=harness.ROOT) as folder:
                if durability is not None:
                    options |= {"log": f"{folder}/agent.db", "durability": durability}
                agent = mob.Agent(mob.policies.MolUcb(scale=0.3), **options)
                side = Deciding(agent, contexts, count)
                side()
                found = harness.readings({"ours": side}, repeats=7)["ours"]
                agent.close()

            log = "no log" if durability is None else f'"{durability}"'
            for position, name in enumerate(("decide", "learn")):
                times = [spans[position] for spans in found]
                rows.append(harness.own_row(f"agent, {log}, {kind}: {name}", times))
    return rows


def timed(function):
    """Microseconds of a call."""
    start = time.perf_counter()
    function()
    return [1e6 * (time.perf_counter() - start)]


def files():
    """Rows of what happens to a whole store."""
    with tempfile.TemporaryDirectory(dir=harness.ROOT) as name:
        folder = Path(name)
        path = folder / "log.db"
        with Store(path, "buffered") as store:
            store.describe(DESCRIPTION)
            for decision, lesson in itertools.islice(pairs(1, 5), PAIRS):
                store.extend((decision, lesson))
            store.snapshot(STATE)
            for i in range(20):
                store.append({"kind": "preference", "order": i})

        def opened():
            with Store(path) as store:
                snapshot = store.latest_snapshot()
                assert len(list(store.events(after=snapshot.seq))) == 20

        def replayed():
            with Store(path) as store:
                assert sum(1 for _ in store.events()) == 2 * PAIRS + 20

        before = 0.9 * PAIRS / 7
        steps = {
            "opened, with a tail of 20 events": opened,
            "read as events": replayed,
            "as Feedback (scan)": lambda: sum(map(len, scan(path))),
            "exported as Parquet": lambda: export(path, folder / "a.parquet"),
            "Parquet: as Feedback (scan)": lambda: sum(map(len, scan(folder / "a.parquet"))),
            "exported as dsjson": lambda: export(
                path, folder / "a.dsjson", "dsjson", objective="q"
            ),
            "dsjson: as Feedback (scan)": lambda: sum(map(len, scan(folder / "a.dsjson"))),
            "shortened to a tenth": lambda: export(
                path, folder / "b.parquet", "parquet", before, True
            ),
            "opened again": opened,
        }
        return [
            harness.own_row(f"{2 * PAIRS:,} events: {case}", timed(step))
            for case, step in steps.items()
        ]


INBOX = 5000  # pairs of a turn
BLOCK = 250  # pairs that are inserted at a time
CONTEXT = np.linspace(0.1, 1.0, service_server.FEATURES)
EVERY_ARM = str(list(range(len(service_server.ARMS))))


class Timed:
    """A side whose turns are timed by the clock, and by the processor's.

    Attributes:
        processor: microseconds of this process per pair, of every turn.
    """

    def __init__(self):
        self.processor = []

    def __call__(self):
        """Microseconds per pair."""
        self.prepare()
        started = time.process_time()
        start = time.perf_counter()
        self.run()
        elapsed = time.perf_counter() - start
        self.processor.append(1e6 * (time.process_time() - started) / INBOX)

        return 1e6 * elapsed / INBOX


class Learner(Timed):
    """The learner, which takes in what workers have left in the inbox."""

    def __init__(self, running, loop, writer, fence, *, keyed):
        super().__init__()
        self._inbox = running.learner.inbox
        self._loop = loop
        self._writer = writer
        self._keyed = keyed
        hosted = running.agents.named("a0")
        (self._number,) = running.agents.ready_by_number()
        self._core = hosted.agent.core
        self._fence = fence

    def prepare(self):
        """Fill the inbox."""
        for start in range(0, INBOX, BLOCK):
            decisions = [self._decision(number) for number in range(start, start + BLOCK)]
            numbers, _ = self._writer.write(decisions, [])
            rewards = {"quality": 0.5, "cost": 0.25}
            calls = [InboxReward(self._number, number, 0.0, rewards) for number in numbers]
            self._writer.write([], calls)

    def _decision(self, number):
        key = f"{len(self.processor)}-{number}" if self._keyed else None
        return InboxDecision(
            agent=self._number,
            arm=number % len(service_server.ARMS),
            propensity=0.25,
            error=0.0,
            front=EVERY_ARM,
            rows=1,
            features=service_server.FEATURES,
            context=(CONTEXT / (1 + number)).tobytes(),
            eligible=EVERY_ARM,
            key=key,
            request=key,
            active=True,
            epoch=1,
            position=1,
            at=0.0,
            fence=self._fence,
        )

    def run(self):
        """Take in all of it."""
        before = self._core.lessons
        self._loop.run_until_complete(self._take_all())
        assert self._core.lessons == before + INBOX

    async def _take_all(self):
        while await self._inbox.take_some():
            pass


class BareInsert(Timed):
    """The same rows, made before and inserted as they are, by a session that does nothing else."""

    def __init__(self, connection):
        super().__init__()
        self._connection = connection
        made = "INSERT INTO agents VALUES (DEFAULT, 'bare', '', 0, 0, 0, 0) RETURNING id"
        (self._agent,) = connection.execute(made).fetchone()
        self._blocks = []

    def prepare(self):
        """Make the rows."""
        first = 1 + INBOX * len(self.processor)
        self._blocks = []
        for start in range(first, first + INBOX, BLOCK):
            statements = []
            for number in range(start, start + BLOCK):
                context = (CONTEXT / number)[None]
                decided = Decide(
                    number, 0, 0.25, time=number / 7, context=context, worker=1, snapshot=(1, 1)
                )
                learned = Learn(number, {"quality": 0.5, "cost": 0.25}, time=number / 7)
                statements += statements_of(self._agent, 2 * number, decided)
                statements += statements_of(self._agent, 2 * number + 1, learned)
            self._blocks.append(statements)

    def run(self):
        """Insert them, a transaction for each block."""
        connection = self._connection
        for statements in self._blocks:
            with connection.together(), transaction(connection):
                execute_all(connection, merged(statements))


def inbox(url):
    """A row for decisions without keys, and one for those with keys."""
    address = Address(url)
    loop = asyncio.new_event_loop()
    file = open_shared(address, "system")
    file.url = "http://127.0.0.1:1"  # nobody passes anything on
    running = ServiceRuntime(service_server.specification(), file)
    refused = file.hold()
    assert refused is None, refused
    running.agents.open()
    running.agents.named("a0").decide(DecideCall(context=CONTEXT.tolist()))
    loop.run_until_complete(running.learner.publisher.publish())
    worker = connected(address, "worker", [IN_SYSTEM])
    writer = InboxWriter(worker, new_incarnation(worker, "here", 1), url)
    (fence,) = worker.execute("SELECT fence FROM fences").fetchone()
    bare = BareInsert(connected(address, "bare", [IN_SYSTEM]))
    sides = {
        "bare": bare,
        "without keys": Learner(running, loop, writer, fence, keyed=False),
        "with keys": Learner(running, loop, writer, fence, keyed=True),
    }
    harness.readings(sides, 1)  # until it plays compiled code
    spare_what_stays()  # as a service does
    found = harness.readings(sides, 7)
    rows = []
    for name in ("without keys", "with keys"):
        case = f"a decision of a worker and its rewards, {name}"
        parts = {
            "processor": harness.summary(sides[name].processor[1:]),
            "bare, processor": harness.summary(bare.processor[1:]),
        }
        theirs = "bare insert of the rows"
        row = harness.row(case, theirs, found["bare"], "learner", found[name], parts=parts)
        rows.append(row)

    running.stop()

    return rows


def check():
    """Events come back as they were appended."""
    with tempfile.TemporaryDirectory(dir=harness.ROOT) as folder, Store(f"{folder}/store") as store:
        store.describe(DESCRIPTION)
        given = [event for pair in itertools.islice(pairs(50, 20), 100) for event in pair]
        store.extend(given)
        for found, wanted in zip(store.events(), given, strict=True):
            assert found.kind == wanted.pop("kind")
            assert all(np.array_equal(getattr(found, name), wanted[name]) for name in wanted)


def main():
    check()
    rows = inbox(sys.argv[1]) if len(sys.argv) > 1 else []
    rows += [*costs(), *agents(), *files()]
    harness.write("store", "Stores of decisions", rows, NOTES)


NOTES = [
    "Times per event are of `append`; rows of an agent are of its whole calls, with MolUcb.",
    "Decisions of workers: ten arms, ten shared features, two rewards; parts are seconds of the processor.",
    '"disk" waits for this disk; "system" survives a killed process; "buffered" loses at most 10 ms with it.',
    f"Whole stores: {PAIRS:,} decisions with 5 shared features and as many lessons; times are for all of them.",
    "Checked first: events come back as they were appended.",
]


if __name__ == "__main__":
    main()
