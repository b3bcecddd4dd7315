"""A second process with ``NUMBA_DISABLE_JIT=1`` that rebuilds cases and rehearses them interpreted.

Cases cross as JSON: the import path of every class and its fields. A recipe must therefore live in
a module that can be imported, and hold only numbers, text, tuples, arrays and other such classes.
"""

import importlib
import json
import operator
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mobandits.support.serialiser import from_description, to_description

# What cases reported, by their text. Numba reads NUMBA_DISABLE_JIT when it is imported, so that
# another process is needed; it takes seconds to start, once for all cases.
_reports: dict[str, Any] = {}

PROGRAM = "from mobandits.testing.interpreted import rehearse_requests; rehearse_requests()"


def rehearsal_report(case: Any) -> Any:
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
    """`value` as plain data for JSON.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> decode(encode((Shape(2, 0, 2), 0.5)))
        (Shape(arms=2, features=0, objectives=2, rounds=None, shared=False, fixed_arms=None), 0.5)
    """
    return to_description(value, "a recipe", ImportableClasses(), exact=True)


def decode(description: Any) -> Any:
    """The value that `encode` turned into plain data."""
    return from_description(description, "a recipe", ImportableClasses(), exact=True)


class ImportableClasses:
    """Classes by the module and the place in it that another process can import them from."""

    def name_of(self, cls: type, where: str) -> str:
        """The import path of a class.

        Raises:
            ValueError: where it cannot be imported.
        """
        path = f"{cls.__module__}:{cls.__qualname__}"
        # A class inside of a function has no place that can be imported, and `__main__` is another
        # module in every process.
        if cls.__module__ == "__main__" or _class_at(path) is not cls:
            raise ValueError(
                f"{cls.__qualname__} must live at the top of a file that another process can "
                f"import, got {path}"
            )

        return path

    def class_of(self, name: str, where: str) -> type:
        """The class at an import path."""
        module, _, _ = name.partition(":")
        importlib.import_module(module)
        cls: type = _class_at(name)
        return cls


def _class_at(path: str) -> Any:
    """The object at an import path in the modules that are loaded, or None."""
    module, _, name = path.partition(":")
    try:
        return operator.attrgetter(name)(sys.modules[module])
    except (AttributeError, KeyError):
        return None
