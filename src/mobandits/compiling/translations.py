"""The cache of inner functions: translations that other processes would make again.

To find the types of a policy's hundred functions and to write them down for LLVM takes two thirds of
the time until its loop is compiled, and most of them are kernels and methods of other policies too.
A file holds one function for the types of its arguments, with all that it calls, before LLVM
optimises it.
"""

import contextlib
import functools
import hashlib
import pickle
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import config, serialize
from numba.core.caching import CompileResultCacheImpl, NullCache
from numba.core.compiler import CompileResult

from mobandits.compiling.fingerprint import VOLATILE, digest, fingerprint_of_inner
from mobandits.support.files import write_atomically

__all__ = ["Translations"]

CHECKSUM = 32  # bytes that a file begins with
VERSIONS = (numba.__version__, llvmlite.__version__, np.__version__, platform.python_version())
# In names of what only this process has, or what no digest of sources stands behind.
UNSTABLE = (VOLATILE, "__main__", "<locals>", " at 0x")

# (target context, the library's name, its code, description, environment) -> library, executable
Rebuild = Callable[[Any, str, bytes, Any, Any], tuple[Any, Any]]


class Translations(NullCache):  # type: ignore[misc]
    """Numba's cache of one inner function.

    Args:
        function: plain Python.
        options: Numba's, which change what becomes of it.
        rebuild: makes a library of what a file holds.
    """

    def __init__(self, function: Any, options: dict[str, Any], rebuild: Rebuild) -> None:
        self.function = function
        self.options = sorted(options.items())
        self.rebuild = rebuild

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Numba's result for a signature from its file; None where there is none."""
        context.refresh()
        path = self.path(signature, context.codegen())
        payload = None if path is None else read(path)
        if payload is None:
            return None

        name, code, description, environment, others, kind, starts = pickle.loads(payload)  # noqa: S301 - as Numba
        for start in starts:
            start()

        library, executable = self.rebuild(context, name, code, description, environment)
        for other in others:
            library.codegen.set_env(other.env_name, other)

        return CompileResult(
            typing_context=context.typing_context,
            target_context=context,
            entry_point=executable,
            typing_error=None,
            type_annotation="",
            signature=kind,
            objectmode=False,
            lifted=(),
            fndesc=description,
            library=library,
            call_helper=None,
            environment=environment,
            metadata=None,
            reload_init=starts,
            referenced_envs=others,
        )

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep Numba's result for a signature, unless addresses of this process are in it."""
        library = result.library
        path = self.path(signature, result.codegen)
        if path is None or library.has_dynamic_globals:
            return

        code = library._final_module.as_bitcode()
        description = result.fndesc
        # As Numba does: nobody needs them any more, and not all of them can be written.
        description.typemap = None
        description.calltypes = None
        others = tuple(result._find_referenced_environments())
        kept = (
            library.name,
            code,
            description,
            result.environment,
            others,
            result.signature,
            result.reload_init,
        )
        write(path, serialize.dumps(kept))

    def path(self, signature: Any, codegen: Any) -> Path | None:
        """The file of a signature; None where no other process could use it."""
        folder = cache_folder()
        # No digest tells what a function closes over.
        if folder is None or self.function.__closure__:
            return None

        name = f"{self.function.__module__}.{self.function.__qualname__}"
        sources = fingerprint_of_inner(self.function)
        kinds = str(signature)
        if any(sign in f"{name} {sources} {kinds}" for sign in UNSTABLE):
            return None

        code = self.function.__code__
        machine = (codegen.magic_tuple(), config.BOUNDSCHECK)
        key = digest(
            name,
            code.co_code,
            code.co_consts,
            sources,
            kinds,
            self.options,
            machine,
            room_digest(),
        )
        return folder / f"{name}-{key}.inner"


@functools.cache
def room_digest() -> str:
    """The digest of this room's sources, and of the libraries that translate."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return digest(VERSIONS, *(source.read_bytes() for source in sources))


@functools.cache
def cache_folder() -> Path | None:
    """Numba's folder for what this room compiles; None where it can write nowhere."""
    try:
        locator = CompileResultCacheImpl(cache_folder.__wrapped__).locator
        locator.ensure_cache_path()
    except (RuntimeError, OSError):
        return None

    return Path(locator.get_cache_path())


def read(path: Path) -> bytes | None:
    """What a file holds; None where there is none, or not the whole of it."""
    try:
        content = path.read_bytes()
    except OSError:
        return None

    payload = content[CHECKSUM:]
    is_whole = hashlib.sha256(payload).digest() == content[:CHECKSUM]

    return payload if is_whole else None


def write(path: Path, payload: bytes) -> None:
    """Write a file in one piece; without space or permission the next process translates again."""
    checksum = hashlib.sha256(payload).digest()
    with contextlib.suppress(OSError):
        write_atomically(path, checksum + payload)
