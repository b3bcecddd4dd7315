"""Truth values."""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.encoding.column import SourceColumn, is_missing, refused
from mobandits.encoding.kind import OneNumber
from mobandits.encoding.number import mean_of
from mobandits.support.checks import number as check_number

TRUTHS = {"true": 1.0, "yes": 1.0, "1": 1.0, "false": 0.0, "no": 0.0, "0": 0.0}


@dataclass(frozen=True)
class Boolean(OneNumber):
    """A truth value as one feature: 1 where true, 0 where false.

    A missing value is taken as the share of true ones in the fit. Where the fit met missing ones, a
    second feature is 1 where the value is missing, else 0. The numbers 1 and 0 are taken, and the
    words true and false, yes and no.

    Args:
        share: of true values.
        indicator: whether there is a feature for missing values; None: where the fit meets some.

    Example:
        >>> Boolean().fitted(SourceColumn("member", [True, "no", 1, False]))
        Boolean(share=0.5, indicator=False)
    """

    NAME = "boolean"

    share: float | None = None
    indicator: bool | None = None
    of_missing: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.share is not None:
            check_number("Boolean.share", self.share, at_least=0.0, at_most=1.0)

        object.__setattr__(self, "of_missing", 0.0 if self.share is None else self.share)

    @property
    def is_fitted(self) -> bool:
        """Whether share and indicator are known."""
        return self.share is not None and self.indicator is not None

    def fitted(self, column: SourceColumn) -> "Boolean":
        """With share and indicator of a column, where they are not given."""
        truths = column.mapped(truth_value_of)
        present = [truth for truth in truths if not math.isnan(truth)]
        share = self.share
        if share is None:
            share = mean_of(present, column)
        indicator = self.indicator
        if indicator is None:
            indicator = len(present) < len(truths)

        return dataclasses.replace(self, share=share, indicator=indicator)

    def write(self, value: Any, out: Array, first: int) -> int:
        """1 or 0, and whether it is missing."""
        return self.put(truth_value_of(value), out, first)

    def write_column(self, column: SourceColumn, out: Array) -> IntArray:
        """As `write`."""
        truths = np.array(column.mapped(truth_value_of), np.float64)
        return self.put_column(truths, out)

    def value_text(self, features: Sequence[float]) -> str | None:
        """The truth value."""
        is_missing_one = self.indicator and features[1] == 1.0
        words = {1.0: "true", 0.0: "false"}
        return "missing" if is_missing_one else words.get(features[0], "missing")

    @property
    def treatment(self) -> str:
        """The share of true ones, and the indicator."""
        share = "the share of true ones"
        if self.share is not None:
            share += f", {self.share:.4g}"
        return f"missing: {share}{', and 1 beside it' if self.indicator else ''}"


def truth_value_of(value: Any) -> float:
    """1 where a value is true, 0 where it is false, NaN where it is missing.

    Raises:
        ValueError: where it is none of them.

    Example:
        >>> [truth_value_of(value) for value in (True, "No", 1.0, "")]
        [1.0, 0.0, 1.0, nan]
    """
    if isinstance(value, bool | np.bool_):
        return float(value)
    if is_missing(value):
        return math.nan
    if isinstance(value, str):
        truth = TRUTHS.get(value.strip().lower())
        if truth is not None:
            return truth
    elif isinstance(value, int | float | np.integer | np.floating) and value in (0, 1):
        return float(value)

    raise refused("true or false", value)
