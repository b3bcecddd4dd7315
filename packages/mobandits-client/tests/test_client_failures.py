"""The clients on services that drip, hang, answer nonsense or are not there."""

import asyncio
import contextlib
import socket
import threading
import types

import httpx
import pytest
from clients import CONTEXT, PATIENCE, Failing, asking, asking_meanwhile, awaited

from mobandits_client import AsyncClient, Client, ServiceError

HEAD = b"HTTP/1.1 200 OK\r\nX-Drip: "
BODY = b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n"


class Dripping:
    """A server that answers with a byte now and then, until its client hangs up.

    Args:
        beginning: of the answer, which is sent at once.
    """

    def __init__(self, beginning):
        self.beginning = beginning
        self.hung_up = threading.Event()
        self._ended = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._drip, daemon=True)

    @property
    def place(self):
        return f"127.0.0.1:{self._listening.getsockname()[1]}"

    def _drip(self):
        connection, _ = self._listening.accept()
        with connection, contextlib.suppress(OSError):
            connection.recv(65536)
            connection.sendall(self.beginning)
            while not self._ended.wait(0.01):
                connection.sendall(b"x")
        self.hung_up.set()

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._ended.set()
        self._listening.close()
        self._thread.join(PATIENCE)


@pytest.mark.parametrize("beginning", [HEAD, BODY], ids=["head", "body"])
@pytest.mark.parametrize("user", ["", "user:word@"], ids=["plain", "httpx"])
def test_one_deadline_holds_for_a_whole_call(beginning, user):
    with Dripping(beginning) as server:
        url = f"http://{user}{server.place}"
        with Client(url, "router", timeout=0.3) as client:
            # With a deadline per byte it would not return: the server goes on until it does.
            with pytest.raises(ServiceError, match="does not answer") as failed:
                client.decide(CONTEXT)
            assert failed.value.status is None
        assert server.hung_up.wait(PATIENCE)


@pytest.mark.parametrize("beginning", [HEAD, BODY], ids=["head", "body"])
def test_one_deadline_holds_for_an_awaited_call(beginning):
    async def life(url):
        async with AsyncClient(url, "router", timeout=0.3) as client:
            with pytest.raises(ServiceError, match="does not answer"):
                await client.decide(CONTEXT)

    with Dripping(beginning) as server:
        asyncio.run(life(f"http://{server.place}"))
        assert server.hung_up.wait(PATIENCE)


class Clock:
    """A clock that a test moves on."""

    def __init__(self):
        self.now = 1000.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr("mobandits_client.breaker.time", made)
    return made


REFUSED = httpx.ConnectError("refused")


def one(client):
    """The arm that a client of either kind decides for; None: an error."""
    try:
        if isinstance(client, Client):
            return client.decide(CONTEXT).arm
        return asyncio.run(awaited(client.decide(CONTEXT))).arm
    except ServiceError:
        return None


@pytest.mark.parametrize("make", [asking, asking_meanwhile])
@pytest.mark.parametrize("failure", [REFUSED, httpx.Response(502)], ids=["refused", "proxy"])
def test_a_service_that_does_not_answer_is_left_alone_for_a_while(make, failure, clock):
    service = Failing(*[failure] * 4)
    client = make(service, attempts=1, pause=7.0)
    for _ in range(3):
        assert one(client) is None
    for _ in range(5):
        assert one(client) is None
    assert len(service.requests) == 3

    # One call is let through, and finds it as it was.
    clock.now += 7.0
    for _ in range(5):
        assert one(client) is None
    assert len(service.requests) == 4

    # The next one finds that it answers, and so all are let through.
    clock.now += 7.0
    for _ in range(5):
        assert one(client) == "large"
    assert len(service.requests) == 9


def test_attempts_end_as_soon_as_a_service_is_left_alone(clock):
    service = Failing(*[REFUSED] * 10)
    with asking(service, attempts=10, pause=7.0, fallback="small") as client:
        assert client.decide(CONTEXT).is_fallback
        assert len(service.requests) == 3
        assert client.decide(CONTEXT).is_fallback
        assert len(service.requests) == 3
        clock.now += 7.0
        assert client.decide(CONTEXT).is_fallback
        assert len(service.requests) == 4
        service.failures.clear()


