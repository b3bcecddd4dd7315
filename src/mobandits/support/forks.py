"""Processes: how many processors one may use, and a hook for objects that belong to one.

The child of a fork lets go of them.

A fork copies memory and shares open files: child and parent would both append to one log, and
decide from one random stream. Comparing process numbers in every call would cost as much as a lock;
a hook that runs once in every child costs calls nothing.
"""

import math
import os
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_hooks: "weakref.WeakKeyDictionary[Any, Callable[[Any], None]]" = weakref.WeakKeyDictionary()


def on_fork(owner: T, leave: Callable[[T], None]) -> None:
    """Have `leave(owner)` called in every child of a fork, before anything else runs there.

    Args:
        owner: what must not be used in a child; it is not kept alive.
        leave: a function, not a method of `owner`, which would keep it alive. No thread of the
            parent runs in the child, and locks that they held stay locked: it must replace them,
            and not wait for one.
    """
    _hooks[owner] = leave


def _leave_all() -> None:
    # A list, since what is called may make owners.
    for owner, leave in list(_hooks.items()):
        leave(owner)


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(after_in_child=_leave_all)


def memory() -> float:
    """The bytes of memory of this machine; infinity where the system does not say."""
    names = getattr(os, "sysconf_names", {})
    if not {"SC_PAGE_SIZE", "SC_PHYS_PAGES"} <= set(names):
        return math.inf
    return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
