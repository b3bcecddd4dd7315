"""Write the golden file of the present version of a store's tables, such as store_version_3.db.

It is written once, when its version is new: `python tests/data/make_store.py`. What reads it must
not change until the version does.
"""

import sys
from pathlib import Path

from mobandits.logs import Store
from mobandits.logs.store import schema

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
    {"kind": "learn", "id": 0, "time": 2.0, "rewards": {"cost": 0.0}},
    {"kind": "add", "time": 2.5, "arm": "huge", "like": "small"},
    {"kind": "learn", "id": 0, "time": 3.0, "rewards": {"quality": 0.75}, "batch": True},
    {"kind": "preference", "time": 3.5, "order": {"weights": [0.5, 0.5]}},
    {
        "kind": "decide",
        "id": 7,
        "time": 0.0,
        "context": [[1.0, 2.0]] * 3,
        "arm": 2,
        "propensity": 1.0,
        "made_by": "observed",
        "active": False,
    },
]
STATE = b"what Agent.save writes"


# What a service keeps beside the log; the key itself is nowhere.
KEY = ("0a1b2c3d", b"\x07" * 32, "read,decide", '["agent"]', "shop", 1000.0, None)
OF_SERVICE = [
    ("INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?)", KEY),
    ("INSERT INTO rollup VALUES (?, ?, ?, ?, ?, ?, ?)", (1, 0, 1, "quality", 2, 0.75, 0.5625)),
    ("INSERT INTO rolled VALUES (?, ?)", (1, 5)),
    ("INSERT INTO hosted VALUES (?, ?, ?, ?)", ("agent", "{}", "served", 1000.0)),
    (
        "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ("1", "agent", "evaluation", "{}", "done", "{}", 1000.0, 1001.0),
    ),
]


def main():
    path = HERE / f"store_version_{schema.VERSION}.db"
    if path.exists():
        return
    with Store(path) as store:
        store.describe(DESCRIPTION)
        store.extend(EVENTS[:5])
        store.snapshot(STATE)
        store.extend(EVENTS[5:])
        for sql, values in OF_SERVICE:
            store._writer.connection.execute(sql, values)
    path.with_name(path.name + "-owner").unlink()


if __name__ == "__main__":
    sys.exit(main())
