"""Compiled code that is at hand, and child processes that compile what is not.

Compilers take seconds, in which a process answers nobody. So a caller that can do without compiled
code asks first whether it is at hand: in memory, or in the cache. If it is not, a child process
compiles it into the cache, and a thread of this process loads it from there. Until then the caller
goes on in Python. So do the first calls of a process, since to load Numba takes tenths of a second.
"""

import atexit
import contextlib
import json
import logging
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mobandits.compiling.backend import (
    AUTO,
    LOADING,
    VARIABLE,
    asked,
    backend,
    is_loaded,
    mode,
    when_loaded,
)
from mobandits.compiling.child import Wanted
from mobandits.compiling.part_types import is_compiled, typeof
from mobandits.support.forks import on_fork, processors

__all__ = [
    "NotAtHand",
    "Played",
    "has_numba",
    "is_at_hand",
    "loading",
    "types_of",
    "waiting",
    "waits",
]

LOG = logging.getLogger("mobandits")
SHORTEST = 0.2  # seconds: a process that ends sooner needs no compiled code
PATIENCE = 1.0  # seconds: a process that ends sooner needs no compiler
MOST_CHILDREN = 4  # at the same time: each takes some hundred megabytes
COMMAND = (sys.executable, "-m", "mobandits.compiling.child")
LOW = "5"  # by so much a child is nicer than its parent
BEGUN = (
    "a child process compiles what is played in Python meanwhile, with the same numbers; "
    f"{VARIABLE}=now waits for it, and `mobandits warm` compiles ahead"
)
IN_PYTHON = ", in Python until a child process has compiled it"
FAILED = "it is played in Python from now on, in more time, as it could not be compiled: %s"

Kinds = tuple[Any, ...]


class NotAtHand(Exception):  # noqa: N818 - no error: who gets it goes on in Python
    """Code that must not be compiled by this call is in no cache."""


class _Waiting:
    """Whether the calls of this process wait for a compiler."""

    everywhere = asked() != AUTO


class _Here(threading.local):
    """Whether the calls of this thread do, or wait at least for what is in the cache."""

    waits = False
    loads = False


_waiting = _Waiting()
_here = _Here()
_unwaited: "weakref.WeakSet[Any]" = weakref.WeakSet()  # the dispatchers of such loops


def _watch_compilations(_: object) -> None:
    from numba.core import event  # noqa: PLC0415 - see `backend`

    class Gate(event.Listener):  # type: ignore[misc]
        """A look at every compilation before it begins, which may refuse it."""

        def on_start(self, event: Any) -> None:
            if event.data["dispatcher"] in _unwaited and not (waits() or _here.waits):
                raise NotAtHand

        def on_end(self, event: Any) -> None:
            """Nothing."""

    event.register("numba:compile", Gate())


def waits() -> bool:
    """Whether calls wait for a compiler where their code is not at hand."""
    return _waiting.everywhere


@contextlib.contextmanager
def waiting() -> Iterator[None]:
    """A context in which all calls of this process wait for a compiler."""
    before = _waiting.everywhere
    _waiting.everywhere = True
    try:
        yield
    finally:
        _waiting.everywhere = before


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """A context in which calls of this thread wait for code that is in the cache, and for no other."""
    _here.loads = True
    try:
        yield
    finally:
        _here.loads = False


def types_of(values: tuple[Any, ...]) -> Kinds:
    """The Numba types of arguments, as dispatchers infer them."""
    import numba  # noqa: PLC0415 - see `backend`

    return tuple(typeof(each) if is_compiled(each) else numba.typeof(each) for each in values)


def has_numba(*, compiles: bool = False) -> bool:
    """Whether Numba is loaded, as it is once a process goes on for a while.

    It is loaded by whoever calls: a thread would wait for a busy program after each of the
    thousands of files that are read.

    Args:
        compiles: whether to wait until it is, and return True.

    Raises:
        BackendError: where it was waited for, and does not do for what was asked for.
    """
    if is_loaded():
        return True
    if not (compiles or waits() or _here.loads or _helper.is_due()):
        return False

    backend()

    return True


class Played(NamedTuple):
    """A name of a call whose text says whether something is played in Python for now."""

    name: str

    def __str__(self) -> str:
        return f"{self.name}{IN_PYTHON}" if _helper.is_behind() else self.name


def is_at_hand(loop: Any, kinds: Kinds, *, compiles: bool = False, hurries: bool = True) -> bool:
    """Whether a loop can be called with arguments of these types without being compiled.

    Where it cannot, it will be by and by.

    Args:
        loop: as `compile_loop` returns it.
        kinds: as of `types_of`.
        compiles: whether to wait for the compiler, and return True.
        hurries: whether the caller has much to compute, so that a child process has the priority
            of this one; else a low one.

    Raises:
        CompileError: where the loop was waited for, and cannot be compiled.
    """
    _unwaited.add(loop.dispatcher)  # from now on, for arguments of any types
    if kinds in loop.dispatcher.overloads:
        return True
    if waits():
        return True  # the call compiles

    # No other process can compile for this one what no cache has, such as classes of a script.
    if compiles or not loop.origin.cached:
        _compile(loop, kinds)
        return True

    if hurries:
        _helper.hurries = True

    return _helper.has(loop, kinds)


def _compile(loop: Any, kinds: Kinds) -> None:
    _here.waits = True
    try:
        loop.prepare(*kinds)
    finally:
        _here.waits = False


