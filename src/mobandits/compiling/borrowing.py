"""Loops borrow their arguments, so that compiled code need not count references to them.

Numba counts the references to every array, at every use, with operations that are atomic: in a round of a small problem
these would cost more than the arithmetic. The caller of a loop keeps all its arguments alive until the loop is done, so
inside they need no counting. `borrow` hides the counters; what the loop returns, such as the state, gets them back by
`own`.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic

from mobandits.compiling.records import Record

__all__ = ["borrow", "own"]

Change = Callable[[Any, Any], None]  # what is done to the struct of an array or a generator, given its type
WORD = ir.IntType(64)


@intrinsic
def borrow(typing: Any, arguments: Any) -> Any:  # noqa: ARG001 - the form that Numba asks for
    """The same tuple, whose arrays and generators have no reference counter."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        def forget(kind: Any, struct: Any) -> None:
            if _can_be_found(kind) or isinstance(kind, types.NumPyRandomGeneratorType):
                struct.meminfo = cgutils.get_null_value(struct.meminfo.type)

        lent = _changed(context, builder, signature.args[0], values[0], forget)
        context.nrt.incref(builder, signature.args[0], lent)  # of what still has a counter
        return lent

    return arguments(arguments), generate


@intrinsic
def own(typing: Any, result: Any, arguments: Any) -> Any:  # noqa: ARG001
    """The same result, whose arrays have the counter, and are the arrays, of the arguments that they lie in."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        lenders: list[Any] = []

        def collect(kind: Any, struct: Any) -> None:
            if _can_be_found(kind):
                lenders.append(struct)

        def adopt(kind: Any, struct: Any) -> None:
            if isinstance(kind, types.Array):
                _adopt(builder, struct, lenders)

        _changed(context, builder, signature.args[1], values[1], collect)
        owned = _changed(context, builder, signature.args[0], values[0], adopt)
        context.nrt.incref(builder, signature.args[0], owned)
        return owned

    return result(result, arguments), generate


def _can_be_found(kind: Any) -> bool:
    """Whether the memory of such an array is one piece, so that its address tells where another array lies."""
    return isinstance(kind, types.Array) and kind.layout in "CF"


def _adopt(builder: Any, array: Any, lenders: list[Any]) -> None:
    """Take counter and Python object from the lender in whose memory an array without counter lies."""
    address, lost = builder.ptrtoint(array.data, WORD), cgutils.is_null(builder, array.meminfo)
    for lender in lenders:
        first = builder.ptrtoint(lender.data, WORD)
        end = builder.add(first, builder.mul(lender.nitems, lender.itemsize))
        inside = builder.and_(builder.icmp_unsigned(">=", address, first), builder.icmp_unsigned("<", address, end))
        found = builder.and_(lost, inside)
        array.meminfo = builder.select(found, lender.meminfo, array.meminfo)
        array.parent = builder.select(found, lender.parent, array.parent)


def _changed(context: Any, builder: Any, kind: Any, value: Any, change: Change) -> Any:
    """`value` after `change` of every array and generator in it, however deep in tuples and records."""
    if isinstance(kind, types.BaseTuple):  # type: ignore[attr-defined]
        for i, part in enumerate(kind):
            inner = _changed(context, builder, part, builder.extract_value(value, i), change)
            value = builder.insert_value(value, inner, i)
        return value
    if not isinstance(kind, (types.Array, types.NumPyRandomGeneratorType, Record)):
        return value
    struct = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    if isinstance(kind, Record):
        for name, part in kind.fields.items():
            setattr(struct, name, _changed(context, builder, part, getattr(struct, name), change))
    else:
        change(kind, struct)
    return struct._getvalue()
