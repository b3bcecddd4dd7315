"""What feature maps gain over linear rewards, as a page shows it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mobandits.figures.contents import FeatureGainSummary
from mobandits.figures.formatting import UNKNOWN, join_words, number_or_dash
from mobandits.figures.page import Table

GAIN_DIGITS = 3  # after the point, of shares of a variance


@dataclass(frozen=True)
class GainsSection:
    """What the page says of feature maps.

    Args:
        sentence: the answer.
        table: a row per map and objective.
    """

    sentence: str
    table: Table


def gains_section(gains: Sequence[FeatureGainSummary]) -> GainsSection | None:
    """What feature maps gain over linear rewards; None where no map was measured.

    Args:
        gains: of evaluation.json.
    """
    if not gains:
        return None

    # The largest gain first; what could not be told last.
    ordered = sorted(gains, key=lambda gain: -_or_least(gain["estimate"]))
    rows = []
    for gain in ordered:
        low = signed(gain["low"])
        high = signed(gain["high"])
        interval = f"{low} to {high}" if gain["estimate"] is not None else UNKNOWN
        answer = "yes" if gain["sure"] else "no"
        rows.append([gain["map"], gain["objective"], signed(gain["estimate"]), interval, answer])

    header = ["map", "objective", "gain", "95 % interval", "sure?"]
    caption = (
        "Shares of the variance of the rewards that the map explains and linear rewards do not, on "
        "rounds that neither was fitted on. Sorted by gain, largest first."
    )

    return GainsSection(gains_sentence(gains), Table(header, rows, caption))


def gains_sentence(gains: Sequence[FeatureGainSummary]) -> str:
    """Whether some map would help.

    Example:
        >>> gain = {"map": "crosses", "objective": "q", "estimate": 0.1, "sure": True}
        >>> gains_sentence([gain])
        'Yes: crosses is surely better than linear rewards in q.'
        >>> gains_sentence([gain | {"sure": False}])
        'Linear is fine: no map is surely better than linear rewards in any objective.'
    """
    sure: dict[str, list[str]] = {}
    for gain in gains:
        if gain["sure"]:
            sure.setdefault(gain["map"], []).append(gain["objective"])

    if not sure:
        return "Linear is fine: no map is surely better than linear rewards in any objective."

    parts = []
    for name, objectives in sure.items():
        parts.append(f"{name} is surely better than linear rewards in {join_words(objectives)}")

    return f"Yes: {join_words(parts)}."


def signed(value: float | None) -> str:
    """A gain with its sign; a dash where it is not known.

    Example:
        >>> signed(0.0251), signed(-0.1), signed(None)
        ('+0.025', '−0.100', '–')
    """
    number = number_or_dash(value, GAIN_DIGITS)
    is_above = value is not None and value > 0.0
    return f"+{number}" if is_above else number


def _or_least(value: float | None) -> float:
    return -math.inf if value is None else value