def _load(loop: Any, kinds: Kinds) -> bool:
    """Load a loop from the cache: whether it is there."""
    try:
        loop.prepare(*kinds)
    except NotAtHand:
        return False

    return True


class _Helper:
    """The threads of this process that have loops compiled by child processes, one child each.

    Attributes:
        hurries: whether there may be a child per processor, up to four, with the priority of this
            process; else there is one, with a low priority.
    """

    def __init__(self) -> None:
        self.hurries = False
        self._began: float | None = None
        self._lock = threading.Lock()
        self._asked: set[tuple[Any, Kinds]] = set()
        self._wanted: list[tuple[Any, Kinds]] = []
        self._threads: set[threading.Thread] = set()
        self._children: set[subprocess.Popen[bytes]] = set()
        self._ends = threading.Event()

    def is_behind(self) -> bool:
        """Whether a loop that was asked for is still to be compiled."""
        return bool(self._wanted or self._children)

    def is_due(self) -> bool:
        """Whether the process has gone on for a while since this was first asked."""
        now = time.monotonic()
        if self._began is None:
            self._began = now

        return now - self._began >= SHORTEST

    def has(self, loop: Any, kinds: Kinds) -> bool:
        """Whether the cache has a loop, where that was not asked before; else it will be compiled."""
        with self._lock:
            wanted = (loop, kinds)
            if wanted in self._asked:
                return False

            self._asked.add(wanted)
            if _load(loop, kinds):
                return True

            self._wanted.append(wanted)
            most = min(MOST_CHILDREN, processors()) if self.hurries else 1
            if len(self._threads) < most:
                thread = threading.Thread(target=self._work, name="mobandits", daemon=True)
                self._threads.add(thread)
                thread.start()

            return False

    def stop(self) -> None:
        """End the child processes, and then the threads: nothing may be loaded while Python ends."""
        self._ends.set()
        for child in tuple(self._children):
            child.kill()
        for thread in tuple(self._threads):
            thread.join()

    def _work(self) -> None:
        self._ends.wait(PATIENCE)
        while not self._ends.is_set():
            with self._lock:
                if not self._wanted:
                    self._threads.remove(threading.current_thread())
                    return

                is_first = not self._children

            if is_first:
                LOG.info(BEGUN)
            try:
                self._load_from_child()
            except Exception as error:  # noqa: BLE001 - no reason to end Python
                # No process begins, so none would for the others.
                self._wanted.clear()
                self._say_failed(str(error))

    def _next(self) -> tuple[Any, Kinds] | None:
        """The loop that has waited longest; None: none waits, or Python ends."""
        with self._lock:
            if self._ends.is_set() or not self._wanted:
                return None

            return self._wanted.pop(0)

    def _has_loaded(self, wanted: tuple[Any, Kinds]) -> bool:
        """Whether a loop came from the cache; as Python ends, none is loaded."""
        with LOADING:
            return not self._ends.is_set() and _load(*wanted)

    def _load_from_child(self) -> None:
        """Have loops compiled into the cache by a child process while any wait, and load them."""
        with (
            tempfile.TemporaryFile() as said,
            subprocess.Popen(  # noqa: S603
                (*COMMAND, "0" if self.hurries else LOW),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                env=_environment(),
            ) as child,
        ):
            self._children.add(child)
            try:
                while (wanted := self._next()) is not None:
                    problem = _problem_of(child, wanted)
                    if problem is None:
                        said.seek(0)
                        lines = said.read().decode(errors="replace").splitlines()
                        self._say_failed(lines[-1] if lines else "its process ended")
                        return
                    if problem or not self._has_loaded(wanted):
                        self._say_failed(problem or "it is not in the cache")
            finally:
                self._children.remove(child)
                child.kill()  # it waits for more

    def _say_failed(self, problem: str) -> None:
        if not self._ends.is_set():
            LOG.warning(FAILED, problem)


def _problem_of(child: subprocess.Popen[bytes], wanted: tuple[Any, Kinds]) -> str | None:
    """The reason why a child process could not compile a loop; "" where it did, None where it ended."""
    assert child.stdin is not None  # noqa: S101 - both are pipes
    assert child.stdout is not None  # noqa: S101
    with contextlib.suppress(BrokenPipeError):
        pickle.dump(_pickled(*wanted), child.stdin)
        child.stdin.flush()

    line = child.stdout.readline()
    return json.loads(line) if line else None


def _environment() -> dict[str, str]:
    """The environment of a child process, which finds the modules that this one does."""
    # An empty entry of the path is the working directory.
    folders = [folder or str(Path.cwd()) for folder in sys.path]
    return {**os.environ, VARIABLE: mode(), "PYTHONPATH": os.pathsep.join(folders)}


def _pickled(loop: Any, kinds: Kinds) -> bytes:
    """A loop and the types of its arguments; nothing where no other process can have them."""
    origin = loop.origin
    function = origin.function
    wanted = Wanted(
        function.__module__,
        function.__qualname__,
        origin.parts,
        origin.stores_arguments,
        kinds,
        loop.__name__,
    )
    try:
        return pickle.dumps(wanted)
    except (pickle.PicklingError, AttributeError, TypeError):
        return b""  # of a class inside of a function, say


_helper = _Helper()


def _begin_anew(_: Any) -> None:
    """In the child of a fork, which has no thread of its parent."""
    global _helper  # noqa: PLW0603
    _helper = _Helper()


def _stop() -> None:
    _helper.stop()  # the one of this process


on_fork(_waiting, _begin_anew)
atexit.register(_stop)
when_loaded(_watch_compilations)
