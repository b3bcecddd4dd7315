"""The base of what clients send and get, and what the description of the interface says of values.

These rules are checked where values are used, whose errors name parameter, rule and value. Here
they are only for `/openapi.json`. Items of lists have none: one that is refused is an answer.
"""

from typing import Annotated, Any

import msgspec


class Message(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=False):
    """The base of what is sent and answered: a field that nobody knows is refused."""


def schema_rules(**rules: Any) -> msgspec.Meta:
    """Rules of JSON Schema for values of a type.

    Args:
        rules: by their names there.

    Example:
        >>> schema_rules(minLength=1).extra_json_schema
        {'minLength': 1}
    """
    return msgspec.Meta(extra_json_schema=rules)


def one_of(*names: str) -> msgspec.Meta:
    """The rule that one of some fields is given, and not null.

    Args:
        names: of the fields.

    Example:
        >>> one_of("key", "decision").extra_json_schema["oneOf"][0]["required"]
        ['key']
    """
    null = {"type": "null"}
    cases = []
    for name in names:
        others = {other: null for other in names if other != name}
        case = {"required": [name], "properties": {name: {"not": null}, **others}}
        cases.append(case)

    return schema_rules(oneOf=cases)


# The lengths are those that agents and the service check; a test of the service compares them.
Name = Annotated[str, schema_rules(minLength=1, maxLength=200)]
Key = Annotated[str, schema_rules(minLength=1, maxLength=255)]
Names = Annotated[list[Name], schema_rules(minItems=1, uniqueItems=True)]
# Null and no numbers at all are contexts of agents without features.
Context = Annotated[
    Any,
    schema_rules(
        anyOf=[
            {"type": "array", "items": {"type": ["number", "array", "object"]}},
            {"type": "object", "minProperties": 1},
            {"type": "null"},
        ]
    ),
]
Order = Annotated[
    Any,
    schema_rules(
        anyOf=[
            {"type": "string", "minLength": 1},
            {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string", "minLength": 1}},
            },
            {"type": "null"},
        ]
    ),
]
Rewards = Annotated[dict[str, float], schema_rules(minProperties=1)]
# Of lists whose items are answered one by one.
AT_MOST = schema_rules(maxItems=1000)
