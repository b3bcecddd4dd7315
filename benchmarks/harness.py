"""What all benchmarks share: an environment of its own for every rival, timing in turn, and the files of results.

A benchmark is one script: it asserts that both sides agree, times them in turn on this machine, and writes
`results/<name>.json`, of which `page.py` makes docs/benchmarks.md. Only ratios of one run count.

    import harness

    harness.in_environment("river", "river==0.25.0")    # only for rivals that mobandits does not depend on

    def main():
        theirs, ours = harness.interleaved(their_step, our_step, repeats=7)
        rows = [harness.row("50 arms", "river LinUCB", theirs, "mobandits LinUCB", ours)]
        harness.write("river", "Disjoint LinUCB against river", rows, ["Both chose the same arms in 500 rounds."])
"""

import gc
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
LOAD = os.getloadavg()[0]
T = TypeVar("T")
# What is timed is compiled: without this, agents would answer in Python until a child process has compiled.
os.environ.setdefault("MOBANDITS_COMPILING", "now")


# --- environments


def environment(name: str, *requirements: str) -> Path:
    """The Python of `.venv-bench/<name>`, which holds the requirements and mobandits.

    It is made on demand, and made anew when the requirements or constraints.txt have changed since.
    """
    folder, constraints = ROOT / ".venv-bench" / name, ROOT / "constraints.txt"
    python, stamp = folder / "bin" / "python", folder / "requirements.txt"
    wanted = "\n".join([*requirements, constraints.read_text()])
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    print(f"making {folder.relative_to(ROOT)} with {' '.join(requirements)}", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    install = [
        python,
        "-m",
        "pip",
        "install",
        "-qq",
        "--disable-pip-version-check",
        "--constraint",
        constraints,
    ]
    subprocess.run([*install, "--editable", ROOT, *requirements], check=True, stdout=sys.stderr)
    stamp.write_text(wanted)
    return python


def in_environment(name: str, *requirements: str) -> None:
    """Go on only in the environment of that name, on one thread: elsewhere, start the running script there instead.

    Call it at the top of a script, before the rival and NumPy are imported.
    """
    if Path(sys.prefix) != ROOT / ".venv-bench" / name or ONE_THREAD.items() - os.environ.items():
        python = environment(name, *requirements)
        os.execve(python, [str(python), *sys.argv], os.environ | ONE_THREAD)


def one_thread() -> None:
    """Go on only if linear algebra is kept to one thread: otherwise start the running script anew with that set."""
    if ONE_THREAD.items() - os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | ONE_THREAD)


# --- timing


def batch(function: Callable[[], object], calls: int) -> float:
    """Microseconds per call of one batch of calls."""
    start = time.perf_counter()
    for _ in range(calls):
        function()
    return 1e6 * (time.perf_counter() - start) / calls


def calls_for(function: Callable[[], object], seconds: float) -> int:
    """How many calls last at least that long; the first call, which may compile, does not count."""
    function()
    calls = 1
    while (spent := 1e-6 * calls * batch(function, calls)) < seconds:
        calls = max(2 * calls, int(1.2 * calls * seconds / max(spent, 1e-9)))
    return calls


def readings(sides: Mapping[str, Callable[[], T]], repeats: int = 7) -> dict[str, list[T]]:
    """What several sides return that time themselves, each `repeats` times, in turn."""
    found: dict[str, list[T]] = {name: [] for name in sides}
    gc.collect()
    for _ in range(repeats):
        for name, side in sides.items():
            found[name].append(side())
    return found


def in_turn(
    sides: Mapping[str, Callable[[], object]],
    repeats: int = 7,
    seconds: float = 0.02,
    operations: Mapping[str, int] | None = None,
) -> dict[str, list[float]]:
    """Microseconds per operation of several sides, each `repeats` times, in turn.

    Args:
        sides: what to call, by name.
        repeats: how often each side has its turn.
        seconds: a turn is a batch of as many calls as last at least that long, at least one.
        operations: how many operations (rounds, decisions) one call of a side does, if it is not 1.
    """
    turns = {
        name: partial(batch, function, calls_for(function, seconds))
        for name, function in sides.items()
    }
    per_call = operations or {}
    return {
        name: [us / per_call.get(name, 1) for us in times]
        for name, times in readings(turns, repeats).items()
    }


def interleaved(
    theirs: Callable[[], object],
    ours: Callable[[], object],
    repeats: int = 7,
    seconds: float = 0.02,
    operations: tuple[int, int] = (1, 1),
) -> tuple[list[float], list[float]]:
    """Microseconds per operation of both sides, in turn; `operations` says how many a call of each side does."""
    each = dict(zip(("theirs", "ours"), operations, strict=True))
    times = in_turn({"theirs": theirs, "ours": ours}, repeats, seconds, each)
    return times["theirs"], times["ours"]


# --- results


def machine() -> dict[str, object]:
    """What the numbers depend on: processor, cores, versions, and the load when the benchmark started."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    versions = {name: importlib.metadata.version(name) for name in ("numpy", "numba")}
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **versions,
        "load": round(LOAD, 2),
    }


def summary(times: list[float]) -> dict[str, float]:
    """Minimum and median, four digits."""
    return {"min": float(f"{min(times):.4g}"), "median": float(f"{statistics.median(times):.4g}")}


def row(
    case: str, theirs: str, theirs_us: list[float], ours: str, ours_us: list[float], **more: object
) -> dict:
    """One comparison: the microseconds per operation of both sides, and the ratio of their minima."""
    sides = {
        "theirs": theirs,
        "ours": ours,
        "theirs_us": summary(theirs_us),
        "ours_us": summary(ours_us),
    }
    return {"case": case, **sides, "ratio": float(f"{min(theirs_us) / min(ours_us):.4g}"), **more}


def own_row(case: str, ours_us: list[float], **more: object) -> dict:
    """One measurement without a rival."""
    return {"case": case, "ours_us": summary(ours_us), **more}


def duration(us: float) -> str:
    """Microseconds as a person writes them: 1.70 µs, 55.2 ms, 2.30 s."""
    size, unit = next(
        (s, u) for s, u in ((1e6, "s"), (1e3, "ms"), (1.0, "µs"), (1e-3, "ns")) if us >= s or s < 1
    )
    value = us / size
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"


def print_table(title: str, rows: list[dict]) -> None:
    """The rows on standard output: minimum (median) of both sides, the ratio of the minima, and our side's parts."""
    print(f"\n{title}")
    for each in rows:
        sides = [each[side] for side in ("theirs_us", "ours_us") if side in each]
        cells = [f"{duration(times['min'])} ({duration(times['median'])})" for times in sides]
        ratio = f"{each['ratio']:8.4g}x" if "ratio" in each else ""
        parts = ", ".join(
            f"{name} {duration(times['min'])}" for name, times in each.get("parts", {}).items()
        )
        print(
            f"  {each['case']:58s}",
            *(f"{cell:>20s}" for cell in cells),
            ratio,
            parts,
            each.get("theirs", ""),
        )


def write(name: str, title: str, rows: list[dict], notes: list[str], **more: object) -> Path:
    """Print the rows and keep them, and whatever `more` there is, in `results/<name>.json`."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    content = {"title": title, "machine": machine(), "rows": rows, "notes": notes, **more}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    print_table(title, rows)
    print(*(f"  - {note}" for note in notes), f"  -> {path.relative_to(ROOT)}", sep="\n")
    return path
