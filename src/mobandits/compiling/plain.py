"""The plain backend: Numba's public interface only, so that any version of Numba which has that will do.

It computes the same bits as the optimised backend, from the same sources, in more time: every kernel and method is
finished by itself and optimised again inside of each caller, references are counted at every use, and memory comes
from Numba's runtime.
"""

import dataclasses
import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.extending import make_attribute_wrapper, overload, overload_method, register_model

from mobandits.compiling.records import NOT_INLINED, Record, RecordModel

__all__ = ["compile_loop_entry", "declare_kernel", "record_class"]

_DECLARING = threading.RLock()


def declare_kernel(kernel: Any, function: Callable[..., Any]) -> None:
    """Let compiled code call `function` where it meets `kernel`."""
    overload(kernel)(_chooser(function))


def compile_loop_entry(function: Any, *, stores_arguments: bool, cached: bool) -> Any:  # noqa: ARG001
    """`function` for calls from Python; Numba counts every reference, so it may as well store its arguments."""
    return njit(function, cache=cached, nogil=True)


def record_class(cls: type) -> type[Record]:
    """The Numba type of a part class: a subclass of `Record` that knows its fields and its methods."""
    with _DECLARING:  # twice declared would be two types, and a loop compiled for one refuses the other
        return _record_class(cls)


@functools.cache
def _record_class(cls: type) -> type[Record]:
    kind = type(f"{cls.__name__}Record", (_PlainRecord,), {})
    register_model(kind)(RecordModel)
    for field in dataclasses.fields(cls):
        make_attribute_wrapper(kind, field.name, field.name)
    for name, method in inspect.getmembers_static(cls, inspect.isfunction):
        if not name.startswith("__"):
            _declare_method(kind, name, method)
    return kind


def _declare_method(kind: type[Record], name: str, method: Callable[..., Any]) -> None:
    # Methods are thin, and called in every round: in line, what they hand over costs nothing.
    in_line = not getattr(method, NOT_INLINED, False)
    overload_method(kind, name, jit_options={"forceinline": in_line})(_chooser(method))


def _chooser(function: Callable[..., Any]) -> Callable[..., Any]:
    """What Numba asks for an implementation, given types of arguments: always `function`, whose signature it has."""

    @functools.wraps(function)  # Numba compares signatures, and finds defaults and names of arguments in this one
    def choose(*_: Any, **__: Any) -> Callable[..., Any]:
        return function

    return choose


class _PlainRecord(Record):
    def __reduce__(self) -> Any:
        # The class of this type is made anew in every process: sent by value, as Numba's cache would, it is never
        # equal to the one that is there, and the cache never matches.
        return _same_record, (self.cls, tuple(self.fields.items()), self.sources)


def _same_record(cls: type, fields: tuple[tuple[str, Any], ...], sources: str) -> Record:
    return record_class(cls)(cls, fields, sources)
