"""The Numba type of `compiled` classes: their fields as plain values, their methods compiled from the same source."""

import dataclasses
import functools
import hashlib
import inspect
import sys
import types as python
from pathlib import Path
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_builtin, models, register_model, typeof_impl, unbox

from mobandits.compiling.inner import inner
from mobandits.support.naming import quoted

TRUSTED = sys.stdlib_module_names | {"numba", "numpy", "scipy", "llvmlite"}  # these change only with the environment
VOLATILE = "volatile"  # marks a class whose sources cannot be read: compiled in every process, never cached
APART = "_mobandits_apart"  # an attribute of methods that are called, not put in line
MARK = "_mobandits_compiled"  # an attribute of the classes themselves
CLASSES: dict[str, type] = {}  # the classes of records, by how the names of their types begin


def is_compiled(part: object) -> bool:
    """Whether `part` is an instance of a `compiled` class."""
    kind = type(part)
    if kind not in typeof_impl.registry and MARK in vars(kind):
        typeof_impl.register(kind)(typeof_record)  # a script's class, which another process sent by value
    return kind in typeof_impl.registry and typeof_impl.dispatch(kind) is typeof_record


def digest(*parts: object) -> str:
    """A short text that differs where the parts print differently."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


@functools.cache
def fingerprint(compiles: type | python.FunctionType) -> str:
    """Digest that changes whenever code or a constant changes that the methods of a class, or a loop, can reach.

    Compiled code reaches only its arguments (records have fingerprints of their own) and module globals. So this
    hashes the source and the plain constants of the class's modules and, recursively, of the modules that their
    globals come from; for a loop those of its own package. Limit: array globals are covered by their source only.
    """
    loop = isinstance(compiles, python.FunctionType)
    todo = [compiles.__module__] if loop else [c.__module__ for c in compiles.__mro__]  # type: ignore[union-attr]
    seen, package = dict[str, str](), compiles.__module__.partition(".")[0]
    while todo:
        name = todo.pop()
        root = name.partition(".")[0]
        if name in seen or root in TRUSTED or (loop and root != package):
            continue
        if name == "__main__" or name not in sys.modules:
            return f"{VOLATILE}{id(compiles)}"
        module = sys.modules[name]
        values = {k: v for k, v in vars(module).items() if not k.startswith(("__", "@"))}
        constants = sorted((k, repr(v)) for k, v in values.items() if isinstance(v, (int, float, str, tuple)))
        file = getattr(module, "__file__", None)
        source = Path(file).read_bytes() if file else b""
        seen[name] = digest(source, constants)
        todo += [
            v.__name__ if inspect.ismodule(v) else getattr(v, "__module__", None) or "builtins" for v in values.values()
        ]
    return digest(sorted(seen.items()))


class Record(types.Type):  # type: ignore[misc]
    """Numba type of a `compiled` class: the class, its field types, the fingerprint of its sources."""

    def __init__(self, cls: type, fields: list[tuple[str, Any]]) -> None:
        self.cls, self.fields = cls, dict(fields)
        start = f"{cls.__module__}.{cls.__qualname__}@{fingerprint(cls)}"
        CLASSES[start] = cls
        super().__init__(f"{start}({', '.join(f'{k}={t}' for k, t in fields)})")


def _holds(kind: Any) -> bool:
    """Whether a field may be of this type: lists, sets, dicts and text are memory that records cannot own."""
    if isinstance(kind, types.BaseTuple):
        return all(map(_holds, kind))
    return isinstance(kind, (types.Number, types.Boolean, types.Array, types.NoneType, Record))


def typeof_record(value: Any, context: Any) -> Record:
    """The type of an instance of a `compiled` class, worked out once for each."""
    if (known := vars(value).get("_numba_type_")) is not None:
        found: Record = known
        return found
    fields = [(f.name, typeof(getattr(value, f.name), context)) for f in dataclasses.fields(value)]
    if bad := [name for name, kind in fields if not _holds(kind)]:
        field = f"{type(value).__name__}.{bad[0]}"
        raise TypeError(
            f"{field} must be a number, an array, a tuple of these or a @compiled part, "
            f"got {quoted(getattr(value, bad[0]))}"
        )
    record = Record(type(value), fields)
    object.__setattr__(value, "_numba_type_", record)  # Numba looks here first: later calls skip the inference
    return record


def typeof(value: Any, context: Any = None) -> Any:
    """The Numba type of a value."""
    is_compiled(value)  # makes a part known that came by value
    return typeof_impl(value, context)


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


@functools.cache
def _method_kernel(function: Any) -> Any:
    # Methods are thin, and called in every round: in line, what they hand over costs nothing.
    return inner(function, forceinline=not getattr(function, APART, False))


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
