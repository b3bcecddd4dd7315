"""Errors in authors' code: which classes are theirs, hints at names, tracebacks of their lines."""

import builtins
import dataclasses
import difflib
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from mobandits.compiling.fingerprint import TRUSTED, is_ours
from mobandits.support.nearest import did_you_mean

# Neither one of these packages nor one of ours is an author's own code.
OTHERS = TRUSTED | {"polars", "matplotlib", "ray", "typer", "rich"}


def foreign(part: Any) -> list[type]:
    """The classes that are not this library's in a recipe, a policy or another part.

    Those of everything that it holds count as well.

    Example:
        >>> from mobandits.orders import ExploreWide, Pareto
        >>> foreign(ExploreWide(Pareto(), 0.1)), foreign(3.0)
        ([], [])
    """
    if isinstance(part, type):
        return []

    classes: list[type] = []
    if isinstance(part, tuple | list):
        held = list(part)
    else:
        fields = dataclasses.fields(part) if dataclasses.is_dataclass(part) else ()
        held = [getattr(part, field.name) for field in fields]
        if _is_authors(type(part).__module__):
            classes.append(type(part))

    for inner in held:
        classes.extend(foreign(inner))

    # A class may be held twice, and is named once.
    return list(dict.fromkeys(classes))


def raise_at(function: Callable[..., Any], error: Exception) -> NoReturn:
    """Raise an error as if the first line of a function had raised it.

    This is for what a function does not do: no line of it is to blame.
    """
    code = inspect.unwrap(function).__code__
    raising = compile("raise error", code.co_filename, "exec")
    here = raising.replace(co_name=code.co_name, co_firstlineno=code.co_firstlineno)
    error.__traceback__ = None  # where it was noticed
    exec(here, {"error": error, "__name__": function.__module__})  # noqa: S102 - it only raises
    raise AssertionError  # never reached


def shorten(error: BaseException) -> None:
    """Leave only an author's own code, and what it called last, in an error's traceback.

    An error of this library that no code of others led to keeps its traceback. Nothing is left
    where the message says where the mistake is: the error has an attribute `SAYS_WHERE`.
    """
    if getattr(error, "SAYS_WHERE", False):
        error.__traceback__ = None
        return

    frames = list(_frames(error.__traceback__))
    positions = [i for i, frame in enumerate(frames) if _is_of_author(frame)]
    if not positions:
        return

    called_last = frames[positions[-1] + 1 :]
    kept = [frames[i] for i in positions] + called_last
    # A traceback is a chain: each entry holds the next one, so that the innermost comes first.
    trace = None
    for frame in reversed(kept):
        trace = types.TracebackType(trace, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)

    error.__traceback__ = trace


def _frames(trace: types.TracebackType | None) -> Iterator[types.TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _is_of_author(trace: types.TracebackType) -> bool:
    return _is_authors(str(trace.tb_frame.f_globals.get("__name__", __name__)))


def _is_authors(module: str) -> bool:
    return not is_ours(module) and module.partition(".")[0] not in OTHERS


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
    if not name:
        return ""

    if isinstance(error, AttributeError):
        public = [attribute for attribute in dir(error.obj) if not attribute.startswith("_")]
        return did_you_mean(name, public)

    if isinstance(error, NameError) and error.__traceback__ is not None:
        *_, innermost = _frames(error.__traceback__)
        return _hint_in_scope(name, innermost.tb_frame)

    return ""


def _hint_in_scope(name: str, scope: types.FrameType) -> str:
    """A hint at a name that the code of a frame could have used, or could with `self.`."""
    written = {attribute: f"self.{attribute}" for attribute in dir(scope.f_locals.get("self"))}
    # A name that needs no `self.` comes last, and so replaces the same one that does.
    known = [*dir(builtins), *scope.f_globals, *scope.f_locals]
    written.update(zip(known, known, strict=True))

    near = difflib.get_close_matches(name, written, n=1)
    if not near:
        return ""
    return f"; did you mean {written[near[0]]}?"
