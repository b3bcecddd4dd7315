"""The page of a run while it goes on: what is played, the time left, and the trials that are done.

A thread of its own draws it from the files of finished trials, so that the trials that are played
are neither read nor waited for. The page stands where the report will stand, and asks the browser
to load it again; the report, which replaces it, does not.
"""

import contextlib
import math
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self, cast

import polars as pl

from mobandits.comparison.findings import main_metric
from mobandits.errors import FolderError
from mobandits.figures.contents import Findings, Manifest
from mobandits.figures.page import render, write_page
from mobandits.figures.run_page import Live, run_content
from mobandits.metrics.traits import describing
from mobandits.simulation.folder import PARTS, concatenated, kept_tables
from mobandits.simulation.manifest import read_manifest
from mobandits.simulation.trial import SCHEMA
from mobandits.support.progress import ProgressCallback

PAUSE = 2.0  # seconds between two pages, and between two looks of a browser
# Drawing takes time from trials that are played in Python: pauses are so many times as long.
REST = 9


class LivePage:
    """The live page of one run: a context manager, called with the rounds played.

    Where it is left with an error or an interruption, the page says that the run was stopped.

    Args:
        folder: of the run; nothing is written before the first call.
        progress: called with the same numbers.

    Example:
        >>> live = LivePage(Path("runs/never"), print)
        >>> with live:
        ...     live(100, 100)
        100 100
    """

    def __init__(self, folder: Path, progress: ProgressCallback) -> None:
        self._folder = folder
        self._progress = progress
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._page: SimpleNamespace | None = None
        self._drawn = -1  # trials on this page
        self._rested = 0.0  # when the next one may be drawn
        self._start = 0.0
        self._before = 0  # rounds of earlier sessions
        self._done = 0
        self._total = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        with self._lock:
            self._ended.set()

        if kind is not None and self._page is not None:
            self._write()
        elif self._thread is not None:
            # The report is drawn next, and figures are not drawn by two threads at once.
            self._thread.join()

    def __call__(self, done: int, total: int) -> None:
        """So many rounds of all trials are played; called from any thread, one call at a time."""
        self._done = done
        self._total = total
        self._progress(done, total)
        if done == total:
            # The table is written next, and no live page may be newer than it.
            with self._lock:
                self._ended.set()
        elif self._thread is None:
            self._start = time.monotonic()
            self._before = done
            self._thread = threading.Thread(target=self._keep_writing, daemon=True)
            self._thread.start()

    def _keep_writing(self) -> None:
        pause = 0.0
        while not self._ended.wait(pause):
            # Where the run ends meanwhile, its parts go.
            with contextlib.suppress(FolderError):
                self._draw()
                with self._lock:
                    if not self._ended.is_set():
                        self._write()

            pause = PAUSE

    def _draw(self) -> None:
        """Draw the trials that are finished, where there are more of them than before."""
        parts = (self._folder / PARTS).glob("trial-*.parquet")
        finished = len(list(parts))
        if finished == self._drawn or time.monotonic() < self._rested:
            return

        start = time.thread_time()
        manifest = cast("Manifest", read_manifest(self._folder))
        specification = manifest["specification"]
        tables = kept_tables(self._folder, {})
        table = concatenated([pl.DataFrame(schema=SCHEMA), *tables])
        metric = next(iter(specification["metrics"])) if table.is_empty() else main_metric(table)
        # Nothing is tested: each look at a run would be one more chance of an error.
        findings = Findings(metric, None, [], [])
        with describing(specification):
            self._page = run_content(self._folder, table, manifest, findings)

        self._drawn = finished
        took = time.thread_time() - start
        self._rested = time.monotonic() + REST * took

    def _write(self) -> None:
        """Write the page as it was drawn, with what is played now."""
        page = cast("SimpleNamespace", self._page)
        now = datetime.now().strftime("%H:%M:%S")
        played = f"{self._done:,} of {self._total:,} rounds of all trials, at {now}"
        if self._ended.is_set():
            text = f"Stopped after {played}. Run the same command again to resume."
            refresh = 0
        else:
            # Policies take turns, block by block: what is played is the progress of each.
            left = self._time_left()
            text = f"Running: every policy has played {played}{left}. Below are finished trials."
            refresh = math.ceil(PAUSE)

        page.live = Live(text, self._done, self._total, refresh)
        write_page(self._folder, render("run.html", page))

    def _time_left(self) -> str:
        played = self._done - self._before
        if not played:
            return ""

        seconds = (time.monotonic() - self._start) * (self._total - self._done) / played
        return f"; {timedelta(seconds=round(seconds))} left"
