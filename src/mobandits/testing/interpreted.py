"""The interpreted world: another process, with ``NUMBA_DISABLE_JIT=1``, that rebuilds cases and rehearses them.

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

_reports: dict[str, Any] = {}


class Rehearsal(Protocol):
    """A case that has something to say about itself: a dict of text, numbers and lists."""

    @property
    def stays_here(self) -> bool:
        """Whether this process is as good as an interpreted one."""

    def rehearse(self) -> dict[str, Any]:
        """Play and check, in the world of the calling process."""


def report(case: Rehearsal) -> Any:
    """What `case.rehearse()` returns in an interpreted process; asked once per case."""
    if case.stays_here:
        return case.rehearse()
    prepare([case])
    return _reports[_text(case)]


def prepare(cases: Iterable[Any]) -> None:
    """Rehearse all cases in one interpreted process, faster than one each; cases rehearsed before cost nothing.

    Raises:
        ValueError: where a case cannot be rebuilt in another process.
    """
    todo = [text for case in cases if not case.stays_here and (text := _text(case)) not in _reports]
    if not todo:
        return
    environment = os.environ | {
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join(p or str(Path.cwd()) for p in sys.path),
    }
    command = [sys.executable, "-c", "from mobandits.testing.interpreted import main; main()"]
    child = subprocess.run(  # noqa: S603
        command,
        input=json.dumps(todo),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if child.returncode:
        raise RuntimeError(f"the interpreted process failed: {child.stderr[-2000:]}")
    _reports.update(zip(todo, json.loads(child.stdout), strict=True))


def main() -> None:
    """Read cases, write reports: what runs in the interpreted process."""
    # a policy that prints must not spoil the answer
    answer = sys.stdout
    sys.stdout = sys.stderr
    json.dump([decode(json.loads(text)).rehearse() for text in json.load(sys.stdin)], answer)


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
        return {
            "class": _path(type(value)),
            "fields": {
                f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value) if f.init
            },
        }
    if hasattr(value, "_asdict"):
        return {
            "class": _path(type(value)),
            "fields": {k: encode(v) for k, v in value._asdict().items()},
        }
    if isinstance(value, (tuple, list)):
        return {type(value).__name__: [encode(v) for v in value]}
    raise ValueError(
        f"a recipe must hold numbers, text, tuples, arrays and dataclasses to be rebuilt elsewhere, got {quoted(value)}"
    )


def decode(value: Any) -> Any:
    """What `encode` was given."""
    match value:
        case {"array": rows, "dtype": dtype, "shape": shape}:
            return np.array(rows, dtype).reshape(shape)
        case {"class": path, "fields": fields}:
            module, _, name = path.partition(":")
            return operator.attrgetter(name)(importlib.import_module(module))(
                **{k: decode(v) for k, v in fields.items()}
            )
        case {"tuple": parts}:
            return tuple(map(decode, parts))
        case {"list": parts}:
            return [*map(decode, parts)]
    return value


def _path(cls: type) -> str:
    path = f"{cls.__module__}:{cls.__qualname__}"
    try:
        found = (
            operator.attrgetter(cls.__qualname__)(sys.modules[cls.__module__])
            if cls.__module__ != "__main__"
            else None
        )
    except (AttributeError, KeyError):
        found = None
    if found is not cls:
        raise ValueError(
            f"{cls.__qualname__} must live at the top of a file that another process can import, got {path}"
        )
    return path
