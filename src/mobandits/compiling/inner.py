"""How functions are compiled that only compiled code calls: kernels, the methods of parts, the body of a loop.

Numba makes every function complete: it optimises it, makes machine code of it and a wrapper for calls from Python, and
links what is optimised already into each caller, where it is optimised again. A policy has a hundred functions, up to
ten deep, of which Python calls one. Inner functions are translated and linked, no more; the loop that contains all of
them is optimised once, as a whole.

Numba also counts a reference to every argument when a function begins and when it ends, with atomic operations that
cost more than the arithmetic of a small problem. The caller holds its arguments until the call is over, so inner
functions count none.
"""

import functools
from collections import Counter
from typing import Any

from numba import jit, types
from numba.core import ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.registry import CPUDispatcher
from numba.core.target_extension import CPU, dispatcher_registry, jit_registry, target_registry
from numba.core.typed_passes import BaseNativeLowering, NativeLowering

__all__ = ["Linked", "inner", "with_lowering"]


UNFINISHED = {"nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
TARGET_NAME = "mobandits"


def inner(function: Any, **options: Any) -> Any:
    """`function` for compiled callers only, with Numba's `options`; calling it from Python is an error."""
    return jit(function, _target=TARGET_NAME, pipeline_class=_Compiler, **UNFINISHED, **options)


class _Target(CPU):  # type: ignore[misc]
    """The processor by another name: what Numba knows for the one, it knows for the other."""


class _Dispatcher(CPUDispatcher):  # type: ignore[misc]
    """Compiles a function once for all integers: `f(0)` calls the same code as `f(n)`."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        values = {name: types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(map(types.unliteral, args)), values)


def _compile_numbas_own(**options: Any) -> Any:
    """The decorator of Numba's functions for this target; they may tell `f(0)` from `f(n)`, so not `_Dispatcher`."""
    return jit(pipeline_class=_Compiler, **(options | UNFINISHED))


target_registry[TARGET_NAME] = _Target
dispatcher_registry[_Target] = _Dispatcher
jit_registry[_Target] = _compile_numbas_own


class _Lowering(Lower):  # type: ignore[misc]
    """From typed code to LLVM's, where references to arguments are not counted."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        assigned = [inst for block in self.func_ir.blocks.values() for inst in block.find_insts(ir.Assign)]
        times = Counter(inst.target.name for inst in assigned)
        arguments = {inst.target.name for inst in assigned if isinstance(inst.value, ir.Arg)}
        self._lent = {name for name in arguments if times[name] == 1}

    def lower_assign(self, kind: Any, inst: Any) -> Any:
        value = super().lower_assign(kind, inst)
        if inst.target.name in self._lent:
            self.decref(kind, value)  # LLVM removes the pair
        return value

    def delvar(self, name: str) -> None:
        if name not in self._lent:
            super().delvar(name)


class Linked(JITCodeLibrary):  # type: ignore[misc]
    """Code that waits for whoever links it."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _InnerLowering(BaseNativeLowering):  # type: ignore[misc]
    _name = "mobandits_inner_lowering"
    lowering_class = _Lowering

    def run_pass(self, state: Any) -> Any:
        state.library = Linked(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().run_pass(state)


def _no_executable(context: Any, library: Any, description: Any, environment: Any) -> Any:
    """In place of machine code: only the function's environment, in which callers look up what it prints."""
    library.finalize()
    shell = context.codegen().create_library(description.qualname)
    module = shell.create_ir_module(description.qualname)
    context.declare_env_global(module, context.get_env_name(description))
    shell.add_ir_module(module)
    return context.get_executable(shell, description, environment)


class _Compiler(CompilerBase):  # type: ignore[misc]
    def define_pipelines(self) -> Any:
        context = self.state.targetctx
        no_executable = functools.partial(_no_executable, context)
        self.state.targetctx = context.subtarget(target=_Target, get_executable=no_executable)
        return [with_lowering(self.state, _InnerLowering)]


def with_lowering(state: Any, lowering: Any) -> Any:
    """Numba's passes, with another lowering in the place of the usual one."""
    passes = DefaultPassBuilder.define_nopython_pipeline(state)
    passes.passes = [(lowering if kind is NativeLowering else kind, name) for kind, name in passes.passes]
    passes.finalize()
    return passes
