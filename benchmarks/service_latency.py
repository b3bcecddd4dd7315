"""How long the slowest decisions take while a service does something else as well: S7.

A further side is a function of the server and the store's path that is called again and again beside the load.
"""

import subprocess
import sys
import threading

from service_host import Lateness
from service_load import Clients
from service_server import FEATURES, folder_on_disk, server

CALLS = 5000  # of a turn
RATE = 500  # per second: what a service at a part of its load does
WAITING = 20_000  # decisions that wait when it begins
SNAPSHOT_EVERY = 1000  # events
CONTEXT = [1.0, *(0.1 * number for number in range(FEATURES - 1))]
PAGES = [
    "/",
    *(f"/agents/a0?window={window}" for window in ("hour", "day", "week", "month")),
    "/agents/a0/decisions",
    "/agents/a0/decisions/7",
    "/agents/a0/evaluations",
    "/keys",
]
LOAD = {"agents": ["a0"], "contexts": [CONTEXT] * 200}

EXPORT = """
import sys
from mobandits.logs import export
export(sys.argv[1], sys.argv[2])
"""


def nothing(_running, _store, _number):
    """Only decisions."""
    threading.Event().wait(0.1)


def export_all(_running, store, number):
    """An export of the whole store, by a process of its own."""
    out = store.with_name(f"{number}.parquet")
    subprocess.run([sys.executable, "-c", EXPORT, str(store), str(out)], check=True)


def change_preference(running, _store, number):
    """Another order, five times a second."""
    running.put_preference(["pareto", "lexicographic"][number % 2])
    threading.Event().wait(0.2)


def open_pages(running, _store, number):
    """A page of the dashboard, one after the other, as somebody who looks around opens them."""
    running.open_page(PAGES[number % len(PAGES)])
    threading.Event().wait(0.1)


SIDES = {
    "decisions alone": nothing,
    "an export of the whole store": export_all,
    "changes of the preference": change_preference,
    "pages of the dashboard": open_pages,
}


def milliseconds(quantiles=(0.5, 0.99, 0.999)):
    """{side: milliseconds at quantiles}, and the size of the store's log at the end in bytes.

    The last number of a side is how late a bare process beside it was, at the 99.9th percentile.
    """
    found = {}
    with folder_on_disk() as folder, Clients() as clients:
        for snapshot_every, name in [(10**9, "no"), (SNAPSHOT_EVERY, "with")]:
            store = folder / f"{name}.db"
            with server(store=store, snapshot_every=snapshot_every) as running:
                clients.load(port=running.port, calls=WAITING, **LOAD)
                if name == "with":
                    side = f"snapshots, after every {SNAPSHOT_EVERY:,} decisions"
                    found[side] = _quantiles(clients, running, store, nothing, quantiles)
                    continue

                # What an order needs is compiled once on a machine, and loaded once in a process.
                for number in range(2):
                    change_preference(running, store, number)
                for side, work in SIDES.items():
                    found[side] = _quantiles(clients, running, store, work, quantiles)
                # Before the server ends, which removes the log.
                size = store.with_name(f"{store.name}-wal").stat().st_size

    return found, size


def _quantiles(clients, running, store, work, quantiles):
    """Milliseconds of decisions while something else is done again and again."""
    is_done = threading.Event()
    failures = []

    def go_on():
        number = 0
        while not is_done.is_set():
            try:
                work(running, store, number)
            except Exception as error:  # noqa: BLE001 - raised below, in the thread that waits
                failures.append(error)
                return
            number += 1

    beside = threading.Thread(target=go_on)
    beside.start()
    try:
        with Lateness() as lateness:
            answered = clients.load(port=running.port, calls=CALLS, rate=RATE, **LOAD)
    finally:
        is_done.set()
        beside.join()

    assert not failures, failures
    seconds = sorted(answered["seconds"])
    found = [1e3 * seconds[int(quantile * (len(seconds) - 1))] for quantile in quantiles]

    return [*found, lateness.milliseconds]
