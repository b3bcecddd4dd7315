"""The decision service against its goals S1 to S10: how many calls, how soon, and after a failure.

Servers run in processes of their own, on the loopback address, and so do the clients, on 16 connections. With a URL, a
store that is not a file takes part as well: `python benchmarks/bench_service.py postgresql://...`.
"""

import contextlib
import sys

import harness
import numpy as np
import service_host
import service_latency
import service_recovery
import service_staleness
from service_load import Clients
from service_server import ALONE, FEATURES, NO_STORE, STORE, folder_on_disk, server

from mobandits_client import Client

CONNECTIONS = 16
CALLS = 3200  # of a turn
TURNS = 11
CONTEXT = [1.0, *(0.1 * number for number in range(FEATURES - 1))]
REWARDS = {"quality": 0.5, "cost": 0.25}
AGENTS = 50
SCALES = (
    "S9 is at scale 1.0. At 0.1 and 0.3 an agent may settle on one arm, and both differ by more, to "
    "either side."
)


class Load:
    """Calls of many connections at once.

    Attributes:
        seconds: of every call of all turns.
    """

    def __init__(self, clients, running, agents=1, rewards=None):
        self.seconds = []
        self._clients = clients
        self._port = running.port
        self._agents = [f"a{number}" for number in range(agents)]
        self._rewards = rewards

    def __call__(self):
        """Microseconds per call."""
        answered = self._clients.load(
            port=self._port,
            agents=self._agents,
            contexts=[CONTEXT] * 10 * len(self._agents),
            calls=CALLS,
            connections=CONNECTIONS,
            rewards=self._rewards,
        )
        self.seconds += answered["seconds"]

        return 1e6 * answered["elapsed"] / CALLS

    def p99(self):
        """Milliseconds."""
        return round(1e3 * float(np.quantile(self.seconds, 0.99)), 2)


def check(servers):
    """All of them decide alike: the same arms with the same propensities."""
    found = []
    for running in servers:
        with Client(running.url, "a0", attempts=1) as client:
            made = [client.decide(CONTEXT) for _ in range(20)]
            found.append([(choice.arm, choice.propensity) for choice in made])

    assert all(each == found[0] for each in found)


def throughput(url):
    """Microseconds per call of every side, and all sides."""
    with contextlib.ExitStack() as opened:
        clients = opened.enter_context(Clients())
        servers = {
            "no store": opened.enter_context(server(NO_STORE)),
            "disk": opened.enter_context(server(STORE)),
            "a commit per call": opened.enter_context(server(ALONE)),
            f"{AGENTS} agents": opened.enter_context(server(STORE, AGENTS)),
        }
        if url is not None:
            servers["PostgreSQL"] = opened.enter_context(server(STORE, store=url))

        check(servers.values())
        agents = {f"{AGENTS} agents": AGENTS}
        sides = {
            name: Load(clients, running, agents.get(name, 1)) for name, running in servers.items()
        }
        sides["decisions and rewards"] = Load(clients, servers["disk"], rewards=REWARDS)
        # Until all of them play compiled code.
        harness.readings(sides, 3)
        for side in sides.values():
            side.seconds.clear()

        times = harness.readings(sides, TURNS)

    return times, sides


def one_by_one():
    """Microseconds of the Python client's calls and of a bare exchange, in turn, and the
    milliseconds of an `fdatasync`.

    No other server runs: threads of those that idle wake as well.
    """
    with contextlib.ExitStack() as opened:
        running = opened.enter_context(server(STORE))
        file = opened.enter_context(folder_on_disk()) / "page"
        sync = service_host.sync_milliseconds(file)
        bare = service_host.Exchange(file)
        opened.callback(bare.close)
        client = opened.enter_context(Client(running.url, "a0"))
        calls = {"client": lambda: client.decide(CONTEXT), "bare": bare}
        harness.in_turn(calls, 10, 0.2)  # until it plays compiled code
        measured = harness.in_turn(calls, 15, 0.2)

    return measured, sync


class Goals:
    """The goals of the service, and what was found.

    Attributes:
        rows: of the table.
    """

    def __init__(self):
        self.rows = []

    def at_least(self, number, what, limit, found, unit=""):
        """A goal that is met by more."""
        self._add(number, what, f"at least {limit:g}{unit}", found, unit, found >= limit)

    def at_most(self, number, what, limit, found, unit=""):
        """A goal that is met by less."""
        self._add(number, what, f"at most {limit:g}{unit}", found, unit, found <= limit)

    def _add(self, number, what, goal, found, unit, is_met):
        shown = f"{found:.3g}{unit}"
        row = {"id": number, "what": what, "goal": goal, "found": shown, "met": bool(is_met)}
        self.rows.append(row)
        print(f"  {number:4s} {what:70s} {goal:>18s} {shown:>12s} {'' if is_met else '  missed'}")


