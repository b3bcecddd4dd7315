"""Answers in one piece: what is written to a connection in one turn of the loop is sent at once.

The server writes the head of an answer and its body one after the other. Each would be a call of
the operating system, a packet, and a time that the client wakes.
"""

import asyncio
import logging
from collections.abc import MutableMapping
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol


class JoinedWrites:
    """A transport whose writes wait for the next turn of the loop, and go together.

    Args:
        transport: what sends.
        loop: of the server.
    """

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Send some bytes after those before them."""
        held = self._held
        if not held:
            self._loop.call_soon(self._send_held)

        held.append(data)

    def close(self) -> None:
        """Send what waits, and close the connection."""
        self._send_held()
        self._transport.close()

    def _send_held(self) -> None:
        held = self._held
        if held:
            self._held = []
            self._transport.write(b"".join(held))

    def __getattr__(self, name: str) -> Any:
        # Whatever else a transport can do.
        return getattr(self._transport, name)


class OfClient(logging.LoggerAdapter[logging.Logger]):
    """A logger whose messages say of which client they are.

    Args:
        logger: that writes them.
        client: its address and port; None: not known.
    """

    def __init__(self, logger: logging.Logger, client: tuple[str, int] | None) -> None:
        super().__init__(logger)
        # Without the zone of an address, whose "%" means something in messages.
        self._client = "unknown" if client is None else f"{client[0].split('%')[0]}:{client[1]}"

    @property
    def level(self) -> int:
        """The level of the logger itself, for which the server asks."""
        return self.logger.level

    def process(
        self, msg: Any, kwargs: MutableMapping[str, Any]
    ) -> tuple[Any, MutableMapping[str, Any]]:
        """A message with the client."""
        kwargs["extra"] = {"client": self._client}
        return f"{msg} (client {self._client})", kwargs


class JoinedProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """The server's own protocol of a connection, whose writes are joined."""

    def connection_made(self, transport: Any) -> None:
        """A client has connected."""
        super().connection_made(JoinedWrites(transport, self.loop))
        self.logger: Any = OfClient(logging.getLogger("uvicorn.error"), self.client)
