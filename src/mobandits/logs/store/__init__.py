"""The decision store: what an agent decided, learned and changed, in one SQLite file."""

from mobandits.logs.store.store import Snapshot, Store

__all__ = ["Snapshot", "Store"]
