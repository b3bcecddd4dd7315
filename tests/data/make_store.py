"""Write store_version_1.db, the golden file of the first version of a store's tables.

It is written once: `python tests/data/make_store.py`, with tests/logs/store on the path. Later
versions read it; they do not write it anew.
"""

import sys
from pathlib import Path

from mobandits.logs import Store

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


def main():
    with Store(HERE / "store_version_1.db") as store:
        store.describe(DESCRIPTION)
        store.extend(EVENTS[:5])
        store.snapshot(STATE)
        store.extend(EVENTS[5:])
    (HERE / "store_version_1.db-owner").unlink()


if __name__ == "__main__":
    sys.exit(main())
