"""What a journal costs: an event per durability, the pause of sealing, opening, and reading a log back."""

import itertools
import tempfile
import time
from pathlib import Path

import harness
import numpy as np

from mobandits.logs import Journal, dsjson, scan

DESCRIPTION = {"arms": list(range(50)), "objectives": ["q", "c"]}
BATCH = {"disk": 300, "system": 5000, "buffered": 5000}
EVENTS = 100_000


def lessons():
    for i in itertools.count():
        yield {"kind": "learn", "id": i, "time": i / 7, "rewards": {"q": i / 3, "c": -i / 9}}


def decisions(rows, features):
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(64, rows, features))
    for i in itertools.count():
        yield {
            "kind": "decide",
            "id": i,
            "time": i / 7,
            "context": contexts[i % 64],
            "arm": i % 50,
            "propensity": 0.5,
        }


KINDS = {
    "a lesson of two objectives": lessons,
    "a decision, 5 features that arms share": lambda: decisions(1, 5),
    "a decision, 50 arms of 20 features": lambda: decisions(50, 20),
}


def appends(durability, events, folder):
    """A function that appends a batch; segments are never full."""
    journal = Journal(folder, durability, 10**9)
    journal.describe(DESCRIPTION)

    def batch():
        for event in itertools.islice(events, BATCH[durability]):
            journal.append(event)

    return journal, batch


def costs():
    """A row per durability and kind of event."""
    rows = []
    for durability, count in BATCH.items():
        for kind, events in KINDS.items():
            with tempfile.TemporaryDirectory(dir=harness.ROOT) as folder:
                journal, batch = appends(durability, events(), folder)
                times = harness.in_turn({"ours": batch}, repeats=7, operations={"ours": count})[
                    "ours"
                ]
                journal.close()
            rows.append(harness.own_row(f'"{durability}": {kind}', times))
    return rows


def timed(function):
    """Microseconds of a call, and what it returned."""
    start = time.perf_counter()
    found = function()
    return 1e6 * (time.perf_counter() - start), found


def mixed(events):
    """As many decisions as lessons."""
    for decision, lesson in itertools.islice(
        zip(decisions(1, 5), lessons(), strict=False), events // 2
    ):
        yield decision
        yield lesson


def filled(folder):
    """Microseconds of every append of a full segment, and of the one that seals it."""
    with Journal(folder, "buffered", EVENTS) as journal:
        journal.describe(DESCRIPTION)
        times = [timed(lambda e=event: journal.append(e))[0] for event in mixed(EVENTS)]
        return np.array(times), timed(lambda: journal.append({"kind": "note"}))[0]


def files():
    """Rows of what happens to whole files."""
    found = {}
    for _ in range(3):
        with tempfile.TemporaryDirectory(dir=harness.ROOT) as name:
            folder, lines, table = (
                Path(name) / "journal",
                Path(name) / "lines",
                Path(name) / "log.dsjson",
            )
            each, sealing = filled(folder)
            with Journal(lines, "buffered", 10 * EVENTS) as journal:
                journal.describe(DESCRIPTION)
                for event in mixed(EVENTS):
                    journal.append(event)
            steps = {
                "lines: opened": lambda f=lines: Journal(f, "buffered", 10 * EVENTS).close(),
                "lines: opened, and read as events": lambda f=lines: sum(
                    1 for _ in Journal(f).events()
                ),
                "lines: as Feedback (scan)": lambda f=lines: sum(map(len, scan(f))),
                "sealed: opened": lambda f=folder: Journal(f).close(),
                "sealed: read as events": lambda f=folder: sum(1 for _ in Journal(f).events()),
                "sealed: as Feedback (scan)": lambda f=folder: sum(map(len, scan(f))),
                "from sealed to dsjson": lambda f=folder, t=table: dsjson.write(
                    scan(f), t, objective="q"
                ),
                "dsjson: as Feedback (scan)": lambda t=table: sum(map(len, scan(t))),
            }
            times = {
                "the longest append but the one that seals": each.max(),
                "the append that seals": sealing,
            }
            times |= {case: timed(step)[0] for case, step in steps.items()}
        for case, us in times.items():
            found.setdefault(case, []).append(float(us))
    return [harness.own_row(f"{EVENTS:,} events, {case}", us) for case, us in found.items()]


def main():
    with (
        tempfile.TemporaryDirectory(dir=harness.ROOT) as folder,
        Journal(folder, "system", 100) as journal,
    ):
        given = [
            {k: v.tolist() if k == "context" else v for k, v in event.items()}
            for event in mixed(1000)
        ]
        for event in given:
            journal.append(event)
        assert list(journal.events()) == given
    harness.write("journal", "Journals of decisions", [*costs(), *files()], NOTES)


NOTES = [
    "Times per event are of `Journal.append`, with what it spends on the way on the table of the segment.",
    '"disk" waits for this disk; "system" survives a killed process; "buffered" loses up to 64 KiB with it.',
    f"Whole files: {EVENTS // 2:,} decisions with 5 shared features and as many lessons; times are for all of them.",
    "Checked first: events come back as they were appended.",
]


if __name__ == "__main__":
    main()
