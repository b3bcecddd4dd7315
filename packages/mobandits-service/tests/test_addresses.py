"""Where visitors come from, also through workers; what workers pass on."""

import asyncio
import types

import httpx
import pytest
from starlette.requests import Request

from mobandits_service.addresses import visitor_address
from mobandits_service.calls.requests import content_of
from mobandits_service.problems import Problem
from mobandits_service.workers.forwarding import Forwarding

LOCAL = "127.0.0.1"
CASES = [
    ("198.51.100.7", [], "198.51.100.7"),
    # Anybody may send the header, and only a proxy on this machine is believed.
    ("198.51.100.7", ["203.0.113.1"], "198.51.100.7"),
    (LOCAL, [], LOCAL),
    (LOCAL, ["203.0.113.1"], "203.0.113.1"),
    (LOCAL, ["203.0.113.1, 203.0.113.2"], "203.0.113.2"),
    (LOCAL, ["203.0.113.1", "203.0.113.2"], "203.0.113.2"),
]


def request_from(peer, forwarded, *, is_open=False):
    headers = [(b"x-forwarded-for", each.encode()) for each in forwarded]
    authorisation = types.SimpleNamespace(is_open=is_open)
    running = types.SimpleNamespace(authorisation=authorisation)
    app = types.SimpleNamespace(state=types.SimpleNamespace(runtime=running))
    scope = {"type": "http", "method": "GET", "raw_path": b"/login", "query_string": b""}

    return Request({**scope, "headers": headers, "client": (peer, 5000), "app": app})


@pytest.mark.parametrize(("peer", "forwarded", "expected"), CASES)
def test_a_visitor_has_an_address(peer, forwarded, expected):
    assert visitor_address(request_from(peer, forwarded)) == expected


def sent_for(request, *, reads=False):
    """What a worker sends to the learner for a request, and its body."""
    seen = []

    async def answer(asked):
        seen.append((asked, await asked.aread()))
        return httpx.Response(200)

    async def pass_on():
        if reads:
            await content_of(request)
        copies = types.SimpleNamespace(learner_url=lambda: "http://127.0.0.1:9")
        forwarding = Forwarding(copies)
        await forwarding.close()
        forwarding._client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
        await forwarding.answer(request)
        await forwarding.close()

    asyncio.run(pass_on())
    (sent,) = seen
    return sent


def passed_on(request):
    """A request as the learner sees it, which a worker passes on."""
    asked, _ = sent_for(request)
    return request_from(LOCAL, asked.headers.get_list("x-forwarded-for"))


@pytest.mark.parametrize(("peer", "forwarded", "expected"), CASES)
def test_a_visitor_has_the_same_address_behind_a_worker(peer, forwarded, expected):
    at_learner = passed_on(request_from(peer, forwarded))
    assert visitor_address(at_learner) == expected


def test_a_worker_adds_nothing_while_nobody_needs_a_key():
    """Without a key the learner refuses what came through a proxy."""
    at_learner = passed_on(request_from(LOCAL, [], is_open=True))
    assert not at_learner.headers.getlist("x-forwarded-for")


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("parts", [[b"{}"], [b'{"context"', b": [1.0]}"], [b""]])
@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_is_passed_on_as_it_came(parts, is_chunked, reads):
    """Also one whose length is not told before, and one that the worker has read to no avail."""
    whole = b"".join(parts)
    framing = (
        (b"transfer-encoding", b"chunked")
        if is_chunked
        else (b"content-length", str(len(whole)).encode())
    )
    messages = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    messages[-1]["more_body"] = False
    given = iter(messages)

    async def receive():
        return next(given)

    scope = request_from(LOCAL, [], is_open=True).scope
    headers = [*scope["headers"], framing]
    request = Request({**scope, "method": "POST", "headers": headers}, receive)
    asked, body = sent_for(request, reads=reads)
    assert body == whole
    framed = [name for name in ("content-length", "transfer-encoding") if name in asked.headers]
    assert len(framed) == 1


def test_a_body_that_is_too_large_is_not_read_further():
    taken = []

    async def receive():
        taken.append(1)
        return {"type": "http.request", "body": b"x" * 10, "more_body": True}

    request = Request(request_from(LOCAL, []).scope, receive)
    with pytest.raises(Problem, match="the body must have at most 25 bytes"):
        asyncio.run(content_of(request, 25))
    assert len(taken) == 3


def test_a_body_that_is_too_large_is_not_passed_on_further(monkeypatch):
    monkeypatch.setattr("mobandits_service.workers.forwarding.MOST_STATE_BYTES", 25)
    part = {"type": "http.request", "body": b"x" * 10, "more_body": True}

    async def receive():
        return part

    scope = request_from(LOCAL, [], is_open=True).scope
    headers = [*scope["headers"], (b"transfer-encoding", b"chunked")]
    request = Request({**scope, "method": "POST", "headers": headers}, receive)
    with pytest.raises(Problem, match="the body must have at most 25 bytes"):
        sent_for(request)
