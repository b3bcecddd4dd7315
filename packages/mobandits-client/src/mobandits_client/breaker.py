"""When a service is left alone for a while, because it did not answer."""

import threading
import time

FAILURES = 3  # in a row, after which it is


class Breaker:
    """A circuit breaker: after three failures in a row, calls fail at once for a while.

    Then one call is let through, and the next one a while later, until one is answered. Threads may
    share it.

    Args:
        pause: seconds that are a while; 0: every call is let through.

    Example:
        >>> breaker = Breaker(60.0)
        >>> for _ in range(FAILURES):
        ...     breaker.failed()
        >>> breaker.is_open, breaker.is_let_through()
        (True, False)
        >>> breaker.answered()
        >>> breaker.is_open, breaker.is_let_through()
        (False, True)
    """

    def __init__(self, pause: float) -> None:
        self.pause = pause
        self._failures = 0
        self._until = 0.0
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Whether the service is left alone, but for single calls."""
        return self._failures >= FAILURES and self.pause > 0.0

    def is_let_through(self) -> bool:
        """Whether a call that is about to be made is to be made."""
        with self._lock:
            if not self.is_open:
                return True

            now = time.monotonic()
            if now < self._until:
                return False

            # This call tries the service. Whatever becomes of it, the next one is a while later.
            self._until = now + self.pause
            return True

    def end_pause(self) -> None:
        """Let the next call through, if only that one."""
        with self._lock:
            self._until = 0.0

    def answered(self) -> None:
        """Go on: the service answers."""
        with self._lock:
            self._failures = 0

    def failed(self) -> None:
        """Count a failure."""
        with self._lock:
            self._failures += 1
            self._until = time.monotonic() + self.pause
