"""Idempotency keys: a retried call returns the original decision."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from mobandits.agent.decision import Decision
from mobandits.contracts.protocols import Array
from mobandits.support.checks import as_float_array
from mobandits.support.digests import hex_digest
from mobandits.support.naming import quoted, wrong_value

LONGEST_KEY = 255  # characters; a UUID has 36


class CallOptions(NamedTuple):
    """Options of a call of `decide`: everything besides context and arms.

    Attributes:
        key: of the client; None: the call is not tried again.
        request: a digest of context, arms and the other options, as given; None without a key.
        active: whether the decision takes effect at once.
        session: that the call belongs to; None: to none.
    """

    key: str | None = None
    request: str | None = None
    active: bool = True
    session: str | None = None


ORDINARY = CallOptions()


class KeyedDecisions:
    """The last decisions with a key, in memory.

    Args:
        limit: how many.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._by_key: OrderedDict[str, tuple[str, Decision]] = OrderedDict()

    def find(self, key: str) -> tuple[str, Decision] | None:
        """The request and the decision of a key; None where there is none."""
        return self._by_key.get(key)

    def remember(self, options: CallOptions, decision: Decision) -> None:
        """Keep a decision with a key, and forget the oldest where there are too many."""
        if options.key is None or options.request is None:
            return

        # Without its arrays: the next call brings the context again.
        slim = decision.without_arrays()
        self._by_key[options.key] = (options.request, slim)
        if len(self._by_key) > self._limit:
            self._by_key.popitem(last=False)


def call_options(
    key: Any, active: Any, context: Any, eligible: Any, session: Any = None
) -> CallOptions:
    """Options of a call of `decide`, checked.

    Args:
        key: see `Agent.decide`, as for the others.
        active: a truth value.
        context: as given.
        eligible: as given, where it is a list or None, with what else tells calls apart.
        session: a text or None.

    Raises:
        ValueError: where key or session is no text that files can hold, or the context has no
            numbers.
    """
    if not isinstance(active, bool | np.bool_):
        raise wrong_value("active must be True or False", active)
    if session is not None:
        _check_text("session", session)
    if key is None:
        return CallOptions(active=bool(active), session=session)

    _check_text("key", key)
    # What most calls say is left out, as it was before this was told apart.
    told = eligible if active else ("inactive", eligible)
    if session is not None:
        told = ("session", session, told)
    request = request_digest(context, told)

    return CallOptions(key, request, bool(active), session)


def _check_text(name: str, text: Any) -> None:
    """Refuse the name of a call or a session that files cannot hold."""
    is_text = isinstance(text, str) and 0 < len(text) <= LONGEST_KEY
    try:
        is_text = is_text and bool(text.encode())
    except UnicodeEncodeError:  # half of a character
        is_text = False
    if not is_text:
        raise wrong_value(f"{name} must be a text of 1 to {LONGEST_KEY} characters", text)


def another_context(key: str | None, number: int) -> ValueError:
    """The refusal of a key that an earlier call had with another context or other options.

    Args:
        key: of the client.
        number: of the decision of that call.
    """
    rule = "key must be another one for another context, arms, `active` or session"
    return ValueError(f"{rule}, got {quoted(key)} again: it stands for decision {number}")


def as_given(eligible: Any) -> Any:
    """Eligible arms in a list, which can be read twice; what is no list of arms, as it is."""
    is_list = isinstance(eligible, Iterable) and not isinstance(eligible, str)
    return list(eligible) if is_list else eligible


def request_digest(context: Any, eligible: Any) -> str:
    """A digest of a context and eligible arms, as an application gives them.

    Example:
        >>> request_digest([1, 2], None) == request_digest([1.0, 2.0], None)
        True
        >>> request_digest([1, 2], None) == request_digest([1, 2], ["small"])
        False
    """
    pieces = []
    rows = context if isinstance(context, Mapping) else {None: context}
    for name, row in rows.items():
        # Doubles are what most callers have made of it by now.
        is_made = type(row) is np.ndarray and row.dtype == np.float64
        numbers = row if is_made else _numbers_of(row)
        pieces.append(repr((name, numbers.shape)).encode("utf-8", "surrogatepass"))
        pieces.append(np.ascontiguousarray(numbers, "<f8").tobytes())

    pieces.append(repr(eligible).encode("utf-8", "surrogatepass"))

    return hex_digest(pieces)


def _numbers_of(row: Any) -> Array:
    return np.empty(0) if row is None else as_float_array("context", row)
