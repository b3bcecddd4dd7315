"""What a service does not know of yet: fallbacks that were played, and rewards."""

import contextlib
import logging
import os
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from mobandits_client.choice import Choice
from mobandits_client.errors import ServiceError, ServiceWarning
from mobandits_client.messages import Observed, RewardsOf
from mobandits_client.outbox_file import OutboxFile, Unreported

LOG = logging.getLogger("mobandits_client")

MOST = 10_000  # that are kept while the service is down; then the oldest are forgotten
PREFIX = "fallback-"  # of their keys: the call may have reached the service, under its own


class Outbox:
    """Fallbacks and rewards in their order, until they are reported.

    To report one twice does no harm: fallbacks have keys, and a reward counts once. Threads may
    share it.

    Args:
        agent: whose they are.
        path: of a file that keeps them as well, and outlives the process; None: memory only.

    Raises:
        ValueError: where the file holds something else, or another client uses it.
    """

    def __init__(self, agent: str, path: str | os.PathLike[str] | None = None) -> None:
        self._agent = agent
        self._file = None if path is None else OutboxFile(path)
        self._lock = threading.Lock()
        self._waiting: dict[int, Unreported] = {}
        self._fallbacks: set[str] = set()
        self._next = 0
        self._dropped = 0
        if self._file is not None:
            # Older ones were dropped: the file has them until it is written anew.
            for event in self._file.read(agent)[-MOST:]:
                self._keep(event)

    def __len__(self) -> int:
        return len(self._waiting)

    def add_fallback(self, choice: Choice) -> None:
        """A fallback was played."""
        observed = Observed(context=choice.context, arm=choice.arm, key=PREFIX + choice.key)
        self._add(Unreported(self._agent, observed=observed))

    def add_rewards(self, choice: Choice, rewards: Mapping[str, float]) -> None:
        """A choice brought something.

        Raises:
            ServiceError: where rewards are no numbers, as the service would say.
        """
        number = choice.decision
        key = PREFIX + choice.key if number is None else None
        rewarded = RewardsOf(dict(rewards), decision=number, key=key)
        self._add(Unreported(self._agent, rewards=rewarded))

    def has_fallback(self, choice: Choice) -> bool:
        """Whether a choice is a fallback that is still to be reported."""
        return choice.is_fallback and PREFIX + choice.key in self._fallbacks

    def drop(self, choice: Choice) -> None:
        """Nothing will come of a fallback: it is not reported."""
        key = PREFIX + choice.key
        with self._lock:
            numbers = [number for number, each in self._waiting.items() if _key_of(each) == key]
            self._remove(numbers)
            with self._writing() as file:
                if file is not None:
                    file.replace(self._waiting.values())

    def take(self, count: int) -> dict[int, Unreported]:
        """The oldest ones, to be reported; they stay until `forget`."""
        with self._lock:
            numbers = list(self._waiting)[:count]
            return {number: self._waiting[number] for number in numbers}

    def forget(self, numbers: Iterable[int]) -> None:
        """Leave out those that were reported."""
        with self._lock:
            self._remove(numbers)
            with self._writing() as file:
                # Else the file keeps them for now: to report them again does no harm.
                if file is not None and not self._waiting:
                    file.clear()

    def close(self) -> None:
        """Close the file, and warn of what is dropped."""
        with self._lock:
            message = self._loss()
            self._waiting.clear()
            self._fallbacks.clear()
            self._dropped = 0
            if self._file is not None:
                self._file.close()
                self._file = None

        if message:
            warnings.warn(message, ServiceWarning, stacklevel=3)

    # ---

    def _add(self, event: Unreported) -> None:
        line = msgspec.json.encode(event)
        try:
            # Once more from its text: it is what would be read back, and nobody changes it.
            event = msgspec.json.decode(line, type=Unreported)
        except msgspec.ValidationError as error:
            raise ServiceError(str(error), 422) from error

        with self._lock:
            with self._writing() as file:
                if file is not None:
                    file.append(line, self._waiting.values())
            self._keep(event)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[OutboxFile | None]:
        """The file, which is given up where it cannot be written: calls go on without it."""
        file = self._file
        try:
            yield file
        except (OSError, ValueError) as error:
            LOG.warning("the file of what is to be reported is used no more: %s", error)
            self._file = None
            if file is not None:
                file.close()

    def _keep(self, event: Unreported) -> None:
        self._waiting[self._next] = event
        self._next += 1
        if event.observed is not None:
            self._fallbacks.add(_key_of(event))
        if len(self._waiting) > MOST:
            oldest = next(iter(self._waiting))
            self._remove([oldest])
            self._dropped += 1
            if self._dropped == 1:
                LOG.warning("more than %d wait to be reported: the oldest are dropped", MOST)

    def _remove(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            event = self._waiting.pop(number, None)
            if event is not None and event.observed is not None:
                self._fallbacks.discard(_key_of(event))

    def _loss(self) -> str:
        """What is lost where nothing more is reported, in words; empty where nothing is."""
        said = []
        counted = self._counted()
        if counted and self._file is None:
            rule = "`queue=` names a file that keeps them"
            said.append(
                f"{counted} of agent {self._agent} are dropped: no service took them; {rule}"
            )
        if self._dropped > 0:
            reports = "older report" if self._dropped == 1 else "older reports"
            dropped = f"{self._dropped:,} {reports} of agent {self._agent} were dropped"
            said.append(f"{dropped}: more than {MOST:,} waited")

        return "; ".join(said)

    def _counted(self) -> str:
        """How many of what wait, in words; empty where nothing does."""
        waiting = self._waiting.values()
        fallbacks = sum(each.observed is not None for each in waiting)
        rewards = len(waiting) - fallbacks
        counted = []
        if fallbacks > 0:
            decisions = "decision" if fallbacks == 1 else "decisions"
            counted.append(f"{fallbacks:,} fallback {decisions}")
        if rewards > 0:
            reports = "report" if rewards == 1 else "reports"
            counted.append(f"{rewards:,} {reports} of rewards")

        return " and ".join(counted)


def _key_of(event: Unreported) -> str:
    """The key by which a fallback is known to the service; empty where it has none."""
    named = event.observed or event.rewards
    return "" if named is None else named.key or ""
