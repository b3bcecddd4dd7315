"""A policy, its state and its random stream, kept in compiled form between calls from Python.

A compiled call costs microseconds per argument that Numba has to take apart: the policy's parts,
the state's arrays, the generator took 20 of the 25 microseconds of a decision. A session is taken
apart once; from then on a call costs as much as its other arguments.

A call whose code is not at hand is made in Python, with the same bits, so that nobody waits for a
compiler. Each function changes over for itself, between two calls, and the state goes with it.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from mobandits.compiling.at_hand import NotAtHand, has_numba, is_at_hand, types_of, waits
from mobandits.compiling.at_once import are_many, as_compiled
from mobandits.compiling.backend import INTERPRETED
from mobandits.compiling.compiled import is_compiled, loop_of_types
from mobandits.compiling.part_types import typeof
from mobandits.contracts.notes import note_of
from mobandits.contracts.protocols import Policy, Rng

__all__ = ["Session", "stores_arguments"]

F = TypeVar("F", bound=Callable[..., Any])

STORES = "_mobandits_stores_arguments"


def stores_arguments(function: F) -> F:
    """Mark a function that sets ``session.state``, in which another argument may live on."""
    setattr(function, STORES, True)
    return function


class Session:
    """A policy before its first round, or in a state that it has reached, with its stream.

    Functions that it calls are written once: their first argument has the attributes ``policy``,
    ``state``, ``rng`` and ``note``, which is like the policy's notes; they may set ``state``, and
    say so by `stores_arguments`.

    Args:
        policy: compiled or not.
        rng: the stream of all its decisions; the session keeps it alive.
        state: where it goes on from, which is consumed; None: the first state.

    Attributes:
        policy: as given.
        rng: as given.
        note: a note of the policy.

    Example:
        >>> import numpy as np
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolUcb
        >>> policy = MolUcb(scale=0.3).bind(Shape(arms=3, features=2, objectives=2))
        >>> session = Session(policy, np.random.default_rng(0))
        >>> from mobandits.agent.compiled_calls import update_state
        >>> session.call(update_state, np.array([1.0, 0.0]), 0, (0.0,), np.array([0.5, 2.0]))
        >>> session.state.seen.tolist()
        [[1.0]]
    """

    def __init__(self, policy: Policy, rng: Rng, state: Any = None) -> None:
        self.policy = policy
        self.rng = rng
        self.note = note_of(policy)
        self._state = policy.init() if state is None else state
        self._compiles = is_compiled(policy) and not INTERPRETED
        self._struct: Any = None
        self._read_state: Any = None
        self._dispatchers: dict[Any, Any] = {}
        # What was called, with the types of arguments: keys only, in order.
        self._called: dict[tuple[Any, tuple[Any, ...]], None] = {}

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Refuse to be copied or pickled: two would draw from one stream."""
        raise TypeError(
            "sessions cannot be copied or pickled: open another one, with copies of state and stream"
        )

    @property
    def state(self) -> Any:
        """The state as it is now, in arrays that further rounds may change."""
        if self._struct is None:
            return self._state
        return self._read_state(self._struct)

    @state.setter
    def state(self, state: Any) -> None:
        is_open = self._struct is not None
        self._state = state
        self._struct = None
        if is_open and not self._open():
            self._dispatchers.clear()

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """The value of `function(session, *args)`.

        Args:
            function: plain Python.
            args: its other arguments.

        Raises:
            CompileError: where it cannot be compiled, and calls wait for that.
        """
        dispatcher = self._dispatchers.get(function)
        if dispatcher is None:
            return self._call_with_care(function, args)

        try:
            return dispatcher(self._struct, *args)
        except NotAtHand:  # arguments of other types
            return self._call_with_care(function, args)

    def prepare_like(self, other: "Session") -> None:
        """Load what another session has called, or compile it where calls wait.

        Args:
            other: of the same recipe.

        Raises:
            CompileError: where it cannot be compiled, and calls wait for that.
        """
        # A state that is too large for Python would be waited for by the next call.
        compiles = not waits() and are_many(self.state)
        if not (self._compiles and has_numba(compiles=compiles)):
            return

        kind = self._kind()
        for function, kinds in list(other._called):
            loop = _loop(function, kind, kinds)
            if is_at_hand(loop, (kind, *kinds), compiles=compiles, hurries=False) and waits():
                loop.prepare(kind, *kinds)

        self._open(compiles=compiles)

    def _call_with_care(self, function: Any, args: tuple[Any, ...]) -> Any:
        """As `call`, for a function that was not called with such arguments."""
        compiles = not waits() and are_many((args, self.state))
        if not (self._compiles and has_numba(compiles=compiles)):
            return self._call_in_python(function, args)

        kind = self._kind()
        kinds = types_of(args)
        self._called[function, kinds] = None
        loop = _loop(function, kind, kinds)
        is_ready = is_at_hand(loop, (kind, *kinds), compiles=compiles, hurries=False)
        if not (self._open(compiles=compiles) and is_ready):
            return self._call_in_python(function, args)

        made = loop(self._struct, *args)
        self._dispatchers[function] = loop.dispatcher

        return made

    def _call_in_python(self, function: Any, args: tuple[Any, ...]) -> Any:
        if not is_compiled(self.policy):
            return function(self, *args)  # an author's own Python may call what is compiled

        with as_compiled():
            return function(self, *args)

    def _kind(self) -> Any:
        """The Numba type of the struct."""
        if self._struct is not None:
            return typeof(self._struct)

        from mobandits.compiling.session_struct import struct_type  # noqa: PLC0415 - see `backend`

        return struct_type((self.policy, self._state, self.rng, self.note))

    def _open(self, *, compiles: bool = False) -> bool:
        """Take the fields apart for compiled calls: whether that has been done."""
        if self._struct is not None:
            return True

        from mobandits.compiling.session_struct import new_struct, state_of  # noqa: PLC0415 - see `backend`

        fields = (self.policy, self._state, self.rng, self.note)
        kinds = types_of(fields)
        kind = self._kind()
        open_struct = loop_of_types(new_struct, kinds[:1], stores_arguments=True)
        read_state = loop_of_types(state_of, [kind])
        can_open = is_at_hand(open_struct, kinds, compiles=compiles, hurries=False)
        can_read = is_at_hand(read_state, (kind,), compiles=compiles, hurries=False)
        if not (can_open and can_read):
            return False

        self._struct = open_struct(*fields)
        self._state = None
        read_state.prepare(kind)
        self._read_state = read_state

        return True


def _loop(function: Any, kind: Any, kinds: tuple[Any, ...]) -> Any:
    """The loop of a function of a session of some type, and of arguments of these."""
    from mobandits.compiling.records import Record  # noqa: PLC0415 - see `backend`

    # A loop has a file of the cache for the types of all parts that it is given.
    parts = [each for each in kinds if isinstance(each, Record)]
    stores = getattr(function, STORES, False)
    return loop_of_types(function, [kind, *parts], stores_arguments=stores)
