"""A pooler of a test: it gives one session of a PostgreSQL server to its clients by the transaction.

What PgBouncer does with `pool_mode = transaction`, for clients that log in without a password.
"""

import contextlib
import socket
import struct
import threading

IDLE = b"I"  # the state of a session outside of a transaction
READY = b"Z"
TERMINATE = b"X"
# After these a client waits until the server is ready again.
QUERY = b"Q"
SYNC = b"S"


class TransactionPooler:
    """Listens on the loopback address, for a server on a port of it."""

    def __init__(self, server_port):
        self.server_port = server_port
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.session = None  # of the server: all clients share it
        self.greeting = b""
        self.lock = threading.Lock()
        self.sockets = [self.listening]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                self.sockets.append(client)
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with contextlib.suppress(OSError, EOFError, struct.error):
            startup = self.startup_of(client)
            with self.lock:
                if self.session is None:
                    self.session = socket.create_connection(("127.0.0.1", self.server_port))
                    self.sockets.append(self.session)
                    self.session.sendall(startup)
                    self.greeting, _ = self.until_ready()
            client.sendall(self.greeting)
            while self.transaction(client):
                pass

    def startup_of(self, client):
        """The first message of a client; it is told that there is no encryption."""
        while True:
            head = exactly(client, 4)
            body = exactly(client, struct.unpack("!I", head)[0] - 4)
            if struct.unpack("!I", body[:4])[0] == 3 << 16:
                return head + body
            client.sendall(b"N")

    def transaction(self, client):
        """Pass on what a client says and hears until the session is idle; whether it goes on."""
        message = self.message_of(client)
        with self.lock:
            while message[:1] != TERMINATE:
                self.session.sendall(message)
                if message[:1] in (QUERY, SYNC):
                    answer, state = self.until_ready()
                    client.sendall(answer)
                    if state == IDLE:
                        return True
                message = self.message_of(client)
        return False

    def until_ready(self):
        """What the server says until it is ready again, and its state."""
        heard = b""
        while True:
            message = self.message_of(self.session)
            heard += message
            if message[:1] == READY:
                return heard, message[5:6]

    def message_of(self, connection):
        kind = exactly(connection, 1)
        size = exactly(connection, 4)
        return kind + size + exactly(connection, struct.unpack("!I", size)[0] - 4)

    def close(self):
        for each in self.sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


def exactly(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data
