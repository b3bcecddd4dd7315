"""Frozen dataclasses whose methods Numba can call, and loops compiled once per combination of them.

A class decorated with `compiled` is an ordinary frozen dataclass in Python. Inside a compiled loop it becomes a record:
its fields are plain values, its methods are compiled from the same source, and parts may nest. The record's type
carries a fingerprint of every source file and constant that its methods can reach, so a cached compilation is never
stale. Only this file and its neighbours `inner`, `records`, `borrowing`, `memory`, `session` and `compiler_errors` know
Numba.

With the environment variable ``NUMBA_DISABLE_JIT=1`` everything runs interpreted, from the same source, and chooses
bit-identical arms.
"""

import contextlib
import dataclasses
import functools
import gc
import inspect
import operator
import sys
import threading
import types as python
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar, dataclass_transform

import numpy as np
from numba import njit, types
from numba.core.config import DISABLE_JIT
from numba.extending import typeof_impl

from mobandits.compiling.borrowing import borrow, own
from mobandits.compiling.compiler_errors import explanation, is_compiler_error
from mobandits.compiling.inner import inner
from mobandits.compiling.memory import lent
from mobandits.compiling.records import (
    APART,
    MARK,
    VOLATILE,
    digest,
    fingerprint,
    is_compiled,
    typeof,
    typeof_record,
)
from mobandits.support.checks import is_masked
from mobandits.support.naming import quoted

__all__ = ["CompileError", "Floats", "Ints", "apart", "compile_loop", "compiled", "is_compiled", "kernel"]

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C")

REMEDY = (
    "use explicit loops, `math` functions and NumPy arrays; "
    "docs/how-to/add-a-policy.md lists what compiled methods may use"
)


class CompileError(Exception):
    """A method of a `compiled` class cannot be compiled; the message names the file, the line and the remedy."""

    SAYS_WHERE: ClassVar[bool] = True


if TYPE_CHECKING:  # constructors accept anything that converts, and type checkers know no converters
    Floats: TypeAlias = Any
    Ints: TypeAlias = Any
else:

    class Floats(np.ndarray):
        """Annotation of a field: the value is stored as a read-only, C-contiguous float64 array."""

    class Ints(np.ndarray):
        """Annotation of a field: a read-only int64 array; a ragged list of lists becomes a matrix padded with -1."""


def kernel(function: F) -> F:
    """Let compiled code call `function`; it stays an ordinary function under ``NUMBA_DISABLE_JIT=1``."""
    return function if DISABLE_JIT else Kernel(function)  # type: ignore[return-value]


class Kernel:
    """A function that compiled code calls as an inner one; what calls it from Python calls it as a loop.

    Args:
        function: plain Python.
    """

    def __init__(self, function: Any) -> None:
        functools.update_wrapper(self, function)
        self.function, self._inside = function, inner(function)
        self._numba_type_ = types.Dispatcher(self._inside)  # what compiled code takes it for, a weak reference

    def __call__(self, *args: Any, **named: Any) -> Any:
        """From Python."""
        if getattr(_PYTHON, "only", False):
            return self.function(*args, **named)
        if named:
            args = inspect.signature(self.function).bind(*args, **named).args
        return compile_loop(self.function, *filter(is_compiled, args))(*args)

    def __reduce__(self) -> Any:
        found = getattr(sys.modules.get(self.function.__module__), self.function.__qualname__, None)
        return self.function.__qualname__ if found is self else (Kernel, (self.function,))


_PYTHON = threading.local()


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """A context in which kernels that this thread calls from Python run in Python, as everything that they call."""
    before = getattr(_PYTHON, "only", False)
    _PYTHON.only = True
    try:
        yield
    finally:
        _PYTHON.only = before


def apart(method: F) -> F:
    """Mark a method that leads to much code: it is called, and not put in line, which would take long to compile."""
    setattr(method, APART, True)
    return method


