"""Logs of a million events stream: memory follows the block and the chunk, and not the log."""

import json
import subprocess
import sys

import pytest

WRITE = """
import sys
from mobandits.logs import Store
path, events = sys.argv[1], int(sys.argv[2])
with Store(path, "buffered") as store:
    store.describe({"arms": ["a", "b"], "objectives": ["q", "c"]})
    for i in range(events // 2):
        context = [[i / 3] * 5]
        decision = {"kind": "decide", "id": i, "time": i / 7, "context": context, "arm": 1}
        late = i - 1000
        event = {"kind": "preference", "order": late}
        if late >= 0:
            event = {"kind": "learn", "id": late, "rewards": {"q": late / 9}}
        store.extend([decision | {"propensity": 0.5}, event])
"""
READ = """
import json, sys, time
from mobandits.logs import Store, csv, dsjson, scan

def megabytes():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("RssAnon"))

path, how = sys.argv[1:]
columns = dict(arm="arm", rewards=["r"], context=[f"x{k}" for k in range(5)], propensity="p")
with open("/dev/null") as nothing:
    if how == "events":
        things = Store(path).events()
    else:
        things = scan(path, chunk=1000, **(columns if how == "csv" else {}))
    start, peak, count = time.perf_counter(), 0.0, 0
    for i, thing in enumerate(things):
        count += 1 if how == "events" else len(thing)
        if how != "events" or i % 1000 == 0:
            peak = max(peak, megabytes())
print(json.dumps({"count": count, "peak": peak, "seconds": time.perf_counter() - start}))
"""
DSJSON = """
import sys
from mobandits.logs import dsjson, scan
dsjson.write(scan(sys.argv[1]), sys.argv[2], objective='q')
"""
CSV = """
import sys
with open(sys.argv[1], "w") as file:
    file.write("arm,x0,x1,x2,x3,x4,r,p\\n")
    for i in range(int(sys.argv[2])):
        file.write(f"{i % 3},{i / 3},{i / 5},{i / 7},{i / 9},{i / 11},{i / 13},0.5\\n")
"""


def run(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        check=True,
        capture_output=True,
        text=True,
    )


def reading(path, how):
    found = json.loads(run(READ, path, how).stdout)
    print(
        f"{how:8s} {found['count']:>9,} in {found['seconds']:6.1f} s, peak {found['peak']:6.0f} MB  {path}"
    )
    return found


@pytest.mark.slow
def test_a_million_events_stream_in_flat_memory(tmp_path):
    peaks = {}
    for events in (250_000, 1_000_000):
        store = tmp_path / str(events)
        run(WRITE, store, events)
        run(DSJSON, store, tmp_path / f"{events}.dsjson")
        ways = {
            "events": (store, events),
            "scan": (store, events // 2),
            "dsjson": (tmp_path / f"{events}.dsjson", events // 2),
        }
        for how, (path, count) in ways.items():
            found = reading(path, how)
            assert found["count"] == count
            peaks[how, events] = found["peak"]
    for how in ("events", "scan", "dsjson"):
        assert peaks[how, 1_000_000] < 1.25 * peaks[how, 250_000] + 20.0


@pytest.mark.slow
def test_a_table_of_millions_of_rows_streams(tmp_path):
    """Polars keeps up to half a gigabyte of a file in flight, and no more however long it is."""
    peaks = []
    for rows in (4_000_000, 10_000_000):
        path = tmp_path / f"{rows}.csv"
        run(CSV, path, rows)
        found = reading(path, "csv")
        assert found["count"] == rows
        peaks.append(found["peak"])
        path.unlink()
    assert peaks[1] < 1.3 * peaks[0]
