"""The ends of messages about an unknown name, and about a class or a name instead of an object."""

import difflib
from collections.abc import Hashable, Iterable

from mobandits.support.naming import quoted, shortened


def did_you_mean(given: object, valid: Iterable[Hashable]) -> str:
    """The end of a message about an unknown name: a question, or nothing where no name is near.

    Example:
        >>> did_you_mean("qualty", ["quality", "cost"]), did_you_mean("speed", ["quality", "cost"])
        ('; did you mean quality?', '')
    """
    names = [shortened(str(name)) for name in valid]
    unquoted = quoted(given).strip("'")
    near = difflib.get_close_matches(unquoted, names, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def refusal(what: str, rule: str, given: object, valid: Iterable[Hashable]) -> str:
    """The message about an unknown name: the nearest valid one comes before the list of all.

    Args:
        what: the parameter.
        rule: what it must do, such as "be one of a, b".
        given: the unknown name.
        valid: the names that there are.

    Example:
        >>> refusal("arm", "be one of a, big", "bigg", ["a", "big"])
        "arm: 'bigg' is unknown; did you mean big? It must be one of a, big"
        >>> refusal("arm", "be one of a, big", 7, ["a", "big"])
        'arm must be one of a, big, got 7'
    """
    question = did_you_mean(given, valid)
    # A list of fifty names ahead of it would hide the answer that is wanted.
    if question:
        return f"{what}: {quoted(given)} is unknown{question} It must {rule}"
    return f"{what} must {rule}, got {quoted(given)}"


def as_object(given: object) -> str:
    """The end of a message about what should be an object: how to make one of a class, or nothing.

    Example:
        >>> as_object(dict), as_object(3)
        ('; write dict(...), an object of that class', '')
        >>> as_object("linear")
        '; names are for files and the command line'
    """
    if isinstance(given, type):
        return f"; write {given.__name__}(...), an object of that class"
    if isinstance(given, str):
        return "; names are for files and the command line"

    return ""
