"""The interpreted world: another process, with ``NUMBA_DISABLE_JIT=1``, that rebuilds cases and rehearses them.

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
from typing import Any, Protocol

from mobandits.support.serialiser import from_description, to_description

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
    """`value` as plain data for JSON.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> decode(encode((Shape(2, 0, 2), 0.5)))
        (Shape(arms=2, features=0, objectives=2, rounds=None, shared=False, fixed_arms=None), 0.5)
    """
    return to_description(value, "a recipe", ImportableClasses(), exact=True)


def decode(description: Any) -> Any:
    """The value of what `encode` gave."""
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
        importlib.import_module(name.partition(":")[0])
        cls: type = _class_at(name)
        return cls


def _class_at(path: str) -> Any:
    """What is at an import path in the modules that are loaded, or None."""
    module, _, name = path.partition(":")
    try:
        return operator.attrgetter(name)(sys.modules[module])
    except (AttributeError, KeyError):
        return None
