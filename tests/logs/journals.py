"""Small journals for tests."""

from pathlib import Path

from mobandits.logs import Journal

DESCRIPTION = {
    "arms": ["small", ("large", 2)],
    "objectives": [{"name": "quality", "minimise": False}, {"name": "cost", "minimise": True}],
    "features": 2,
}


def decide(i):
    context = [[0.1 * i, -1.0 / (i + 3)]]
    return {
        "kind": "decide",
        "id": i,
        "time": i + 0.5,
        "context": context,
        "arm": i % 2,
        "propensity": 0.5,
    }


def learn(i):
    return {
        "kind": "learn",
        "id": i,
        "time": i + 0.75,
        "rewards": {"quality": 0.3 * i, "cost": 1e-3 / (i + 1)},
    }


def events(n):
    """Decisions, and lessons that come three decisions later."""
    return [one for i in range(n) for one in ([decide(i)] if i < 3 else [decide(i), learn(i - 3)])]


def written(folder, given, description=DESCRIPTION, **options):
    with Journal(folder, **{"durability": "system"} | options) as journal:
        journal.describe(description)
        for event in given:
            journal.append(event)
    return folder


def content(folder):
    """The bytes of all files but the lock."""
    return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.name != "lock"}


def reread(folder):
    with Journal(folder) as journal:
        return list(journal.events())
