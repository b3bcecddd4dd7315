"""The description of the interface: OpenAPI 3.1, from the types that check requests."""

import importlib.metadata
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from mobandits_client.messages import ProblemDetails
from mobandits_service.calls.operations import Operation
from mobandits_service.decision_names import MOST_DIGITS
from mobandits_service.problems import MEDIA_TYPE, TITLES

JSON = "application/json"
Table = dict[str, Any]  # of the document
REFERENCE = "#/components/schemas/{name}"
PARAMETER = re.compile(r"\{(\w+)\}")
# Types of answers that are no JSON.
OTHER_MEDIA = {bytes: "application/octet-stream", str: "text/plain"}
# What stands in the place of a parameter.
NAME = {"type": "string", "minLength": 1}
PLACES = {"decision": {"type": "string", "pattern": f"^[0-9]{{1,{MOST_DIGITS}}}$"}}
COMMON = (400, 413, 422, 503)  # how every call with a body may fail


def document(operations: Sequence[Operation]) -> Table:
    """The description of some operations.

    Args:
        operations: of the service.
    """
    types = [ProblemDetails]
    for each in operations:
        types += [kind for kind in (each.body, each.answer) if is_json(kind)]

    schemas, components = msgspec.json.schema_components(types, ref_template=REFERENCE)
    schema_of = {repr(kind): schema for kind, schema in zip(types, schemas, strict=True)}
    paths: dict[str, Table] = {}
    for each in operations:
        described = paths.setdefault(each.path, {})
        described[each.method.lower()] = operation(each, schema_of)

    return {
        "openapi": "3.1.0",
        "info": {
            "title": "mobandits",
            "version": importlib.metadata.version("mobandits"),
            "description": "Decisions that trade off several rewards at once.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def is_json(kind: Any) -> bool:
    """Whether something of a type is sent as JSON."""
    return kind is not None and kind not in OTHER_MEDIA


def operation(each: Operation, schema_of: Table) -> Table:
    """One operation of the description."""
    parameters: list[Table] = [
        {"name": name, "in": "path", "required": True, "schema": PLACES.get(name, NAME)}
        for name in PARAMETER.findall(each.path)
    ]
    if each.query is not None:
        parameters += query_parameters(each.query)

    described: Table = {
        "operationId": each.name,
        "summary": each.summary,
        "responses": responses(each, schema_of),
    }
    if parameters:
        described["parameters"] = parameters
    if each.scope is not None:
        # Without a key where only this machine can reach the service.
        described["security"] = [{"key": [each.scope]}, {}]
    if each.body is not None:
        content = content_of(each.body, schema_of)
        described["requestBody"] = {"required": not each.is_body_optional, "content": content}

    return described


def content_of(kind: Any, schema_of: Table, media: Sequence[str] = ()) -> Table:
    """How something of a type is sent.

    Args:
        kind: the type.
        schema_of: the schemas of types.
        media: in place of the type's own, where it is no JSON.
    """
    if is_json(kind):
        return {JSON: {"schema": schema_of[repr(kind)]}}

    return {name: {} for name in media or (OTHER_MEDIA[kind],)}


def query_parameters(kind: Any) -> list[Table]:
    """The fields of a type as parameters behind the question mark."""
    _, components = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    schema = components[kind.__name__]
    required = schema.get("required", [])

    return [
        {"name": name, "in": "query", "required": name in required, "schema": field}
        for name, field in schema["properties"].items()
    ]


def responses(each: Operation, schema_of: Table) -> Table:
    """How an operation may be answered."""
    found: Table = {}
    usual: Table = {"description": "Done"}
    if each.answer is not None:
        usual["content"] = content_of(each.answer, schema_of, each.media)
    found["204" if each.answer is None else "200"] = usual
    found |= {str(status): usual for status in each.successes}

    failures = set(each.failures)
    if each.query is not None:
        failures.add(422)
    if each.scope is not None:
        failures |= {401, 403, 429, 500, 503}
    if each.body is not None:
        failures |= set(COMMON)
    if PARAMETER.search(each.path):
        failures |= {404, 409, 422}
    if not failures:
        failures = {503}

    problem = {MEDIA_TYPE: {"schema": schema_of[repr(ProblemDetails)]}}
    for status in sorted(failures):
        found[str(status)] = {"description": TITLES[status], "content": problem}

    return found
