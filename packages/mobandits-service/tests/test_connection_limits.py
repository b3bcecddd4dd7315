"""Connections that take too much are ended, before any key is looked at: on loopback, bounded."""

import contextlib
import socket
import threading
import time

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from mobandits_service import connection_limits
from mobandits_service.connection_limits import MOST_HEAD_BYTES, MOST_HEADERS, Connections
from mobandits_service.server import server_config

PATIENCE = 30.0  # seconds; a server that never answers fails the test
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST / HTTP/1.1\r\nHost: localhost\r\n"


async def echo(request):
    body = await request.body()
    return PlainTextResponse(str(len(body)))


@contextlib.contextmanager
def listening(connections):
    """The port of a server whose connections are counted."""
    app = Starlette(routes=[Route("/", echo, methods=["GET", "POST"])])
    server = uvicorn.Server(server_config(app, connections))
    with socket.create_server(("127.0.0.1", 0)) as taking:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [taking]}, daemon=True)
        thread.start()
        try:
            yield taking.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


@contextlib.contextmanager
def connected(port):
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        yield client


def answered(client, content=b""):
    """The status line of what comes back; empty where the connection is closed without a word."""
    with contextlib.suppress(ConnectionError):
        client.sendall(content)
    with contextlib.suppress(ConnectionResetError):
        return client.recv(4096).split(b"\r\n")[0]
    return b""


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(connection_limits, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(connection_limits, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(connection_limits, "BODY_SECONDS", 0.2)
    monkeypatch.setattr(connection_limits, "IDLE_SECONDS", 0.2)


def test_ordinary_requests_are_answered_on_one_connection():
    connections = Connections()
    with listening(connections) as port, connected(port) as client:
        for _ in range(3):
            lines = b"".join(b"X-%d: 1\r\n" % n for n in range(MOST_HEADERS - 2))
            assert answered(client, GET + lines + b"\r\n") == b"HTTP/1.1 200 OK"
        large = b"x" * 300_000
        head = b"Content-Length: %d\r\n\r\n" % len(large)
        assert answered(client, POST + head + large) == b"HTTP/1.1 200 OK"
        assert connections.present == 1
    assert connections.refused == {"headers": 0, "slow": 0, "many": 0}


@pytest.mark.parametrize(
    "lines",
    [
        b"X: 1\r\n" * (MOST_HEADERS + 1) + b"\r\n",
        b"X: " + b"x" * MOST_HEAD_BYTES + b"\r\n\r\n",
        # One that never ends: what is kept of it is bounded.
        b"X: " + b"x" * 2_000_000,
        b"".join(b"X-%d: %s\r\n" % (n, b"x" * 1_000) for n in range(90)) + b"\r\n",
    ],
)
@pytest.mark.parametrize("body", [b"", b"Content-Length: 4\r\n"])
def test_headers_that_are_too_large_are_refused(lines, body):
    connections = Connections()
    with listening(connections) as port, connected(port) as client:
        # A reset may overtake the answer, where more was sent than was read.
        assert answered(client, POST + body + lines) in {
            b"HTTP/1.1 431 Request Header Fields Too Large",
            b"",
        }
        assert connections.refused["headers"] == 1
        with connected(port) as other:
            assert answered(other, GET + b"\r\n") == b"HTTP/1.1 200 OK"


def test_one_header_too_many_is_told_its_status():
    with listening(Connections()) as port, connected(port) as client:
        lines = b"X: 1\r\n" * MOST_HEADERS
        assert answered(client, GET + lines + b"\r\n").startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize(
    "part", [b"", GET, b"\r\n", POST + b"Content-Length: 9\r\n\r\nhalf"], ids=str
)
def test_a_request_that_does_not_come_is_ended(impatient, part):
    connections = Connections()
    with listening(connections) as port, connected(port) as client:
        assert answered(client, part) == b"HTTP/1.1 408 Request Timeout"
        assert connections.refused["slow"] == 1


def test_a_pause_between_requests_ends_without_a_word(impatient):
    connections = Connections()
    with listening(connections) as port, connected(port) as client:
        assert answered(client, GET + b"\r\n") == b"HTTP/1.1 200 OK"
        assert client.recv(4096) == b""
    assert connections.refused["slow"] == 0


def test_a_body_that_drips_is_ended(impatient):
    connections = Connections()
    with listening(connections) as port, connected(port) as client:
        client.sendall(POST + b"Content-Length: 100000\r\n\r\n")
        until = time.monotonic() + PATIENCE
        with contextlib.suppress(ConnectionError):
            while not connections.refused["slow"] and time.monotonic() < until:
                client.sendall(b"x")
                time.sleep(0.02)
        assert connections.refused["slow"] == 1


def test_more_connections_than_fit_are_turned_away():
    connections = Connections(most=2)
    with listening(connections) as port:
        with connected(port) as first, connected(port) as second:
            for client in (first, second):
                assert answered(client, GET + b"\r\n") == b"HTTP/1.1 200 OK"
            with connected(port) as third:
                assert answered(third) == b"HTTP/1.1 503 Service Unavailable"
            assert answered(first, GET + b"\r\n") == b"HTTP/1.1 200 OK"
        assert connections.refused["many"] == 1
