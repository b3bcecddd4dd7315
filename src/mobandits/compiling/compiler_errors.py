"""Numba's errors about code that it cannot compile, as a sentence for the author of that code."""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import errors

from mobandits.compiling.fingerprint import is_ours
from mobandits.compiling.records import CLASSES
from mobandits.compiling.tracebacks import foreign, hint
from mobandits.support.naming import quoted
from mobandits.support.nearest import did_you_mean

REASON = re.compile(
    r"(No implementation|Unknown attribute|Untyped|Cannot|Invalid|NameError|Unsupported"
    r"|The use of|Can't)"
)
PLACES = ("File", "During", "<source", "^", "Failed in")  # rows that say where, and not why
UNKNOWN = re.compile(r"Unknown attribute '(\w+)' of type (.*)")
PLACE = re.compile(r'File "([^"<]+)", line (\d+)')

# How the type of a compiled class begins.
RECORD = re.compile(r"[\w.<>]+@\w+")

# Numba colours its messages where it believes to write into a terminal.
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Place(NamedTuple):
    """A line of a file that Numba names."""

    file: Path
    line: int


def is_compiler_error(error: Exception) -> bool:
    """Whether an error is about code and types, and not of code that runs."""
    if isinstance(error, errors.NumbaError | errors.UnsupportedBytecodeError):
        return True
    if not isinstance(error, AttributeError | NameError | TypeError):
        return False

    # Some come as Python's own, from the midst of the compiler.
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") == "numba.core.compiler":
            return True

        trace = trace.tb_next

    return False


def explanation(error: Exception, arguments: Sequence[Any], remedy: str) -> str:
    """One paragraph: where the innermost failure is, what Numba said of it, what to do.

    Args:
        error: of which `is_compiler_error` is true.
        arguments: of the function that was to be compiled.
        remedy: the last sentence.
    """
    text = COLOUR.sub("", str(error))
    names: list[str] = []
    for argument in arguments:
        names.extend(cls.__name__ for cls in foreign(argument))

    authors = list(dict.fromkeys(names))
    where = _place(text, authors)
    said = _reason(text) + hint(error)
    reason = said.rstrip(".: ")
    # A hint ends with a question mark.
    stop = "" if reason.endswith("?") else "."

    return f"{where} cannot be compiled: {reason}{stop} Remedy: {remedy}."


def _place(text: str, authors: Sequence[str]) -> str:
    """The innermost line that Numba names, if an author wrote it: else whose method it must be."""
    places = _places(text)
    uninstalled = [place for place in places if "site-packages" not in str(place.file)]
    ours = _our_folders()
    theirs = [
        place
        for place in uninstalled
        if not any(place.file.resolve().is_relative_to(folder) for folder in ours)
    ]
    if authors and not theirs:
        return f"a method of {' or '.join(authors)}, or a helper of it,"
    if not places:
        # Numba does not always say which.
        return "a method or a helper"

    # Numba names the innermost first.
    innermost = (theirs or uninstalled or places)[0]

    return f"{innermost.file}:{innermost.line}: `{_source(innermost)}`"


def _our_folders() -> list[Path]:
    """The folders of this library, and of the distributions beside it that are loaded."""
    roots = [
        module for name, module in list(sys.modules.items()) if is_ours(name) and "." not in name
    ]
    return [Path(root.__file__).parent for root in roots if root.__file__ is not None]


def _places(text: str) -> list[Place]:
    """The lines of files that a message of Numba names."""
    places = []
    for name, line in PLACE.findall(text):
        file = Path(name)
        # Numba leaves the first slash out of some paths.
        if not file.exists():
            file = Path("/", name)
        places.append(Place(file, int(line)))

    return places


def _source(place: Place) -> str:
    """The text of a line; nothing where the file is not at hand."""
    if not place.file.exists():
        return ""

    rows = place.file.read_text(encoding="utf-8").splitlines()
    if place.line > len(rows):
        return ""
    return rows[place.line - 1].strip()


def _reason(text: str) -> str:
    """The row of Numba's message that says most, with types as authors know them."""
    row = _telling_row(text)
    unknown = UNKNOWN.match(row)
    if unknown:
        name, kind = unknown.groups()
        near = did_you_mean(name, _public_members(kind))
        return f"{readable_types(kind)} has no attribute {quoted(name)}{near}"

    reason, _, _ = row.partition(" Raised from ")
    return readable_types(reason)


def _telling_row(text: str) -> str:
    """The first row that gives a reason, else the first that is not about places."""
    rows = []
    for row in text.splitlines():
        stripped = row.lstrip()
        if stripped and not stripped.startswith(PLACES):
            rows.append(row.strip(" -"))

    for row in rows:
        if REASON.match(row):
            return row

    return rows[0] if rows else text


def readable_types(text: str) -> str:
    """Text with types as authors know them: a class by its name, an array by its dimensions.

    Example:
        >>> readable_types("type my.Rule@5f3(radius=my.Fixed@1c2(value=float64), on=array(int64))")
        'type Rule'
        >>> from mobandits.estimators import RidgeState
        >>> readable_types("RidgeState(array(float64, 4d, C), float64) and Literal[int](0)")
        'RidgeState and int'
        >>> readable_types("array(float64, 2d, C) of NumPyRandomGeneratorType")
        'array(float64, 2d) of Generator'
    """
    while found := RECORD.search(text):
        path, _, _ = found[0].partition("@")
        _, _, name = path.rpartition(".")
        before = text[: found.start()]
        text = before + name + _beyond(text, found.end())

    text = re.sub(r"Literal\[(\w+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"[Aa]rray\((\w+), (\d)d?, '?[A-Z]'?[^)]*\)", r"array(\1, \2d)", text)
    text = text.replace("NumPyRandomGeneratorType", "Generator")
    called = re.findall(r"\b([A-Z]\w+)\(", text)
    for name in dict.fromkeys(called):
        if _named_tuple(name) is not None:
            # The name stays, and the types of its fields go.
            end = text.index(f"{name}(") + len(name)
            text = text[:end] + _beyond(text, end)

    return text


def _beyond(text: str, start: int) -> str:
    """What follows the brackets that open at `start`, or begins there where none do."""
    if text[start : start + 1] != "(":
        return text[start:]

    depth = 0
    for i in range(start, len(text)):
        if text[i] == "(":
            depth += 1
        elif text[i] == ")":
            depth -= 1
        if depth == 0:
            return text[i + 1 :]

    return ""


def _public_members(kind: str) -> list[str]:
    """The public names that a type has, as Numba names it."""
    return [name for name in _members(kind) if not name.startswith("_")]


def _members(kind: str) -> list[str]:
    """All names that a type has, as Numba names it."""
    record = RECORD.match(kind)
    if record and record[0] in CLASSES:
        cls: Any = CLASSES[record[0]]
        return [*cls.__dataclass_fields__, *dir(cls)]
    if kind.startswith("array("):
        return dir(np.ndarray)

    fields = _named_tuple(kind.partition("(")[0])

    return [] if fields is None else list(fields)


def _named_tuple(name: str) -> tuple[str, ...] | None:
    """The fields of the NamedTuple of that name, where a module has one."""
    for value in _values(name):
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
            # The public name for a NamedTuple's fields.
            return tuple(value.__match_args__)  # type: ignore[attr-defined]

    return None


def _values(name: str) -> Iterator[Any]:
    for module in list(sys.modules.values()):
        value = getattr(module, "__dict__", {}).get(name)
        if value is not None:
            yield value
