"""One call of a language model, as every format of a gateway's log is read."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from mobandits.errors import LogError
from mobandits.support.naming import wrong_value

Record = Mapping[str, Any]  # a JSON object, or the row of a table by its columns


@dataclass(frozen=True)
class Call:
    """A request that a model answered, or the reason why it teaches nothing.

    Args:
        request_id: by which ratings are joined; None: it has none.
        model: that answered; None: none did, and the call is left out.
        cost: of the call; None: not logged.
        start: in seconds since 1970; None: not logged.
        end: likewise.
        prompt_tokens: of the prompt; None: not logged.
        further: all other fields, by the names that a user gives them.
        unusable: "" or another reason to leave it out, as the end of "calls were left out: ...".
    """

    request_id: str | None
    model: str | None
    cost: float | None
    start: float | None
    end: float | None
    prompt_tokens: float | None
    further: Record = field(default_factory=dict)
    unusable: str = ""

    @property
    def columns(self) -> dict[str, Any]:
        """The fields by column; those that all formats share come before a format's own.

        Example:
            >>> call = Call("r1", "small", 0.5, 10.0, 12.0, 0.0, {"team": "a"})
            >>> call.columns["latency"], call.columns["log_prompt_tokens"], call.columns["team"]
            (2.0, 0.0, 'a')
        """
        latency = None
        if self.start is not None and self.end is not None:
            latency = self.end - self.start

        log_tokens = None
        if self.prompt_tokens is not None:
            log_tokens = math.log1p(self.prompt_tokens)

        shared = {
            "request_id": self.request_id,
            "model": self.model,
            "cost": self.cost,
            "latency": latency,
            "time": self.start,
            "prompt_tokens": self.prompt_tokens,
            "log_prompt_tokens": log_tokens,
        }

        return {**self.further, **shared}


def text_in(record: Record, *names: str) -> str | None:
    """The first of these fields that says something, as text; None where none does.

    Example:
        >>> text_in({"model": "", "model_group": "small"}, "model", "model_group")
        'small'
    """
    for name in names:
        value = record.get(name)
        if value is not None and value != "":
            return str(value)

    return None


def number_in(record: Record, *names: str, may_be_negative: bool = False) -> float | None:
    """The first of these fields that is there, as a finite number; None without one.

    Raises:
        LogError: naming field, rule and value.

    Example:
        >>> number_in({"spend": "0.25"}, "spend"), number_in({}, "spend")
        (0.25, None)
    """
    for name in names:
        value = record.get(name)
        if value is None or value == "":
            continue
        try:
            found = float(value)
        except (TypeError, ValueError, OverflowError):
            found = math.nan
        if not math.isfinite(found):
            raise wrong_value(f"{name} must be a finite number", value, LogError)
        if found < 0.0 and not may_be_negative:
            raise wrong_value(f"{name} must be at least 0", value, LogError)

        return found

    return None


def moment_in(record: Record, name: str) -> float | None:
    """A field with a date and a time, in seconds since 1970; without a zone, it is UTC.

    Raises:
        LogError: naming field, rule and value.

    Example:
        >>> moment_in({"startTime": "1970-01-01 00:01:00.500"}, "startTime")
        60.5
    """
    text = text_in(record, name)
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise wrong_value(
            f"{name} must be a date and a time, such as 2026-01-31T12:00:00Z", text, LogError
        ) from None

    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)

    return moment.timestamp()


def flat_fields(fields: Record, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of nested objects by dotted names; lists are passed over.

    Example:
        >>> dict(flat_fields({"user": "a", "metadata": {"plan": {"tier": 2}}, "tags": ["x"]}))
        {'user': 'a', 'metadata.plan.tier': 2}
    """
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from flat_fields(value, f"{prefix}{name}.")
        elif not isinstance(value, list):
            yield f"{prefix}{name}", value
