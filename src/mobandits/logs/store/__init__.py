"""The decision store: what an agent decided, learned and changed, in one SQLite file.

- `schema` has the tables, `rows` events as rows with checksums, `transactions` what is committed
  whole, `writer` the calls of one agent. `store` is the `Store`, `store_writing` its half that
  writes.
- `ownership` and `inheritance`: one process writes, and a fork's child does not. `continuity`
  compares what is there with what was noted beside it. `connection` and `write_ahead_log` check
  before anything is read.
- `replay` and `frames` make events and tables of rows; `waiting` says which decisions wait; `lookup`
  and `pages` find them.
- `export`, `shortening`, `archives` and `csv_files` are what leaves a store; `backup` copies one in
  use. `survey` reads around damage, `checking` says what is whole, `salvaging` saves it.
- `shared_file` is a file that several agents of a process share. Each has a `grouped_writer`;
  `committer` commits their calls together, in few statements (`appending`), and counts them
  (`rollup`). `shared_store` is what a file and a database have in common.

SQL is what SQLite and PostgreSQL both understand; the service's connection has what differs.
"""

from mobandits.logs.store.content import Snapshot
from mobandits.logs.store.shared_file import SharedFile, open_shared
from mobandits.logs.store.shared_store import SharedStore
from mobandits.logs.store.store import Store

__all__ = ["SharedFile", "SharedStore", "Snapshot", "Store", "open_shared"]
