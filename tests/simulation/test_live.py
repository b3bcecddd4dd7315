"""The page of a run that goes on: it renews itself, changes no bit of the table, and says how it ended."""

import re
import signal
import subprocess
import sys
import time

import pytest
from browser import CHROMIUM, browser

from mobandits.cli import program as cli
from mobandits.simulation import live
from mobandits.simulation.run import run_plan
from mobandits.spec import load

SPEC = """
rounds = {rounds}
trials = {trials}
record = 5
metrics = ["pareto_regret"]
environment = "linear"
policies = ["random-choice"]
"""
STATUS = "document.querySelector('[role=status]').innerText"
RENEWALS = 20  # in which a page that is written every second must have changed
CHILD = """
from mobandits.simulation import live
live.PAUSE = 0.3
from mobandits.__main__ import main
main()
"""


@pytest.fixture
def spec(tmp_path):
    def write(**sizes):
        (tmp_path / "s.toml").write_text(SPEC.format(**sizes))
        return str(tmp_path / "s.toml")

    return write


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_the_table_is_the_same_to_the_last_bit(spec, tmp_path, monkeypatch, workers):
    pages = []
    write_page = live.write_page

    def kept(folder, text):
        write_page(folder, text)
        pages.append((text, time.time()))

    monkeypatch.setattr(live, "write_page", kept)
    monkeypatch.setattr(live, "PAUSE", 0.05)
    path = spec(rounds=1000, trials=6)
    calm, out = tmp_path / "calm", tmp_path / "live"
    run_plan(load(path).plan(), out=calm, workers=1)
    assert cli.call(["run", path, "--out", str(out), "--workers", str(workers), "--live"]) == 0
    assert (out / "results.parquet").read_bytes() == (calm / "results.parquet").read_bytes()
    report = (out / "report.html").read_text()
    assert "http-equiv" not in report
    assert 'role="status"' not in report
    # A page that is newer than the table would count as its report.
    assert pages
    assert all('http-equiv="refresh"' in text for text, _ in pages)
    assert max(at for _, at in pages) <= (out / "results.parquet").stat().st_mtime


def test_nothing_is_written_into_the_folder_of_something_else(spec, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("one more day")
    path = spec(rounds=10, trials=1)
    assert cli.call(["run", path, "--out", str(tmp_path / "out"), "--live"]) == 2
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["thesis.txt"]


def renewed_until(opened, is_so):
    """The status of a page that renews itself, once it is as it should be."""
    for _ in range(RENEWALS):
        opened.message(lambda said: said.get("method") == "Page.loadEventFired")
        status = opened.value(STATUS)
        if is_so(status):
            return status
    pytest.fail(status)


@pytest.mark.browser
@pytest.mark.process
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_page_renews_itself_in_place_until_the_run_is_stopped(spec, tmp_path):
    page = tmp_path / "out" / "report.html"
    arguments = ["run", spec(rounds=20_000, trials=200), "--out", str(tmp_path / "out")]
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, *arguments, "--workers", "1", "--live"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 60.0
        while not (page.exists() and "<svg" in page.read_text()):
            assert time.monotonic() < end
            time.sleep(0.05)

        with browser(tmp_path) as opened:
            opened.open(page, width=390)
            before = opened.value(f"scrollTo(0, 400); {STATUS}")
            assert re.match(r"Running: every policy has played [\d,]+ of 4,000,000 ", before)
            renewed_until(opened, lambda status: status != before)
            assert opened.value("scrollY") == 400
            child.send_signal(signal.SIGINT)
            assert child.wait(60) == 130
            renewed_until(opened, lambda status: status.startswith("Stopped after "))
            assert opened.value("document.querySelector('meta[http-equiv]')") is None
    finally:
        child.kill()
        child.wait()
