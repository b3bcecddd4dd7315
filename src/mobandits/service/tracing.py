"""Traces of requests through several services: the header `traceparent` of W3C Trace Context."""

import re
from collections.abc import Iterable

# Version, trace, parent and flags; versions after 00 may have more.
FORM = re.compile(rb"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
HEADER = b"traceparent"
LONGEST = 512  # bytes of a header that is kept


def traceparent_of(headers: Iterable[tuple[bytes, bytes]]) -> bytes | None:
    """The header of a request, as it is; None where there is none, or no valid one.

    Args:
        headers: of the request, with names in lower case.

    Example:
        >>> value = b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        >>> traceparent_of([(b"traceparent", value)]) == value
        True
        >>> traceparent_of([(b"traceparent", value.upper())]) is None
        True
    """
    found = None
    for name, value in headers:
        if name != HEADER:
            continue
        if found is not None or not is_traceparent(value):
            return None
        found = value

    return found


def is_traceparent(value: bytes) -> bool:
    """Whether a header is valid."""
    found = FORM.fullmatch(value)
    if found is None or len(value) > LONGEST:
        return False

    version, trace, parent, _, more = found.groups()
    is_known = version == b"00"
    has_ids = trace.strip(b"0") != b"" and parent.strip(b"0") != b""

    return has_ids and version != b"ff" and not (is_known and more is not None)
