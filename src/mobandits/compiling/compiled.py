"""Frozen dataclasses whose methods Numba can call, and loops compiled once per combination of them.

A class decorated with `compiled` is an ordinary frozen dataclass in Python. Inside a compiled loop
it becomes a record: its fields are plain values, its methods are compiled from the same source, and
parts may nest. The record's type carries a fingerprint of every source file and constant that its
methods can reach, so a cached compilation is never stale. Only this file and its neighbours know
Numba; `backend` says which parts of it they may use.

With the environment variable ``MOBANDITS_COMPILING=never`` everything runs interpreted, from the
same source, and chooses bit-identical arms.
"""

import contextlib
import dataclasses
import functools
import gc
import inspect
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, dataclass_transform

from mobandits.compiling.backend import INTERPRETED, backend, mode, when_loaded
from mobandits.compiling.fields import (
    CONVERTERS,
    Floats,
    Ints,
    Place,
    comparable,
    convert_field,
    field_text,
)
from mobandits.compiling.fingerprint import VOLATILE, digest, fingerprint
from mobandits.compiling.named import names_of
from mobandits.compiling.part_types import (
    NOT_INLINED,
    is_compiled,
    register_part_class,
    typeof,
)
from mobandits.errors import CompileError

__all__ = [
    "Compiled",
    "Floats",
    "Ints",
    "Place",
    "compile_loop",
    "compiled",
    "interpreted",
    "is_compiled",
    "kernel",
    "loop_for",
    "loop_of_types",
    "not_inlined",
]

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C")
Compiled: TypeAlias = bool | Literal["auto"]

REMEDY = (
    "use explicit loops, `math` functions and NumPy arrays; "
    "docs/how-to/add-a-policy.md lists what compiled methods may use"
)


def kernel(function: F) -> F:
    """`function`, which compiled code may call; itself where nothing is compiled."""
    return function if INTERPRETED else Kernel(function)  # type: ignore[return-value]


class Kernel:
    """A function that compiled code calls as an inner one, and Python as a loop.

    Args:
        function: plain Python.
    """

    def __init__(self, function: Any) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        when_loaded(lambda chosen: chosen.declare_kernel(self, function))

    def __call__(self, *args: Any, **named: Any) -> Any:
        """From Python."""
        if getattr(_PYTHON, "only", False):
            return self.function(*args, **named)
        if named:
            args = inspect.signature(self.function).bind(*args, **named).args

        # An inner function has no entry for Python; a loop has one, and is cached.
        parts = filter(is_compiled, args)

        return compile_loop(self.function, *parts)(*args)

    def __reduce__(self) -> Any:
        name = self.function.__qualname__
        module = sys.modules.get(self.function.__module__)
        if getattr(module, name, None) is self:
            return name

        return Kernel, (self.function,)


_PYTHON = threading.local()


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """A context in which kernels that this thread calls from Python run in Python, and all they call."""
    before = getattr(_PYTHON, "only", False)
    _PYTHON.only = True
    try:
        yield
    finally:
        _PYTHON.only = before


def not_inlined(method: F) -> F:
    """Mark a method that leads to much code: it is called, and not put in line."""
    # In line, much code would be compiled once more for every caller, which takes seconds.
    setattr(method, NOT_INLINED, True)
    return method


