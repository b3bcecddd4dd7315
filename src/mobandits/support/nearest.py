"""The valid name that is nearest to an unknown one, for messages."""

import difflib
from collections.abc import Hashable, Iterable

from mobandits.support.naming import quoted, shortened


def did_you_mean(given: object, valid: Iterable[Hashable]) -> str:
    """The end of a message about an unknown name: a question, or nothing where no valid name is near.

    Example:
        >>> did_you_mean("qualty", ["quality", "cost"]), did_you_mean("speed", ["quality", "cost"])
        ('; did you mean quality?', '')
    """
    names = [shortened(str(name)) for name in valid]
    near = difflib.get_close_matches(quoted(given).strip("'"), names, n=1)
    return f"; did you mean {near[0]}?" if near else ""
