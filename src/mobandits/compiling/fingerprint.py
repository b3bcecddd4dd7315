"""Digests of the sources that a compilation rests on, so that a cached one is never stale."""

import functools
import hashlib
import inspect
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

__all__ = ["VOLATILE", "digest", "fingerprint", "is_ours"]

# Packages that change only with the environment, of which Numba's cache takes care by itself.
TRUSTED = sys.stdlib_module_names | {"numba", "numpy", "scipy", "llvmlite"}
# Marks a class whose sources cannot be read: compiled in every process, never cached.
VOLATILE = "volatile"


def is_ours(module: str) -> bool:
    """Whether a module is of this library, or of a distribution beside it.

    Example:
        >>> is_ours("mobandits.orders.pareto"), is_ours("mobandits_papers.cross"), is_ours("mine")
        (True, True, False)
    """
    package = module.partition(".")[0]
    return package == "mobandits" or package.startswith("mobandits_")


def digest(*parts: object) -> str:
    """A short text that differs where the parts print differently."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


@functools.cache
def fingerprint(compiles: type | FunctionType) -> str:
    """The digest of all code and constants that the methods of a class, or a loop, can reach.

    Compiled code reaches only its arguments (records have fingerprints of their own) and module
    globals. So this hashes the source and the plain constants of the class's modules and,
    recursively, of the modules that their globals come from; for a loop those of its own package
    and of this library.
    Limit: array globals are covered by their source only.
    """
    if isinstance(compiles, FunctionType):
        only_package = compiles.__module__.partition(".")[0]
        pending = [compiles.__module__]
    else:
        only_package = None
        pending = [base.__module__ for base in compiles.__mro__]

    digests = dict[str, str]()
    while pending:
        name = pending.pop()
        package = name.partition(".")[0]
        is_followed = only_package in (None, package) or is_ours(name)
        if name in digests or package in TRUSTED or not is_followed:
            continue
        if name == "__main__" or name not in sys.modules:
            # Another script is `__main__` too, and the source of what was typed in is nowhere to be
            # read.
            return f"{VOLATILE}{id(compiles)}"

        module = sys.modules[name]
        digests[name] = _module_digest(module)
        pending += [_origin(value) for value in _globals(module).values()]

    return digest(sorted(digests.items()))


def _module_digest(module: ModuleType) -> str:
    """The digest of a module's source and of its constants, which may come from elsewhere."""
    constants = []
    for name, value in _globals(module).items():
        if isinstance(value, (int, float, str, tuple)):
            constants.append((name, repr(value)))

    file = getattr(module, "__file__", None)
    source = Path(file).read_bytes() if file else b""

    return digest(source, sorted(constants))


def _globals(module: ModuleType) -> dict[str, Any]:
    # pytest adds names that begin with "@" to the modules that it rewrites.
    return {name: value for name, value in vars(module).items() if not name.startswith(("__", "@"))}


def _origin(value: Any) -> str:
    """The name of the module that a global comes from."""
    if inspect.ismodule(value):
        return value.__name__
    return getattr(value, "__module__", None) or "builtins"
