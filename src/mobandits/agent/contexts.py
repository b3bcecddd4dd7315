"""Contexts as an application gives them, in the one form that policies take."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from mobandits.agent.advice import listed, on_numbers, on_rows, on_shape
from mobandits.agent.arms import Arms
from mobandits.agent.decision import Offer
from mobandits.contracts.protocols import Array
from mobandits.support.checks import as_float_array, is_compiled_layout
from mobandits.support.naming import quoted


class Contexts:
    """What shape contexts have, and which rows of them are on offer.

    Args:
        arms: of the agent; contexts have a row for each of its names, or one for all.
        features: length of a row.

    Attributes:
        shared: whether one row serves all arms; None before the first context.
    """

    def __init__(self, arms: Arms, features: int) -> None:
        self._arms = arms
        self._features = features
        self.shared: bool | None = None
        self._wanted: tuple[int, ...] | None = None

    def offer(self, context: Any, eligible: Iterable[Hashable] | None) -> Offer:
        """The arms that may be played, and their rows, in memory that nobody else changes."""
        if is_compiled_layout(
            context
        ):  # first, since it is the most frequent and the fastest to tell
            given = context.copy()
        elif isinstance(context, Mapping):
            return self._offer_named(context, eligible)
        else:
            given = self._doubles("context", context)
        if given.shape != self._wanted:
            self._settle("context", given.shape)
        own = given.ndim == 2
        arms = self._arms
        rows = given if own else given[None]
        if eligible is None:
            return arms.names, arms.everyone, rows
        places = arms.rows(eligible)
        names = tuple(arms.names[place] for place in places.tolist())
        return names, arms.everyone[places], rows[places] if own else rows

    def _offer_named(
        self, context: Mapping[Any, Any], eligible: Iterable[Hashable] | None
    ) -> Offer:
        names = list(context if eligible is None else eligible)
        try:
            places = self._arms.rows(names, "context" if eligible is None else "eligible")
        except ValueError:
            wrong = on_rows(context, self._arms.names) if eligible is None else None
            if wrong is None:
                raise
            raise ValueError(f"{wrong}{self._on_numbers(context)}") from None
        if missing := [name for name in names if name not in context]:
            raise ValueError(
                f"context must have a row for every eligible arm, got none for {quoted(missing[0])}, "
                f"and rows for {listed(context) or 'none'}"
            )
        given = self._doubles("context", [context[name] for name in names])
        if given.ndim == 2 and given.shape[1] == self._features:
            self._settle("context", (len(self._arms.names), self._features))
        else:
            rule = f"rows of {self._features} numbers in the order of the features"
            raise ValueError(f"context must have {rule}, got shape {given.shape}")
        return tuple(names), self._arms.everyone[places], given

    def offers(self, contexts: Any, eligible: Iterable[Hashable] | None) -> Offer:
        """As `offer` for contexts (n, features) or (n, arms, features): rows are (n, eligible arms or 1, features)."""
        arms = self._arms
        tables = self.tables(contexts)
        if eligible is None:
            return arms.names, arms.everyone, tables
        places = arms.rows(eligible)
        names = tuple(arms.names[place] for place in places.tolist())
        return names, arms.everyone[places], tables[:, places] if self.own else tables

    def tables(self, contexts: Any) -> Array:
        """(n, arms or 1, features) of contexts (n, features) or (n, arms, features)."""
        given = self._doubles("contexts", contexts)
        if given.shape == (0,):  # an empty list of contexts
            given = given.reshape(0, *(self._wanted or (self._features,)))
        if given.shape[1:] != self._wanted or given.ndim < 2:
            self._settle("contexts", given.shape, batch=True)
        return given if given.ndim == 3 else given[:, None]

    def lay(self, *, shared: bool | None) -> None:
        """Settle it, or, with None, forget what was settled."""
        self.shared = shared
        sizes = (
            (self._features,)
            if shared or self._features == 0
            else (len(self._arms.names), self._features)
        )
        self._wanted = None if shared is None else sizes

    @property
    def own(self) -> bool:
        """Whether contexts hold a row for every arm."""
        return self._wanted is not None and len(self._wanted) == 2

    def resize(self) -> None:
        """There are other arms now."""
        self.lay(shared=self.shared)

    def _doubles(self, name: str, value: Any) -> Array:
        if value is None and self._features > 0:
            raise ValueError(f"{name} must be numbers, got None{self._on_numbers(value, name)}")
        try:
            return np.empty(0) if value is None else as_float_array(name, value)
        except ValueError as error:
            raise ValueError(f"{error}{self._on_numbers(value, name)}") from error

    def _on_numbers(self, value: Any, name: str = "context") -> str:
        count = len(self._arms.names)
        return on_numbers(
            value, self._features, count, shared=self.shared, batch=name == "contexts"
        )

    def _settle(self, name: str, shape: tuple[int, ...], *, batch: bool = False) -> None:
        """Take the shape of the first context; refuse all others afterwards."""
        n, one = (shape[:1] or (0,), shape[1:]) if batch else ((), shape)
        count = len(self._arms.names)
        d = self._features
        layouts = {(d,): ("features",), (count, d): ("arms", "features")}
        if one == self._wanted or (d == 0 and self._wanted is not None and one in layouts):
            return
        if self._wanted is None and one in layouts and shape:
            self.lay(shared=len(one) == 1 and d > 0)
            self._wanted = one
            return
        known = layouts if self._wanted is None else {self._wanted: layouts[self._wanted]}
        said = [((*("n",) * batch, *axes), (*n, *sizes)) for sizes, axes in known.items()]
        wanted = " or ".join(
            f"({', '.join(axes)}{',' * (len(axes) == 1)}) = {sizes}" for axes, sizes in said
        )
        because = "" if self._wanted is None else ", as the first one had"
        advice = on_shape(shape, d, count, batch=batch)
        raise ValueError(f"{name} must have shape {wanted}{because}, got {shape}{advice}")
