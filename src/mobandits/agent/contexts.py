"""Contexts as an application gives them, in the one form that policies take."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from mobandits.agent.arms import Arms
from mobandits.agent.decision import Offer, narrowed
from mobandits.agent.error_hints import listed_names, on_numbers, on_rows, on_shape
from mobandits.agent.inputs import Eligible
from mobandits.contracts.protocols import Array
from mobandits.encoding.encoder import Encoded, Encoder
from mobandits.support.checks import as_float_array, is_compiled_layout
from mobandits.support.naming import quoted

# The shape of a context, and the names of its axes for messages.
Layouts = dict[tuple[int, ...], tuple[str, ...]]


class Contexts:
    """The shape of contexts, and the rows of the eligible arms.

    Args:
        arms: of the agent; contexts have a row for each of its names, or one for all.
        features: length of a row.
        encoder: turns named columns into numbers; None: contexts are numbers. With one, what is
            numbers already is left alone: a log holds numbers, and is replayed.

    Attributes:
        shared: whether one row serves all arms; None before the first context.
        unseen: {(column, "unknown" or "missing"): count} of values in the decisions that were made
            which the fit of the encoder has not seen.
    """

    def __init__(self, arms: Arms, features: int, encoder: Encoder | None = None) -> None:
        self._arms = arms
        self._features = features
        self._encoder = encoder
        self.unseen: Counter[tuple[str, str]] = Counter()
        # Of the call that goes on: what a call that fails has met is not counted.
        self._met: Counter[tuple[str, str]] = Counter()
        self.shared: bool | None = None
        self._shape: tuple[int, ...] | None = None  # of every context; None: not settled

    def offer(self, context: Any, eligible: Eligible) -> Offer:
        """The arms that may be played, and copies of their rows."""
        if is_compiled_layout(
            context
        ):  # first, since it is the most frequent and the fastest to tell
            given = context.copy()  # the decision keeps it, and the application may write into it
        else:
            context = self.encoded(context)
            if isinstance(context, Mapping):
                return self._offer_named(context, eligible)

            given = self.numbers("context", context)

        if given.shape != self._shape:
            self._settle(given.shape)

        arms = self._arms
        has_row_per_arm = given.ndim == 2
        rows = given if has_row_per_arm else given[None]
        if eligible is None:
            return arms.names, arms.everyone, rows

        # In the order in which they were given, which that of the decision's rows follows.
        places = arms.rows(eligible)
        names = tuple(arms.names[place] for place in places.tolist())

        return names, arms.everyone[places], rows[places] if has_row_per_arm else rows

    def encoded(self, context: Any) -> Any:
        """A context of named columns as numbers; any other one as it is.

        Numbers are (features,) or (arms, features), or {arm: numbers}.

        Args:
            context: a row for all arms, see `Encoder.encode`; {arm: row}, or a list or a table with
                a row per arm; or numbers.

        Raises:
            ValueError: naming the column and what was expected.
        """
        encoder = self._encoder
        if encoder is None or _is_numbers(context):
            return context

        self.forget_unseen()
        if _is_table(context):
            rows = self._met_in(encoder.encoded_table(context))
            # Of a table with one row nobody would expect a row per arm; of a list one would.
            is_row = len(rows) == 1 and not isinstance(context, list | tuple)
            return rows[0] if is_row else rows
        if isinstance(context, Mapping) and context and all(map(_is_row, context.values())):
            rows_by_arm = {}
            for arm, row in context.items():
                is_encoded = isinstance(row, np.ndarray)
                rows_by_arm[arm] = row if is_encoded else self._met_in(encoder.encoded(row))
            return rows_by_arm

        return self._met_in(encoder.encoded(context))

    def encoded_many(self, contexts: Any) -> Any:
        """Contexts of named columns as numbers; any others as they are.

        Numbers are (n, features) or (n, arms, features).

        Args:
            contexts: a table with a row for each, see `Encoder.encode_table`; a list of tables with
                a row per arm; or numbers.

        Raises:
            ValueError: naming column, row and what was expected.
        """
        encoder = self._encoder
        if encoder is None:
            return contexts

        is_table = isinstance(contexts, Mapping) or _is_table(contexts)
        is_list = isinstance(contexts, list | tuple) and len(contexts) > 0
        is_list_of_tables = is_list and all(map(_is_table, contexts))
        if not is_table and not is_list_of_tables:
            return contexts

        self.forget_unseen()
        if is_table:
            return self._met_in(encoder.encoded_table(contexts))

        encoded = [encoder.encoded_table(each) for each in contexts]
        return np.array([self._met_in(each) for each in encoded])

    def _met_in(self, encoded: Encoded) -> Array:
        """The numbers, after what the encoder has not seen in them was noted."""
        self._met.update(encoded.unseen)
        return encoded.numbers

    def forget_unseen(self) -> None:
        """A call came to nothing: what its contexts had does not count."""
        self._met.clear()

    def count_unseen(self) -> None:
        """A call is done: what its contexts had that the encoder has not seen counts."""
        self.unseen.update(self._met)
        self._met.clear()

    def _offer_named(self, context: Mapping[Any, Any], eligible: Eligible) -> Offer:
        """The offer of a dictionary {arm: row}.

        Its arms are the eligible ones where these are not given.
        """
        names = list(context if eligible is None else eligible)
        try:
            places = self._arms.rows(names, "context" if eligible is None else "eligible")
        except ValueError:
            wrong = on_rows(context, self._arms.names) if eligible is None else None
            if wrong is None:
                raise

            raise ValueError(f"{wrong}{self._advice(context)}") from None

        missing = [name for name in names if name not in context]
        if missing:
            there = listed_names(context) or "none"
            raise ValueError(
                f"context must have a row for every eligible arm, got none for "
                f"{quoted(missing[0])}, and rows for {there}"
            )

        rows = self.numbers("context", [context[name] for name in names])
        if rows.ndim != 2 or rows.shape[1] != self._features:
            rule = f"rows of {self._features} numbers in the order of the features"
            raise ValueError(f"context must have {rule}, got shape {rows.shape}")

        self._settle((len(self._arms.names), self._features))

        return tuple(names), self._arms.everyone[places], rows

    def offers(self, contexts: Any, eligible: Eligible) -> Offer:
        """As `offer` for contexts (n, features) or (n, arms, features).

        Rows are (n, eligible arms or 1, features).
        """
        arms = self._arms
        offer = arms.names, arms.everyone, self.tables(contexts)
        return offer if eligible is None else narrowed(offer, arms.rows(eligible))

    def tables(self, contexts: Any) -> Array:
        """(n, arms or 1, features) of contexts (n, features) or (n, arms, features)."""
        given = self.numbers("contexts", self.encoded_many(contexts))
        if given.shape == (0,):  # an empty list of contexts
            shape = self._shape or (self._features,)
            given = given.reshape(0, *shape)

        one = given.shape[1:]
        if given.ndim < 2 or one != self._shape:
            self._settle(given.shape, batch=True)
        if given.ndim == 3:
            return given

        return given[:, None]

    def set_layout(self, *, shared: bool | None) -> None:
        """Settle whether arms share a row, or, with None, forget what was settled."""
        self.shared = shared
        if shared is None:
            self._shape = None
        elif shared or self._features == 0:
            self._shape = (self._features,)
        else:
            self._shape = (len(self._arms.names), self._features)

    @property
    def has_row_per_arm(self) -> bool:
        """Whether contexts hold a row for every arm."""
        if self._shape is None:
            return False
        return len(self._shape) == 2

    def resize(self) -> None:
        """There are other arms now."""
        shared = self.shared
        self.set_layout(shared=shared)

    def numbers(self, name: str, value: Any) -> Array:
        """Contexts as doubles; `name` is that of the parameter."""
        if value is None:
            if self._features == 0:
                return np.empty(0)

            advice = self._advice(value, name)
            raise ValueError(f"{name} must be numbers, got None{advice}")

        try:
            return as_float_array(name, value)
        except ValueError as error:
            advice = self._advice(value, name)
            raise ValueError(f"{error}{advice}") from error

    def _advice(self, value: Any, name: str = "context") -> str:
        if self._encoder is not None:
            columns = listed_names(self._encoder.columns)
            return f"; write {{column: value}} with the columns {columns}"

        count = len(self._arms.names)
        return on_numbers(
            value,
            self._features,
            count,
            shared=self.shared,
            batch=name == "contexts",
        )

    def _settle(self, shape: tuple[int, ...], *, batch: bool = False) -> None:
        """Take the shape of the first context, or of a table of them; refuse others afterwards."""
        one = shape[1:] if batch else shape
        is_table = not batch or len(shape) > 0
        if not is_table or not self._take(one):
            self._refuse(shape, batch=batch)

    def _take(self, shape: tuple[int, ...]) -> bool:
        """Whether a context of this shape fits; the first one that does settles the layout."""
        is_layout = shape in self._layouts()
        if self._shape is None and is_layout:
            self.set_layout(shared=len(shape) == 1 and self._features > 0)
            self._shape = shape
            return True

        # Without features, a context of no numbers fits as one row, and as a row per arm.
        return shape == self._shape or (self._features == 0 and is_layout)

    def _layouts(self) -> Layouts:
        count = len(self._arms.names)
        d = self._features
        return {
            (d,): ("features",),
            (count, d): ("arms", "features"),
        }

    def _refuse(self, shape: tuple[int, ...], *, batch: bool) -> NoReturn:
        layouts = self._layouts()
        if self._shape is not None:
            layouts = {self._shape: layouts[self._shape]}

        wanted = []
        for sizes, axes in layouts.items():
            all_sizes = sizes
            all_axes = axes
            if batch:
                count = shape[0] if shape else 0
                all_sizes = (count, *sizes)
                all_axes = ("n", *axes)

            listed = ", ".join(all_axes)
            comma = "," if len(all_axes) == 1 else ""  # as Python writes a tuple of one
            wanted.append(f"({listed}{comma}) = {all_sizes}")

        shapes = " or ".join(wanted)
        because = "" if self._shape is None else ", as the first one had"
        count = len(self._arms.names)
        advice = on_shape(shape, self._features, count, batch=batch)
        rule = f"context{'s' if batch else ''} must have shape {shapes}{because}"
        raise ValueError(f"{rule}, got {shape}{advice}")


def _is_numbers(context: Any) -> bool:
    """Whether a context is no row and no table, nor {arm: row}."""
    if isinstance(context, Mapping):
        rows = context.values()
        return len(rows) > 0 and all(isinstance(row, np.ndarray) for row in rows)

    is_row_of_pandas = hasattr(context, "to_dict") and hasattr(context, "index")
    return not is_row_of_pandas and not _is_table(context)


def _is_row(value: Any) -> bool:
    # A value in a row is never a dictionary, nor an array: these are rows themselves.
    return isinstance(value, Mapping | np.ndarray)


def _is_table(value: Any) -> bool:
    """Whether it has rows with named columns."""
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(isinstance(row, Mapping) for row in value)
    return hasattr(value, "columns")
