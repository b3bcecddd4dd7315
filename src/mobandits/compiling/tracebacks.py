"""Errors in code of others: which classes are theirs, what they may have meant, tracebacks that show their lines."""

import builtins
import dataclasses
import difflib
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from mobandits.compiling.fingerprint import TRUSTED
from mobandits.support.nearest import did_you_mean

OURS = __name__.partition(".")[0]
OTHERS = TRUSTED | {
    OURS,
    "polars",
    "matplotlib",
    "ray",
    "typer",
    "rich",
}  # none of these is an author's own code


def foreign(part: Any) -> list[type]:
    """The classes of a recipe, a policy or another part, and of what it holds, which are not this library's.

    Example:
        >>> from mobandits.orders import ExploreWide, Pareto
        >>> foreign(ExploreWide(Pareto(), 0.1)), foreign(3.0)
        ([], [])
    """
    if isinstance(part, type):
        return []
    if isinstance(part, tuple | list):
        held = list(part)
        own = []
    else:
        fields = dataclasses.fields(part) if dataclasses.is_dataclass(part) else ()
        held = [getattr(part, field.name) for field in fields]
        own = [] if _root(type(part).__module__) in OTHERS else [type(part)]

    inside = [one for each in held for one in foreign(each)]

    return list(dict.fromkeys([*own, *inside]))


def raise_at(function: Callable[..., Any], error: Exception) -> NoReturn:
    """Raise an error as if the first line of a function had raised it: for what a function does not do."""
    code = inspect.unwrap(function).__code__
    raising = compile("raise error", code.co_filename, "exec")
    here = raising.replace(co_name=code.co_name, co_firstlineno=code.co_firstlineno)
    error.__traceback__ = None  # where it was noticed
    exec(here, {"error": error, "__name__": function.__module__})  # noqa: S102 - it only raises
    raise AssertionError  # never reached


def shorten(error: BaseException) -> None:
    """Leave out of an error's traceback what leads to an author's own code, and what lies between pieces of it.

    What was raised in this library, and not below code of others, keeps its traceback; only of an error whose message
    says where the mistake is (it has an attribute `SAYS_WHERE`) nothing is left.
    """
    if getattr(error, "SAYS_WHERE", False):
        error.__traceback__ = None
        return

    frames = list(_frames(error.__traceback__))
    theirs = [i for i, frame in enumerate(frames) if _is_authors(frame)]
    if not theirs:
        return

    kept = [frame for i, frame in enumerate(frames) if i in theirs or i > theirs[-1]]
    trace = None
    for frame in reversed(kept):
        trace = types.TracebackType(trace, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)

    error.__traceback__ = trace


def _frames(trace: types.TracebackType | None) -> Iterator[types.TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _is_authors(trace: types.TracebackType) -> bool:
    return _root(str(trace.tb_frame.f_globals.get("__name__", OURS))) not in OTHERS


def _root(module: str) -> str:
    return module.partition(".")[0]


def hint(error: Exception) -> str:
    """A hint at the name that the author of a wrong one may have meant.

    Example:
        >>> import math
        >>> try:
        ...     math.sqr(2.0)
        ... except AttributeError as error:
        ...     print(hint(error))
        ; did you mean sqrt?
    """
    name = getattr(error, "name", None)
    if isinstance(error, AttributeError) and name:
        return did_you_mean(name, [one for one in dir(error.obj) if not one.startswith("_")])
    if isinstance(error, NameError) and name and error.__traceback__ is not None:
        scope = [*_frames(error.__traceback__)][-1].tb_frame
        known = {one: one for one in (*dir(builtins), *scope.f_globals, *scope.f_locals)}
        own = {one: f"self.{one}" for one in dir(scope.f_locals.get("self"))}
        near = difflib.get_close_matches(name, [*own, *known], n=1)
        return f"; did you mean {(own | known)[near[0]]}?" if near else ""

    return ""
