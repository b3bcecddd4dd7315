"""The plain backend: Numba's public interface only, so that any Numba which has that will do.

It computes the same bits as the optimised backend, from the same sources, in more time: every
kernel and method is finished by itself and optimised again inside of each caller, references are
counted at every use, and memory comes from Numba's runtime.
"""

import dataclasses
import functools
import inspect
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit
from numba.extending import make_attribute_wrapper, overload, overload_method, register_model

from mobandits.compiling.records import NOT_INLINED, FieldTypes, Record, RecordModel

__all__ = ["PlainBackend"]


class PlainBackend:
    """See `backend.Backend`."""

    sources: tuple[str, ...] = ("plain.py",)

    def declare_kernel(self, kernel: Any, function: Callable[..., Any]) -> None:
        """Make `function` the implementation of `kernel`, whatever the types of the arguments."""
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


class _PlainRecord(Record):
    def __reduce__(self) -> Any:
        # The class of this type is made anew in every process. Numba's cache would send it by
        # value, and what it read again would never equal the type that is there: no loop would ever
        # be found in the cache.
        return _restored_record, (self.cls, tuple(self.fields.items()), self.sources)


def _restored_record(cls: type, fields: FieldTypes, sources: str) -> Record:
    with _DECLARING:
        return _record_class(cls)(cls, fields, sources)
