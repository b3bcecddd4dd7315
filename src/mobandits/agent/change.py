"""The one transaction of an agent: the order of effects in every call that alters it."""

from collections.abc import Sequence
from typing import Any

from mobandits.agent.actors import ACTOR
from mobandits.contracts.protocols import Array
from mobandits.logs.events import Alteration, Description, Event


class Change:
    """A call that alters an agent: it happens as a whole, or not at all.

    In ``with core.lock, Change(core) as change:`` the effects come in this order:

    1. Time: rewards by default that are due by `now` are learned, and decisions that are too old
       are dropped. This stays, whatever becomes of the call.
    2. The call checks its arguments, and makes what it will keep. It may settle the shape of
       contexts, begin a stage, draw, play another order, or have other arms.
    3. The log has it: by `write`, or by another method of `writer`, after which `is_written` is
       set. Without a log, the same line says that the call happens.
    4. The call keeps what it has made.
    5. The writer learns that the agent has done it, and takes a snapshot once in a while.

    What ends before the third step is over, by an error, an interruption or an early return, is
    undone. After it nothing is undone: a log is then ahead of its agent, and takes no further
    event until the agent was made again from it.

    The lock is taken outside: an interruption within Python code could leave it held for ever.

    Args:
        core: of the agent.
        now: the time; None: that of its clock.

    Attributes:
        core: as given.
        now: the time of the call.
        writer: writes it down; None: there is no log, or it is replayed.
        is_written: whether the call happens.
    """

    __slots__ = ("_before", "_streams", "core", "is_written", "now", "writer")
    # Whether the call draws: what it drew in vain is drawn again. Only a log tells that, so that
    # agents without one are spared it.
    draws = False

    def __init__(self, core: Any, now: float | None = None) -> None:
        self.core = core
        self.is_written = False
        self._before: tuple[dict[str, Any], Any] | None = None
        self._streams: list[Any] | None = None
        if now is None:
            now = core.advance_clock() if core.is_timed else core.now

        self.now: Any = now
        writer = core.writer
        if writer is not None and writer.silent:
            writer = None

        self.writer: Any = writer
        if writer is not None and self.draws:
            self._streams = core.bound.streams()

    def __enter__(self) -> "Change":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if not self.is_written:
            self.undo()
        elif kind is None and self.writer is not None:
            self.writer.done(self.core)

    def write(self, event: Event, changed: Description | None = None) -> None:
        """Write an event down, where there is a log.

        Args:
            event: whose time will be `now`, and who has brought it about will be the caller.
            changed: what the agent's description has from then on; None: what it had.
        """
        if self.writer is not None:
            event.time = self.now
            if isinstance(event, Alteration):
                event.by = ACTOR.get()
            self.writer.write(event, changed)

        self.is_written = True

    def remember(self) -> None:
        """Remember the policy and the arms, which the call is about to change."""
        core = self.core
        self._before = (core.bound.position(), core.arms.saved())

    def begin_stage(self, tables: Sequence[Array] | Array) -> None:
        """A stage begins, with contexts on which something can be decided.

        The first says whether the arms share it.
        """
        core = self.core
        self.remember()
        for table in tables:
            core.guard.check_context(table)

        bound = core.bound
        if bound.stage > 0:
            bound.begin_stage()
            return

        shared = bool(core.contexts.shared)
        bound.rehearse(tables[0], shared=shared)
        bound.set_layout(shared=shared)

    def undo(self) -> None:
        """Have all as it was before the second step."""
        core = self.core
        bound = core.bound
        if self._before is not None:
            position, arms = self._before
            bound.go_back(position)
            core.arms.restore(*arms)
        if self._streams is not None:
            bound.rewind(self._streams)

        core.contexts.forget_unseen()
        # Only a decision settles the shape of contexts.
        if bound.stage == 0:
            core.contexts.set_layout(shared=None)


class Draw(Change):
    """A call that makes decisions of the agent's own, for which it draws."""

    __slots__ = ()
    draws = True
