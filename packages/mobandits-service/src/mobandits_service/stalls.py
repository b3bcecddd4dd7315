"""Stalls: moments in which nobody is answered, told apart by who held the service up.

The event loop beats every 100 ms, and a thread looks whether it does and whether a group of calls
waits for the disk. Where either stands still for more than 250 ms, the log gets the stack of every
thread, once per stall. A stall is the machine's where the thread that looks was held up as well,
and the process had the processor for less than half of the time; else it is the program's.
"""

import asyncio
import logging
import sys
import threading
import time
import traceback
from typing import NamedTuple

from mobandits.logs.store.committer import Committer
from mobandits_service.telemetry import Telemetry

LOG = logging.getLogger("mobandits.service")
BEAT = 0.1  # seconds between two beats of the loop
LOOK = 0.05  # seconds between two looks
LONGEST = 0.25  # seconds without a beat, or of one group's commit
LOOP = "loop"
COMMIT = "commit"
PROGRAM = "program"
MACHINE = "machine"


class Moment(NamedTuple):
    """What the clocks said at one look.

    Attributes:
        wall: seconds.
        processor: seconds that this process has had of it.
        late: seconds by which looks were late, summed.
    """

    wall: float
    processor: float
    late: float


class Stalls:
    """A watch over an event loop and the thread that commits.

    Args:
        committer: whose commits are watched.
        telemetry: where stalls are counted.
    """

    def __init__(self, committer: Committer, telemetry: Telemetry) -> None:
        self._committer = committer
        self._telemetry = telemetry
        self._beat = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, name="mobandits-stalls", daemon=True)
        self._watched = {LOOP: _Watched(LOOP, telemetry), COMMIT: _Watched(COMMIT, telemetry)}

    async def keep_beating(self) -> None:
        """Beat until it is cancelled; the first beat starts the thread that looks."""
        self._beat = time.monotonic()
        self._thread.start()
        try:
            while True:
                await asyncio.sleep(BEAT)
                now = time.monotonic()
                lag = now - self._beat - BEAT
                self._telemetry.lags.observe(max(0.0, lag))
                self._beat = now
        finally:
            self._ended.set()

    def _look(self) -> None:
        late = 0.0
        before = time.monotonic()
        group: object = None
        while not self._ended.wait(LOOK):
            now = time.monotonic()
            late += max(0.0, now - before - LOOK)
            before = now
            moment = Moment(now, time.process_time(), late)
            self._watched[LOOP].look(moment, self._beat)
            last = self._committer.last_group()
            # The same group at two looks has waited in between.
            has_moved = last is None or last is not group
            self._watched[COMMIT].look(moment, None if has_moved else self._watched[COMMIT].mark)
            group = last


class _Watched:
    """One thing that must move.

    Args:
        what: the loop, or commits.
        telemetry: where its stalls are counted.
    """

    def __init__(self, what: str, telemetry: Telemetry) -> None:
        self._what = what
        self._telemetry = telemetry
        self.mark: float | None = None
        self._since: Moment | None = None
        self._is_told = False

    def look(self, moment: Moment, mark: float | None) -> None:
        """Look at it once more.

        Args:
            moment: of the look.
            mark: what changes whenever it moves; None: it has just moved.
        """
        if mark is None or mark != self.mark or self._since is None:
            self._end(moment)
            self.mark = moment.wall if mark is None else mark
            self._since = moment
            return

        if not self._is_told and moment.wall - self._since.wall > LONGEST:
            self._is_told = True
            LOG.warning("the %s stands still; all threads:\n%s", self._what, all_stacks())

    def _end(self, moment: Moment) -> None:
        since = self._since
        if self._is_told and since is not None:
            cause = cause_of(since, moment)
            self._telemetry.count_stall(self._what, cause)
            milliseconds = 1000.0 * (moment.wall - since.wall)
            LOG.warning(
                "the %s stood still for %.0f ms; it was the %s", self._what, milliseconds, cause
            )
        self._is_told = False


def cause_of(since: Moment, until: Moment) -> str:
    """Who held things up between two looks.

    Example:
        >>> cause_of(Moment(0.0, 0.0, 0.0), Moment(1.0, 0.1, 0.9))
        'machine'
        >>> cause_of(Moment(0.0, 0.0, 0.0), Moment(1.0, 0.1, 0.0))
        'program'
    """
    wall = until.wall - since.wall
    processor = until.processor - since.processor
    late = until.late - since.late
    is_machine = late > wall / 2 and processor < wall / 2

    return MACHINE if is_machine else PROGRAM


def all_stacks() -> str:
    """The stacks of all threads, each below the name of its thread."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    stacks = []
    for number, frame in sys._current_frames().items():
        name = names.get(number, str(number))
        lines = traceback.format_stack(frame)
        stacks.append(f"{name}:\n{''.join(lines)}")

    return "\n".join(stacks)
