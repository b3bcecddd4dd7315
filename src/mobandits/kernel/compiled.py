"""Frozen dataclasses whose methods Numba can call, and loops compiled once per combination of them.

This is the only file that knows Numba's internals. A class decorated with `compiled` is an ordinary frozen dataclass
in Python. Inside a compiled loop it becomes a record: its fields are plain values, its methods are compiled from the
same source, and parts may nest. The record's type carries a fingerprint of every source file and constant that its
methods can reach, so a cached compilation is never stale.

With the environment variable ``NUMBA_DISABLE_JIT=1`` everything runs interpreted, from the same source, and chooses
bit-identical arms.
"""

import dataclasses
import functools
import hashlib
import inspect
import operator
import re
import sys
import threading
import types as python
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, dataclass_transform

import numpy as np
from numba import njit, types
from numba.core import cgutils
from numba.core.config import DISABLE_JIT
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_builtin, models, register_model, typeof_impl, unbox

__all__ = ["CompileError", "Floats", "Ints", "compile_loop", "compiled", "is_compiled", "kernel"]

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C")

TRUSTED = sys.stdlib_module_names | {"numba", "numpy", "scipy", "llvmlite"}  # these change only with the environment
VOLATILE = "volatile"  # marks a class whose sources cannot be read: compiled in every process, never cached
REMEDY = (
    "use explicit loops, `math` functions and NumPy arrays; "
    "docs/how-to/add-a-policy.md lists what compiled methods may use"
)


class CompileError(Exception):
    """A method of a `compiled` class cannot be compiled; the message names the file, the line and the remedy."""


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
    compiled_function: F = njit(function)
    return compiled_function


def _frozen(value: Any, dtype: Any) -> np.ndarray[Any, Any]:
    array = np.array(value, dtype, order="C")
    array.setflags(write=False)  # Numba types differ by writability: always the same, hence one compilation
    return array


def _floats(value: Any) -> np.ndarray[Any, Any]:
    return _frozen(value, np.float64)


def _ints(value: Any) -> np.ndarray[Any, Any]:
    rows = [] if value is None else list(value)
    if rows and all(np.ndim(row) == 1 for row in rows):
        width = max(map(len, rows))
        rows = [[*row, *[-1] * (width - len(row))] for row in rows]
    if rows and np.asarray(rows).dtype.kind not in "iu":
        raise ValueError("not integers")
    return _frozen(rows, np.int64)


def _int(value: Any) -> int:
    return operator.index(value)


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
        >>> from mobandits.kernel.compiled import compiled
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
                raise ValueError(f"{cls.__name__}.{name} must be {_KINDS[to]}, got {value!r}") from error
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

    members = {
        "__hash__": lambda self: hash(key(self)),
        "__eq__": lambda self, other: type(other) is cls and key(self) == key(other),
        "__repr__": lambda self: f"{cls.__name__}({', '.join(f'{n}={text(getattr(self, n))}' for n in names)})",
        # Copies go through the constructor, so that they are coerced and read-only too: the same Numba type.
        "__reduce__": lambda self: (cls, tuple(getattr(self, n) for n in names)),
    }
    for name, member in members.items():
        setattr(data, name, member)
    typeof_impl.register(data)(_typeof_record)
    return data


def is_compiled(part: object) -> bool:
    """Whether `part` is an instance of a `compiled` class."""
    return type(part) in typeof_impl.registry and typeof_impl.dispatch(type(part)) is _typeof_record


def compile_loop(function: F, *parts: object) -> F:
    """`function`, compiled for these types of parts: one source, one dispatcher and one cache file per combination.

    A single dispatcher would keep every type in one index file, and Numba reads all of it on the first call: one
    class that was renamed, or that lives in a script which is not importable now, would break the cache of every
    other policy.

    Raises:
        CompileError: on the first call, naming the file and line that cannot be compiled.
    """
    if DISABLE_JIT:
        return function
    with _LOCK:
        loop: F = _loop_for(function, *[typeof_impl(part, None) for part in parts])
    return loop


_LOCK = threading.Lock()


@functools.cache
def _loop_for(function: Any, *records: "Record") -> Any:
    name = f"{function.__name__}_{_digest([r.name for r in records])}"
    twin = python.FunctionType(function.__code__, function.__globals__, name, function.__defaults__)
    twin.__module__, twin.__qualname__ = function.__module__, name  # Numba names the cache file after these
    return _readable(njit(twin, cache=not any(f"@{VOLATILE}" in r.name for r in records), nogil=True))


def _readable(dispatcher: Any) -> Any:
    @functools.wraps(dispatcher)
    def call(*args: Any) -> Any:
        try:
            return dispatcher(*args)
        except (NumbaError, UnsupportedBytecodeError) as error:
            raise CompileError(_explain(error)) from None

    call.dispatcher = dispatcher  # type: ignore[attr-defined]
    return call


