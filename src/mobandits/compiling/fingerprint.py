"""Digests of all sources that a compilation rests on, so that a cached one is never stale."""

import functools
import hashlib
import inspect
import sys
from pathlib import Path
from types import FunctionType

TRUSTED = sys.stdlib_module_names | {"numba", "numpy", "scipy", "llvmlite"}  # these change only with the environment
VOLATILE = "volatile"  # marks a class whose sources cannot be read: compiled in every process, never cached


def digest(*parts: object) -> str:
    """A short text that differs where the parts print differently."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


@functools.cache
def fingerprint(compiles: type | FunctionType) -> str:
    """Digest that changes whenever code or a constant changes that the methods of a class, or a loop, can reach.

    Compiled code reaches only its arguments (records have fingerprints of their own) and module globals. So this
    hashes the source and the plain constants of the class's modules and, recursively, of the modules that their
    globals come from; for a loop those of its own package. Limit: array globals are covered by their source only.
    """
    loop = isinstance(compiles, FunctionType)
    todo = [compiles.__module__] if loop else [c.__module__ for c in compiles.__mro__]  # type: ignore[union-attr]
    seen, package = dict[str, str](), compiles.__module__.partition(".")[0]
    while todo:
        name = todo.pop()
        root = name.partition(".")[0]
        if name in seen or root in TRUSTED or (loop and root != package):
            continue
        if name == "__main__" or name not in sys.modules:
            return f"{VOLATILE}{id(compiles)}"
        module = sys.modules[name]
        values = {k: v for k, v in vars(module).items() if not k.startswith(("__", "@"))}
        constants = sorted((k, repr(v)) for k, v in values.items() if isinstance(v, (int, float, str, tuple)))
        file = getattr(module, "__file__", None)
        source = Path(file).read_bytes() if file else b""
        seen[name] = digest(source, constants)
        todo += [
            v.__name__ if inspect.ismodule(v) else getattr(v, "__module__", None) or "builtins" for v in values.values()
        ]
    return digest(sorted(seen.items()))
