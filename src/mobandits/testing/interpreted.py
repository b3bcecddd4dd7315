"""A second process with ``NUMBA_DISABLE_JIT=1`` that rebuilds cases and rehearses them interpreted.

Cases cross as JSON: the import path of every class and its fields. A recipe must therefore live in
a module that can be imported, and hold only numbers, text, tuples, arrays and other such classes.
"""

import dataclasses
import importlib
import json
import operator
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from mobandits.support.naming import quoted

# What cases reported, by their text. Numba reads NUMBA_DISABLE_JIT when it is imported, so that
# another process is needed; it takes seconds to start, once for all cases.
_reports: dict[str, Any] = {}

PROGRAM = "from mobandits.testing.interpreted import rehearse_requests; rehearse_requests()"


class Rehearsable(Protocol):
    """A case that can report on itself, in a dict of text, numbers and lists."""

    @property
    def stays_here(self) -> bool:
        """Whether this process is as good as an interpreted one."""

    def rehearse(self) -> dict[str, Any]:
        """The report of all checks, compiled or interpreted as the calling process is."""


def rehearsal_report(case: Rehearsable) -> Any:
    """The value of `case.rehearse()` in an interpreted process; each case is rehearsed once."""
    if case.stays_here:
        return case.rehearse()
    prepare([case])
    return _reports[_text(case)]


def prepare(cases: Iterable[Any]) -> None:
    """Rehearse all cases in one interpreted process, which is faster than one process each.

    Cases that were rehearsed before cost nothing.

    Raises:
        ValueError: where a case cannot be rebuilt in another process.
    """
    texts = [_text(case) for case in cases if not case.stays_here]
    missing = [text for text in texts if text not in _reports]
    if not missing:
        return
    reports = _rehearsed_elsewhere(missing)
    _reports.update(zip(missing, reports, strict=True))


def _rehearsed_elsewhere(texts: list[str]) -> list[Any]:
    """The reports of cases, from a process of their own."""
    # An empty entry of the path is the working directory.
    folders = [folder or str(Path.cwd()) for folder in sys.path]
    settings = {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(folders)}
    child = subprocess.run(  # noqa: S603
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        env=os.environ | settings,
        check=False,
    )
    if child.returncode:
        raise RuntimeError(f"the interpreted process failed: {child.stderr[-2000:]}")
    reports: list[Any] = json.loads(child.stdout)
    return reports


def rehearse_requests() -> None:
    """The program of the interpreted process: read cases, write reports."""
    # A policy that prints must not spoil the answer.
    answer = sys.stdout
    sys.stdout = sys.stderr
    reports = []
    for text in json.load(sys.stdin):
        case = decode(json.loads(text))
        reports.append(case.rehearse())
    json.dump(reports, answer)


def _text(case: Any) -> str:
    return json.dumps(encode(case))


def encode(value: Any) -> Any:
    """`value` as plain JSON.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> decode(encode((Shape(2, 0, 2), 0.5)))
        (Shape(arms=2, features=0, objectives=2, rounds=None, shared=False, fixed_arms=None), 0.5)
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": value.dtype.str, "shape": value.shape}
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        return _encoded_fields(value, names)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        kind: Any = type(value)
        return _encoded_fields(value, kind.__match_args__)
    if isinstance(value, (tuple, list)):
        return {type(value).__name__: [encode(part) for part in value]}
    raise ValueError(
        "a recipe must hold numbers, text, tuples, arrays and dataclasses to be rebuilt elsewhere, "
        f"got {quoted(value)}"
    )


def _encoded_fields(value: Any, names: Iterable[str]) -> dict[str, Any]:
    path = _import_path(type(value))
    fields = {name: encode(getattr(value, name)) for name in names}
    return {"class": path, "fields": fields}


def decode(value: Any) -> Any:
    """The value that `encode` turned into plain JSON."""
    match value:
        case {"array": rows, "dtype": dtype, "shape": shape}:
            # A reshape: an array without entries has lost its shape in its rows.
            return np.array(rows, dtype).reshape(shape)
        case {"class": path, "fields": fields}:
            module_name, _, name = path.partition(":")
            module = importlib.import_module(module_name)
            cls = operator.attrgetter(name)(module)
            return cls(**{key: decode(part) for key, part in fields.items()})
        case {"tuple": parts}:
            return tuple(map(decode, parts))
        case {"list": parts}:
            return [*map(decode, parts)]
    return value


def _import_path(cls: type) -> str:
    path = f"{cls.__module__}:{cls.__qualname__}"
    if _imported(cls) is not cls:
        raise ValueError(
            f"{cls.__qualname__} must live at the top of a file that another process can import, "
            f"got {path}"
        )
    return path


def _imported(cls: type) -> Any:
    """The object that another process would find at the class's import path, None where none."""
    # A script is "__main__" here, and something else there.
    if cls.__module__ == "__main__":
        return None
    try:
        module = sys.modules[cls.__module__]
        return operator.attrgetter(cls.__qualname__)(module)
    except (AttributeError, KeyError):
        return None
