"""Journals of version 0.1, written as plainly as can be: with any events, or wrong on purpose.

A test compares what this writes with what that version wrote. Parquet files lack the checksum that
it put before their footers.
"""

import hashlib
import json
import zlib

import polars as pl

from mobandits.logs.arm_registry import first_arms
from mobandits.logs.events import checked
from mobandits.logs.names import compact, encoded, name_text
from mobandits.logs.table import SCHEMA


def sealed_line(content, crc=0):
    """A JSON object as a line, and its checksum."""
    body = content[:-1].encode()
    crc = zlib.crc32(body, crc)
    return body + b',"crc":"%08x"}\n' % crc, crc


def lines_of(head, events):
    """An open segment: a header and a line per event."""
    line, crc = sealed_line(compact(head))
    lines = [line]
    for event in events:
        line, crc = sealed_line(compact(encoded(checked(event))), crc)
        lines.append(line)
    return b"".join(lines)


def header(description, segment=0, first=0, sealed=(), arms=None):
    """The fields of a header; without arms, those of the description."""
    arms = first_arms(description, "description") if arms is None else arms
    names = [encoded(name) for name in arms.names]
    return {
        "format": "mobandits-journal",
        "version": 1,
        "segment": segment,
        "first": first,
        "sealed": list(sealed),
        "description": encoded(description),
        "arms": {"names": names, "present": arms.present},
    }


def table(events, first):
    """A sealed segment: a row per event, the first of this number."""
    rows = [row_of(checked(event), number) for number, event in enumerate(events, first)]
    return pl.DataFrame(rows, schema=SCHEMA)


def row_of(event, number):
    rest = dict(event)
    row = dict.fromkeys(SCHEMA.names())
    row["number"] = number
    row["kind"] = rest.pop("kind")
    if type(rest.get("id")) is int and abs(rest["id"]) < 2**63:
        row["id"] = rest.pop("id")
    if type(rest.get("time")) is float:
        row["time"] = rest.pop("time")
    if row["kind"] == "decide":
        for name in ("arm", "propensity", "eligible"):
            row[name] = rest.pop(name, None)
        if "context" in rest:
            context = rest.pop("context")
            row["rows"] = len(context)
            row["features"] = len(context[0])
            row["context"] = [value for values in context for value in values]
    elif row["kind"] == "learn":
        rewards = rest.pop("rewards").items()
        row["rewards"] = [{"objective": name_text(name), "value": v} for name, v in rewards]
    if rest:
        row["other"] = compact(encoded(rest))
    return row


def write_segment(path, frame, head):
    """Write a sealed segment, and give its SHA-256."""
    frame.write_parquet(path, metadata={"mobandits-journal": compact(head)})
    return hashlib.sha256(path.read_bytes()).hexdigest()


def written_journal(folder, events, description, segment=100_000):
    """A journal of these events, so many in a segment."""
    folder.mkdir()
    (folder / "lock").write_bytes(b"77\n")
    arms = first_arms(description, "description")
    sealed = []
    first = 0
    while len(events) - first > segment:
        block = events[first : first + segment]
        head = header(description, len(sealed), first, sealed, arms)
        path = folder / f"{len(sealed):06d}.parquet"
        sealed = [*sealed, write_segment(path, table(block, first), head)]
        for event in block:
            arms.follow(event)
        first += segment
    head = header(description, len(sealed), first, sealed, arms)
    (folder / f"{len(sealed):06d}.jsonl").write_bytes(lines_of(head, events[first:]))
    return folder


def with_header(path, **changed):
    """Change the header of an open segment, its checksum too; the lines after it no longer fit."""
    first, *lines = path.read_bytes().splitlines(keepends=True)
    head = json.loads(first) | changed
    del head["crc"]
    path.write_bytes(b"".join([sealed_line(compact(head))[0], *lines]))
