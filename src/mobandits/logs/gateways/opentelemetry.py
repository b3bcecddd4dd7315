"""Spans of calls of language models, by the conventions of OpenTelemetry for generative AI.

A line is a message of OTLP in JSON, with `resourceSpans`, `scopeSpans` and `spans`, as the file
exporter of the collector writes it; or one span whose `attributes` are an object, as the SDKs'
`to_json` has it; or one whose attributes are fields of the line itself. Spans of tools, agents,
embeddings and anything else are passed over.

Fields of a span that are read:
    startTimeUnixNano, endTimeUnixNano: of OTLP; `start_time` and `end_time` with dates elsewhere.
    status: code 2 or STATUS_CODE_ERROR, `status_code` ERROR of an SDK: the call failed.
    spanId: the request_id of a span without gen_ai.response.id.
    events: a gen_ai.evaluation.result is the column `gen_ai.evaluation.NAME`, the score.value of
        the evaluation of that gen_ai.evaluation.name.

Attributes that are read:
    gen_ai.operation.name: chat, generate_content or text_completion; spans of older instruments,
        without it, must name a model.
    gen_ai.response.model: that answered; without it, gen_ai.request.model.
    gen_ai.response.id: by which ratings are joined.
    gen_ai.usage.input_tokens: of the prompt; once gen_ai.usage.prompt_tokens.
    error.type: says that the call failed.
    gen_ai.usage.cost, gen_ai.usage.cost_usd, gen_ai.cost.total_cost: the cost in USD. The
        conventions have no name for it: the first two are common, the last is LiteLLM's.

All attributes are columns by their own names.

Source:
    open-telemetry/semantic-conventions, docs/gen-ai/gen-ai-spans.md and gen-ai-events.md;
    open-telemetry/opentelemetry-proto, trace.proto in the encoding of JSON.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from mobandits.errors import LogError
from mobandits.logs.gateways.call import Call, Record, flat_fields, moment_in, number_in, text_in
from mobandits.support.naming import wrong_value

NAME = "opentelemetry"
CONTEXT = ("log_prompt_tokens",)
OPERATIONS = ("chat", "generate_content", "text_completion")
FAILED = ("2", "STATUS_CODE_ERROR", "ERROR", "StatusCode.ERROR")
COSTS = ("gen_ai.usage.cost", "gen_ai.usage.cost_usd", "gen_ai.cost.total_cost")
TOKENS = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
MODELS = ("gen_ai.response.model", "gen_ai.request.model")
EVALUATION = "gen_ai.evaluation.result"
NANO = 1e-9


def calls_of(record: Record) -> Iterator[Call]:
    """The calls of models in a line.

    Raises:
        LogError: naming field, rule and value.

    Example:
        >>> model = {"key": "gen_ai.response.model", "value": {"stringValue": "small"}}
        >>> span = {"spanId": "a1", "attributes": [model]}
        >>> line = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
        >>> [(call.request_id, call.model) for call in calls_of(line)]
        [('a1', 'small')]
    """
    for span in _spans(record):
        # In a flat line, the attributes are its own fields.
        attributes = _attributes(span.get("attributes", span))
        operation = text_in(attributes, "gen_ai.operation.name")
        model = text_in(attributes, *MODELS)
        is_call = model is not None if operation is None else operation in OPERATIONS
        if is_call:
            yield _call(span, attributes, model)


def _call(span: Record, attributes: Record, model: str | None) -> Call:
    further = {**attributes, **_evaluations(span)}
    unusable = ""
    if _has_failed(span, attributes):
        unusable = "failed"

    context = span.get("context")
    own_id = text_in(span, "spanId", "span_id")
    if own_id is None and isinstance(context, Mapping):
        own_id = text_in(context, "span_id")

    return Call(
        request_id=text_in(attributes, "gen_ai.response.id") or own_id,
        model=model,
        cost=number_in(attributes, *COSTS),
        start=_moment(span, "startTimeUnixNano", "start_time"),
        end=_moment(span, "endTimeUnixNano", "end_time"),
        prompt_tokens=number_in(attributes, *TOKENS),
        further=further,
        unusable=unusable,
    )


def _spans(record: Record) -> Iterator[Record]:
    """The spans of a line, whatever its form."""
    if "resourceSpans" not in record:
        yield record
        return

    for resource in _objects(record, "resourceSpans"):
        for scope in _objects(resource, "scopeSpans"):
            yield from _objects(scope, "spans")


def _objects(record: Record, name: str) -> list[Record]:
    """The objects in a list, which may be lacking."""
    found = record.get(name) or []
    if not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        raise wrong_value(f"{name} must be a list of objects", found, LogError)

    return found


def _attributes(given: Any) -> dict[str, Any]:
    """The attributes by name: of OTLP's list of keys and values, or of an object.

    Lists of values and nested ones are passed over.
    """
    if isinstance(given, Mapping):
        return dict(flat_fields(given))

    attributes = {}
    for pair in _objects({"attributes": given}, "attributes"):
        value = pair.get("value")
        if not isinstance(value, Mapping):
            raise wrong_value("attributes must have a key and a value", pair, LogError)
        for kind in ("stringValue", "intValue", "doubleValue", "boolValue"):
            # An intValue is text, since JSON has no numbers of 64 bits.
            if kind in value:
                attributes[str(pair.get("key"))] = value[kind]

    return attributes


def _evaluations(span: Record) -> dict[str, float | None]:
    """The scores of a span's events, by column."""
    scores = {}
    for event in _objects(span, "events"):
        if event.get("name") != EVALUATION:
            continue

        attributes = _attributes(event.get("attributes"))
        name = text_in(attributes, "gen_ai.evaluation.name")
        score = number_in(attributes, "gen_ai.evaluation.score.value", may_be_negative=True)
        scores[f"gen_ai.evaluation.{name}"] = score

    return scores


def _has_failed(span: Record, attributes: Record) -> bool:
    status = span.get("status")
    code = text_in(status, "code", "status_code") if isinstance(status, Mapping) else None
    return code in FAILED or text_in(attributes, "error.type") is not None


def _moment(span: Record, nanoseconds: str, date: str) -> float | None:
    """A time in seconds since 1970, of either field."""
    number = number_in(span, nanoseconds)
    return moment_in(span, date) if number is None else number * NANO
