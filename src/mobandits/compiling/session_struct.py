"""The struct that holds a session's policy, state and stream in compiled form."""

from typing import Any

from numba import types
from numba.experimental import structref

from mobandits.compiling.at_hand import types_of
from mobandits.contracts.protocols import Policy, Rng

__all__ = ["new_struct", "state_of", "struct_type"]

FIELDS = ["policy", "state", "rng", "note"]


class _Struct(structref.StructRefProxy):  # type: ignore[misc]
    """A session in compiled form: a reference to a struct that only compiled functions open."""


@structref.register
class _StructType(types.StructRef):  # type: ignore[misc]
    """Its Numba type: the types of its fields."""


structref.define_proxy(_Struct, _StructType, FIELDS)


def struct_type(fields: tuple[Any, ...]) -> Any:
    """The Numba type of a struct with these fields."""
    kinds = types_of(fields)
    return _StructType(list(zip(FIELDS, kinds, strict=True)))


def new_struct(policy: Policy, state: Any, rng: Rng, note: Any) -> Any:
    """A struct; only compiled code calls it, as the next one."""
    return _Struct(policy, state, rng, note)


def state_of(session: Any) -> Any:
    """The state in a struct."""
    return session.state
