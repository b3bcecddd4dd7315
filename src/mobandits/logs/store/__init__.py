"""The decision store: what an agent decided, learned and changed, in one SQLite file."""

from mobandits.logs.store.content import Snapshot
from mobandits.logs.store.shared_file import SharedFile
from mobandits.logs.store.store import Store

__all__ = ["SharedFile", "Snapshot", "Store"]
