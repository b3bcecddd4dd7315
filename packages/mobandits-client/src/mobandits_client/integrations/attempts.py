"""Attempts of a gateway to have a request answered, and the answers that clients know."""

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from mobandits_client.integrations.steps import MadeDecision

Key = TypeVar("Key")
Value = TypeVar("Value")


class Latest(dict[Key, Value]):
    """The entries that were set last.

    Args:
        limit: how many there are at most.

    Example:
        >>> latest = Latest(2)
        >>> for key in "aba":
        ...     latest[key] = key.upper()
        >>> latest["c"] = "C"
        >>> latest
        {'a': 'A', 'c': 'C'}
    """

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def __setitem__(self, key: Key, value: Value) -> None:
        self.pop(key, None)
        super().__setitem__(key, value)
        if len(self) > self._limit:
            del self[next(iter(self))]


@dataclass
class Attempt:
    """A request, sent to one model; a retry is another attempt of the same request.

    Attributes:
        request: which request it is for.
        call: under which the gateway reports how it ended.
        made: the decision for it.
        key: of the decision.
        deployments: the gateway's names of what may serve it.
        started: in seconds of the monotonic clock.
        is_open: whether it has not ended yet.
    """

    request: str
    call: str
    made: MadeDecision
    key: str
    deployments: frozenset[str]
    started: float = field(default_factory=time.monotonic)
    is_open: bool = True


class AttemptBook:
    """The attempts of the requests that came last.

    Threads may share it. Requests that never end, because a client went away, are forgotten.

    Args:
        limit: how many requests are kept.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._by_request: OrderedDict[str, list[Attempt]] = OrderedDict()
        self._by_call: dict[str, Attempt] = {}
        # Of requests that were answered: a proxy may ask for them later.
        self._keys = Latest[str, str](limit)

    def __len__(self) -> int:
        return len(self._by_request)

    def add(self, attempt: Attempt) -> None:
        """Another attempt, the last one of its call."""
        with self._lock:
            self._by_request.setdefault(attempt.request, []).append(attempt)
            self._by_call[attempt.call] = attempt
            if len(self._by_request) > self._limit:
                _, forgotten = self._by_request.popitem(last=False)
                self._drop_calls(forgotten)

    def of_request(self, request: str) -> list[Attempt]:
        """The attempts of a request, in their order."""
        with self._lock:
            return list(self._by_request.get(request, ()))

    def of_call(self, call: str) -> Attempt | None:
        """The last attempt of a call; None where it is not known."""
        return self._by_call.get(call)

    def key_of(self, call: str) -> str | None:
        """The key of the decision for the last attempt of a call; None where it is not known."""
        with self._lock:
            attempt = self._by_call.get(call)
            return self._keys.get(call) if attempt is None else attempt.key

    def close(self, attempt: Attempt) -> bool:
        """An attempt has ended; whether it had not before."""
        with self._lock:
            was_open = attempt.is_open
            attempt.is_open = False
            return was_open

    def forget(self, attempt: Attempt) -> None:
        """A request was answered in this attempt: there will be no further one."""
        with self._lock:
            attempts = self._by_request.pop(attempt.request, [])
            self._drop_calls(attempts)
            self._keys[attempt.call] = attempt.key

    def _drop_calls(self, attempts: Sequence[Attempt]) -> None:
        for attempt in attempts:
            self._by_call.pop(attempt.call, None)


class AnswerBook:
    """The decisions behind the last answers, by the id that the client has.

    A client may report before the gateway has: what it says is kept until then.

    Args:
        limit: how many answers, and how many early reports, are kept.
    """

    def __init__(self, limit: int) -> None:
        self._lock = threading.Lock()
        self._made = Latest[str, MadeDecision](limit)
        self._early = Latest[str, dict[str, float]](limit)

    def name(self, answer: str, made: MadeDecision) -> dict[str, float]:
        """A decision has an answer with this id.

        Returns:
            the rewards that were reported for it already.
        """
        with self._lock:
            self._made[answer] = made
            return self._early.pop(answer, {})

    def find_or_keep(self, answer: str, rewards: Mapping[str, float]) -> MadeDecision | None:
        """The decision behind an answer; where it is not known, the rewards are kept for it."""
        with self._lock:
            made = self._made.get(answer)
            if made is None:
                known = self._early.get(answer, {})
                self._early[answer] = {**known, **rewards}

            return made


def arms_to_try(candidates: Sequence[str], earlier: Sequence[Attempt]) -> list[str]:
    """The arms among which a further attempt is decided.

    Those that have not failed: first the ones on the front of the first decision, then the others.
    Where all have failed, all may be tried again.

    Args:
        candidates: arms that can be played.
        earlier: attempts of the same request.

    Example:
        >>> made = MadeDecision(0, "a", ("a", "c"))
        >>> failed = Attempt("request", "call", made, "key", frozenset())
        >>> arms_to_try(["a", "b", "c"], [failed]), arms_to_try(["a", "b"], [failed])
        (['c'], ['b'])
    """
    if not earlier:
        return list(candidates)

    failed = {attempt.made.arm for attempt in earlier}
    left = [arm for arm in candidates if arm not in failed]
    if not left:
        return list(candidates)

    front = earlier[0].made.front or ()
    on_front = [arm for arm in left if arm in front]

    return on_front or left
