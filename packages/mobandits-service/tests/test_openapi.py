"""The description of the interface says what the service does."""

import asyncio

import jsonschema_rs
from services import CONTEXT, ask, client_of, served

from mobandits.agent.keys import LONGEST_KEY
from mobandits.contracts.terms import MOST_FACTOR
from mobandits.support.naming import LONGEST_NAME
from mobandits_client import messages
from mobandits_client.messages import base
from mobandits_service.calls import OPERATIONS
from mobandits_service.openapi import document


def test_every_call_is_described_and_every_reference_leads_somewhere(tmp_path):
    with served(tmp_path / "log") as running:

        async def whole():
            async with client_of(running) as client:
                return (await client.get("/openapi.json")).json()

        found = asyncio.run(whole())
    assert found["openapi"].startswith("3.1")
    for each in OPERATIONS:
        described = found["paths"][each.path][each.method.lower()]
        assert described["summary"]
        assert described["operationId"] == each.name
    names = [
        operation["operationId"] for path in found["paths"].values() for operation in path.values()
    ]
    assert len(names) == len(set(names)) == len(OPERATIONS)
    schemas = found["components"]["schemas"]
    for reference in references(found):
        assert reference.removeprefix("#/components/schemas/") in schemas


def references(value):
    """All `$ref`s in a document."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "$ref":
                yield inner
            else:
                yield from references(inner)
    if isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_answers_have_the_fields_that_are_described(tmp_path):
    with served(tmp_path / "log") as running:

        async def whole():
            async with client_of(running) as client:
                schemas = (await client.get("/openapi.json")).json()["components"]["schemas"]
                decided = await client.post("/v1/agents/router/decide", json={"context": CONTEXT})
                state = await client.get("/v1/agents/router")
                return schemas, decided.json(), state.json()

        schemas, decided, state = asyncio.run(whole())
    assert set(schemas["Decided"]["properties"]) == {*decided, "explanation"}
    assert set(schemas["AgentState"]["properties"]) == set(state)


AGENT = "/v1/agents/{agent}"
OBSERVED = {"context": CONTEXT, "arm": "small"}
# Bodies that the service refuses, of each kind that a description can rule out.
REFUSED = [
    ("post", f"{AGENT}/decide", {"context": "text"}),
    ("post", f"{AGENT}/decide", {"context": True}),
    ("post", f"{AGENT}/decide", {"context": {}}),
    ("post", f"{AGENT}/decide", {"context": ["text"]}),
    ("post", f"{AGENT}/decide", {"context": CONTEXT, "eligible": []}),
    ("post", f"{AGENT}/decide", {"context": CONTEXT, "eligible": [""]}),
    ("post", f"{AGENT}/decide", {"context": CONTEXT, "key": ""}),
    ("post", f"{AGENT}/decide", {"context": CONTEXT, "key": "k" * 256}),
    ("post", f"{AGENT}/decide_batch", {"contexts": []}),
    ("post", f"{AGENT}/decide_batch", {"contexts": [CONTEXT] * 1001}),
    ("put", f"{AGENT}/preference", {"order": {}}),
    ("put", f"{AGENT}/preference", {"order": ""}),
    ("put", f"{AGENT}/preference", {"order": 7}),
    ("put", f"{AGENT}/preference", {"order": {"weights": [1.0, 1.0]}}),
    ("post", f"{AGENT}/preference/preview", {"order": []}),
    ("post", f"{AGENT}/evaluations", {}),
    ("post", f"{AGENT}/evaluations", {"policy": None}),
    ("post", f"{AGENT}/evaluations", {"arm": ""}),
    ("post", f"{AGENT}/evaluations", {"arm": "small", "policy": "mol-ucb"}),
    ("post", f"{AGENT}/decisions/{{decision}}/rewards", {}),
]
TAKEN = [
    ("post", f"{AGENT}/decide", {"context": CONTEXT, "eligible": ["small"], "key": "k"}),
    ("post", f"{AGENT}/decisions", [OBSERVED, {**OBSERVED, "propensity": 1.0}]),
    ("post", f"{AGENT}/decisions", []),
    ("post", f"{AGENT}/rewards", [{"decision": "0", "rewards": {"cost": 1.0}}]),
    ("post", f"{AGENT}/rewards", [{"key": "k", "decision": None, "rewards": {"cost": 1.0}}]),
    ("put", f"{AGENT}/preference", {"order": None}),
    ("put", f"{AGENT}/preference", {"order": "pareto"}),
    ("put", f"{AGENT}/preference", {"order": {"name": "pareto"}}),
]


def fits(found, method, path, body):
    """Whether a body is one that the description allows."""
    content = found["paths"][path][method]["requestBody"]["content"]
    schema = {**content["application/json"]["schema"], "components": found["components"]}
    return jsonschema_rs.is_valid(schema, body)


def test_bodies_that_are_refused_are_none_of_the_description(tmp_path):
    """What a description can say, it says: clients learn it before they send anything."""
    found = document(OPERATIONS)
    for context in (None, [CONTEXT, CONTEXT], {"small": CONTEXT, "large": CONTEXT}):
        assert fits(found, "post", f"{AGENT}/decide", {"context": context})
    # Not sent: it would go on in a process of its own.
    assert fits(found, "post", f"{AGENT}/evaluations", {"arm": "small", "policy": None})

    async def talk(client, running):
        for method, path, body in [*REFUSED, *TAKEN]:
            place = path.format(agent="router", arm="third", decision="0")
            answer = await client.request(method.upper(), place, json=body)
            is_taken = (method, path, body) in TAKEN
            assert answer.is_success == is_taken, (place, body, answer.text)
            assert fits(found, method, path, body) == is_taken, (place, body)

    ask(tmp_path / "log", talk)


def test_bounds_of_messages_are_those_of_agents():
    """The package of the messages cannot import them."""
    assert messages.agents.MOST_FACTOR == MOST_FACTOR
    for kind, length in ((base.Name, LONGEST_NAME), (base.Key, LONGEST_KEY)):
        (rules,) = kind.__metadata__
        assert rules.extra_json_schema["maxLength"] == length
