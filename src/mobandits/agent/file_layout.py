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
from typing import Any, NamedTuple

import numpy as np

from mobandits.agent.headers import MOST_FEATURES
from mobandits.contracts.protocols import Array
from mobandits.errors import StateError
from mobandits.support.describe_path import PROBE, file_kind
from mobandits.support.naming import quoted, shortened

PACKAGE = f"mobandits {importlib.metadata.version('mobandits')}"
MAGIC = b"mobandits agent\n"
VERSION = 6  # of header and tables; a file of another version is refused
LENGTH_BYTES = 8
DIGEST_BYTES = 32
KINDS = {"<f8": np.float64, "<i8": np.int64, "|b1": np.bool_}

ALWAYS_ACTIVE = -1.0  # no time, since times are not negative
PENDING_COLUMNS = ("id", "slot", "stage", "birth")


class DecisionTables(NamedTuple):
    """The tables that come first; those after them are the arrays of the policy's state.

    The first four have one row per decision that waits.

    Attributes:
        whole: its `PENDING_COLUMNS`.
        notes: the numbers of its note, its time, and when it was activated: infinite where not yet,
            `ALWAYS_ACTIVE` where it was active from the beginning.
        rows: the features of its arm.
        rewards: what is known of them.
        settled: the decisions that are remembered.
        settled_rewards: their rewards.
    """

    whole: Array
    notes: Array
    rows: Array
    rewards: Array
    settled: Array
    settled_rewards: Array


TABLES = len(DecisionTables._fields)


def file_bytes(header: dict[str, Any], tables: list[Array]) -> bytes:
    """A file with this header and these arrays."""
    specified = []
    parts = []
    for table in tables:
        kind = table.dtype.newbyteorder("<")
        specified.append([kind.str, list(table.shape)])
        parts.append(_array_bytes(table))

    text = json.dumps(
        {**header, "arrays": specified},
        allow_nan=False,
        separators=(",", ":"),
        default=_python_number,
    )
    encoded = text.encode()
    length = len(encoded).to_bytes(LENGTH_BYTES, "little")
    body = b"".join([MAGIC, length, encoded, *parts])
    digest = hashlib.sha256(body).digest()

    return body + digest


def parsed_file(data: bytes) -> tuple[dict[str, Any], list[Array]]:
    """The header and the arrays of a file's bytes, whose checksum is right.

    Raises:
        StateError: what is wrong, as the end of a sentence that begins with the file's name.
    """
    start = len(MAGIC) + LENGTH_BYTES
    if not data.startswith(MAGIC):
        kind = file_kind(data[:PROBE])
        raise StateError(f"is not the file of an agent, which `Agent.save` writes: found {kind}")

    body = data[:-DIGEST_BYTES]
    digest = data[-DIGEST_BYTES:]
    is_short = len(data) < start + DIGEST_BYTES
    if is_short or hashlib.sha256(body).digest() != digest:
        raise StateError("is damaged or cut off: its checksum is wrong")

    length = int.from_bytes(data[len(MAGIC) : start], "little")
    end = start + length
    if end > len(body):
        raise StateError("is damaged: its header is longer than the file")

    text = data[start:end].decode()
    header = json.loads(text, parse_constant=_refuse_constant)
    version = header.get("version") if isinstance(header, dict) else None
    if type(version) is not int or version < 1:
        raise StateError("is damaged: its header has no version")
    if version != VERSION:
        by = f"{header.get('by')!s:.40}"
        raise StateError(
            f"is an agent of version {quoted(version)} ({by}): {PACKAGE} understands version "
            f"{VERSION} only"
        )

    return header, _parsed_arrays(header["arrays"], memoryview(body)[end:])


def _parsed_arrays(specified: Any, data: memoryview) -> list[Array]:
    arrays: list[Any] = []
    first = 0
    for kind, shape in specified:
        most = max(len(data), MOST_FEATURES)  # a table without rows may have columns
        is_shape = all(type(n) is int and 0 <= n <= most for n in shape)
        if kind not in KINDS or not is_shape:
            got = f"{quoted(kind)}, {quoted(shape)}"
            raise ValueError(
                f"arrays must be of known kinds and of sizes that the file holds, got {got}"
            )

        # Integers of Python: NumPy's would overflow for what a forged file says.
        last = first + np.dtype(kind).itemsize * math.prod(shape)
        if last > len(data):
            raise ValueError("arrays must not be longer than the file")

        array = np.frombuffer(data[first:last], kind).reshape(shape)
        arrays.append(array.astype(KINDS[kind]))
        first = last

    if first != len(data):
        raise ValueError("arrays must fill the file")

    return arrays


def _array_bytes(array: Array) -> bytes:
    little_endian = array.dtype.newbyteorder("<")
    contiguous = np.ascontiguousarray(array, little_endian)
    return contiguous.tobytes()


def _python_number(value: Any) -> Any:
    """Numbers of NumPy as Python's."""
    if isinstance(value, np.generic):
        return value.item()

    raise ValueError(
        f"agents must hold names and numbers to be kept in a file, got {quoted(value)}"
    )


def _refuse_constant(text: str) -> float:
    got = shortened(text)
    raise StateError(f"is damaged: numbers must be finite, got {got}")
