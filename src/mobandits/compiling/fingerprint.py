"""Digests of the sources that a compilation rests on, so that a cached one is never stale."""

import functools
import hashlib
import inspect
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

__all__ = ["VOLATILE", "digest", "fingerprint", "fingerprint_of_inner", "is_ours"]

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
        package = compiles.__module__.partition(".")[0]
        found = _reachable([compiles.__module__], package)
    else:
        found = _reachable([base.__module__ for base in compiles.__mro__])

    # Two classes of one name may have been typed in.
    return found or f"{VOLATILE}{id(compiles)}"


@functools.cache
def fingerprint_of_inner(function: FunctionType) -> str:
    """As `fingerprint`, for a function that loops of any package call: it follows every package."""
    return _reachable([function.__module__]) or VOLATILE


def _reachable(pending: list[str], only_package: str | None = None) -> str:
    """The digest of modules, and of those that their globals come from; "" where one has no source.

    Args:
        pending: the names of the modules.
        only_package: the package that is followed beside this library; None follows all.
    """
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
            return ""

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
    # A module that was edited and loaded again is another one.
    source = _source_digest(file, Path(file).stat().st_mtime_ns) if file else ""

    return digest(source, sorted(constants))


@functools.cache
def _source_digest(file: str, changed: int) -> str:  # noqa: ARG001 - part of the key
    return digest(Path(file).read_bytes())


def _globals(module: ModuleType) -> dict[str, Any]:
    # pytest adds names that begin with "@" to the modules that it rewrites.
    return {name: value for name, value in vars(module).items() if not name.startswith(("__", "@"))}


def _origin(value: Any) -> str:
    """The name of the module that a global comes from."""
    if inspect.ismodule(value):
        return value.__name__
    return getattr(value, "__module__", None) or "builtins"
