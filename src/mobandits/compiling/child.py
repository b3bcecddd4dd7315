"""The process that compiles loops into the cache for another one; `at_hand` starts it."""

import contextlib
import importlib
import json
import operator
import os
import pickle
import queue
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["Wanted"]


class Wanted(NamedTuple):
    """A loop that another process needs.

    Attributes:
        module: of its function.
        name: of its function there.
        parts: as of `compiled.Origin`.
        stores_arguments: likewise.
        kinds: the Numba types of its arguments.
        loop: its name, which has the digest of its sources.
    """

    module: str
    name: str
    parts: tuple[Any, ...]
    stores_arguments: bool
    kinds: tuple[Any, ...]
    loop: str


def compile_wanted(wanted: Wanted) -> None:
    """Compile a loop into the cache, unless it is there.

    Raises:
        CompileError: where that is not possible.
        RuntimeError: where its sources were edited.
    """
    from mobandits.compiling.compiled import loop_of_types  # noqa: PLC0415
    from mobandits.compiling.records import refuse_edited  # noqa: PLC0415

    refuse_edited()
    module = importlib.import_module(wanted.module)
    found = operator.attrgetter(wanted.name)(module)
    function = getattr(found, "function", found)  # a kernel's
    loop = loop_of_types(function, wanted.parts, stores_arguments=wanted.stores_arguments)
    if loop.__name__ != wanted.loop:
        raise RuntimeError(f"{wanted.name} was edited since that process loaded it")

    # One process of a machine compiles a loop: the others find it in the cache then.
    with _locked(Path(loop.dispatcher.stats.cache_path) / f"{wanted.loop}.lock"):
        loop.prepare(*wanted.kinds)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """The only process of this machine inside, where the system has locks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            # Whoever waits for this file has it all the same, and finds what was compiled. Windows
            # unlinks no file that is open.
            with contextlib.suppress(PermissionError):
                path.unlink(missing_ok=True)


def _read_wanted(wanted: "queue.SimpleQueue[bytes]") -> None:
    """Put what the parent asks for into a queue; end with the parent."""
    try:
        while True:
            wanted.put(pickle.load(sys.stdin.buffer))  # noqa: S301 - from the parent
    finally:
        os._exit(1)


def main() -> None:
    """Compile what standard input asks for, one loop after the other, with a line of JSON for each.

    The line says why a loop could not be compiled, or "". The argument says by how much this process
    is nicer than its parent.
    """
    # Modules of others may print when they are imported.
    answer = sys.stdout
    sys.stdout = sys.stderr
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))

    wanted: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_wanted, args=(wanted,), daemon=True).start()
    while True:
        problem = ""
        pickled = wanted.get()
        try:
            compile_wanted(pickle.loads(pickled))  # noqa: S301 - likewise
        except Exception as error:  # noqa: BLE001 - others can be compiled where one cannot be read
            problem = str(error)

        print(json.dumps(problem), file=answer, flush=True)


if __name__ == "__main__":
    main()
