"""Sessions: who has shown a key to the login page, until the key ends or twelve hours are over."""

import hashlib
import secrets
import time
from typing import NamedTuple

COOKIE = "mobandits_session"
LONGEST = 12 * 3600.0  # seconds from the login to the next one
MOST_SESSIONS = 1000  # at once; of more, the oldest ends
SECRET_BYTES = 32


class Session(NamedTuple):
    """A login.

    Attributes:
        key: the id of the key that was shown.
        token: what its forms send along, so that no other site can send them.
        ends: on the monotonic clock.
    """

    key: str
    token: str
    ends: float


class Sessions:
    """The sessions of a process, which end with it.

    Attributes:
        process_token: the token of forms where nobody needs to log in.

    Example:
        >>> sessions = Sessions()
        >>> cookie, _ = sessions.begin("1a2b3c4d")
        >>> sessions.found(cookie).key, sessions.found("guessed")
        ('1a2b3c4d', None)
        >>> sessions.end(cookie)
        >>> sessions.found(cookie) is None
        True
    """

    def __init__(self) -> None:
        self.process_token = secrets.token_urlsafe(SECRET_BYTES)
        # By digest: how long a look-up takes then tells nothing of the cookies that there are.
        self._sessions: dict[bytes, Session] = {}

    def begin(self, key: str) -> tuple[str, Session]:
        """The cookie of a new session of a key, and the session."""
        # All last as long, so that the oldest are those that are over, where some are.
        while len(self._sessions) >= MOST_SESSIONS:
            oldest = next(iter(self._sessions))
            del self._sessions[oldest]

        cookie = secrets.token_urlsafe(SECRET_BYTES)
        token = secrets.token_urlsafe(SECRET_BYTES)
        session = Session(key, token, time.monotonic() + LONGEST)
        self._sessions[_digest(cookie)] = session

        return cookie, session

    def found(self, cookie: str | None) -> Session | None:
        """The session of a cookie; None where there is none, or it is over."""
        if cookie is None:
            return None

        session = self._sessions.get(_digest(cookie))
        is_over = session is not None and session.ends <= time.monotonic()

        return None if is_over else session

    def end(self, cookie: str | None) -> None:
        """Log out."""
        if cookie is not None:
            self._sessions.pop(_digest(cookie), None)


def _digest(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode()).digest()
