"""Files of agents taken apart and put together again, with a checksum that is right."""

import hashlib
import json

from mobandits.agent.snapshot import DIGEST, LENGTH, MAGIC

START = len(MAGIC) + LENGTH


def parts(data):
    """The header and the bytes of the arrays."""
    end = START + int.from_bytes(data[len(MAGIC) : START], "little")
    return json.loads(data[START:end]), data[end:-DIGEST]


def sealed(body):
    """With its SHA-256."""
    return body + hashlib.sha256(body).digest()


def forged(header, arrays):
    """A file with this header, a text or what JSON makes of it, and these arrays."""
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    return sealed(MAGIC + len(text).to_bytes(LENGTH, "little") + text + arrays)


def places(value, path=()):
    """The paths of everything in a header, from the outside to the inside."""
    if path:
        yield path
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(one, (*path, key))


def changed(value, path, new):
    """The same header with something else at a path; `new` is a function of what was there."""
    if not path:
        return new(value)
    out = value.copy()
    out[path[0]] = changed(value[path[0]], path[1:], new)
    return out
