"""The command `mobandits monitor`: from a store to a page, figures and numbers."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from mobandits.logs.address import Place
from mobandits.monitoring.summary import summary
from mobandits.support.describe_path import describe_path
from mobandits.support.files import replacing

SUMMARY = "monitor.json"


def write_page(
    store: str | Place,
    out: str | Path,
    *,
    window: int | None = None,
    window_by: str | None = None,
    calibration: bool = True,
    agent: str | None = None,
    hold: Callable[[Path], AbstractContextManager[Any]] = nullcontext,
) -> Path:
    """Write the history of an agent as a page.

    Args:
        store: the path of the file, or the URL of a database; it is only read, and may be written
            meanwhile.
        out: the folder: a new one, an empty one, or that of an earlier page.
        window: as in `summary`, like the others.
        window_by: "day" or "hour".
        calibration: whether the log is replayed.
        agent: whose history.
        hold: makes the folder, and keeps others from writing into it.

    Returns:
        The page, report.html. Beside it are monitor.json, and figures as SVG and PNG.

    Raises:
        LogError: as `summary`.
        ValueError: as `summary`, and where the folder holds something else.
    """
    folder = Path(out)
    check_folder(folder)
    found = summary(store, window=window, window_by=window_by, calibration=calibration, agent=agent)
    # Not at the top: the library for drawing takes a second to load.
    from mobandits.figures.monitor_page import monitor_page  # noqa: PLC0415
    from mobandits.figures.page import write_page as write_document  # noqa: PLC0415

    with hold(folder):
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
        # First, because it marks the folder as one of a monitor: after a kill the same command may
        # run again.
        with replacing(folder / SUMMARY) as file:
            file.write((text + "\n").encode())

        return write_document(folder, monitor_page(folder, found))


def check_folder(out: Path) -> None:
    """Refuse a folder that holds something else, which must not be overwritten.

    Raises:
        ValueError: naming what was found.

    Example:
        >>> check_folder(Path("/dev/null"))
        Traceback (most recent call last):
        ValueError: out must be a new folder, an empty one or that of an earlier monitor, which \
has monitor.json; found an empty file at /dev/null
    """
    if not out.exists():
        return
    if out.is_dir():
        was_monitor = (out / SUMMARY).exists()
        is_empty = not any(out.iterdir())
        if was_monitor or is_empty:
            return

    wanted = f"a new folder, an empty one or that of an earlier monitor, which has {SUMMARY}"
    raise ValueError(f"out must be {wanted}; found {describe_path(out)} at {out}")
