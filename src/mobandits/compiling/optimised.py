"""The optimised backend: Numba's private parts make loops a third to a half as long, and compile them in less time.

Kernels and methods are only translated, and optimised once with the loop that holds them (`inner`); what a loop is
given it borrows (`borrowing`); what it makes belongs to its thread (`memory`).
"""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from numba import njit, types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.extending import infer_getattr, lower_builtin, register_model

from mobandits.compiling.borrowing import borrow, own
from mobandits.compiling.inner import inner
from mobandits.compiling.memory import lent
from mobandits.compiling.records import NOT_INLINED, Record, RecordModel

__all__ = ["compile_loop_entry", "declare_kernel", "record_class"]

register_model(Record)(RecordModel)


def declare_kernel(kernel: Any, function: Callable[..., Any]) -> None:
    """Let compiled code call `function` where it meets `kernel`."""
    kernel.inside = inner(function)
    kernel._numba_type_ = types.Dispatcher(kernel.inside)  # what compiled code takes it for, a weak reference


def compile_loop_entry(function: Any, *, stores_arguments: bool, cached: bool) -> Any:
    """`function` for calls from Python, with arguments that it borrows unless it stores them."""
    if stores_arguments:
        return njit(function, cache=cached, nogil=True)
    code = function.__code__
    return lent(
        _lender(function.__name__, inner(function), code.co_varnames[: code.co_argcount]), cache=cached, nogil=True
    )


def _lender(name: str, loop: Any, names: Sequence[str]) -> Any:
    """`loop` with arguments that it borrows, see `borrowing`; Numba names the cache file after the function."""
    given, scope = "".join(f"{name}, " for name in names), {"loop": loop, "borrow": borrow, "own": own}
    source = f"def {name}({given}):\n    return own(loop(*borrow(({given}))), ({given}))"
    exec(compile(source, __file__, "exec"), scope)  # noqa: S102 - only names of arguments vary
    lender: Any = scope[name]
    lender.__module__, lender.__defaults__ = __name__, loop.py_func.__defaults__
    return lender


def record_class(cls: type) -> type[Record]:  # noqa: ARG001
    """The Numba type of a part class: one for all, which looks fields and methods up when compiled code asks."""
    return Record


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
    return inner(function, forceinline=not getattr(function, NOT_INLINED, False))


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
