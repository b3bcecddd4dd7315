"""The page of the service itself: its version, its store, and how it answers."""

import asyncio
import importlib.metadata
import platform
import time
from pathlib import Path

from starlette.responses import Response

from mobandits.logs.address import Place
from mobandits.logs.store.write_ahead_log import SUFFIXES
from mobandits_service.dashboard.visitors import Pages, Visitor
from mobandits_service.runtime import ServiceRuntime

MEGABYTE = 1e6
DAY = 86400.0
HOUR = 3600.0


async def system_shown(runtime: ServiceRuntime, visitor: Visitor) -> Response:
    """`GET /system`: what runs, and how it answers."""
    megabytes = await asyncio.to_thread(store_megabytes, runtime.file.path)
    telemetry = runtime.telemetry
    calls = telemetry.calls()
    in_order = sorted(calls.items(), key=lambda call: -call[1].answered)

    return visitor.page(
        "system.html",
        version=importlib.metadata.version("mobandits"),
        python=platform.python_version(),
        uptime=duration_text(time.time() - telemetry.started),
        store=str(runtime.file.path),
        megabytes=megabytes,
        waiting=runtime.file.committer.waiting(),
        connections=telemetry.connections,
        stalls=telemetry.stalls(),
        calls=in_order,
    )


def store_megabytes(path: Place) -> float | None:
    """The size of a store with its log, in MB; None of a database, which tells it itself."""
    if not isinstance(path, Path):
        return None

    size = 0
    for suffix in SUFFIXES:
        part = path.with_name(path.name + suffix)
        if part.exists():
            size += part.stat().st_size

    return size / MEGABYTE


def duration_text(seconds: float) -> str:
    """A duration with its days, hours and minutes.

    Example:
        >>> duration_text(59.0), duration_text(3720.0), duration_text(180000.0)
        ('less than a minute', '1 h 2 min', '2 d 2 h')
    """
    days, rest = divmod(seconds, DAY)
    hours, rest = divmod(rest, HOUR)
    minutes = rest // 60.0
    if days:
        return f"{days:.0f} d {hours:.0f} h"
    if hours:
        return f"{hours:.0f} h {minutes:.0f} min"

    return f"{minutes:.0f} min" if minutes else "less than a minute"


PAGES: Pages = [("GET", "/system", system_shown, "read")]
