"""How the arrays that a loop makes are allocated, counted and freed.

A round of a small problem makes five to ten small arrays. For each, Numba calls a runtime that looks at its statistics,
a list of allocators and whether Python is shutting down, and counts references with atomic operations, in case another
thread holds one. What a loop makes belongs to its thread until the loop ends, and what it was given it does not count
(see `borrowing`): here memory comes straight from Python's allocator, counters are plain, and what nobody holds goes
straight back. Allocator and layout stay Numba's, so that its runtime can free what a loop returns, and a loop what the
runtime made; only Numba's statistics see nothing of it.
"""

import functools
from typing import Any

from llvmlite import ir
from numba import njit
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

from mobandits.compiling.inner import Linked, with_lowering

__all__ = ["lent"]

WORD, POINTER = ir.IntType(64), ir.IntType(8).as_pointer()
FIELDS = ("count", "destructor", "information", "data", "size", "allocator")  # of Numba's header, a word each
HEADER = ir.LiteralStructType([WORD, POINTER, POINTER, POINTER, WORD, POINTER])
MALLOC, FREE = "PyMem_RawMalloc", "PyMem_RawFree"  # what Numba's runtime calls, whatever allocator Python runs with


def lent(function: Any, **options: Any) -> Any:
    """`function` for calls from Python, compiled with Numba's `options`; its arguments must be borrowed."""
    return njit(function, pipeline_class=_Compiler, **options)


def _allocate(module: Any) -> None:
    """Header and data in one piece, the data aligned; null where there is no memory."""
    function = _function(module, "NRT_MemInfo_alloc_aligned", POINTER, WORD, ir.IntType(32))
    builder, (size, alignment) = ir.IRBuilder(function.append_basic_block()), function.args
    before = builder.add(builder.zext(alignment, WORD), WORD(8 * len(FIELDS) - 1))
    malloc = _function(module, MALLOC, POINTER, WORD)
    malloc.return_value.add_attribute("noalias")
    piece = builder.call(malloc, [builder.add(size, before)])
    with builder.if_then(cgutils.is_null(builder, piece), likely=False):
        builder.ret(piece)
    behind = builder.add(builder.ptrtoint(piece, WORD), before)
    data = builder.and_(behind, builder.neg(builder.zext(alignment, WORD)))
    values = {"count": WORD(1), "data": builder.inttoptr(data, POINTER), "size": size}
    for name in FIELDS:
        builder.store(values.get(name, POINTER(None)), _field(builder, piece, name))
    builder.ret(piece)


def _hold(module: Any) -> None:
    """One reference more, unless there is no counter."""
    builder, piece, end = _counting(module, "NRT_incref")
    count = _field(builder, piece, "count")
    builder.store(builder.add(builder.load(count), WORD(1)), count)
    builder.branch(end)


def _release(module: Any) -> None:
    """One reference less, unless there is no counter; the last frees."""
    builder, piece, end = _counting(module, "NRT_decref")
    count = _field(builder, piece, "count")
    left = builder.sub(builder.load(count), WORD(1))
    builder.store(left, count)
    with builder.if_then(builder.icmp_unsigned("==", left, WORD(0))):
        marks = [builder.load(_field(builder, piece, name)) for name in ("destructor", "allocator")]
        with builder.if_else(builder.and_(*[cgutils.is_null(builder, mark) for mark in marks])) as (plain, special):
            with plain:
                builder.call(_function(module, FREE, ir.VoidType(), POINTER), [piece])
            with special:
                builder.call(_function(module, "NRT_MemInfo_call_dtor", ir.VoidType(), POINTER), [piece])
    builder.branch(end)


def _counting(module: Any, name: str) -> Any:
    """The beginning of a function of a piece of memory that may be null, that piece, and where the function ends."""
    function = _function(module, name, ir.VoidType(), POINTER)
    function.attributes.add("noinline")  # LLVM finds pairs of calls by name, and removes them
    start, counted, end = (function.append_basic_block() for _ in range(3))
    ir.IRBuilder(end).ret_void()
    builder, piece = ir.IRBuilder(start), function.args[0]
    builder.cbranch(cgutils.is_null(builder, piece), end, counted)
    builder.position_at_end(counted)
    return builder, piece, end


def _field(builder: Any, piece: Any, name: str) -> Any:
    return cgutils.gep(builder, builder.bitcast(piece, HEADER.as_pointer()), 0, FIELDS.index(name))


def _function(module: Any, name: str, result: Any, *arguments: Any) -> Any:
    return cgutils.get_or_insert_function(module, ir.FunctionType(result, arguments), name)


DEFINED = {"NRT_MemInfo_alloc_aligned": _allocate, "NRT_incref": _hold, "NRT_decref": _release}


class _Functions(Linked):
    """The three functions, which win over Numba's wherever they are linked."""

    def _get_module_for_linking(self) -> Any:
        self._ensure_finalized()
        return self._final_module


class _Loop(JITCodeLibrary):  # type: ignore[misc]
    """A loop with these functions, which no other code may find: it may need atomic counting.

    Private, because the names of internal functions are known to whatever the process compiles or loads later.
    """

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.enable_object_caching()
        self.add_linking_library(_functions(codegen))

    def _optimize_final_module(self) -> None:
        for name in DEFINED:
            self._final_module.get_function(name).linkage = "private"
        super()._optimize_final_module()


@functools.cache
def _functions(codegen: Any) -> _Functions:
    library = _Functions(codegen, __name__)
    module = library.create_ir_module(__name__)
    for define in DEFINED.values():
        define(module)
    library.add_ir_module(module)
    return library


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoopLowering(NativeLowering):  # type: ignore[misc]
    _name = "mobandits_loop_lowering"

    def run_pass(self, state: Any) -> Any:
        state.library = _Loop(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().run_pass(state)


class _Compiler(CompilerBase):  # type: ignore[misc]
    def define_pipelines(self) -> Any:
        return [with_lowering(self.state, _LoopLowering)]
