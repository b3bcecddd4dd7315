"""How this process compiles: through Numba's private parts, through its public ones, or not at all.

The three modes give the same bits, from the same sources:

- ``optimised`` leans on parts of Numba that may change from version to version, and is up to twice as fast where
  problems are small. It runs with the versions of Numba that it was tested with.
- ``plain`` uses only what Numba documents, so it should run with versions that nobody has tried.
- ``interpreted`` compiles nothing. It is for debugging; Numba's own ``NUMBA_DISABLE_JIT=1`` chooses it.

The environment variable ``MOBANDITS_COMPILING`` chooses between the first two: ``auto`` (the default) is ``optimised``
where it can be had, else ``plain`` with a warning; ``optimised`` is that, or an error.
"""

import importlib
import os
import re
import warnings
from typing import Any, Literal, TypeAlias

import numba
from numba import config

from mobandits.compiling import BackendError

__all__ = ["BACKEND", "INTERPRETED", "MODE", "CompilingWarning"]

Mode: TypeAlias = Literal["optimised", "plain", "interpreted"]

VARIABLE = "MOBANDITS_COMPILING"
CHOICES = ("auto", "optimised", "plain")

# Versions of Numba that the optimised backend was tested with, the second number not included. An import error would
# not tell of every change: a hook that was renamed fails when the first loop is compiled, and `memory` writes Numba's
# header of an array itself, so that another layout would corrupt the heap without any error.
FIRST_TESTED = (0, 61)
FIRST_UNTESTED = (0, 69)


class CompilingWarning(UserWarning):
    """Loops are compiled by the plain backend because this Numba does not go with the optimised one."""


def is_tested(version: str) -> bool:
    """Whether the optimised backend was tested with a version of Numba.

    Example:
        >>> is_tested("0.61.0"), is_tested("0.68.1"), is_tested("0.69.0rc1"), is_tested("1.0")
        (True, True, False, False)
    """
    numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
    return FIRST_TESTED <= numbers < FIRST_UNTESTED


def choose(asked: str, version: str, *, interpreted: bool) -> tuple[Mode, Any]:
    """The mode, and the module that compiles in it: None where nothing is compiled.

    Args:
        asked: one of `CHOICES`.
        version: Numba's.
        interpreted: whether Numba was asked to compile nothing.

    Raises:
        BackendError: where `asked` is no choice, or "optimised" and cannot be had.
    """
    if asked not in CHOICES:
        raise BackendError(f"{VARIABLE} must be one of {', '.join(CHOICES)}, got {asked!r}")
    if interpreted:
        return "interpreted", None
    if asked == "plain":
        return "plain", load("plain")
    try:
        return "optimised", load_optimised(version)
    except BackendError as error:
        if asked == "optimised":
            raise
        message = f"{error}: loops run slower, compiled as {VARIABLE}=plain would, which silences this warning"
        warnings.warn(message, CompilingWarning, stacklevel=2)
        return "plain", load("plain")


def load_optimised(version: str) -> Any:
    """The optimised backend.

    Raises:
        BackendError: where it was not tested with this version of Numba, or does not find in it what it needs.
    """
    if not is_tested(version):
        first = ".".join(map(str, FIRST_TESTED))
        end = ".".join(map(str, FIRST_UNTESTED))
        raise BackendError(f"{VARIABLE}=optimised needs Numba {first} or newer, before {end}, got {version}")
    try:
        return load("optimised")
    except (ImportError, AttributeError) as error:
        raise BackendError(f"{VARIABLE}=optimised does not go with Numba {version}, because {error}") from error


def load(name: str) -> Any:
    """A backend; only the one that is used is imported, because the other may not be importable."""
    return importlib.import_module(f"mobandits.compiling.{name}")


MODE, BACKEND = choose(os.environ.get(VARIABLE) or "auto", numba.__version__, interpreted=bool(config.DISABLE_JIT))
INTERPRETED = MODE == "interpreted"
