"""Marks by which a request is found again in several services.

They are `X-Request-Id`, and the header `traceparent` of W3C Trace Context.
"""

import re
from collections.abc import Iterable

# Version, trace, parent and flags; versions after 00 may have more.
FORM = re.compile(rb"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
REQUEST_ID = b"x-request-id"
TRACE = b"traceparent"
LONGEST_ID = 64  # characters of a client's own
LONGEST_TRACE = 512  # bytes of a header that is kept


def marks_of(headers: Iterable[tuple[bytes, bytes]]) -> tuple[bytes | None, bytes | None]:
    """The id and the trace that a client gave a request; None for each that is not there, or not valid.

    Args:
        headers: of the request, with names in lower case.

    Example:
        >>> value = b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        >>> marks_of([(b"traceparent", value), (b"x-request-id", b"7")]) == (b"7", value)
        True
        >>> marks_of([(b"traceparent", value.upper())])
        (None, None)
    """
    number = None
    traces = []
    for name, value in headers:
        if name == TRACE:
            traces.append(value)
        elif name == REQUEST_ID and number is None and is_request_id(value):
            number = value

    is_one = len(traces) == 1 and is_traceparent(traces[0])

    return number, traces[0] if is_one else None


def is_request_id(value: bytes) -> bool:
    """Whether a client's id is taken over."""
    return value.isalnum() and len(value) <= LONGEST_ID


def is_traceparent(value: bytes) -> bool:
    """Whether a header is valid."""
    found = FORM.fullmatch(value)
    if found is None or len(value) > LONGEST_TRACE:
        return False

    version, trace, parent, _, more = found.groups()
    is_known = version == b"00"
    has_ids = trace.strip(b"0") != b"" and parent.strip(b"0") != b""

    return has_ids and version != b"ff" and not (is_known and more is not None)
