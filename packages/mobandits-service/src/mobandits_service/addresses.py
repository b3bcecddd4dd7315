"""Addresses: sockets of them, whether others can reach them, and where visitors come from."""

import contextlib
import errno
import ipaddress
import socket

from starlette.requests import Request

from mobandits.errors import SpecError, UnavailableError


def bound(host: str, port: int) -> socket.socket:
    """A socket of an address.

    Raises:
        UnavailableError: where another process has it.
        SpecError: where this machine does not have it, or this user may not.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        is_taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        kind = UnavailableError if is_taken else SpecError
        raise kind(f"port must be a free one of {host}, got {port}: {error}") from error

    return listening


def authority(listening: socket.socket) -> str:
    """The host and port of a socket, as a URL has them."""
    host, port, *_ = listening.getsockname()
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    Example:
        >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0"), is_loopback("localhost")
        (True, False, True)
    """
    if host == "localhost":
        return True

    # Another name is none of ours, even where it leads here today.
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback

    return False


def visitor_address(request: Request) -> str:
    """The address that a visitor came from, as far as that is known.

    A proxy on this machine adds it to what the visitor says; of another one it is the proxy's own.
    """
    peer = "" if request.client is None else request.client.host
    forwarded = request.headers.getlist("x-forwarded-for")
    if not forwarded or not is_loopback(peer):
        return peer

    # Only the last one is the proxy's word: those before it are anybody's.
    return forwarded[-1].rpartition(",")[2].strip()