def compared(name, times, sides, theirs, ours):
    """A row of two sides; the ratio is that of calls per second, ours to theirs."""
    p99 = sides[ours].p99()
    return harness.row(name, theirs, times[theirs], ours, times[ours], p99_ms=p99)


def on_usual_disk(alone, grouped, sync):
    """The ratio of S3 on a disk like that for which it was set.

    A faster one leaves groups less to save. Who commits each call alone waits for the whole of an
    `fdatasync`, and a call in a group for its share.

    Args:
        alone: microseconds of a call in a commit of its own.
        grouped: microseconds of a call in a group.
        sync: milliseconds of an `fdatasync` here.
    """
    difference = max(0.0, 1000.0 * (service_host.USUAL_SYNC - sync))

    return (alone + difference) / (grouped + difference / CONNECTIONS)


def main():
    url = sys.argv[1] if len(sys.argv) > 1 else None
    goals = Goals()
    calls, sync = one_by_one()
    times, sides = throughput(url)
    pairs = [
        ("S1", "decisions on disk, of those without a store", "no store", "disk", 0.6),
        ("S2", "decisions and rewards, of decisions alone", "disk", "decisions and rewards", 0.8),
        ("S4", f"{AGENTS} agents, of one agent", "disk", f"{AGENTS} agents", 0.8),
    ]
    if url is not None:
        pairs.append(("S5", "PostgreSQL, of SQLite", "disk", "PostgreSQL", 0.6))

    rows = []
    for number, what, theirs, ours, limit in pairs:
        row = compared(f"{number}: {what}", times, sides, theirs, ours)
        rows.append(row)
        goals.at_least(number, f"calls per second: {what}", limit, row["ratio"])

    alone = "a commit per call"
    grouped = compared("S3: groups of calls, of one commit per call", times, sides, alone, "disk")
    rows.append(grouped)
    usual = on_usual_disk(min(times[alone]), min(times["disk"]), sync)
    what = f"groups, of one commit per call, at {service_host.USUAL_SYNC:g} ms per fdatasync"
    goals.at_least("S3", f"calls per second: {what}", 3.0, usual)

    ready = service_recovery.seconds_until_ready()
    with_snapshot = min(ready["snapshot"])
    replayed = min(ready["events"]) - with_snapshot
    goals.at_most("S6", f"{service_recovery.EVENTS:,} events replayed", 10.0, replayed, " s")
    goals.at_most("S6", "ready, with a snapshot, from the start", 3.0, with_snapshot, " s")

    slow, log_bytes = service_latency.milliseconds()
    for name, (_, _, last, _) in slow.items():
        goals.at_most("S7", f"p99.9 of decisions, beside {name}", 50.0, last, " ms")

    memory = service_recovery.bytes_per_decision()
    goals.at_most("S8", "memory of a decision that waits", 1000.0, memory["waiting"], " bytes")
    goals.at_most("S8", "memory of one that is settled", 10.0, memory["settled"], " bytes")

    lost = 100.0 * service_staleness.losses()
    age = service_staleness.AGE
    what = f"value lost on llm_routing, state of up to {age} decisions ago"
    goals.at_most("S9", what, 1.0, float(lost.mean()), " %")

    client = float(np.median(calls["client"])) / 1000.0
    bare = float(np.median(calls["bare"])) / 1000.0
    what = "a decision of the Python client, median, less a bare exchange"
    goals.at_most("S10", what, 1.0, client - bare, " ms")

    what = "a decision of the Python client, one after the other"
    rows.append(harness.own_row(what, calls["client"]))
    what = "a byte and its answer after one fdatasync, by a bare process"
    rows.append(harness.own_row(what, calls["bare"]))
    for name, seconds in ready.items():
        microseconds = [1e6 * each for each in seconds]
        rows.append(harness.own_row(f"ready from the start, with {name}", microseconds))

    error = lost.mean(axis=1).std(ddof=1) / np.sqrt(len(lost))
    tails = [f"{name} {last:.1f} ms ({late:.1f})" for name, (_, _, last, late) in slow.items()]
    notes = [
        *NOTES,
        f"p99 under full load: {', '.join(f'{name} {side.p99()} ms' for name, side in sides.items())}.",
        f"p99.9 at {service_latency.RATE} decisions per second: {', '.join(tails)}.",
        "In brackets: how late a bare process beside it woke.",
        f"An fdatasync of this disk took {sync:.2f} ms.",
        f"The log beside the store had {log_bytes / 1e6:.1f} MB after these exports.",
        f"Value lost: standard error {error:.2f} % over {len(lost)} orders of the prompts.",
        SCALES,
    ]
    harness.write("service", "The decision service", rows, notes, goals=goals.rows)


NOTES = [
    "Answers come after their commit, with one sync of the disk per group of calls; clients run on the same two cores.",
    f"Ten arms, ten shared features, exact propensities, {CONNECTIONS} connections.",
    "Checked first: all servers decide alike.",
    "Ratios are of calls per second, of the fastest turns.",
]


if __name__ == "__main__":
    main()
