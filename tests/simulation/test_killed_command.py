"""The public command, killed at twenty random moments of one run, ends in the table of an undisturbed run."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SPEC = Path(__file__).parent.parent.parent / "examples" / "priority_levels.toml"


def command(folder):
    arguments = ["run", str(SPEC), "--out", str(folder), "--trials", "30", "--workers", "2"]
    return [sys.executable, "-m", "mobandits", *arguments]


@pytest.mark.slow
def test_twenty_kills_leave_the_table_of_an_undisturbed_run(tmp_path):
    calm, torn = tmp_path / "calm", tmp_path / "torn"
    start = time.perf_counter()
    subprocess.run(command(calm), check=True, capture_output=True)
    whole = time.perf_counter() - start
    rng, kills, attempts = random.Random(20), 0, 0
    while kills < 20 and attempts < 200:
        attempts += 1
        run = subprocess.Popen(command(torn), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            run.wait(rng.uniform(0.3, 0.25 * whole))
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            run.wait()
            kills += 1
        else:  # it ended before it could be killed: the rest of the kills hit a run of its own
            assert run.returncode == 0
            torn.rename(tmp_path / f"done{attempts}")
    assert kills == 20
    subprocess.run(command(torn), check=True, capture_output=True)
    tables = [folder / "results.parquet" for folder in (calm, torn, *tmp_path.glob("done*"))]
    assert len({table.read_bytes() for table in tables}) == 1
