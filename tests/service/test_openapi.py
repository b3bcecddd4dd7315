"""The description of the interface says what the service does."""

import asyncio

from services import CONTEXT, client_of, served

from mobandits.service.calls import OPERATIONS


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
