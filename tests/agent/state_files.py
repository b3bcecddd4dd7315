"""Files of agents taken apart and put together again, with a checksum that is right."""

import hashlib
import json
import math

import numpy as np

import mobandits as mob
from mobandits.agent import Objective
from mobandits.agent.file_layout import DIGEST_BYTES, LENGTH_BYTES, MAGIC
from mobandits.orders import Levels
from mobandits.policies import MolUcb

D = 2
START = len(MAGIC) + LENGTH_BYTES
DECISIONS = 2  # arrays that hold decisions, before those of the policy


def parts(data):
    """The header and the bytes of the arrays."""
    end = START + int.from_bytes(data[len(MAGIC) : START], "little")
    return json.loads(data[START:end]), data[end:-DIGEST_BYTES]


def start_of(header, number):
    """Where an array begins among the bytes of all."""
    return sum(
        np.dtype(kind).itemsize * math.prod(shape) for kind, shape in header["arrays"][:number]
    )


def sealed(body):
    """With its SHA-256."""
    return body + hashlib.sha256(body).digest()


def forged(header, arrays):
    """A file with this header, a text or what JSON makes of it, and these arrays."""
    text = (
        header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    )
    return sealed(MAGIC + len(text).to_bytes(LENGTH_BYTES, "little") + text + arrays)


def places(value, path=()):
    """The paths of everything in a header, from the outside to the inside."""
    if path:
        yield path
    for key, one in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield from places(one, (*path, key))


def changed(value, path, new):
    """The same header with something else at a path; `new` is a function of what was there."""
    if not path:
        return new(value)
    out = value.copy()
    out[path[0]] = changed(value[path[0]], path[1:], new)
    return out


def rich_agent(clock):
    """An agent with something in every place; the clock stands at 30 seconds."""
    rng = np.random.default_rng(4)
    cost = Objective("cost", minimise=True, unit="USD", high=9.0)
    objectives = [cost, ("click", 2), Objective("c", default=0.5, after=9.0)]
    options = {
        "arms": ["a", 2, "b"],
        "features": D,
        "objectives": objectives,
        "max_age": 50.0,
        "propensity": "exact",
    }
    agent = mob.Agent(MolUcb(scale=0.3), clock=clock, **options)
    for i in range(30):
        clock.now += 1.0
        number = agent.decide(rng.normal(size=D)).id
        agent.learn(number, [rng.normal(), None, 0.25] if i % 3 else rng.normal(size=3))
        if i == 10:
            agent.remove_arm(2)
            agent.preference = Levels([[0, 1], [2]])
        if i == 20:
            agent.add_arm(("new", 0.5), like="a")
            agent.add_arm("fourth")
    assert agent.waiting > 10
    return agent
