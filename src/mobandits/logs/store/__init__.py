"""The decision store: what an agent decided, learned and changed, in one SQLite file.

Agents of a service may share one in PostgreSQL instead, which `postgres` is about.
"""

from mobandits.logs.store.content import Snapshot
from mobandits.logs.store.shared_file import SharedFile
from mobandits.logs.store.shared_store import SharedStore
from mobandits.logs.store.store import Store

__all__ = ["SharedFile", "SharedStore", "Snapshot", "Store"]
