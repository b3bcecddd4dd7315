"""The plain backend: Numba's public interface only, so that any Numba which has that will do.

It computes the same bits as the optimised backend, from the same sources, in more time: every
kernel and method is finished by itself and optimised again inside of each caller, references are
counted at every use, and memory comes from Numba's runtime.
"""

import dataclasses
import dis
import functools
import inspect
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit
from numba.extending import make_attribute_wrapper, overload, overload_method, register_model

from mobandits.compiling.part_types import NOT_INLINED
from mobandits.compiling.records import FieldTypes, Record, RecordModel

__all__ = ["PlainBackend"]


class PlainBackend:
    """See `backend.Backend`."""

    sources: tuple[str, ...] = ("plain.py",)

    def declare_kernel(self, kernel: Any, function: Callable[..., Any]) -> None:
        """Make `function` the implementation of `kernel`, whatever the types of the arguments."""
        if _calls_itself(function):
            overload(kernel)(_recursive_implementation(function, kernel))
        else:
            overload(kernel)(_implementation(function))

    def record_class(self, cls: type) -> type[Record]:
        """A subclass of `Record`: Numba finds fields and methods by the class of a type."""
        with _DECLARING:  # declared twice, a class would have two types
            return _record_class(cls)

    def compile_loop(
        self,
        function: Any,
        *,
        stores_arguments: bool,
        cached: bool,
    ) -> Any:
        """The loop as Numba compiles it."""
        has_file = Path(function.__code__.co_filename).is_file()  # Numba caches nothing without one
        return njit(function, cache=cached and has_file, nogil=True)


_DECLARING = threading.RLock()


@functools.cache
def _record_class(cls: type) -> type[Record]:
    record_class = type(f"{cls.__name__}Record", (_PlainRecord,), {})
    register_model(record_class)(RecordModel)
    for field in dataclasses.fields(cls):
        make_attribute_wrapper(record_class, field.name, field.name)

    for name, method in inspect.getmembers_static(cls, inspect.isfunction):
        if not name.startswith("__"):
            _declare_method(record_class, name, method)

    return record_class


def _declare_method(record_class: type[Record], name: str, method: Callable[..., Any]) -> None:
    # Methods are thin, and called in every round: in line, what they hand over costs nothing.
    options = {"forceinline": not getattr(method, NOT_INLINED, False)}
    overload_method(record_class, name, jit_options=options)(_implementation(method))


def _implementation(function: Callable[..., Any]) -> Callable[..., Any]:
    """What Numba calls with types of arguments, and is given an implementation by: `function`."""

    # Numba finds the names and defaults of arguments in the signature of this one.
    @functools.wraps(function)
    def implementation(*_: Any, **__: Any) -> Callable[..., Any]:
        return function

    return implementation


def _calls_itself(function: Callable[..., Any]) -> bool:
    """Whether a function looks up the name that it is going to have."""
    name = function.__name__
    instructions = dis.get_instructions(function)
    return any(each.opname == "LOAD_GLOBAL" and each.argval == name for each in instructions)


def _recursive_implementation(function: Callable[..., Any], kernel: Any) -> Callable[..., Any]:
    """As `_implementation`, of a function that calls itself.

    Numba finds the types of a recursion only where a function of its own calls itself, and not
    where a kernel does through its overload: so the kernel's implementation calls such a function.
    """

    @functools.cache
    def with_own_function() -> Callable[..., Any]:
        name = function.__name__
        # Looked up when it is compiled: what stands below it in its module is there by then.
        names = dict(function.__globals__)
        if names.get(name) is not kernel:
            return function

        # Two copies: of one alone Numba would find the compilation of the outer call unfinished.
        names[name] = njit(_copied(function, names))
        return _copied(function, names)

    @functools.wraps(function)
    def implementation(*_: Any, **__: Any) -> Callable[..., Any]:
        return with_own_function()

    return implementation


def _copied(function: Callable[..., Any], names: dict[str, Any]) -> Callable[..., Any]:
    """The same function, with other globals."""
    copy = types.FunctionType(
        function.__code__,
        names,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    # Numba compares the arguments with those of the original, annotations and all.
    return functools.update_wrapper(copy, function)


class _PlainRecord(Record):
    def __reduce__(self) -> Any:
        # The class of this type is made anew in every process. Numba's cache would send it by
        # value, and what it read again would never equal the type that is there: no loop would ever
        # be found in the cache.
        return _restored_record, (self.cls, tuple(self.fields.items()), self.sources)


def _restored_record(cls: type, fields: FieldTypes, sources: str) -> Record:
    with _DECLARING:
        return _record_class(cls)(cls, fields, sources)
