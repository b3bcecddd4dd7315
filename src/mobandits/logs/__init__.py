"""Logs of decisions and rewards: the form that is evaluated, and the files that hold it."""

import importlib
from typing import TYPE_CHECKING, Any

from mobandits.errors import LogError, LogWarning
from mobandits.logs.feedback import Feedback

if TYPE_CHECKING:
    from mobandits.logs import csv, dsjson, gateways, obp
    from mobandits.logs.reading import read, scan
    from mobandits.logs.store.backup import backup
    from mobandits.logs.store.export import export
    from mobandits.logs.store.store import Store
    from mobandits.logs.streams import LogStream, ParquetTable, stream

__all__ = [
    "Feedback",
    "LogError",
    "LogStream",
    "LogWarning",
    "ParquetTable",
    "Store",
    "backup",
    "csv",
    "dsjson",
    "export",
    "gateways",
    "obp",
    "read",
    "scan",
    "stream",
]

# The module of each name, and of modules themselves.
_HOME = {
    "LogStream": "streams",
    "ParquetTable": "streams",
    "Store": "store.store",
    "backup": "store.backup",
    "export": "store.export",
    "read": "reading",
    "scan": "reading",
    "stream": "streams",
    "csv": "csv",
    "dsjson": "dsjson",
    "gateways": "gateways",
    "obp": "obp",
}


def __getattr__(name: str) -> Any:
    """A module or one of its names, loaded when it is first asked for."""
    # An agent that writes a store needs no tables, which take a tenth of a second to load.
    if name not in _HOME:
        raise AttributeError(f"module 'mobandits.logs' has no attribute {name!r}")

    home = _HOME[name]
    module = importlib.import_module(f"mobandits.logs.{home}")
    value = module if home == name else getattr(module, name)
    globals()[name] = value  # so that the next time Python finds it without asking

    return value
