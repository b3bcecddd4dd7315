"""Numba's errors about code that it cannot compile, as a sentence for the author of that code."""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numba import errors

from mobandits.compiling.records import CLASSES
from mobandits.compiling.tracebacks import foreign, hint
from mobandits.support.nearest import did_you_mean

OURS = str(Path(__file__).parents[1])
REASON = re.compile(
    r"(No implementation|Unknown attribute|Untyped|Cannot|Invalid|NameError|Unsupported|The use of|Can't)"
)
RECORD = re.compile(r"[\w.<>]+@\w+")  # how the type of a compiled class begins
UNKNOWN = re.compile(r"Unknown attribute '(\w+)' of type (.*)")


def is_compiler_error(error: Exception) -> bool:
    """Whether an error is about code and types, and not of code that runs."""
    if isinstance(error, errors.NumbaError | errors.UnsupportedBytecodeError):
        return True
    if not isinstance(error, AttributeError | NameError | TypeError):
        return False

    trace = error.__traceback__  # some come as Python's own, from the midst of the compiler
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
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    classes = list(dict.fromkeys(cls for one in arguments for cls in foreign(one)))
    where = _place(text, [cls.__name__ for cls in classes])
    reason = (_reason(text) + hint(error)).rstrip(".: ")
    stop = "" if reason.endswith("?") else "."

    return f"{where} cannot be compiled: {reason}{stop} Remedy: {remedy}."


def _place(text: str, authors: Sequence[str]) -> str:
    """The innermost line that Numba names, if an author wrote it: else whose method it must be."""
    places = [(file, int(line)) for file, line in re.findall(r'File "([^"<]+)", line (\d+)', text)]
    files = [
        (Path(file) if Path(file).exists() else Path("/", file), line) for file, line in places
    ]
    written = [(file, line) for file, line in files if "site-packages" not in str(file)]
    theirs = [(file, line) for file, line in written if not str(file.resolve()).startswith(OURS)]
    if authors and not theirs:
        return f"a method of {' or '.join(authors)}, or a helper of it,"
    if not places:
        return "a method or a helper"  # Numba does not always say which

    file, line = (theirs or written or files)[0]  # Numba names the innermost first
    rows = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    source = rows[line - 1].strip() if line <= len(rows) else ""

    return f"{file}:{line}: `{source}`"


def _reason(text: str) -> str:
    """The row of Numba's message that says most, without the names of types that only Numba uses."""
    skipped = ("File", "During", "<source", "^", "Failed in")
    rows = [
        row.strip(" -")
        for row in text.splitlines()
        if row.strip() and not row.lstrip().startswith(skipped)
    ]
    row = next((row for row in rows if REASON.match(row)), rows[0] if rows else text)
    found = UNKNOWN.match(row)
    if found:
        name, kind = found.groups()
        return f"{readable_types(kind)} has no attribute {name!r}{did_you_mean(name, _public_members(kind))}"

    return readable_types(row.partition(" Raised from ")[0])


def readable_types(text: str) -> str:
    """Text with types as authors know them: a class by its name, an array by its dimensions.

    Example:
        >>> readable_types("type my.Rule@5f3(radius=my.Fixed@1c2(value=float64), on=array(int64, 1d, C))")
        'type Rule'
        >>> from mobandits.estimators import RidgeState
        >>> readable_types("RidgeState(array(float64, 4d, C), array(float64, 2d, C)) and Literal[int](0)")
        'RidgeState and int'
        >>> readable_types("array(float64, 2d, C) of NumPyRandomGeneratorType")
        'array(float64, 2d) of Generator'
    """
    while found := RECORD.search(text):
        name = found[0].partition("@")[0].rpartition(".")[2]
        text = text[: found.start()] + name + _beyond(text, found.end())

    text = re.sub(r"Literal\[(\w+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"[Aa]rray\((\w+), (\d)d?, '?[A-Z]'?[^)]*\)", r"array(\1, \2d)", text)
    text = text.replace("NumPyRandomGeneratorType", "Generator")
    for name in dict.fromkeys(re.findall(r"\b([A-Z]\w+)\(", text)):
        if _named_tuple(name) is not None:  # without the types of its fields
            start = text.index(f"{name}(")
            text = text[: start + len(name)] + _beyond(text, start + len(name))

    return text


def _beyond(text: str, start: int) -> str:
    """What follows the brackets that open at `start`, or begins there where none do."""
    if text[start : start + 1] != "(":
        return text[start:]

    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return text[i + 1 :]

    return ""


def _public_members(kind: str) -> list[str]:
    """The public names that a type has, as Numba names it."""
    return [name for name in _members(kind) if not name.startswith("_")]


def _members(kind: str) -> list[str]:
    if (record := RECORD.match(kind)) and record[0] in CLASSES:
        return [*CLASSES[record[0]].__dataclass_fields__, *dir(CLASSES[record[0]])]  # type: ignore[attr-defined]
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
