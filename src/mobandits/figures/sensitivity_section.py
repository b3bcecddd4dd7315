"""The part of an evaluation's page on odds that are not the estimated ones."""

from collections.abc import Sequence

from mobandits.figures.contents import SensitivitySummary
from mobandits.figures.formatting import digits_of_errors, number_or_dash
from mobandits.figures.page import Table


def sensitivity_table(rows: Sequence[SensitivitySummary], share: str) -> Table | None:
    """Values by how wrong the estimated odds may be; None where none were estimated.

    Args:
        rows: of evaluation.json.
        share: the level of intervals, in words.

    Example:
        >>> bounds = [
        ...     {"gamma": 1.0, "least": 0.5, "low": 0.4, "high": 0.6},
        ...     {"gamma": 2.0, "least": 0.4, "low": 0.3, "high": 0.7},
        ... ]
        >>> row = {"policy": "small", "objective": "quality", "bounds": bounds}
        >>> sensitivity_table([row], "95 %").rows
        [['small', 'quality', '0.50', '0.30 to 0.70']]
    """
    if not rows:
        return None

    cells = []
    for row in rows:
        as_estimated = row["bounds"][0]
        low = as_estimated["low"]
        high = as_estimated["high"]
        width = None if low is None or high is None else high - low
        digits = digits_of_errors([width])
        own = [row["policy"], row["objective"], number_or_dash(as_estimated["least"], digits)]
        for bound in row["bounds"][1:]:
            low = number_or_dash(bound["low"], digits)
            high = number_or_dash(bound["high"], digits)
            own.append(f"{low} to {high}")

        cells.append(own)

    factors = [f"odds within\n{bound['gamma']:g}" for bound in rows[0]["bounds"][1:]]
    header = ["policy", "objective", "estimate", *factors]
    caption = (
        f"Self-normalised estimates, and joint {share} intervals of the values where true odds are "
        "within a factor of the estimated ones."
    )

    return Table(header, cells, caption)
