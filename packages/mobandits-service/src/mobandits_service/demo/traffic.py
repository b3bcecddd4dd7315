"""The traffic of the demonstration: real prompts, sent to the service as an application would."""

import heapq
import math
import threading
import time
from collections import deque
from typing import NamedTuple

import numpy as np

from mobandits_client import Choice, Client, ServiceError
from mobandits_service.demo.prompts import PromptTable
from mobandits_service.server import Say

PER_SECOND = 20.0
MOST_DECISIONS = 20_000
LONGEST = 1800.0  # seconds
GRADE_SECONDS = 2.0  # on average, until the quality of an answer is known
REPORT_SECONDS = 10.0  # between lines on how it goes
LOOKED_BACK = 200  # decisions that such a line is about
MOST_FAILURES = 60  # in a row: then nobody is there any more
SECONDS_BEFORE_RETRY = 1.0
TIMEOUT = 5.0  # of a call
SEED = 13


class Grade(NamedTuple):
    """The quality of an answer, which is known later than its cost.

    Attributes:
        due: when, in seconds of a clock that never goes back.
        order: of the decision, since choices cannot be compared.
        choice: what was played.
        quality: of the answer.
    """

    due: float
    order: int
    choice: Choice
    quality: float


class Traffic:
    """Prompts for a service, about twenty a second, until there were enough or it is stopped.

    The cost of an answer is reported at once, and its quality some seconds later. When it ends,
    the grades that are still to come are reported first.

    Args:
        prompts: to send, round and round.
        agent: whose decisions are asked for.
        say: is told how it goes.
        most: decisions after which it ends; it ends after half an hour as well.
    """

    def __init__(
        self,
        prompts: PromptTable,
        agent: str,
        say: Say,
        *,
        most: int = MOST_DECISIONS,
    ) -> None:
        self._prompts = prompts
        self._agent = agent
        self._say = say
        self._most = most
        self._rng = np.random.default_rng(SEED)
        self._is_stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._grades: list[Grade] = []
        # (prompt, model) of the last decisions
        self._played: deque[tuple[int, int]] = deque(maxlen=LOOKED_BACK)
        self._decided = 0
        self._failures = 0

    def start(self, url: str) -> None:
        """Begin to send prompts, from a thread, as soon as the service is ready."""
        self._thread = threading.Thread(target=self._run, args=(url,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Send no further prompts, report what is known, and return when that is done."""
        self._is_stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self, url: str) -> None:
        with Client(url, self._agent, timeout=TIMEOUT) as client:
            first = self._wait_until_ready(client)
            if first is None:
                return

            self._say("prompts arrive now, about twenty a second")
            why = self._send_prompts(client, first)
            self._send_grades(client, math.inf)

        line = f"no more prompts after {self._decided:,} decisions"
        if self._is_stopped.is_set():
            self._say(line)
        else:
            self._say(f"{line}: {why}; the service goes on until Ctrl-C")

    def _wait_until_ready(self, client: Client) -> int | None:
        """How many decisions the agent has made before; None: stopped meanwhile."""
        while not self._is_stopped.wait(0.2):
            try:
                state = client.state()
            except ServiceError:
                # It does not take connections yet.
                continue
            if state.status == "ready":
                return state.decisions

        return None

    def _send_prompts(self, client: Client, first: int) -> str:
        """Send prompts from one on until it is enough; why it ended."""
        began = time.monotonic()
        next_at = began
        next_report = began + REPORT_SECONDS
        while not self._is_stopped.is_set():
            now = time.monotonic()
            if self._decided >= self._most:
                return "that is the most that this demonstration sends"
            if now - began >= LONGEST:
                return f"{LONGEST / 60.0:.0f} minutes are over"
            if self._failures >= MOST_FAILURES:
                return "the service takes them no more"

            self._send_grades(client, now)
            if now >= next_report:
                self._report()
                next_report = now + REPORT_SECONDS
            if now >= next_at:
                prompt = (first + self._decided) % len(self._prompts.contexts)
                self._send_prompt(client, prompt)
                gap = self._rng.exponential(1.0 / PER_SECOND)
                # What was late is not made up for: that would be a burst.
                next_at = max(next_at + gap, now)

            soonest = min(next_at, self._grades[0].due) if self._grades else next_at
            self._is_stopped.wait(max(0.0, soonest - time.monotonic()))

        return ""

    def _send_prompt(self, client: Client, prompt: int) -> None:
        """Ask for a model, and report what its answer cost."""
        prompts = self._prompts
        context = prompts.contexts[prompt]
        try:
            choice = client.decide(context)
            model = prompts.models.index(choice.arm)
            client.reward(choice, {"cost": prompts.cost(prompt, model)})
        except ServiceError as error:
            self._note_failure(error)
            return

        self._failures = 0
        self._decided += 1
        self._played.append((prompt, model))
        quality = float(prompts.quality[prompt, model])
        late = self._rng.exponential(GRADE_SECONDS)
        due = time.monotonic() + late
        grade = Grade(due, self._decided, choice, quality)
        heapq.heappush(self._grades, grade)

    def _send_grades(self, client: Client, until: float) -> None:
        """Report the grades that are due until a moment."""
        while self._grades and self._grades[0].due <= until:
            grade = self._grades[0]
            try:
                rewarded = client.reward(grade.choice, {"quality": grade.quality})
            except ServiceError as error:
                # It stays, and is reported later.
                self._note_failure(error)
                if self._is_stopped.is_set() or self._failures >= MOST_FAILURES:
                    return
                continue

            heapq.heappop(self._grades)
            # Else the client keeps it, as the service does not answer.
            if rewarded is not None:
                self._failures = 0

    def _note_failure(self, error: ServiceError) -> None:
        self._failures += 1
        if self._failures == 1:
            self._say(f"a call failed, and is tried again: {error}")
        self._is_stopped.wait(SECONDS_BEFORE_RETRY)

    def _report(self) -> None:
        """Say what the last decisions were and brought."""
        count = len(self._played)
        if count == 0:
            return

        table = self._prompts
        rows, models = np.array(self._played).T
        shares = []
        for model, name in enumerate(table.models):
            share = (models == model).mean()
            shares.append(f"{name} {share:.0%}")

        quality = table.quality[rows, models].mean()
        dollars = table.dollars[rows, models].mean()
        brought = f"quality {quality:.2f}, {1000.0 * dollars:.2f} USD per 1,000 prompts"
        listed = ", ".join(shares)
        self._say(f"{self._decided:,} decisions; of the last {count}: {brought}, {listed}")
