"""The client's own connections answer as those of httpx do."""

import contextlib
import http.server
import socket
import threading

import httpx
import pytest
from clients import PATIENCE

from mobandits_client import Client, ServiceError
from mobandits_client.client import sender_to
from mobandits_client.httpx_sender import WaitingHttpx
from mobandits_client.plain_http import NoAnswer, PlainHttp

BODY = b'{"arm": "small"}'
HEADERS = {"Authorization": "Bearer mb_1_x"}
CALLS = [
    ("POST", "/same", BODY),
    ("POST", "/same", b""),
    ("GET", "/same", None),
    ("PUT", "/same", b"x" * 1_000_000),
    ("POST", "/chunks", BODY),
    ("POST", "/closes", BODY),
    ("POST", "/until-the-end", BODY),
    ("POST", "/nothing", BODY),
    ("GET", "/status/503", None),
    ("GET", "/status/404", None),
    ("GET", "/status/307", None),
]


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers what was said, in several ways."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        length = int(self.headers.get("Content-Length", "0"))
        said = self.rfile.read(length)
        self.server.asked.append((self.connection, self.headers["Authorization"]))
        _, _, way = self.path.partition("/prefix/")
        text = f"{self.command} {self.path} {len(said)} ".encode() + said
        if way.startswith("status/"):
            self.send_response(int(way.rpartition("/")[2]))
            self.send_header("Retry-After", "7")
        elif way == "nothing":
            self.send_response(204)
            text = b""
        else:
            self.send_response(200)
        if way == "chunks":
            self.send_header("Transfer-Encoding", "chunked")
            text = b"".join(b"1\r\n%c\r\n" % byte for byte in text) + b"0\r\n\r\n"
        elif way == "until-the-end":
            self.close_connection = True
        elif way != "nothing":
            self.send_header("Content-Length", str(len(text)))
        if way == "closes":
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_GET  # noqa: N815 - as the standard library names it
    do_PUT = do_GET  # noqa: N815 - likewise

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    """A server, which knows what it was asked."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.asked = []
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def url(server):
    return f"http://127.0.0.1:{server.server_port}/prefix"


@pytest.mark.long
@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0]} {call[1]}")
def test_answers_are_those_of_httpx(server, url, call):
    method, path, content = call
    ours = PlainHttp(url, HEADERS)
    with contextlib.closing(ours), httpx.Client(base_url=url, headers=HEADERS) as theirs:
        for _ in range(3):
            found = ours.request(method, path, content, PATIENCE)
            expected = theirs.request(method, path, content=content)
            assert found.status_code == expected.status_code
            assert found.content == expected.content
            assert found.is_success == expected.is_success
            for name in ("retry-after", "Content-Length", "missing"):
                assert found.headers.get(name) == expected.headers.get(name)
                assert (name in found.headers) == (name in expected.headers)
    assert {key for _, key in server.asked} == {HEADERS["Authorization"]}


def test_a_connection_is_kept_for_the_next_call(server, url):
    ours = PlainHttp(url, {})
    for _ in range(5):
        ours.request("POST", "/same", BODY, PATIENCE)
    ours.close()
    assert len({id(connection) for connection, _ in server.asked}) == 1


def test_threads_share_it(server, url):
    ours = PlainHttp(url, {})
    wrong = []

    def ask(number):
        for turn in range(20):
            said = f"{number} {turn}".encode()
            if not ours.request("POST", "/same", said, PATIENCE).content.endswith(b" " + said):
                wrong.append(said)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ours.close()
    assert not wrong
    assert len(server.asked) == 160


def answering(listening, answers):
    """Answer one connection after the other with bytes, and close each."""
    for answer in answers:
        connection, _ = listening.accept()
        connection.recv(65536)
        connection.sendall(answer)
        connection.close()


WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
TORN = [b"", b"HTTP/1.1 2", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", b"nonsense\r\n\r\n"]


@contextlib.contextmanager
def listener(answers):
    """The address of a server that answers so many connections."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answering, args=(listening, answers))
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread.join()


def test_a_connection_that_was_closed_while_it_was_idle_is_replaced():
    with listener([WHOLE] * 3) as url:
        ours = PlainHttp(url, {})
        for _ in range(3):
            assert ours.request("POST", "/", BODY, PATIENCE).content == b"ok"
            (kept,) = ours._idle
            # Until the server has closed it.
            kept.sock.recv(1, socket.MSG_PEEK)
        ours.close()


@pytest.mark.parametrize("torn", TORN)
def test_a_torn_answer_is_none_and_the_next_call_has_another_connection(torn):
    with listener([torn, WHOLE]) as url:
        ours = PlainHttp(url, {})
        with pytest.raises(NoAnswer):
            ours.request("POST", "/", BODY, PATIENCE)
        assert ours.request("POST", "/", BODY, PATIENCE).content == b"ok"
        ours.close()


def test_who_does_not_answer_in_time_is_not_waited_for():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ours = PlainHttp(f"http://127.0.0.1:{listening.getsockname()[1]}", {})
        with pytest.raises(NoAnswer, match="timed out"):
            ours.request("POST", "/", BODY, 0.05)
        assert not ours._idle


def test_nobody_at_an_address_is_told_as_that():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    refused = pytest.raises(ServiceError, match=r"does not answer: .*refused")
    with Client(url, "router", attempts=1) as client, refused:
        client.decide([1.0])


@pytest.mark.parametrize("url", ["https://a.example", "http://user:word@a.example", "a.example"])
def test_other_addresses_are_left_to_httpx(url):
    with contextlib.closing(sender_to(url, HEADERS)) as sender:
        assert isinstance(sender, WaitingHttpx)


@pytest.mark.parametrize("name", ["http_proxy", "all_proxy"])
def test_proxies_are_left_to_httpx(monkeypatch, name):
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    with contextlib.closing(sender_to("http://a.example", {})) as sender:
        assert isinstance(sender, WaitingHttpx)
    monkeypatch.delenv(name)
    with contextlib.closing(sender_to("http://a.example", {})) as sender:
        assert isinstance(sender, PlainHttp)