def _frozen(value: Any, dtype: Any) -> np.ndarray[Any, Any]:
    array = np.array(value, dtype, order="C")
    array.setflags(write=False)  # Numba types differ by writability: always the same, hence one compilation
    return array


def _floats(value: Any) -> np.ndarray[Any, Any]:
    _refuse_masked(value)
    return _frozen(value, np.float64)


def _ints(value: Any) -> np.ndarray[Any, Any]:
    _refuse_masked(value)
    rows = [] if value is None else list(value)
    if rows and all(np.ndim(row) == 1 for row in rows):
        width = max(map(len, rows))
        rows = [[*row, *[-1] * (width - len(row))] for row in rows]
    if rows and np.asarray(rows).dtype.kind not in "iu":
        raise ValueError("not integers")
    return _frozen(rows, np.int64)


def _refuse_masked(value: Any) -> None:
    if is_masked(value):  # NumPy would read the values under the mask
        raise ValueError("masked entries")


def _int(value: Any) -> int:
    number = operator.index(value)
    if not -(2**63) <= number < 2**63:
        raise OverflowError(f"{number.bit_length()} bits, where compiled code has 64")
    return number


_COERCE: dict[Any, Callable[[Any], Any]] = {float: float, int: _int, bool: bool, Floats: _floats, Ints: _ints}
_KINDS = {
    float: "a number",
    _int: "an integer",
    bool: "true or false",
    _floats: "an array of numbers",
    _ints: "integers, or lists of integers",
}
_COERCE |= {kind.__name__: to for kind, to in list(_COERCE.items())}  # annotations may be strings


@dataclass_transform(frozen_default=True)
def compiled(cls: type[C]) -> type[C]:
    """Class decorator: a frozen dataclass, equal by value (arrays too), whose methods compiled code can call.

    Fields are coerced to their annotation, because another type would be another compilation: ``Ucb(1)`` becomes
    ``Ucb(1.0)``, `Floats` and `Ints` become read-only arrays. A field that is itself a `compiled` part is annotated
    ``Any`` or with its protocol. A `__post_init__` sees the coerced fields.

    Raises:
        ValueError: on construction, naming class, field and value, where a field cannot be coerced.

    Example:
        >>> from mobandits.compiling.compiled import compiled
        >>> @compiled
        ... class Scale:
        ...     factor: float
        ...     def of(self, value):
        ...         return self.factor * value
        >>> Scale(2) == Scale(2.0), Scale(2).of(3.0)
        (True, 6.0)
    """
    own_check = getattr(cls, "__post_init__", None)

    def __post_init__(self: Any) -> None:  # noqa: N807
        for name, to in coerce:
            value = getattr(self, name)
            try:
                object.__setattr__(self, name, to(value))
            except (TypeError, ValueError, OverflowError) as error:
                raise ValueError(f"{cls.__name__}.{name} must be {_KINDS[to]}, got {quoted(value)}") from error
        if own_check:
            own_check(self)

    cls.__post_init__ = __post_init__  # type: ignore[attr-defined]
    data = dataclasses.dataclass(frozen=True, eq=False, repr=False)(cls)
    fields = dataclasses.fields(data)  # type: ignore[arg-type]
    names = [f.name for f in fields]
    coerce = [(f.name, _COERCE[f.type]) for f in fields if f.type in _COERCE]

    def key(self: Any) -> tuple[Any, ...]:
        values = (getattr(self, name) for name in names)
        return (cls, *((v.dtype.str, v.shape, v.tobytes()) if isinstance(v, np.ndarray) else v for v in values))

    def text(value: Any) -> str:
        return repr(value.tolist()) if isinstance(value, np.ndarray) else repr(value)

    def hashed(self: Any) -> int:
        if (known := vars(self).get("_hash_")) is None:
            known = hash(key(self))
            object.__setattr__(self, "_hash_", known)  # orders are keys of what is known of every block
        return int(known)

    members = {
        "__hash__": hashed,
        "__eq__": lambda self, other: self is other or (type(other) is cls and key(self) == key(other)),
        "__repr__": lambda self: f"{cls.__name__}({', '.join(f'{n}={text(getattr(self, n))}' for n in names)})",
        # Copies go through the constructor, so that they are coerced and read-only too: the same Numba type.
        "__reduce__": lambda self: (cls, tuple(getattr(self, n) for n in names)),
    }
    for name, member in members.items():
        setattr(data, name, member)
    setattr(data, MARK, True)
    typeof_impl.register(data)(typeof_record)
    return data


