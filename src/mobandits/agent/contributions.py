"""Contributions of a context's columns to the estimates of arms."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.encoding.encoder import Encoder
from mobandits.support.naming import conjunction

MOST_NAMED = 3  # columns in a sentence


class Contribution(NamedTuple):
    """Contribution of a column of the context to the estimates.

    Attributes:
        column: its name.
        value: of the arm that was played, in words; None where the numbers do not tell, as those of
            text.
        amounts: (eligible arms, objectives) how much an estimate changes where the column's
            features become 0, in the objectives' units. Of a linear policy these amounts and that
            of the intercept add up to the estimate. 0 stands for the mean of standardised numbers
            and of text, and for no category.
    """

    column: str
    value: str | None
    amounts: Array


def contributions_of(
    encoder: Encoder, context: Array, place: int, estimates_at: Callable[[Array], Array]
) -> tuple[Contribution, ...]:
    """A contribution per column, in the order of the encoder.

    Args:
        encoder: of the agent.
        context: (eligible arms or 1, features).
        place: of the played arm among the eligible ones.
        estimates_at: (eligible arms, objectives) at a context.
    """
    estimates = estimates_at(context)
    row = context[place if len(context) > 1 else 0]
    values = encoder.describe(row)
    contributions = []
    for column, _, first, last in encoder.layout.steps:
        without = context.copy()
        without[:, first:last] = 0.0
        amounts = estimates - estimates_at(without)
        contributions.append(Contribution(column, values[column], amounts))

    return tuple(contributions)


def because(
    contributions: Sequence[Contribution], place: int, objectives: Sequence[Any]
) -> str | None:
    """The columns that set the played arm apart from the others most, as the end of a sentence.

    None where there is no other arm, or no column makes a difference.

    Args:
        contributions: a part per column.
        place: of the played arm among the eligible ones.
        objectives: of the agent.
    """
    if not contributions or len(contributions[0].amounts) < 2:
        return None

    contrasts = np.array([_contrast(each.amounts, place) for each in contributions])
    sizes = np.abs(contrasts)
    # Relative to the largest of an objective: dollars and grades have no common unit.
    largest = sizes.max(axis=0)
    relative = sizes / np.where(largest > 0.0, largest, 1.0)
    weights = relative.max(axis=1)
    order = np.argsort(-weights, kind="stable")
    reasons = []
    for position in order[:MOST_NAMED].tolist():
        if weights[position] > 0.0:
            l = int(relative[position].argmax())
            difference = float(contrasts[position, l])
            reasons.append(_reason(contributions[position], objectives[l], difference))

    return f"because {conjunction(reasons)}" if reasons else None


def _contrast(amounts: Array, place: int) -> Array:
    """(objectives,) of the played arm, less the mean of the others."""
    others = np.delete(amounts, place, axis=0)
    contrast: Array = amounts[place] - others.mean(axis=0)
    return contrast


def _reason(contribution: Contribution, objective: Any, difference: float) -> str:
    what = contribution.column
    if contribution.value is not None:
        what += f" = {contribution.value}"

    unit = f" {objective.unit}" if objective.unit else ""

    return f"{what} ({objective.name} {difference:+.3g}{unit})"
