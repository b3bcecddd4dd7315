"""Loops borrow their arguments, so that compiled code need not count references to them.

Numba counts the references to every array, at every use, with operations that are atomic: in a
round of a small problem these would cost more than the arithmetic. The caller of a loop keeps all
its arguments alive until the loop is done, so inside they need no counting. `borrow` hides the
counters; what the loop returns, such as the state, gets them back by `own`.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic

from mobandits.compiling.records import Record

__all__ = ["borrow", "own"]

Change: TypeAlias = Callable[[Any, Any], None]  # of a Numba type and such a struct
WORD = ir.IntType(64)


@intrinsic
def borrow(typing: Any, arguments: Any) -> Any:  # noqa: ARG001 - the form that Numba asks for
    """The same tuple, whose arrays and generators have no reference counter."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        def hide_counter(kind: Any, struct: Any) -> None:
            if _is_one_piece(kind) or isinstance(kind, types.NumPyRandomGeneratorType):
                struct.meminfo = cgutils.get_null_value(struct.meminfo.type)

        [kind] = signature.args
        borrowed = _changed(context, builder, kind, values[0], hide_counter)
        # Numba expects a new reference, which whatever still has a counter needs.
        context.nrt.incref(builder, kind, borrowed)

        return borrowed

    return arguments(arguments), generate


@intrinsic
def own(typing: Any, result: Any, arguments: Any) -> Any:  # noqa: ARG001
    """The same result, whose arrays belong to the arguments that they lie in."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        lenders: list[Any] = []

        def collect(kind: Any, struct: Any) -> None:
            if _is_one_piece(kind):
                lenders.append(struct)

        def give_back(kind: Any, struct: Any) -> None:
            if isinstance(kind, types.Array):
                _give_owner_back(builder, struct, lenders)

        result_kind, arguments_kind = signature.args
        result_value, arguments_value = values
        _changed(context, builder, arguments_kind, arguments_value, collect)
        owned = _changed(context, builder, result_kind, result_value, give_back)
        context.nrt.incref(builder, result_kind, owned)

        return owned

    return result(result, arguments), generate


def _is_one_piece(kind: Any) -> bool:
    """Whether the memory of such an array is one piece."""
    # Only then an address tells whether another array lies in it.
    return isinstance(kind, types.Array) and kind.layout in "CF"


def _give_owner_back(builder: Any, array: Any, lenders: list[Any]) -> None:
    """Give an array without counter to the lender in whose memory it lies.

    With the counter it keeps the lender's memory alive after the loop; with the object, a whole
    array that went in comes out as the same Python object.
    """
    address = builder.ptrtoint(array.data, WORD)
    lacks_counter = cgutils.is_null(builder, array.meminfo)
    for lender in lenders:
        first = builder.ptrtoint(lender.data, WORD)
        size = builder.mul(lender.nitems, lender.itemsize)
        end = builder.add(first, size)
        begins_after = builder.icmp_unsigned(">=", address, first)
        begins_before = builder.icmp_unsigned("<", address, end)
        lies_inside = builder.and_(begins_after, begins_before)
        is_owner = builder.and_(lacks_counter, lies_inside)
        array.meminfo = builder.select(is_owner, lender.meminfo, array.meminfo)
        array.parent = builder.select(is_owner, lender.parent, array.parent)


def _changed(context: Any, builder: Any, kind: Any, value: Any, change: Change) -> Any:
    """`value` after `change` of its arrays and generators, however deep in tuples and records."""
    if isinstance(kind, types.BaseTuple):  # type: ignore[attr-defined]
        for i, item_kind in enumerate(kind):
            item = builder.extract_value(value, i)
            item = _changed(context, builder, item_kind, item, change)
            value = builder.insert_value(value, item, i)

        return value

    if not isinstance(kind, (types.Array, types.NumPyRandomGeneratorType, Record)):
        return value

    struct = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    if isinstance(kind, Record):
        for name, field_kind in kind.fields.items():
            field = getattr(struct, name)
            field = _changed(context, builder, field_kind, field, change)
            setattr(struct, name, field)
    else:
        change(kind, struct)

    return struct._getvalue()
