"""The first round of a policy from outside of this library, in plain Python, before it is compiled.

Compilers speak of types where an author has made a slip, and what they speak of is often the loop and not the slip.
Python raises an error at the author's line. So the first round of a class that was never played is rehearsed: on a
state, a stream and arrays of its own, so that nothing of it is left. Policies of this library are not rehearsed.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from mobandits.compiling.backend import INTERPRETED
from mobandits.compiling.compiled import interpreted
from mobandits.compiling.part_types import is_compiled, typeof
from mobandits.compiling.tracebacks import foreign, hint, raise_at
from mobandits.contracts.notes import is_like, note_of
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Order, Policy

SLIPS = (AttributeError, LookupError, NameError, TypeError)  # whatever the numbers are
KINDS: dict[str, Any] = {
    **dict.fromkeys(("front", "gap", "gaps"), Order),
    **dict.fromkeys(("beliefs", "draw", "probabilities", "update"), Policy),
}
LARGEST = 50  # arms of a table with which an order is rehearsed

_rehearsed: set[Any] = set()


def rehearse(
    policy: Policy,
    context: Array,
    arms: IntArray,
    rewards: Array,
    *,
    law: bool,
    made_up: bool = False,
) -> None:
    """Play one round, where the policy or a part of it is from outside and was not played before.

    Args:
        policy: before its first round.
        context: (arms or 1, features).
        arms: the ids of the eligible arms.
        rewards: (all arms, objectives).
        law: whether `probabilities` will be asked for.
        made_up: whether the numbers mean nothing: then errors count that do not depend on numbers.

    Raises:
        Exception: what the policy raises, at its author's line; a TypeError or an IndexError there where a method does
            not return what it must.
    """

    def play() -> None:
        _play(policy, context, arms, rewards, law=law, made_up=made_up)

    rehearse_loop(play, policy, law=law, made_up=made_up)


def rehearse_order(order: Order, means: Array) -> None:
    """Ask an order for all that it offers, where it or a part of it is from outside and was not asked before.

    Args:
        order: any order.
        means: (arms, objectives).

    Raises:
        Exception: what the order raises, at its author's line.
    """
    rehearse_loop(lambda: _ask(order, means[:LARGEST].copy()), order, made_up=True)


def rehearse_loop(
    work: Callable[[], Any], *parts: Any, law: bool = False, made_up: bool = False
) -> None:
    """Do something in Python, where a part is from outside and the same was not done before.

    Args:
        work: what to do.
        parts: that are asked.
        law: as in `rehearse`.
        made_up: as in `rehearse`.

    Raises:
        Exception: what the parts raise, at their author's line.
    """
    key = (law, *map(_kind, parts))
    if key in _rehearsed:
        return

    classes = [cls for part in parts for cls in foreign(part)]
    if classes:
        _run(work, classes, made_up=made_up)

    _rehearsed.add(key)


def _kind(part: Any) -> Any:
    """What is compiled at most once: the types of a part and of all that it holds."""
    if INTERPRETED or not is_compiled(part):
        return type(part)

    try:
        return typeof(part)
    except TypeError:
        return type(part)  # it holds what cannot be compiled


def _run(work: Callable[[], None], classes: Sequence[type], *, made_up: bool) -> None:
    try:
        with interpreted(), np.errstate(all="ignore"):
            work()
    except SLIPS as error:
        if said := hint(error):
            error.add_note(said.removeprefix("; "))

        _blame(error, classes)
        raise
    except OverflowError:
        return  # infinite in compiled code
    except Exception as error:
        if made_up or str(error).startswith("math domain"):  # no number in compiled code
            return

        raise


def _blame(error: Exception, classes: Sequence[type]) -> None:
    """Raise an error about a call at the method that was called, where it is one of these classes'."""
    name, _, rest = str(error).partition("()")
    for cls in classes:
        method = getattr(cls, name.rpartition(".")[2], None)
        if rest and inspect.isfunction(method) and method.__qualname__ == name:
            raise_at(method, error)


def _play(
    policy: Policy, context: Array, arms: IntArray, rewards: Array, *, law: bool, made_up: bool
) -> None:
    state = policy.init()
    rng = np.random.default_rng(0)
    rows = context.copy()
    beliefs = _call(policy, "beliefs", state, rows, arms.copy(), rng)
    choice = _call(policy, "draw", beliefs, rng)
    place = _place(policy, choice, len(arms))
    if law:
        chances = _call(policy, "probabilities", beliefs)
        if np.shape(chances) != (len(arms),):
            rule = f"must return an array of shape (arms,) = ({len(arms)},)"
            _refuse(policy, "probabilities", TypeError(f"{rule}, got {_short(chances)}"))

    arm = arms[place]
    x = rows[place if len(rows) > 1 else 0].copy()
    try:
        after = _call(policy, "update", state, x, arm, choice.note, rewards[arm].copy(), rng)
    except LookupError:
        if made_up:
            return  # a true reward may be in its place

        raise

    if after is None and state is not None:
        _refuse(policy, "update", TypeError("must return the state, got None"))


def _place(policy: Policy, choice: Any, count: int) -> int:
    """The position of the arm in a choice."""
    if not hasattr(choice, "arm") or not hasattr(choice, "note"):
        _refuse(policy, "draw", TypeError(f"must return Choice(arm, note), got {_short(choice)}"))

    template = note_of(policy)
    if isinstance(choice.note, tuple) and not is_like(choice.note, template):
        rule = f"must note numbers as {_short(template)} has, which note() declares"
        _refuse(policy, "draw", TypeError(f"{rule}, got {_short(choice.note)}"))
    if not 0 <= choice.arm < count:
        rule = f"must return the position of an eligible arm, from 0 to {count - 1}"
        _refuse(policy, "draw", IndexError(f"{rule}, got {choice.arm}"))

    return int(choice.arm)


def _ask(order: Order, means: Array) -> None:
    beliefs = Beliefs(means, means, means)
    front = _call(order, "front", beliefs)
    if np.shape(front) != (len(means),) or not np.any(front):
        rule = f"must return (arms,) = ({len(means)},) truth values, one of them True"
        _refuse(order, "front", TypeError(f"{rule}, got {_short(front)}"))

    _call(order, "draw", beliefs, np.random.default_rng(0))
    _call(order, "gap", means, 0)
    _call(order, "gaps", means)


def _call(part: Any, name: str, *arguments: Any) -> Any:
    """What a method returns, which must take these arguments."""
    method = getattr(part, name)
    if not _takes(method, arguments):
        wanted = [
            one for one in inspect.signature(getattr(KINDS[name], name)).parameters if one != "self"
        ]
        _refuse(part, name, TypeError(f"must take {', '.join(wanted)}"))

    return method(*arguments)


def _takes(method: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
    try:
        inspect.signature(method).bind(*arguments)
    except TypeError:
        return False

    return True


def _refuse(part: Any, name: str, error: Exception) -> NoReturn:
    """Raise an error at the method that does not do what it must."""
    method = getattr(type(part), name)
    said = type(error)(f"{type(part).__name__}.{name} {error}")
    if inspect.isfunction(method):
        raise_at(method, said)

    raise said


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."
