"""The layout of an agent's file.

A header of names and numbers as JSON, arrays as they are in memory, and a checksum.

The magic line; the length of the header, 8 bytes, little-endian; the header, UTF-8; the arrays, one
after the other, little-endian, C order; the SHA-256 of all of that. Reading makes numbers, names,
and public classes of this library, and nothing else: no file can run anything.
"""

import hashlib
import importlib.metadata
import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from mobandits.agent.headers import Header, Origin, as_json
from mobandits.contracts.protocols import Array
from mobandits.errors import StateError
from mobandits.support.describe_path import PROBE, file_kind
from mobandits.support.naming import quoted, shortened

PACKAGE = f"mobandits {importlib.metadata.version('mobandits')}"
MAGIC = b"mobandits agent\n"
VERSION = 7  # of header and arrays; a file of another version is refused
LENGTH_BYTES = 8
DIGEST_BYTES = 32

ALWAYS_ACTIVE = -1.0  # no time, since times are not negative


class DecisionRows(NamedTuple):
    """The two arrays that come first, or their types; those after them are the policy's state.

    Attributes:
        waiting: a row per decision that waits: its number, and the fields of `Pending`. What is
            not known of rewards is NaN; who was active from the beginning is so since
            `ALWAYS_ACTIVE`.
        settled: a row per decision that is remembered: its number and its rewards.
    """

    waiting: Any
    settled: Any


def decision_rows(features: int, objectives: int, note_size: int) -> DecisionRows:
    """The types of rows: numbers of 8 bytes each, the first of which is the decision's."""
    number = ("id", "<i8")
    rewards = ("rewards", "<f8", (objectives,))
    waiting = [
        number,
        ("x", "<f8", (features,)),
        ("arm", "<i8"),
        ("note", "<f8", (note_size,)),
        ("stage", "<i8"),
        ("birth", "<i8"),
        ("time", "<f8"),
        rewards,
        ("since", "<f8"),
    ]

    return DecisionRows(np.dtype(waiting), np.dtype([number, rewards]))


def file_bytes(header: Header, arrays: Sequence[Array]) -> bytes:
    """A file with this header and these arrays."""
    layouts = []
    parts = []
    for array in arrays:
        kind = array.dtype.newbyteorder("<")
        layouts.append((kind.str, array.shape))
        contiguous = np.ascontiguousarray(array, kind)
        parts.append(contiguous.tobytes())

    complete = msgspec.structs.replace(header, arrays=layouts)
    text = as_json(complete).encode()
    length = len(text).to_bytes(LENGTH_BYTES, "little")
    body = b"".join([MAGIC, length, text, *parts])
    digest = hashlib.sha256(body).digest()

    return body + digest


def parsed_file(data: bytes) -> tuple[Header, list[Array]]:
    """The header and the arrays of a file's bytes, whose checksum is right.

    Raises:
        StateError: what is wrong, as the end of a sentence that begins with the file's name.
        ValueError: where the header is none, or the arrays do not fill the file.
    """
    if not data.startswith(MAGIC):
        kind = file_kind(data[:PROBE])
        raise StateError(f"is not the file of an agent, which `Agent.save` writes: found {kind}")

    body = data[:-DIGEST_BYTES]
    if hashlib.sha256(body).digest() != data[-DIGEST_BYTES:]:
        raise StateError("is damaged or cut off: its checksum is wrong")

    start = len(MAGIC) + LENGTH_BYTES
    length = int.from_bytes(body[len(MAGIC) : start], "little")
    end = start + length
    if end > len(body):
        raise StateError("is damaged: its header is longer than the file")

    text = body[start:end].decode()
    fields = json.loads(text, parse_constant=_refuse_constant)
    origin = msgspec.convert(fields, Origin)
    if origin.version != VERSION:
        raise StateError(
            f"is an agent of version {quoted(origin.version)} ({origin.by:.40}): {PACKAGE} "
            f"understands version {VERSION} only"
        )

    header = msgspec.convert(fields, Header)

    return header, _parsed_arrays(header.arrays, memoryview(body)[end:])


def _parsed_arrays(layouts: Sequence[tuple[str, list[int]]], data: memoryview) -> list[Array]:
    arrays: list[Array] = []
    first = 0
    for kind, shape in layouts:
        # Integers of Python: NumPy's would overflow for what a forged file says.
        last = first + np.dtype(kind).itemsize * math.prod(shape)
        if last > len(data):
            raise ValueError("arrays must not be longer than the file")

        array = np.frombuffer(data[first:last], kind).reshape(shape)
        native = array.dtype.newbyteorder("=")
        arrays.append(array.astype(native))
        first = last

    if first != len(data):
        raise ValueError("arrays must fill the file")

    return arrays


def _refuse_constant(text: str) -> float:
    got = shortened(text)
    raise StateError(f"is damaged: numbers must be finite, got {got}")
