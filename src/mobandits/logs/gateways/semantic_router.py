"""Replays of the vLLM semantic router: its records of decisions, as JSON lines.

A line is one record, or an answer of the router's list of replays, whose records are in `data`.

Fields that are read:
    request_id: by which ratings are joined; without it, `id`, that of the record.
    selected_model: the arm.
    actual_cost: of the call in `currency`; where that is not USD, describe the objective cost.
    timestamp: when the router decided.
    duration_ms: until the call ended.
    prompt_tokens: of the prompt.
    category: of the prompt, as the router classified it before the call.
    lifecycle_state: "completed"; "failed", "aborted" and "in_progress" are left out.
    response_status: from 400 on, the call failed.
    from_cache: true where no model answered.

All other fields are columns by their own names, such as `decision`, `confidence_score` and
`context_token_count`. Scores in `outcomes` are not read: the router omits a score of 0, so that a
bad answer could not be distinguished from an unrated one.

Source:
    vllm-project/semantic-router, src/semantic-router/pkg/routerreplay/store/store.go, `Record` and
    `Outcome`, and routerreplay/responses.go, `ListResponse`.
"""

from collections.abc import Iterator, Mapping

from mobandits.errors import LogError
from mobandits.logs.gateways.call import Call, Record, flat_fields, moment_in, number_in, text_in
from mobandits.support.naming import wrong_value

NAME = "semantic-router"
CONTEXT = ("log_prompt_tokens", "category:category")
UNUSABLE = {"failed": "failed", "aborted": "aborted", "in_progress": "not finished"}
FIRST_ERROR = 400  # of the status codes of HTTP
MILLI = 1e-3


def calls_of(record: Record) -> Iterator[Call]:
    """The calls of a line.

    Raises:
        LogError: naming field, rule and value.

    Example:
        >>> record = {"id": "a", "selected_model": "small", "lifecycle_state": "completed"}
        >>> [(call.request_id, call.model) for call in calls_of({"data": [record]})]
        [('a', 'small')]
    """
    records = record.get("data", [record])
    if not isinstance(records, list) or not all(isinstance(each, Mapping) for each in records):
        raise wrong_value("data must be a list of records", records, LogError)

    for each in records:
        if "lifecycle_state" not in each and "selected_model" not in each:
            known = ", ".join(each)
            raise wrong_value("a replay must have a selected_model", known, LogError)

        yield _call(each)


def _call(record: Record) -> Call:
    model = text_in(record, "selected_model")
    status = number_in(record, "response_status") or 0.0
    unusable = UNUSABLE.get(str(record.get("lifecycle_state")), "")
    if record.get("from_cache"):
        unusable = "answered by a cache"
    elif not unusable and status >= FIRST_ERROR:
        unusable = "failed"

    start = moment_in(record, "timestamp")
    duration = number_in(record, "duration_ms")
    end = None
    if start is not None and duration is not None:
        end = start + MILLI * duration

    return Call(
        request_id=text_in(record, "request_id", "id"),
        model=model,
        cost=number_in(record, "actual_cost"),
        start=start,
        end=end,
        prompt_tokens=number_in(record, "prompt_tokens"),
        further=dict(flat_fields(record)),
        unusable=unusable,
    )
