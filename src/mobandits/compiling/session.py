"""A policy, its state and its random stream, kept in compiled form between calls from Python.

A compiled call costs microseconds per argument that Numba has to take apart: the policy's parts, the state's arrays,
the generator. A session is taken apart once; from then on a call costs as much as its other arguments.
"""

from typing import Any

from numba import types
from numba.experimental import structref

from mobandits.compiling.backend import INTERPRETED
from mobandits.compiling.compiled import compile_loop, is_compiled
from mobandits.compiling.part_types import typeof
from mobandits.contracts.protocols import Policy, Rng

__all__ = ["Session", "open_session", "prepare", "prepare_state_of", "run", "state_of"]


def _refuse_copies(self: Any, protocol: Any) -> Any:  # noqa: ARG001 - the signature is Python's
    """Refuse to be copied or pickled: by default Numba would be asked to compile a session of nothing."""
    raise TypeError("sessions cannot be copied or pickled: open another one, with copies of `state_of` and the stream")


class Plain:
    """A session in plain Python: under ``NUMBA_DISABLE_JIT=1``, and for policies that cannot be compiled."""

    def __init__(self, policy: Policy, state: Any, rng: Rng) -> None:
        self.policy, self.state, self.rng = policy, state, rng

    __reduce_ex__ = _refuse_copies


Held: Any = Plain
if not INTERPRETED:

    class Held(structref.StructRefProxy):  # type: ignore[misc,no-redef]
        """A session in compiled form: a reference to a struct that only compiled functions open."""

        __reduce_ex__ = _refuse_copies

    @structref.register
    class HeldType(types.StructRef):  # type: ignore[misc]
        """Its Numba type: the types of policy, state and stream."""

    structref.define_proxy(Held, HeldType, ["policy", "state", "rng"])

Session = Plain | Any  # `Held` is an opaque type to type checkers


def _hold(policy: Policy, state: Any, rng: Rng) -> Any:
    return Held(policy, state, rng)


def open_session(policy: Policy, rng: Rng, state: Any = None) -> Session:
    """The policy before its first round, or in a state that it has reached, with its stream.

    Functions that take it are written once: they read ``session.policy``, ``session.state`` and ``session.rng``, and
    may set ``session.state``; `run` compiles them.

    Args:
        policy: compiled or not.
        rng: the stream of all its decisions; it must stay alive as long as the session, which the session sees to.
        state: where it goes on from, which is consumed; None: the first state.

    Example:
        >>> import numpy as np
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolUcb
        >>> policy = MolUcb(scale=0.3).bind(Shape(arms=3, features=2, objectives=2))
        >>> session = open_session(policy, np.random.default_rng(0))
        >>> from mobandits.agent.compiled_calls import learn
        >>> run(learn, session, keeps=True)(session, np.array([1.0, 0.0]), 0, 0.0, np.array([0.5, 2.0]))
        >>> state_of(session).seen.tolist()
        [[1.0]]
    """
    state = policy.init() if state is None else state
    if not is_compiled(policy):
        return Plain(policy, state, rng)
    return compile_loop(_hold, policy, keeps=True)(policy, state, rng)


def run(function: Any, session: Session, *, keeps: bool = False) -> Any:
    """`function`, compiled for sessions of this kind where they are compiled.

    Args:
        function: plain Python; its first argument is the session.
        session: any of the kind.
        keeps: whether it sets ``session.state``, in which another argument may live on.
    """
    return function if isinstance(session, Plain) else compile_loop(function, session, keeps=keeps)


def prepare(function: Any, session: Session, like: Session, *, keeps: bool = False) -> None:
    """Compile `function` for a session, for all arguments that it was called with for another one; nothing is called.

    Args:
        function: as for `run`.
        session: of another policy than `like`, or of the same.
        like: in use.
        keeps: as for `run`.

    Raises:
        CompileError: where that is not possible.
    """
    if isinstance(session, Plain) or isinstance(like, Plain):
        return
    kind, loop = typeof(session), run(function, session, keeps=keeps)
    for _, *others in run(function, like, keeps=keeps).dispatcher.signatures:
        loop.prepare(kind, *others)


def prepare_state_of(session: Session) -> None:
    """Compile `state_of` for a session."""
    if not isinstance(session, Plain):
        run(_state, session).prepare(typeof(session))


def state_of(session: Session) -> Any:
    """The state as it is now, in arrays that further rounds may change."""
    return run(_state, session)(session)


def _state(session: Session) -> Any:
    return session.state