@dataclass_transform(frozen_default=True)
def compiled(cls: type[C]) -> type[C]:
    """Class decorator: a frozen dataclass, equal by value, whose methods compiled code can call.

    Arrays are compared by value too. Fields are coerced to their annotation, because another type
    would be another compilation: ``Ucb(1)`` becomes ``Ucb(1.0)``, `Floats` and `Ints` become
    read-only arrays. A field that is itself a `compiled` part is annotated ``Any`` or with its
    protocol. A `__post_init__` sees the coerced fields.

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
    check_values = getattr(cls, "__post_init__", None)

    def __post_init__(self: Any) -> None:  # noqa: N807
        for name, convert in conversions:
            convert_field(self, cls.__name__, name, convert)
        # What names objectives has no numbers to be checked before they are known.
        if check_values and not names_of(self):
            check_values(self)

    cls.__post_init__ = __post_init__  # type: ignore[attr-defined]
    part_class = dataclasses.dataclass(frozen=True, eq=False, repr=False)(cls)
    fields = dataclasses.fields(part_class)  # type: ignore[arg-type]
    converted = [field for field in fields if field.type in CONVERTERS]
    conversions = [(field.name, CONVERTERS[field.type]) for field in converted]
    methods = _value_methods(cls, [field.name for field in fields])
    for name, method in methods.items():
        setattr(part_class, name, method)

    register_part_class(part_class)

    return part_class


def _value_methods(cls: type, names: list[str]) -> dict[str, Callable[..., Any]]:
    """What makes instances of `cls` values: equal, printed and copied by their fields."""

    def key(self: Any) -> tuple[Any, ...]:
        return (cls, *(comparable(getattr(self, name)) for name in names))

    def __hash__(self: Any) -> int:  # noqa: N807
        known = vars(self).get("_hash_")
        if known is None:
            known = hash(key(self))
            # Kept, because orders are keys of what is known of every block.
            object.__setattr__(self, "_hash_", known)

        return int(known)

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807
        return self is other or (type(other) is cls and key(self) == key(other))

    def __repr__(self: Any) -> str:  # noqa: N807
        listed = ", ".join(f"{name}={field_text(getattr(self, name))}" for name in names)
        return f"{cls.__name__}({listed})"

    def __reduce__(self: Any) -> Any:  # noqa: N807
        # A copy that went around the constructor would have arrays that can be written: other
        # Numba types, hence another compilation.
        return cls, tuple(getattr(self, name) for name in names)

    return {"__hash__": __hash__, "__eq__": __eq__, "__repr__": __repr__, "__reduce__": __reduce__}


def compile_loop(function: F, *parts: object, stores_arguments: bool = False) -> F:
    """`function`, compiled for these types of parts.

    Every combination of types has a dispatcher and a file in the cache of its own. A single
    dispatcher would keep every type in one index file, and Numba reads all of it on the first call:
    one class that was renamed, or that lives in a script which is not importable now, would break
    the cache of every other policy.

    Args:
        function: plain Python; it must not change what it reads from its module.
        parts: those of its arguments that are `compiled`, or sessions.
        stores_arguments: True where it stores an argument in something that lives on; else it
            borrows them, which is faster.

    Raises:
        CompileError: on the first call, naming the file and line that cannot be compiled.
    """
    if INTERPRETED:
        return function

    kinds = [typeof(part) for part in parts]
    loop: F = loop_of_types(function, kinds, stores_arguments=stores_arguments)
    return loop


def loop_of_types(function: Any, kinds: Iterable[Any], *, stores_arguments: bool = False) -> Any:
    """As `compile_loop`, for parts of which only the types are there.

    Args:
        function: as for `compile_loop`.
        kinds: the Numba types of its parts.
        stores_arguments: as for `compile_loop`.
    """
    with _LOCK:  # two threads that ask at once get one loop, which is compiled once
        return _loop_of_types(function, stores_arguments, *kinds)


def loop_for(function: F, *parts: object, compiled: Compiled = "auto") -> F:
    """`function`, compiled for these parts if all of them can be, else as it is.

    Args:
        function: as for `compile_loop`.
        parts: those of its arguments that may be `compiled`.
        compiled: False leaves the function as it is; True refuses parts that cannot be compiled.

    Raises:
        ValueError: where `compiled` is True and a part's class is not a `compiled` one.
    """
    interpreted = [part for part in parts if not is_compiled(part)]
    if compiled is True and interpreted:
        kind = type(interpreted[0]).__name__
        raise ValueError(f"{kind} is not a @compiled class, and compiled=True allows no other")
    if compiled is False or interpreted:
        return function

    return compile_loop(function, *parts)


_LOCK = threading.Lock()


class Origin(NamedTuple):
    """All that a loop is made from.

    Attributes:
        function: plain Python.
        parts: the Numba types of its parts.
        stores_arguments: as for `compile_loop`.
        cached: whether other processes find it in the cache.
    """

    function: Any
    parts: tuple[Any, ...]
    stores_arguments: bool
    cached: bool


@functools.cache
def _loop_of_types(function: Any, stores_arguments: bool, *kinds: Any) -> Any:
    compiler = backend()
    sources = [mode(), _backend_digest(), fingerprint(function)]
    sources += [kind.name for kind in kinds]
    code = function.__code__
    key = digest(code.co_code, code.co_consts, stores_arguments, sources)
    twin = _renamed(function, f"{function.__name__}_{key}")
    is_volatile = any(VOLATILE in source for source in sources)
    closes_over = bool(function.__closure__)  # and the key does not tell over what
    cached = not (is_volatile or closes_over)
    dispatcher = compiler.compile_loop(twin, stores_arguments=stores_arguments, cached=cached)
    origin = Origin(function, kinds, stores_arguments, cached)

    return _readable(dispatcher, origin)


def _renamed(function: Any, name: str) -> Any:
    """The same function by another name, after which Numba names the file in its cache."""
    twin = FunctionType(
        function.__code__,
        function.__globals__,
        name,
        function.__defaults__,
        function.__closure__,
    )
    twin.__module__ = function.__module__
    twin.__qualname__ = name

    return twin


@functools.cache
def _backend_digest() -> str:
    """The digest of the files that decide what becomes of a loop."""
    room = Path(__file__).parent
    names = ("records.py", "session_struct.py", "compiled_notes.py", *backend().sources)
    texts = [(room / name).read_text(encoding="utf-8") for name in names]
    return digest(*texts)


def _readable(dispatcher: Any, origin: Origin) -> Any:
    from mobandits.compiling.compiler_errors import (  # noqa: PLC0415 - see `backend`
        explanation,
        is_compiler_error,
    )

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
        if kinds in dispatcher.overloads:
            return

        try:
            with _uncollected():
                dispatcher.compile(kinds)
        except Exception as error:
            if is_compiler_error(error):
                raise CompileError(explanation(error, (), REMEDY)) from None

            raise

    call.dispatcher = dispatcher  # type: ignore[attr-defined]
    call.prepare = prepare  # type: ignore[attr-defined]
    call.origin = origin  # type: ignore[attr-defined]

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
