"""What a store costs: an event per durability; opening, reading, exporting, shortening."""

import itertools
import tempfile
import time
from pathlib import Path

import harness
import numpy as np

import mobandits as mob
from mobandits.logs import Store, export, scan

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
    harness.write("store", "Stores of decisions", [*costs(), *agents(), *files()], NOTES)


NOTES = [
    "Times per event are of `append`; rows of an agent are of its whole calls, with MolUcb.",
    '"disk" waits for this disk; "system" survives a killed process; "buffered" loses at most 10 ms with it.',
    f"Whole stores: {PAIRS:,} decisions with 5 shared features and as many lessons; times are for all of them.",
    "Checked first: events come back as they were appended.",
]


if __name__ == "__main__":
    main()
