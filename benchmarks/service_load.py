"""Clients of the decision service under load: sockets and prepared bytes, in a process of their own.

The process reads orders from standard input, a line of JSON each, and answers each with a line on standard output.
An order is the arguments of `load` by name; the answer has the seconds of all of it, and of every call.
"""

import collections
import itertools
import json
import selectors
import socket
import subprocess
import sys
import time
from pathlib import Path

END_OF_HEAD = b"\r\n\r\n"
LENGTH = b"content-length: "
NUMBER = b'"decision":"'


def request(path, content):
    """A request of HTTP/1.1 as bytes."""
    body = json.dumps(content).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class Connection:
    """A connection that has one call at a time answered.

    Args:
        port: of the server, on the loopback address.
        decides: (agent, bytes of a call that decides), in turn.
        rewards: what is told of every decision in a call of its own; None: nothing.
    """

    def __init__(self, port, decides, rewards):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.seconds = []
        self._decides = decides
        self._rewards = rewards
        self._next = None
        self._received = b""
        self._sent_at = 0.0
        self._agent = None

    def send(self, due=None):
        """Send the next call; it counts from when it was due, if that is said."""
        call = self._next
        self._next = None
        if call is None:
            self._agent, call = next(self._decides)

        self._sent_at = time.perf_counter() if due is None else due
        self.socket.sendall(call)

    def take(self):
        """Take what came; whether the answer is whole."""
        came = self.socket.recv(65536)
        assert came, "the server has closed a connection"
        self._received += came
        head, end, body = self._received.partition(END_OF_HEAD)
        if not end:
            return False

        assert head.startswith(b"HTTP/1.1 200"), self._received
        place = head.index(LENGTH) + len(LENGTH)
        length = int(head[place:].partition(b"\r\n")[0])
        if len(body) < length:
            return False

        self.seconds.append(time.perf_counter() - self._sent_at)
        self._received = b""
        if self._rewards is not None and NUMBER in body and b'"arm"' in body:
            number = body.partition(NUMBER)[2].partition(b'"')[0].decode()
            path = f"/v1/agents/{self._agent}/decisions/{number}/rewards"
            self._next = request(path, self._rewards)

        return True


def load(port, agents, contexts, calls, connections=16, rewards=None, rate=None):
    """Have calls answered, and say what that took.

    Args:
        port: of the server.
        agents: their names, which have their turns.
        contexts: of decisions, in turn.
        calls: how many, of all connections together.
        connections: each has one call at a time.
        rewards: as of `Connection`.
        rate: calls per second, each counted from when it is due; None: as fast as they are answered.
    """
    decides = []
    for agent, context in zip(itertools.cycle(agents), contexts, strict=False):
        decides.append((agent, request(f"/v1/agents/{agent}/decide", {"context": context})))

    in_turn = itertools.cycle(decides)
    with selectors.DefaultSelector() as selector:
        # The longest idle one first: a server closes connections that nobody uses.
        idle = collections.deque()
        for _ in range(connections):
            connection = Connection(port, in_turn, rewards)
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            idle.append(connection)

        everybody = list(idle)
        start = time.perf_counter()
        sent = 0
        answered = 0
        while answered < calls:
            wait = None
            while idle and sent < calls and wait is None:
                # Whoever waits for a free connection waits for the server as well.
                due = None if rate is None else start + sent / rate
                early = 0.0 if due is None else due - time.perf_counter()
                if early > 0.0:
                    wait = early
                else:
                    idle.popleft().send(due)
                    sent += 1

            for key, _ in selector.select(wait):
                if key.data.take():
                    answered += 1
                    idle.append(key.data)

        elapsed = time.perf_counter() - start
        for connection in everybody:
            connection.socket.close()

    return {"elapsed": elapsed, "seconds": [each for one in everybody for each in one.seconds]}


class Clients:
    """The process of the clients."""

    def __init__(self):
        command = [sys.executable, str(Path(__file__))]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, **order):
        """Begin what `load` does."""
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def result(self):
        """What it took."""
        return json.loads(self._process.stdout.readline())

    def load(self, **order):
        """As the function."""
        self.start(**order)
        return self.result()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(load(**json.loads(line))), flush=True)
