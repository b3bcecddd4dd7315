"""Write the golden file of the present version of a store's tables, such as store_version_3.db.

Each is written once, when its version is new: `python tests/data/make_store.py`. Later versions
read it; they do not write it anew.
"""

import sys
from pathlib import Path
from unittest.mock import patch

from mobandits.logs import Store
from mobandits.logs.store import connection, schema

HERE = Path(__file__).parent
DESCRIPTION = {
    "arms": ["small", ("large", 2)],
    "objectives": [{"name": "quality", "minimise": False}, {"name": "cost", "minimise": True}],
}
EVENTS = [
    {
        "kind": "decide",
        "id": 0,
        "time": 0.5,
        "context": [[0.1, -0.0], [2.0, 5e-324]],
        "arm": 1,
        "propensity": 0.25,
    },
    {
        "kind": "decide",
        "id": 1,
        "time": 1.5,
        "context": [[1.0, 2.0], [3.0, 4.0]],
        "eligible": [0],
        "arm": 0,
        "propensity": None,
        "batch": True,
        "key": "k",
    },
    {"kind": "learn", "id": 0, "time": 2.0, "rewards": {"cost": -0.0}},
    {"kind": "add", "time": 2.5, "arm": "huge", "like": "small"},
    {"kind": "learn", "id": 0, "time": 3.0, "rewards": {"quality": 0.75}, "note": ("a", 1)},
    {"kind": "preference", "time": 3.5, "order": {"weights": [0.5, 0.5]}},
    {
        "kind": "decide",
        "id": 7,
        "time": -0.0,
        "context": [[1.0, 2.0]] * 3,
        "arm": 2,
        "propensity": 1.0,
        "made_by": "observed",
        "active": False,
    },
]
STATE = b"what Agent.save writes"


# What a service keeps beside the log, since version 2 and 3; the key itself is nowhere.
KEY = ("0a1b2c3d", b"\x07" * 32, "read,decide", '["agent"]', "shop", 1000.0, None)
SINCE_2 = [("INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?)", KEY)]
SINCE_3 = [
    ("INSERT INTO rollup VALUES (?, ?, ?, ?, ?, ?, ?)", (1, 0, 1, "quality", 2, 0.75, 0.5625)),
    ("INSERT INTO rolled VALUES (?, ?)", (1, 5)),
    ("INSERT INTO hosted VALUES (?, ?, ?, ?)", ("agent", "{}", "served", 1000.0)),
    (
        "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ("1", "agent", "evaluation", "{}", "done", "{}", 1000.0, 1001.0),
    ),
]
MORE = {1: [], 2: SINCE_2, 3: SINCE_2 + SINCE_3}


def write(path, version):
    """Write a file of a version; of an older one, with the first of the present steps."""
    steps = schema.MIGRATIONS[:version]
    with (
        patch.object(schema, "MIGRATIONS", steps),
        patch.object(schema, "VERSION", version),
        patch.object(connection, "VERSION", version),
        Store(path) as store,
    ):
        store.describe(DESCRIPTION)
        store.extend(EVENTS[:5])
        store.snapshot(STATE)
        store.extend(EVENTS[5:])
        for sql, values in MORE[version]:
            store._writer.connection.execute(sql, values)
    path.with_name(path.name + "-owner").unlink()


def main():
    for version in range(1, schema.VERSION + 1):
        path = HERE / f"store_version_{version}.db"
        if not path.exists():
            write(path, version)


if __name__ == "__main__":
    sys.exit(main())
