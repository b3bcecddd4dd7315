"""How the arrays that a loop makes are allocated, counted and freed.

A round of a small problem makes five to ten small arrays. For each, Numba calls a runtime that
looks at its statistics, a list of allocators and whether Python is shutting down, and counts
references with atomic operations, in case another thread holds one: a fourth of the round's time.
What a loop makes belongs to its thread until the loop ends, and what it was given it does not count
(see `borrowing`). So here memory comes straight from Python's allocator, counters are plain, and
what nothing refers to goes straight back.

Allocator and layout stay Numba's, so that its runtime can free what a loop returns, and a loop what
the runtime made; only Numba's statistics see nothing of it. `HEADER` is a copy of the layout of the
tested versions of Numba: with another one the heap would be corrupted without any error, which is
why `backend` looks at the version.
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

from mobandits.compiling.inner import DeferredLibrary, pipeline_with

__all__ = ["compile_loop_entry"]

WORD = ir.IntType(64)
POINTER = ir.IntType(8).as_pointer()
VOID = ir.VoidType()
# The fields of Numba's header, a word each.
FIELDS = ("count", "destructor", "information", "data", "size", "allocator")
HEADER = ir.LiteralStructType([WORD, POINTER, POINTER, POINTER, WORD, POINTER])
MALLOC = "PyMem_RawMalloc"  # what Numba's runtime calls, whatever allocator Python runs with
FREE = "PyMem_RawFree"


def compile_loop_entry(function: Any, **options: Any) -> Any:
    """`function` for calls from Python, compiled with Numba's `options`."""
    # Its arguments must be borrowed: its own counting is not atomic, and others may hold them.
    return njit(function, pipeline_class=_LoopCompiler, **options)


def _define_allocate(module: Any) -> None:
    """Define what allocates header and aligned data in one piece; null where there is no memory."""
    function = _declared(module, "NRT_MemInfo_alloc_aligned", POINTER, WORD, ir.IntType(32))
    builder = ir.IRBuilder(function.append_basic_block())
    size, short_alignment = function.args
    alignment = builder.zext(short_alignment, WORD)
    header_size = 8 * len(FIELDS)
    most_before = builder.add(alignment, WORD(header_size - 1))  # header, and bytes to align
    malloc = _declared(module, MALLOC, POINTER, WORD)
    malloc.return_value.add_attribute("noalias")
    piece = builder.call(malloc, [builder.add(size, most_before)])
    with builder.if_then(cgutils.is_null(builder, piece), likely=False):
        builder.ret(piece)

    start = builder.ptrtoint(piece, WORD)
    last_data = builder.add(start, most_before)
    data = builder.and_(last_data, builder.neg(alignment))  # rounded down: a power of two
    data_pointer = builder.inttoptr(data, POINTER)
    values = {"count": WORD(1), "data": data_pointer, "size": size}
    for name in FIELDS:
        value = values.get(name, POINTER(None))
        builder.store(value, _field(builder, piece, name))

    builder.ret(piece)


def _define_hold(module: Any) -> None:
    """Define what counts one reference more, unless there is no counter."""
    builder, piece, end = _counting_function(module, "NRT_incref")
    count = _field(builder, piece, "count")
    more = builder.add(builder.load(count), WORD(1))
    builder.store(more, count)
    builder.branch(end)


def _define_release(module: Any) -> None:
    """Define what counts one reference less, unless there is no counter; the last one frees."""
    builder, piece, end = _counting_function(module, "NRT_decref")
    count = _field(builder, piece, "count")
    left = builder.sub(builder.load(count), WORD(1))
    builder.store(left, count)
    is_last = builder.icmp_unsigned("==", left, WORD(0))
    with builder.if_then(is_last):
        destructor = builder.load(_field(builder, piece, "destructor"))
        allocator = builder.load(_field(builder, piece, "allocator"))
        # What has neither came from `NRT_MemInfo_alloc_aligned`; the rest, such as lists, only
        # Numba can free.
        no_destructor = cgutils.is_null(builder, destructor)
        no_allocator = cgutils.is_null(builder, allocator)
        is_ours = builder.and_(no_destructor, no_allocator)
        with builder.if_else(is_ours) as (ours, others):
            with ours:
                free = _declared(module, FREE, VOID, POINTER)
                builder.call(free, [piece])

            with others:
                destroy = _declared(module, "NRT_MemInfo_call_dtor", VOID, POINTER)
                builder.call(destroy, [piece])

    builder.branch(end)


def _counting_function(module: Any, name: str) -> Any:
    """A builder in a function of a piece of memory, where that is not null; the piece; the end."""
    function = _declared(module, name, VOID, POINTER)
    function.attributes.add("noinline")  # LLVM finds pairs of calls by name, and removes them
    start = function.append_basic_block()
    counted = function.append_basic_block()
    end = function.append_basic_block()
    ir.IRBuilder(end).ret_void()
    builder = ir.IRBuilder(start)
    [piece] = function.args
    builder.cbranch(cgutils.is_null(builder, piece), end, counted)
    builder.position_at_end(counted)

    return builder, piece, end


def _field(builder: Any, piece: Any, name: str) -> Any:
    header = builder.bitcast(piece, HEADER.as_pointer())
    return cgutils.gep(builder, header, 0, FIELDS.index(name))


def _declared(module: Any, name: str, result: Any, *arguments: Any) -> Any:
    return cgutils.get_or_insert_function(module, ir.FunctionType(result, arguments), name)


DEFINITIONS = {
    "NRT_MemInfo_alloc_aligned": _define_allocate,
    "NRT_incref": _define_hold,
    "NRT_decref": _define_release,
}


class _MemoryFunctions(DeferredLibrary):
    """The three functions, which win over Numba's wherever they are linked."""

    def _get_module_for_linking(self) -> Any:
        self._ensure_finalized()
        return self._final_module


class _LoopLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A loop with these functions; no other code may find them, because it may use threads."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.enable_object_caching()
        self.add_linking_library(_memory_functions(codegen))

    def _optimize_final_module(self) -> None:
        for name in DEFINITIONS:
            # Not internal: those names are known to whatever the process compiles or loads later.
            self._final_module.get_function(name).linkage = "private"
        super()._optimize_final_module()


@functools.cache
def _memory_functions(codegen: Any) -> _MemoryFunctions:
    library = _MemoryFunctions(codegen, __name__)
    module = library.create_ir_module(__name__)
    for define in DEFINITIONS.values():
        define(module)

    library.add_ir_module(module)

    return library


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoopLowering(NativeLowering):  # type: ignore[misc]
    _name = "mobandits_loop_lowering"

    def run_pass(self, state: Any) -> Any:
        state.library = _LoopLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().run_pass(state)


class _LoopCompiler(CompilerBase):  # type: ignore[misc]
    def define_pipelines(self) -> Any:
        return [pipeline_with(self.state, _LoopLowering)]
