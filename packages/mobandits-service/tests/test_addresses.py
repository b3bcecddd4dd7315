"""Where visitors come from, also through workers."""

import asyncio
import types

import httpx
import pytest
from starlette.requests import Request

from mobandits_service.addresses import visitor_address
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
    app = types.SimpleNamespace(state=types.SimpleNamespace(running=running))
    scope = {"type": "http", "method": "GET", "raw_path": b"/login", "query_string": b""}

    return Request({**scope, "headers": headers, "client": (peer, 5000), "app": app})


@pytest.mark.parametrize(("peer", "forwarded", "expected"), CASES)
def test_a_visitor_has_an_address(peer, forwarded, expected):
    assert visitor_address(request_from(peer, forwarded)) == expected


def passed_on(request):
    """A request as the learner sees it, which a worker passes on."""
    seen = []

    def answer(asked):
        seen.append(asked)
        return httpx.Response(200)

    async def pass_on():
        copies = types.SimpleNamespace(learner_url=lambda: "http://127.0.0.1:9")
        forwarding = Forwarding(copies)
        await forwarding.close()
        forwarding._client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
        await forwarding.answer(request)
        await forwarding.close()

    asyncio.run(pass_on())
    (asked,) = seen

    return request_from(LOCAL, asked.headers.get_list("x-forwarded-for"))


@pytest.mark.parametrize(("peer", "forwarded", "expected"), CASES)
def test_a_visitor_has_the_same_address_behind_a_worker(peer, forwarded, expected):
    at_learner = passed_on(request_from(peer, forwarded))
    assert visitor_address(at_learner) == expected


def test_a_worker_adds_nothing_while_nobody_needs_a_key():
    """Without a key the learner refuses what came through a proxy."""
    at_learner = passed_on(request_from(LOCAL, [], is_open=True))
    assert not at_learner.headers.getlist("x-forwarded-for")
