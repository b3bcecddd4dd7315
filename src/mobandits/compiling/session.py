"""A policy, its state and its random stream, kept in compiled form between calls from Python.

A compiled call costs microseconds per argument that Numba has to take apart: the policy's parts,
the state's arrays, the generator took 20 of the 25 microseconds of a decision. A session is taken
apart once; from then on a call costs as much as its other arguments.
"""

from typing import Any

import numpy as np
from numba import types
from numba.experimental import structref

from mobandits.compiling.backend import INTERPRETED
from mobandits.compiling.compiled import compile_loop, is_compiled
from mobandits.compiling.part_types import typeof
from mobandits.contracts.notes import Note, note_of
from mobandits.contracts.protocols import Policy, Rng

__all__ = [
    "InterpretedSession",
    "Session",
    "compiled_for",
    "open_session",
    "prepare_like",
    "prepare_state_of",
    "state_of",
]


def _refuse_copies(self: Any, protocol: Any) -> Any:  # noqa: ARG001 - the signature is Python's
    """Refuse to be copied or pickled: by default Numba would be asked to compile a session of nothing."""
    raise TypeError(
        "sessions cannot be copied or pickled: open another one, with copies of `state_of` and the stream"
    )


class InterpretedSession:
    """A session in plain Python, where nothing is compiled or the policy cannot be."""

    def __init__(self, policy: Policy, state: Any, rng: Rng, note: Note) -> None:
        self.policy = policy
        self.state = state
        self.rng = rng
        self.note = note

    __reduce_ex__ = _refuse_copies


CompiledSession: Any = InterpretedSession
if not INTERPRETED:

    class CompiledSession(structref.StructRefProxy):  # type: ignore[misc,no-redef]
        """A session in compiled form: a reference to a struct that only compiled functions open."""

        __reduce_ex__ = _refuse_copies

    @structref.register
    class CompiledSessionType(types.StructRef):  # type: ignore[misc]
        """Its Numba type: the types of policy, state, stream and note."""

    structref.define_proxy(CompiledSession, CompiledSessionType, ["policy", "state", "rng", "note"])

Session = InterpretedSession | Any  # `CompiledSession` is an opaque type to type checkers


def open_session(policy: Policy, rng: Rng, state: Any = None) -> Session:
    """The policy before its first round, or in a state that it has reached, with its stream.

    Functions that take it are written once: they read ``session.policy``, ``session.state``,
    ``session.rng`` and ``session.note``, which is like the policy's notes, and may set
    ``session.state``; `compiled_for` compiles them.

    Args:
        policy: compiled or not.
        rng: the stream of all its decisions; the session keeps it alive.
        state: where it goes on from, which is consumed; None: the first state.

    Example:
        >>> import numpy as np
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolUcb
        >>> policy = MolUcb(scale=0.3).bind(Shape(arms=3, features=2, objectives=2))
        >>> session = open_session(policy, np.random.default_rng(0))
        >>> from mobandits.agent.compiled_calls import update_state
        >>> teach = compiled_for(update_state, session, stores_arguments=True)
        >>> teach(session, np.array([1.0, 0.0]), 0, (0.0,), np.array([0.5, 2.0]))
        >>> state_of(session).seen.tolist()
        [[1.0]]
    """
    if state is None:
        state = policy.init()
    if not is_compiled(policy):
        return InterpretedSession(policy, state, rng, note_of(policy))

    new_session = compile_loop(_new_session, policy, stores_arguments=True)

    return new_session(policy, state, rng, note_of(policy))


def _new_session(policy: Policy, state: Any, rng: Rng, note: Note) -> Any:
    return CompiledSession(policy, state, rng, note)


def compiled_for(function: Any, session: Session, *, stores_arguments: bool = False) -> Any:
    """`function`, compiled for sessions of this kind where they are compiled.

    Args:
        function: plain Python; its first argument is the session.
        session: any of the kind.
        stores_arguments: whether it sets ``session.state``, in which another argument may live on.
    """
    if isinstance(session, InterpretedSession):
        return function
    return compile_loop(function, session, stores_arguments=stores_arguments)


def prepare_like(
    function: Any, session: Session, like: Session, *, stores_arguments: bool = False
) -> None:
    """Compile `function` for a session, for all arguments that it was called with for another one.

    Nothing is called.

    Args:
        function: as for `compiled_for`.
        session: of another policy than `like`, or of the same.
        like: in use.
        stores_arguments: as for `compiled_for`.

    Raises:
        CompileError: where that is not possible.
    """
    if isinstance(session, InterpretedSession) or isinstance(like, InterpretedSession):
        return

    kind = typeof(session)
    loop = compiled_for(function, session, stores_arguments=stores_arguments)
    in_use = compiled_for(function, like, stores_arguments=stores_arguments)
    for _, *others in in_use.dispatcher.signatures:
        loop.prepare(kind, *others)


def is_prepared(function: Any, policy: Policy) -> bool:
    """Whether `function` was compiled for sessions of such a policy, in this process.

    Nothing is compiled, or read from the cache.

    Args:
        function: as for `compiled_for`.
        policy: compiled or not.
    """
    if INTERPRETED or not is_compiled(policy):
        return True

    opener = compile_loop(_new_session, policy, stores_arguments=True)
    if not _takes(opener, policy):
        return False

    session = open_session(policy, np.random.default_rng(0))
    loop = compiled_for(function, session)

    return _takes(loop, session)


def _takes(loop: Any, first: Any) -> bool:
    """Whether a loop was compiled for such a first argument."""
    kind = typeof(first)
    return any(each[0] == kind for each in loop.dispatcher.signatures)


def prepare_state_of(session: Session) -> None:
    """Compile `state_of` for a session."""
    if not isinstance(session, InterpretedSession):
        compiled_for(_state, session).prepare(typeof(session))


def state_of(session: Session) -> Any:
    """The state as it is now, in arrays that further rounds may change."""
    return compiled_for(_state, session)(session)


def _state(session: Session) -> Any:
    return session.state
