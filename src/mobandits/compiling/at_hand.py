"""Compiled code that is at hand, and a child process that compiles what is not.

Compilers take seconds, in which a process answers nobody. So a caller that can do without compiled
code asks first whether it is at hand: in memory, or in the cache. If it is not, a child process of
low priority compiles it into the cache, and a thread of this process loads it from there. Until
then the caller goes on in Python.
"""

import atexit
import contextlib
import logging
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
from numba.core import event

from mobandits.compiling.backend import AUTO, INTERPRETED, MODE, VARIABLE, asked
from mobandits.compiling.child import Wanted
from mobandits.compiling.part_types import is_compiled, typeof
from mobandits.support.forks import on_fork

__all__ = ["NotAtHand", "is_at_hand", "types_of", "waiting", "waits"]

LOG = logging.getLogger("mobandits")
PATIENCE = 1.0  # seconds: a process that ends sooner needs no compiler
LOOK_SECONDS = 0.2
BEGUN = (
    "a child process compiles what agents play, who answer in Python meanwhile; "
    f"{VARIABLE}=now waits for it, and `mobandits warm --agents` compiles ahead"
)
FAILED = "agents go on in Python, in more time, because their code could not be compiled: %s"

Kinds = tuple[Any, ...]


class NotAtHand(Exception):  # noqa: N818 - no error: who gets it goes on in Python
    """Code that must not be compiled by this call is in no cache."""


class _Waiting:
    """Whether the calls of this process wait for a compiler."""

    everywhere = asked() != AUTO


class _Here(threading.local):
    """Whether the calls of this thread do."""

    waits = False


_waiting = _Waiting()
_here = _Here()
_unwaited: "weakref.WeakSet[Any]" = weakref.WeakSet()  # the dispatchers of such loops


class _Gate(event.Listener):  # type: ignore[misc]
    """A look at every compilation before it begins, which may refuse it."""

    def on_start(self, event: Any) -> None:
        if event.data["dispatcher"] in _unwaited and not (waits() or _here.waits):
            raise NotAtHand

    def on_end(self, event: Any) -> None:
        """Nothing."""


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


def types_of(values: tuple[Any, ...]) -> Kinds:
    """The Numba types of arguments, as dispatchers infer them."""
    return tuple(typeof(each) if is_compiled(each) else numba.typeof(each) for each in values)


def is_at_hand(loop: Any, kinds: Kinds, *, compiles: bool = False) -> bool:
    """Whether a loop can be called with arguments of these types without being compiled.

    Where it cannot, it will be by and by.

    Args:
        loop: as `compile_loop` returns it.
        kinds: as of `types_of`.
        compiles: whether to wait for the compiler, and return True.

    Raises:
        CompileError: where the loop was waited for, and cannot be compiled.
    """
    if kinds in loop.dispatcher.overloads:
        return True
    if waits():
        return True  # the call compiles

    _unwaited.add(loop.dispatcher)
    # No other process can compile for this one what no cache has, such as classes of a script.
    if compiles or not loop.origin.cached:
        _compile(loop, kinds)
        return True

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
    """The thread of this process that has loops compiled by child processes, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: set[tuple[Any, Kinds]] = set()
        self._wanted: list[tuple[Any, Kinds]] = []
        self._thread: threading.Thread | None = None
        self._ends = threading.Event()

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
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="mobandits", daemon=True)
                self._thread.start()

            return False

    def stop(self) -> None:
        """End the child process, and then the thread: nothing may be loaded while Python ends."""
        self._ends.set()
        thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        self._ends.wait(PATIENCE)
        while not self._ends.is_set():
            with self._lock:
                batch = self._wanted
                self._wanted = []
                if not batch:
                    self._thread = None
                    return

            said = self._compile_in_child(batch)
            loaded = [self._ends.is_set() or _load(*each) for each in batch]
            if not all(loaded):
                LOG.warning(FAILED, said)

    def _compile_in_child(self, batch: list[tuple[Any, Kinds]]) -> str:
        """Have loops compiled into the cache.

        Returns:
            The last line of what the child has said of failures.
        """
        LOG.info(BEGUN)
        request = pickle.dumps([_wanted(*each) for each in batch])
        # An empty entry of the path is the working directory.
        folders = [folder or str(Path.cwd()) for folder in sys.path]
        settings = {VARIABLE: MODE, "PYTHONPATH": os.pathsep.join(folders)}
        command = [sys.executable, "-m", "mobandits.compiling.child"]
        with (
            tempfile.TemporaryFile() as said,
            subprocess.Popen(  # noqa: S603
                command, stdin=subprocess.PIPE, stdout=said, stderr=said, env=os.environ | settings
            ) as child,
        ):
            assert child.stdin is not None  # noqa: S101 - it is a pipe
            # It stays open: the child ends with it.
            child.stdin.write(request)
            child.stdin.flush()
            while child.poll() is None:
                if self._ends.wait(LOOK_SECONDS):
                    child.kill()

            said.seek(0)
            lines = said.read().decode(errors="replace").splitlines()

        return lines[-1] if lines else "its process ended"


def _wanted(loop: Any, kinds: Kinds) -> Wanted:
    origin = loop.origin
    function = origin.function
    return Wanted(
        function.__module__,
        function.__qualname__,
        origin.parts,
        origin.stores_arguments,
        kinds,
        loop.__name__,
    )


_helper = _Helper()


def _begin_anew(_: Any) -> None:
    """In the child of a fork, which has no thread of its parent."""
    global _helper  # noqa: PLW0603
    _helper = _Helper()


def _stop() -> None:
    _helper.stop()  # the one of this process


on_fork(_waiting, _begin_anew)
atexit.register(_stop)
if not INTERPRETED:
    event.register("numba:compile", _Gate())
