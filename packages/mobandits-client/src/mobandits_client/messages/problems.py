"""Refusals, as problem details of RFC 9457."""

import msgspec

BUDGET = "urn:mobandits:budget"  # the type where a budget is used up: unlike at other limits, clients stop


class ProblemDetails(msgspec.Struct):
    """An error (RFC 9457).

    Attributes:
        type: "urn:mobandits:budget" where a budget is used up; else "about:blank".
        title: what kind of error it is.
        status: of HTTP.
        detail: one line.
        field: that does not fit, where it is one.
        rule: what it must be.
        value: what it was.
    """

    type: str
    title: str
    status: int
    detail: str
    field: str | None = None
    rule: str | None = None
    value: str | None = None
