"""Spend logs of a LiteLLM proxy: rows of its table LiteLLM_SpendLogs, as JSON lines or CSV.

Fields that are read:
    request_id: the key of the row, by which ratings are joined.
    model: that was called; `model_group` is the name that the client asked for.
    spend: the cost in USD.
    startTime, endTime: with a time zone, or in UTC as PostgreSQL exports them.
    prompt_tokens: of the prompt.
    status: "success" or "failure"; older rows have it in `metadata`.
    cache_hit: "True" where the proxy answered from its cache, and no model did.
    metadata: an object, or its JSON as text; its fields are columns such as
        `metadata.spend_logs_metadata.rating`.

All other fields are columns by their own names.

Source:
    BerriAI/litellm, litellm/proxy/schema.prisma, `model LiteLLM_SpendLogs`, and
    litellm/proxy/_types.py, `SpendLogsPayload` and `SpendLogsMetadata`.
"""

import json
from collections.abc import Iterator
from typing import Any

from mobandits.errors import LogError
from mobandits.logs.gateways.call import Call, Record, flat_fields, moment_in, number_in, text_in
from mobandits.support.naming import wrong_value

NAME = "litellm"
CONTEXT = ("log_prompt_tokens",)


def calls_of(record: Record) -> Iterator[Call]:
    """The call of a row.

    Raises:
        LogError: naming field, rule and value.

    Example:
        >>> row = {"request_id": "r1", "model": "small", "spend": 0.25, "status": "success"}
        >>> [(call.model, call.cost) for call in calls_of(row)]
        [('small', 0.25)]
    """
    if "request_id" not in record:
        known = ", ".join(record)
        raise wrong_value("a row of LiteLLM_SpendLogs must have a request_id", known, LogError)

    fields = {**record, "metadata": _metadata(record.get("metadata"))}
    further = dict(flat_fields(fields))
    unusable = ""
    if text_in(further, "status", "metadata.status") == "failure":
        unusable = "failed"
    elif text_in(record, "cache_hit") in ("True", "true"):
        unusable = "answered by a cache"

    yield Call(
        request_id=text_in(record, "request_id"),
        model=text_in(record, "model"),
        cost=number_in(record, "spend"),
        start=moment_in(record, "startTime"),
        end=moment_in(record, "endTime"),
        prompt_tokens=number_in(record, "prompt_tokens"),
        further=further,
        unusable=unusable,
    )


def _metadata(given: Any) -> Any:
    """The object that is there, or that its text stands for."""
    if not isinstance(given, str) or not given:
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        raise wrong_value("metadata must be JSON", given, LogError) from None
