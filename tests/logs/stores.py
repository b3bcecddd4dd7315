"""Small stores for tests."""

import math
import shutil
from pathlib import Path

import msgspec
import numpy as np

from mobandits.logs.events import checked
from mobandits.logs.store import Store

DESCRIPTION = {
    "arms": ["small", ("large", 2)],
    "objectives": [{"name": "quality", "minimise": False}, {"name": "cost", "minimise": True}],
    "features": 2,
}


def decide(i, **more):
    return {
        "kind": "decide",
        "id": i,
        "time": i + 0.5,
        "context": [[0.1 * i, -1.0 / (i + 3)]],
        "arm": i % 2,
        "propensity": 0.5,
        **more,
    }


def learn(i, **more):
    return {
        "kind": "learn",
        "id": i,
        "time": i + 0.75,
        "rewards": {"quality": 0.3 * i, "cost": 1e-3 / (i + 1)},
        **more,
    }


def events(n):
    """Decisions, and lessons that come three decisions later."""
    listed = []
    for i in range(n):
        listed.append(decide(i))
        if i >= 3:
            listed.append(learn(i - 3))
    return listed


def written(path, given, description=DESCRIPTION, durability="system"):
    """A store with these events after those it has."""
    with Store(path, durability) as store:
        store.describe(description)
        for event in given:
            store.append(event)
    return path


def reread(path):
    with Store(path) as store:
        return list(store.events())


def copied(path, target):
    """A store and its log as a kill would leave them now."""
    target = Path(target)
    for suffix in ("", "-wal"):
        source = path.with_name(path.name + suffix)
        if source.exists():
            shutil.copyfile(source, target.with_name(target.name + suffix))
    return target


def plain(value):
    """A value in which arrays are lists, so that it can be compared."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value


def preference(order):
    """An event that may hold any data."""
    return {"kind": "preference", "order": order}


def same_events(found, given):
    """Whether events are those that were given, with types and bits of numbers too."""
    return [exact(event) for event in found] == [exact(checked(event)) for event in given]


def exact(value):
    """A value that is equal to that of another one only where types and bits are the same."""
    value = plain(value)
    if isinstance(value, msgspec.Struct):
        return (type(value).__name__, exact(msgspec.structs.asdict(value)))
    if isinstance(value, dict):
        return {repr(exact(key)): exact(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return (type(value).__name__, [exact(inner) for inner in value])
    if isinstance(value, float):
        return ("float", math.copysign(1.0, value), value.hex())
    return (type(value).__name__, value)
