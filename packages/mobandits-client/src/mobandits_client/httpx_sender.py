"""Requests sent by httpx, each with one deadline: to addresses of https, and through proxies."""

import asyncio
import threading

import httpx

from mobandits_client.plain_http import Answer, NoAnswer


async def requested(
    http: httpx.AsyncClient, method: str, path: str, content: bytes | None, seconds: float
) -> Answer:
    """The answer to a call.

    The timeouts of httpx begin anew with every part of an answer; this is one for all of it.

    Args:
        http: which sends.
        method: of HTTP.
        path: after the address of the service.
        content: the body; None: there is none.
        seconds: within which all of the answer must be there.

    Raises:
        NoAnswer: where there is none.
    """
    try:
        async with asyncio.timeout(seconds):
            response = await http.request(method, path, content=content, timeout=None)
    except TimeoutError as error:
        raise NoAnswer("timed out") from error
    except httpx.RequestError as error:
        raise NoAnswer(str(error) or type(error).__name__) from error

    return Answer(response.status_code, response.headers, response.content)


class WaitingHttpx:
    """An `httpx.AsyncClient` for callers that wait: it runs in a thread of its own.

    Calls of `httpx.Client` cannot be ended while bytes trickle in; those of a loop can.

    Args:
        http: which sends.
    """

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def request(self, method: str, path: str, content: bytes | None, seconds: float) -> Answer:
        """As `requested`."""
        loop = self._running_loop()
        asking = requested(self._http, method, path, content, seconds)
        asked = asyncio.run_coroutine_threadsafe(asking, loop)

        return asked.result()

    def close(self) -> None:
        """Close the connections, and end the thread."""
        with self._lock:
            loop = self._loop
            thread = self._thread
            self._loop = None
        if loop is None or thread is None:
            return

        closing = self._http.aclose()
        asyncio.run_coroutine_threadsafe(closing, loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        """The loop of the thread, which begins with the first call."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                run = self._loop.run_forever
                self._thread = threading.Thread(target=run, name="mobandits-client", daemon=True)
                self._thread.start()

            return self._loop
