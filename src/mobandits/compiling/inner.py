"""The compilation of what only compiled code calls: kernels, methods of parts, a loop's body.

Numba makes every function complete: it optimises it, makes machine code of it and a wrapper for
calls from Python, and links the optimised code into each caller, where it is optimised again. A
policy has a hundred functions, up to ten deep, of which Python calls one. Here inner functions are
only translated and linked; the loop that contains all of them is optimised once, as a whole. That
takes a third of the compile time off, and the code is faster.

Numba also counts a reference to every argument when a function begins and when it ends, with atomic
operations that cost more than the arithmetic of a small problem. Inner functions count none.
"""

import functools
import itertools
import secrets
from collections import Counter
from typing import Any

from llvmlite import binding
from numba import jit, types
from numba.core import ir
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.registry import CPUDispatcher
from numba.core.target_extension import CPU, dispatcher_registry, jit_registry, target_registry
from numba.core.typed_passes import BaseNativeLowering, NativeLowering
from numba.extending import overload
from numba.np.arrayobj import ol_raise_with_shape_context_generic, raise_with_shape_context

from mobandits.compiling.translations import Translations

__all__ = ["DeferredLibrary", "compile_inner", "pipeline_with"]

UNFINISHED = {"nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
TARGET_NAME = "mobandits"
ENVIRONMENT = "_ZN08NumbaEnv"  # how Numba's names of environments begin

# Numba tells functions of one name apart by numbers, which begin at 1 in every process. Translations
# of several processes come together, where two of one name and number would be taken for one.
FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48))


def compile_inner(function: Any, **options: Any) -> Any:
    """`function` for compiled callers only, with Numba's `options`."""
    inner = jit(
        function,
        _target=TARGET_NAME,
        pipeline_class=_InnerCompiler,
        **UNFINISHED,
        **options,
    )
    inner._cache = Translations(function, options, _rebuilt)

    return inner


class _InnerTarget(CPU):  # type: ignore[misc]
    """The processor by another name.

    What Numba knows for the one, it knows for the other. A target of our own makes those of Numba's
    functions inner ones too that inner functions call (`numpy.zeros`, `max`, a generator's
    methods): Numba compiles them for the target of their caller.
    """


class _InnerDispatcher(CPUDispatcher):  # type: ignore[misc]
    """The compilations of an inner function: `f(0)` is the same one as `f(n)`."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        any_args = tuple(map(types.unliteral, args))
        any_kws = {name: types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template(any_args, any_kws)


def _compile_numbas_own(**options: Any) -> Any:
    """The decorator of Numba's own functions for this target."""
    # Not `_InnerDispatcher`: Numba's functions may have to tell `f(0)` from `f(n)`.
    return jit(pipeline_class=_InnerCompiler, **(options | UNFINISHED))


target_registry[TARGET_NAME] = _InnerTarget
dispatcher_registry[_InnerTarget] = _InnerDispatcher
jit_registry[_InnerTarget] = _compile_numbas_own


# Numba's own for processors writes both shapes out, and compiles its strings for that: a fifth of a small loop.
overload(raise_with_shape_context, target=TARGET_NAME)(ol_raise_with_shape_context_generic)


class _UncountedLower(Lower):  # type: ignore[misc]
    """The step from typed code to LLVM's, without counting references to arguments.

    The caller holds its arguments until the call is over, so they outlive it without being counted.
    An argument whose name is assigned again is counted as usual: the name then stands for something
    that the function made.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        times_assigned = Counter[str]()
        arguments = set()
        for block in self.func_ir.blocks.values():
            for assignment in block.find_insts(ir.Assign):
                name = assignment.target.name
                times_assigned[name] += 1
                if isinstance(assignment.value, ir.Arg):
                    arguments.add(name)

        self._uncounted = {name for name in arguments if times_assigned[name] == 1}

    def lower_assign(self, kind: Any, assignment: Any) -> Any:
        value = super().lower_assign(kind, assignment)
        if assignment.target.name in self._uncounted:
            self.decref(kind, value)  # beside the increment, and LLVM removes such a pair
        return value

    def delvar(self, name: str) -> None:
        if name not in self._uncounted:
            super().delvar(name)


class DeferredLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that is optimised, and made machine code, by the library that links it."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _InnerLowering(BaseNativeLowering):  # type: ignore[misc]
    _name = "mobandits_inner_lowering"
    lowering_class = _UncountedLower

    def run_pass(self, state: Any) -> Any:
        state.library = DeferredLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        # Else what Numba looks up while it lowers would be for the target of the caller.
        calls = state.typingctx.callstack
        with calls.register(_InnerTarget, None, state.func_id, state.args):
            return super().run_pass(state)


_DECLARED = set[str]()  # names of environments that have their place in this process


def _environment_only(context: Any, library: Any, description: Any, environment: Any) -> Any:
    """The function's environment, where callers look up what it prints; no machine code."""
    library.finalize()
    name = description.qualname
    shell = context.codegen().create_library(name)
    module = shell.create_ir_module(name)
    variables = library._final_module.global_variables
    needed = {each.name for each in variables if each.name.startswith(ENVIRONMENT)}
    needed.add(context.get_env_name(description))
    # Where the library was not made here, also those of the functions that it calls.
    for environment_name in sorted(needed - _DECLARED):
        context.declare_env_global(module, environment_name)

    shell.add_ir_module(module)
    _DECLARED.update(needed)

    return context.get_executable(shell, description, environment)


def _rebuilt(context: Any, name: str, code: bytes, description: Any, environment: Any) -> Any:
    """A library of translated code, and what stands for its function where there is no machine code."""
    library = DeferredLibrary(context.codegen(), name)
    library._final_module = binding.parse_bitcode(code)
    inner_context = context.subtarget(target=_InnerTarget)
    executable = _environment_only(inner_context, library, description, environment)

    return library, executable


class _InnerCompiler(CompilerBase):  # type: ignore[misc]
    def define_pipelines(self) -> Any:
        context = self.state.targetctx
        get_executable = functools.partial(_environment_only, context)
        self.state.targetctx = context.subtarget(target=_InnerTarget, get_executable=get_executable)
        return [pipeline_with(self.state, _InnerLowering)]


def pipeline_with(state: Any, lowering: Any) -> Any:
    """Numba's passes, with `lowering` in place of Numba's."""
    pipeline = DefaultPassBuilder.define_nopython_pipeline(state)
    replaced = []
    for numbas_pass, description in pipeline.passes:
        chosen = lowering if numbas_pass is NativeLowering else numbas_pass
        replaced.append((chosen, description))

    pipeline.passes = replaced
    pipeline.finalize()

    return pipeline