def compile_loop(function: F, *parts: object, keeps: bool = False) -> F:
    """`function`, compiled for these types of parts: one source, one dispatcher and one cache file per combination.

    A single dispatcher would keep every type in one index file, and Numba reads all of it on the first call: one
    class that was renamed, or that lives in a script which is not importable now, would break the cache of every
    other policy.

    Args:
        function: plain Python; it must not change what it reads from its module.
        parts: those of its arguments that are `compiled`, or sessions.
        keeps: True where it stores an argument in something that lives on; else arguments are lent, which is faster.

    Raises:
        CompileError: on the first call, naming the file and line that cannot be compiled.
    """
    if DISABLE_JIT:
        return function
    with _LOCK:
        loop: F = _loop_for(function, keeps, *[typeof(part) for part in parts])
    return loop


_LOCK = threading.Lock()


@functools.cache
def _loop_for(function: Any, keeps: bool, *kinds: Any) -> Any:
    code = function.__code__
    sources = [_compiler(), fingerprint(function), *(kind.name for kind in kinds)]
    name = f"{function.__name__}_{digest(code.co_code, code.co_consts, keeps, sources)}"
    twin = python.FunctionType(code, function.__globals__, name, function.__defaults__, function.__closure__)
    twin.__module__, twin.__qualname__ = function.__module__, name
    cached = not (function.__closure__ or any(VOLATILE in source for source in sources))
    if keeps:
        return _readable(njit(twin, cache=cached, nogil=True))
    return _readable(lent(_lender(name, inner(twin), code.co_varnames[: code.co_argcount]), cache=cached, nogil=True))


@functools.cache
def _compiler() -> str:
    """What this file's neighbours are, which decide what becomes of a loop."""
    neighbours = ("borrowing.py", "inner.py", "memory.py", "records.py", "session.py")
    return digest(*(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in neighbours))


def _lender(name: str, loop: Any, names: Sequence[str]) -> Any:
    """`loop` with arguments that it borrows, see `borrowing`; Numba names the cache file after the function."""
    given, scope = "".join(f"{name}, " for name in names), {"loop": loop, "borrow": borrow, "own": own}
    source = f"def {name}({given}):\n    return own(loop(*borrow(({given}))), ({given}))"
    exec(compile(source, __file__, "exec"), scope)  # noqa: S102 - only names of arguments vary
    lender: Any = scope[name]
    lender.__module__, lender.__defaults__ = __name__, loop.py_func.__defaults__
    return lender


def _readable(dispatcher: Any) -> Any:
    @functools.wraps(dispatcher)
    def call(*args: Any) -> Any:
        try:
            if dispatcher.overloads:
                return dispatcher(*args)
            with _uncollected():
                return dispatcher(*args)
        except Exception as error:
            if is_compiler_error(error):
                raise CompileError(explanation(error, args, REMEDY)) from None
            raise

    def prepare(*kinds: Any) -> None:
        """Compile for arguments of these types, or read it from the cache, without a call."""
        try:
            with _uncollected():
                dispatcher.compile(kinds)
        except Exception as error:
            if is_compiler_error(error):
                raise CompileError(explanation(error, (), REMEDY)) from None
            raise

    call.dispatcher = dispatcher  # type: ignore[attr-defined]
    call.prepare = prepare  # type: ignore[attr-defined]
    return call


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection: compilers make millions of objects, and looking through them takes a seventh."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
