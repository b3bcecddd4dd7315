"""Declarations about the arrays of a state: their axes, and the limits of their numbers.

Loops need none of it. An agent does: arms join, states are added up, and files of states come from
anywhere. The classes of states, and the parts of policies, declare what it may know::

    @state_fields(seen=counts("arms", "objectives"), total=Field(("arms", "objectives")))
    class MeanState(NamedTuple): ...

Besides its fields, a class of states may declare a method, `merged(self, other, first)`: the state
after all that led to this state and to another one, where that is a sum; `first` is the state
before the first round, which both started from. A state without it cannot be merged.

Classes of parts (policies, estimators, explorers) declare facts as class attributes, which
`declares` finds in a policy and in all that it holds:

- `RANDOM_BELIEFS`: beliefs are drawn, so that `probabilities` is conditional on the draw.
- `FORGETS`: older rewards count less than later ones, so that their order matters.
- `ORDERED`: the order of rewards matters in another way.

What is not declared is taken for the usual: numbers are finite, an axis that grows when an arm
joins is one of arms, and no state can be merged.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

S = TypeVar("S", bound=type)

# Names of axes that mean something to an agent; others are names for readers.
ARMS = "arms"  # an entry per arm, or per cell and arm, arms last; or one that all arms share
GRAMS = "grams"  # one Gram matrix for all objectives until a reward comes in part, then one each
BALLS = "balls"  # active balls, of which there are more and more

# Counts are kept as floats, which are exact up to here.
MOST_COUNTED = 2.0**53


class Field(NamedTuple):
    """One array of a state.

    Attributes:
        axes: the name of each axis; none: they are not declared.
        low: the least number in it.
        high: the largest.
        whole: whether its numbers are whole.
        finite: whether all of them are finite.
        below_objectives: whether they are below the number of objectives.
        positive_diagonal: whether the diagonals of its last two axes are positive.
        account: whether it counts the rounds, the money or the prices of the policy's own decisions:
            what a log teaches leaves it alone.
    """

    axes: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    whole: bool = False
    finite: bool = True
    below_objectives: bool = False
    positive_diagonal: bool = False
    account: bool = False

    def axis(self, name: str) -> int | None:
        """The position of an axis; None where there is none of this name."""
        if name not in self.axes:
            return None
        return self.axes.index(name)

    @property
    def is_limited(self) -> bool:
        """Whether numbers have limits."""
        has_low = math.isfinite(self.low)
        has_high = math.isfinite(self.high)
        return self.whole or has_low or has_high


UNDECLARED = Field()


def counts(*axes: str, whole: bool = False) -> Field:
    """A field of counts, at least 0; not whole where old rewards count less.

    Example:
        >>> counts("arms", "objectives").low
        0.0
    """
    return Field(axes, low=0.0, high=MOST_COUNTED, whole=whole)


def state_fields(**fields: Field) -> Callable[[S], S]:
    """Class decorator that declares the arrays of a state, by name.

    States inside of it declare their own.

    Raises:
        ValueError: on decoration, where the class has no such field.
    """

    def declare(state_class: S) -> S:
        # The public name for a NamedTuple's fields, in order.
        known = state_class.__match_args__  # type: ignore[attr-defined]
        for name in fields:
            if name not in known:
                raise ValueError(f"{state_class.__name__} must have the field {name}, and has not")

        state_class.FIELDS = fields  # type: ignore[attr-defined]

        return state_class

    return declare


def fields_of(state: Any) -> Iterator[tuple[str, Field, Any]]:
    """Name, `Field` and array of every field of a state, in order.

    Those of states inside of it are in their place.

    Example:
        >>> from mobandits.estimators import SampleMean
        >>> state = SampleMean(slots=3, objectives=2).init()
        >>> [(name, field.axes) for name, field, _ in fields_of(state)]
        [('seen', ('arms', 'objectives')), ('total', ('arms', 'objectives'))]
    """
    # States of others may be any tuples of arrays: nothing is declared of these.
    declared = getattr(type(state), "FIELDS", {})
    # A plain tuple, such as that of a wrapper's states, has no names.
    names = getattr(type(state), "__match_args__", [""] * len(state))
    for name, part in zip(names, state, strict=True):
        if isinstance(part, tuple):
            yield from fields_of(part)
        else:
            yield name, declared.get(name, UNDECLARED), part


def accounts_of(state: Any) -> list[Any]:
    """The arrays of a state that are accounts of the policy's own decisions, in order.

    Example:
        >>> from mobandits.estimators import SampleMean
        >>> accounts_of(SampleMean(slots=3, objectives=2).init())
        []
    """
    return [array for _, field, array in fields_of(state) if field.account]


def write_accounts(state: Any, numbers: Mapping[str, Any]) -> bool:
    """Write numbers into the part of a state that has fields of all these names, in place.

    Returns:
        Whether there is one.
    """
    names = getattr(type(state), "__match_args__", ())
    if set(numbers) <= set(names):
        for name, values in numbers.items():
            getattr(state, name)[:] = values
        return True

    return any(write_accounts(part, numbers) for part in state if isinstance(part, tuple))


def parts_of(part: Any) -> Iterator[Any]:
    """A part of a policy and all that it holds, dataclasses inside of dataclasses.

    Example:
        >>> from mobandits.explorers import Ucb
        >>> from mobandits.explorers.radii import Constant
        >>> list(parts_of(Ucb(Constant(0.3))))
        [Ucb(radius=Constant(value=0.3)), Constant(value=0.3)]
    """
    if not dataclasses.is_dataclass(part) or isinstance(part, type):
        return

    yield part
    for field in dataclasses.fields(part):
        yield from parts_of(getattr(part, field.name))


def declares(part: Any, fact: str) -> bool:
    """Whether a part of a policy, or one that it holds, declares a fact about itself.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolTs, MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> [declares(recipe.bind(shape), "RANDOM_BELIEFS") for recipe in (MolTs(), MolUcb())]
        [True, False]
    """
    if getattr(part, fact, False):
        return True
    return any(getattr(each, fact, False) for each in parts_of(part))
