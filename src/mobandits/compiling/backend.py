"""How this process compiles: through Numba's private parts, through its public ones, or not at all.

The three modes give the same bits, from the same sources:

- ``optimised`` leans on parts of Numba that may change from version to version. It takes a fourth
  to a half of the time where arms are few, and runs with the versions that it was tested with.
- ``plain`` uses only what Numba documents, so it should run with versions that were not tested.
- ``interpreted`` compiles nothing. It is for debugging, and for machines where nothing may be
  compiled.

The environment variable ``MOBANDITS_COMPILING`` chooses one of them, and whether calls wait for a
compiler: `CHOICES` lists its values. Numba's own ``NUMBA_DISABLE_JIT=1`` is as ``never``.

Numba itself is loaded at the first need, which takes a fifth of a second.
"""

import os
import re
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from mobandits.errors import BackendError, CompilingWarning
from mobandits.support.naming import quoted

if TYPE_CHECKING:
    from mobandits.compiling.records import Record

__all__ = [
    "AUTO",
    "INTERPRETED",
    "LOADING",
    "VARIABLE",
    "Backend",
    "asked",
    "backend",
    "is_loaded",
    "mode",
    "when_loaded",
]

Mode: TypeAlias = Literal["optimised", "plain", "interpreted"]

VARIABLE = "MOBANDITS_COMPILING"
# What each value asks for: `optimised` where it can be had, else `plain` with a warning; agents
# answer in Python until a child process has compiled (`at_hand`).
AUTO = "auto"
CHOICES = (
    AUTO,
    "now",  # as auto, but every call waits for what it needs
    "never",  # interpreted
    "optimised",  # as now, or an error where that backend cannot be had
    "plain",  # as now, by that backend
)

# The optimised backend was tested from the first of these versions of Numba up to, and without,
# the second. To look for import errors instead would not do: a hook that was renamed fails only
# when the first loop is compiled, and `memory` writes Numba's header of an array itself, so that
# another layout would corrupt the heap without any error.
FIRST_TESTED = (0, 61)
FIRST_UNTESTED = (0, 69)


class Backend(Protocol):
    """A way to compile, as `compiled` uses it."""

    sources: tuple[str, ...]  # the files of this room that decide what becomes of a loop

    def declare_kernel(self, kernel: Any, function: Callable[..., Any]) -> None:
        """Let compiled code call `function` where it meets `kernel`."""

    def record_class(self, cls: type) -> "type[Record]":
        """The class of the Numba types of a part's class."""

    def compile_loop(self, function: Any, *, stores_arguments: bool, cached: bool) -> Any:
        """Numba's dispatcher of a function that Python calls, and that lets other threads run."""


def is_tested(version: str) -> bool:
    """Whether the optimised backend was tested with a version of Numba.

    Example:
        >>> is_tested("0.61.0"), is_tested("0.68.1"), is_tested("0.69.0rc1"), is_tested("1.0")
        (True, True, False, False)
    """
    numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
    return FIRST_TESTED <= numbers < FIRST_UNTESTED


def choose(value: str, version: str) -> tuple[Mode, Backend]:
    """The mode, and the backend that compiles in it.

    Args:
        value: one of `CHOICES` that compile.
        version: Numba's.

    Raises:
        BackendError: where it is "optimised", and cannot be had.
    """
    if value == "plain":
        return "plain", load_plain()

    try:
        check_tested(version)
        return "optimised", load_optimised(version)
    except BackendError as error:
        if value == "optimised":
            raise

        remedy = f"loops run slower, compiled as by {VARIABLE}=plain, which silences this warning"
        warnings.warn(f"{error}: {remedy}", CompilingWarning, stacklevel=2)
        return "plain", load_plain()


def check_tested(version: str) -> None:
    """Refuse versions of Numba that the optimised backend was not tested with.

    Raises:
        BackendError: naming the versions that it was tested with.
    """
    if not is_tested(version):
        first = ".".join(map(str, FIRST_TESTED))
        end = ".".join(map(str, FIRST_UNTESTED))
        rule = f"{VARIABLE}=optimised needs Numba {first} or newer, before {end}"
        raise BackendError(f"{rule}, got {version}")


# Only the backend that is used is imported: with another version of Numba, the optimised one may
# not be importable.


def load_plain() -> Backend:
    """The backend that any Numba will do for."""
    from mobandits.compiling.plain import PlainBackend  # noqa: PLC0415

    return PlainBackend()


def load_optimised(version: str) -> Backend:
    """The backend that leans on private parts of Numba.

    Raises:
        BackendError: where it does not find them.
    """
    try:
        from mobandits.compiling.optimised import OptimisedBackend  # noqa: PLC0415
    except (ImportError, AttributeError) as error:
        rule = f"{VARIABLE}=optimised does not go with Numba {version}"
        raise BackendError(f"{rule}, because {error}") from error

    return OptimisedBackend()


def asked() -> str:
    """The value of the environment variable."""
    # No constant of this module: cached code serves processes that wait and those that do not.
    return os.environ.get(VARIABLE) or AUTO


def is_off() -> bool:
    """Whether Numba was asked to compile nothing, in its own way."""
    return os.environ.get("NUMBA_DISABLE_JIT", "").strip() not in {"", "0"}


class _Loaded:
    """What is loaded in this process; before, nothing is."""

    mode: Mode | None = None
    backend: Any = None


# Held while Numba is loaded, or code that it has compiled. Forks wait for it: their child has no
# thread that would go on, and could never load what is loaded in part.
LOADING = threading.RLock()
_loaded = _Loaded()
_lock = threading.Lock()
_waiting: list[Callable[[Backend], object]] = []


def is_loaded() -> bool:
    """Whether Numba is loaded, and all that was declared to it."""
    return _loaded.mode is not None


def when_loaded(declare: Callable[[Backend], object]) -> None:
    """Have something declared to the backend: once Numba is loaded, or now, where it is."""
    if INTERPRETED:
        return

    with _lock:
        if not is_loaded():
            _waiting.append(declare)
            return

    declare(_loaded.backend)


def backend() -> Backend:
    """The backend of this process, for which Numba is loaded.

    Raises:
        BackendError: where ``optimised`` was asked for, and cannot be had.
    """
    if not is_loaded():
        with LOADING:
            if not is_loaded():  # another thread may have loaded it meanwhile
                _load()

    chosen: Backend = _loaded.backend
    return chosen


def mode() -> Mode:
    """The mode in which this process compiles."""
    if INTERPRETED:
        return "interpreted"

    backend()
    assert _loaded.mode is not None  # noqa: S101 - it is loaded
    return _loaded.mode


def _load() -> None:
    import numba  # noqa: PLC0415 - it takes a fifth of a second

    chosen, made = choose(asked(), numba.__version__)
    while not is_loaded():
        with _lock:
            declared = _waiting.copy()
            _waiting.clear()
            if not declared:
                _loaded.backend = made
                _loaded.mode = chosen

        # Without the lock: another thread may be importing a module that declares something.
        for declare in declared:
            declare(made)


def check_choice(value: str) -> None:
    """Refuse what is no value of the environment variable.

    Raises:
        BackendError: with all of them.
    """
    if value not in CHOICES:
        raise BackendError(f"{VARIABLE} must be one of {', '.join(CHOICES)}, got {quoted(value)}")


check_choice(asked())
INTERPRETED = is_off() or asked() == "never"
if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(
        before=LOADING.acquire, after_in_parent=LOADING.release, after_in_child=LOADING.release
    )
