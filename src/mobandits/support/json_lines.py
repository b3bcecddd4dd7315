"""The output of a process on stderr as lines of JSON, where somebody asks for it.

That is what it logs, warnings, and errors that end it or one of its threads. A process that it
starts may do the same: it finds in its environment that this was asked for.
"""

import json
import logging
import os
import sys
import threading
import warnings
from typing import Any

ASKED = "MOBANDITS_LOG_FORMAT"  # of the environment
JSON = "json"
LOG = logging.getLogger("mobandits")


class JsonLines(logging.Formatter):
    """A line of JSON per record.

    Example:
        >>> record = logging.LogRecord("mobandits", logging.WARNING, "", 0, "%d left", (3,), None)
        >>> record.created = 1.5
        >>> JsonLines().format(record)
        '{"at": 1.5, "level": "warning", "logger": "mobandits", "message": "3 left"}'
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        line: dict[str, Any] = {
            "at": record.created,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        client = getattr(record, "client", None)
        if client is not None:
            line["client"] = client
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)

        return json.dumps(line)


def begin() -> None:
    """Say everything as lines of JSON from now on, in this process and those that it starts."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers = [handler]
    warnings.showwarning = _log_warning
    sys.excepthook = _log_end
    threading.excepthook = _log_thread_end
    sys.unraisablehook = _log_unraisable
    os.environ[ASKED] = JSON


def begin_if_asked() -> None:
    """Likewise, where the process that started this one does."""
    if are_asked():
        begin()


def are_asked() -> bool:
    """Whether everything is said as lines of JSON."""
    return os.environ.get(ASKED) == JSON


def _log_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    LOG.warning("%s", message)


def _log_end(*error: Any) -> None:
    LOG.critical("the process ends: %s", error[1], exc_info=error)


def _log_thread_end(ended: threading.ExceptHookArgs) -> None:
    name = "" if ended.thread is None else ended.thread.name
    error = (ended.exc_type, ended.exc_value, ended.exc_traceback)
    LOG.error("thread %s ends: %s", name, ended.exc_value, exc_info=error)  # type: ignore[arg-type]


def _log_unraisable(met: Any) -> None:
    error = (met.exc_type, met.exc_value, met.exc_traceback)
    LOG.error("%s: %s", met.err_msg or "an error was ignored", met.exc_value, exc_info=error)