def _explain(error: Exception) -> str:
    """One readable paragraph: where the innermost failure is, what Numba said of it, what to do."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    places = re.findall(r'File "([^"]+)", line (\d+)', text)
    user = [(file, line) for file, line in places if "site-packages" not in file and "<" not in file]
    file, line = (user or places or [("", "")])[0]  # Numba names the innermost first
    path = Path(file) if Path(file).exists() else Path("/", file)
    source = path.read_text().splitlines()[int(line) - 1].strip() if path.exists() and line.isdigit() else ""
    said = [
        row.strip(" -")
        for row in text.splitlines()
        if row.strip() and not row.lstrip().startswith(("File", "During", "<source", "^", "Failed in"))
    ]
    reason = next(
        (
            r
            for r in said
            if re.match(
                r"(No implementation|Unknown attribute|Untyped|Cannot|Invalid|NameError|Unsupported|The use of)", r
            )
        ),
        said[0],
    )
    what = f"{file}:{line}: `{source}`" if places else "a method or a helper"  # Numba does not always say which
    return f"{what} cannot be compiled: {reason.rstrip('.: ')}. Remedy: {REMEDY}."


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


@functools.cache
def fingerprint(cls: type) -> str:
    """Digest that changes whenever code or a constant changes that the methods of `cls` can reach.

    Compiled code reaches only its arguments (records have fingerprints of their own) and module globals. So this
    hashes the source and the plain constants of the class's modules and, recursively, of the modules that their
    globals come from. Limit: array globals are covered by their source only.
    """
    todo, seen = [c.__module__ for c in cls.__mro__], dict[str, str]()
    while todo:
        name = todo.pop()
        if name in seen or name.partition(".")[0] in TRUSTED:
            continue
        if name == "__main__" or name not in sys.modules:
            return f"{VOLATILE}{id(cls)}"
        module = sys.modules[name]
        globals_ = {k: v for k, v in vars(module).items() if not k.startswith(("__", "@"))}
        values = {k: v.py_func if isinstance(v, Dispatcher) else v for k, v in globals_.items()}
        constants = sorted((k, repr(v)) for k, v in values.items() if isinstance(v, (int, float, str, tuple)))
        file = getattr(module, "__file__", None)
        source = Path(file).read_bytes() if file else b""
        seen[name] = _digest(source, constants)
        todo += [
            v.__name__ if inspect.ismodule(v) else getattr(v, "__module__", None) or "builtins" for v in values.values()
        ]
    return _digest(sorted(seen.items()))


class Record(types.Type):  # type: ignore[misc]
    """Numba type of a `compiled` class: the class, its field types, the fingerprint of its sources."""

    def __init__(self, cls: type, fields: list[tuple[str, Any]]) -> None:
        self.cls, self.fields = cls, dict(fields)
        super().__init__(
            f"{cls.__module__}.{cls.__qualname__}@{fingerprint(cls)}({', '.join(f'{k}={t}' for k, t in fields)})"
        )


def _holds(kind: Any) -> bool:
    """Whether a field may be of this type: lists, sets, dicts and text are memory that records cannot own."""
    if isinstance(kind, types.BaseTuple):
        return all(map(_holds, kind))
    return isinstance(kind, (types.Number, types.Boolean, types.Array, types.NoneType, Record))


def _typeof_record(value: Any, context: Any) -> Record:
    fields = [(f.name, typeof_impl(getattr(value, f.name), context)) for f in dataclasses.fields(value)]
    if bad := [name for name, kind in fields if not _holds(kind)]:
        field = f"{type(value).__name__}.{bad[0]}"
        raise TypeError(
            f"{field} must be a number, an array, a tuple of these or a @compiled part, got {getattr(value, bad[0])!r}"
        )
    record = Record(type(value), fields)
    object.__setattr__(value, "_numba_type_", record)  # Numba looks here first: later calls skip the inference
    return record


@register_model(Record)
class _RecordModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, record: Record) -> None:
        super().__init__(manager, record, list(record.fields.items()))


@unbox(Record)
def _unbox_record(record: Record, obj: Any, c: Any) -> NativeValue:
    out = cgutils.create_struct_proxy(record)(c.context, c.builder)
    for name, kind in record.fields.items():
        field = c.pyapi.object_getattr_string(obj, name)
        setattr(out, name, c.unbox(kind, field).value)
        c.pyapi.decref(field)
    return NativeValue(out._getvalue(), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class _RecordAttribute(AttributeTemplate):  # type: ignore[misc]
    key = Record

    def generic_resolve(self, record: Record, attr: str) -> Any:
        if attr in record.fields:
            return record.fields[attr]
        if not inspect.isfunction(inspect.getattr_static(record.cls, attr, None)):
            return None
        _lower_method(attr)

        class Method(AbstractTemplate):  # type: ignore[misc]
            key = (Record, attr)

            def generic(self, args: Any, kws: Any) -> Any:
                return _method(record, attr).get_call_type(self.context, (record, *args), kws).as_method()

        return types.BoundFunction(Method, record)


_method_kernel = functools.cache(njit)


def _method(record: Record, attr: str) -> Any:
    return types.Dispatcher(_method_kernel(getattr(record.cls, attr)))


@functools.cache
def _lower_method(attr: str) -> None:
    @lower_builtin((Record, attr), Record, types.VarArg(types.Any))
    def call(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        callee = _method(sig.args[0], attr)
        return context.get_function(callee, callee.get_call_type(context.typing_context, sig.args, {}))(builder, args)


@lower_getattr_generic(Record)
def _lower_attribute(context: Any, builder: Any, record: Record, value: Any, attr: str) -> Any:
    if attr not in record.fields:
        return value  # a bound method is its record
    field = getattr(cgutils.create_struct_proxy(record)(context, builder, value=value), attr)
    return impl_ret_borrowed(context, builder, record.fields[attr], field)
