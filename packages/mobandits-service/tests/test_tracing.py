"""Traces through several services: kept where they are valid."""

import asyncio
import json

import msgspec
import pytest
from services import client_of, served, specification

from mobandits_service.tracing import is_traceparent

VALID = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.mark.parametrize(
    ("header", "is_valid"),
    [
        (VALID, True),
        (VALID.replace("00-", "01-", 1), True),
        (VALID.replace("00-", "cc-", 1) + "-what-is-to-come", True),
        (VALID + "-what-is-to-come", False),
        (VALID + "-", False),
        (VALID.replace("00-", "ff-", 1), False),
        (VALID.upper(), False),
        (VALID[:-1], False),
        (VALID.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0" * 32), False),
        (VALID.replace("00f067aa0ba902b7", "0" * 16), False),
        (VALID.replace("00-", "01-", 1) + "-" + "x" * 600, False),
        (VALID + "\n", False),
        ("", False),
    ],
)
def test_headers_are_those_of_the_recommendation(header, is_valid):
    assert is_traceparent(header.encode()) == is_valid


def test_a_valid_trace_is_in_the_log_and_in_the_answer(tmp_path, capfd):
    spec = msgspec.structs.replace(specification(), log_requests=True)
    with served(tmp_path / "log", spec) as running:

        async def whole():
            async with client_of(running) as client:
                kept = await client.get("/health/live", headers={"traceparent": VALID})
                wrong = await client.get("/health/live", headers={"traceparent": VALID[:-1]})
                twice = [("traceparent", VALID), ("traceparent", VALID)]
                several = await client.get("/health/live", headers=twice)
                failed = await client.get("/nowhere", headers={"traceparent": VALID})
                return kept, wrong, several, failed

        kept, wrong, several, failed = asyncio.run(whole())
    assert kept.headers["traceparent"] == failed.headers["traceparent"] == VALID
    assert "traceparent" not in wrong.headers
    assert "traceparent" not in several.headers
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line[0] == "{"]
    assert [line.get("trace") for line in lines] == [VALID, None, None, VALID]