def test_failures_with_answers_between_them_are_no_reason_to_leave_it_alone(clock):
    service = Failing(*[REFUSED, REFUSED, httpx.Response(500)] * 3)
    with asking(service, attempts=1, pause=7.0, fallback="small") as client:
        for _ in range(9):
            assert client.decide(CONTEXT).is_fallback
        assert len(service.requests) == 9


def test_without_a_pause_every_call_is_tried():
    service = Failing(*[REFUSED] * 9)
    with asking(service, attempts=3, pause=0.0) as client:
        for _ in range(3):
            assert one(client) is None
        assert len(service.requests) == 9


NONSENSE = [
    b"<html>Please log in</html>",
    b"",
    b"{}",
    b"[]",
    b'{"decision": 7}',
    b"\xff\xfe",
    b"[" * 100_000,
]


@pytest.mark.parametrize("make", [asking, asking_meanwhile])
@pytest.mark.parametrize("content", NONSENSE, ids=lambda content: repr(content[:20]))
def test_an_answer_that_is_none_of_the_service_is_an_error_or_the_fallback(make, content):
    answer = httpx.Response(200, content=content)
    assert one(make(Failing(answer))) is None
    service = Failing(answer)
    assert one(make(service, fallback="small")) == "small"
    assert len(service.requests) == 1


def test_an_answer_that_is_none_of_the_service_is_no_success_of_other_calls():
    page = httpx.Response(200, content=b"<html>")
    calls = [
        lambda client, choice: client.activate(choice),
        lambda client, choice: client.abandon(choice),
        lambda client, choice: client.state(),
        lambda client, choice: client.decide_batch([CONTEXT]),
        lambda client, choice: client.observe([]),
    ]
    for call in calls:
        service = Failing()
        with asking(service) as client:
            choice = client.decide(CONTEXT)
            service.failures.append(page)
            with pytest.raises(ServiceError, match="must be one of the service, got b'<html>'"):
                call(client, choice)


FAILURES = [
    httpx.Response(500, json={"detail": "see the log of the service"}),
    httpx.Response(429, headers={"Retry-After": "3600"}, json={"detail": "used too fast"}),
    httpx.Response(503, headers={"Retry-After": "3600"}),
    httpx.Response(302, headers={"Location": "http://portal.example"}),
    httpx.DecodingError("not gzip"),
]


@pytest.mark.parametrize("make", [asking, asking_meanwhile])
@pytest.mark.parametrize("failure", FAILURES, ids=["500", "429", "503", "302", "encoding"])
def test_a_failure_that_does_not_pass_in_time_is_a_fallback(make, failure):
    service = Failing(*[failure] * 3)
    client = make(service, fallback="small", attempts=1)
    assert one(client) == "small"
    assert len(service.requests) == 1


def test_a_limit_that_does_not_say_when_it_ends_is_not_tried_again():
    service = Failing(*[httpx.Response(429)] * 3)
    with asking(service, fallback="small", attempts=3) as client:
        assert client.decide(CONTEXT).is_fallback
        assert len(service.requests) == 1
        service.failures.clear()


@pytest.mark.parametrize("status", [429, 503])
def test_a_wait_beyond_the_deadline_is_not_begun(status, monkeypatch):
    waited = []
    fake = types.SimpleNamespace(sleep=waited.append)
    monkeypatch.setattr("mobandits_client.client.time", fake)
    service = Failing(*[httpx.Response(status, headers={"Retry-After": "3600"})] * 3)
    with asking(service, fallback="small", attempts=3) as client:
        assert client.decide(CONTEXT).is_fallback
        assert len(service.requests) == 1
        service.failures.clear()
    assert waited == []


@pytest.mark.parametrize(
    ("name", "value"), [("timeout", 0.0), ("attempts", 0), ("pause", -1.0), ("timeout", None)]
)
def test_parameters_that_do_not_fit_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} must be"):
        Client("http://service", "router", **{name: value})
