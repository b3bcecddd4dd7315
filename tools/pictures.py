"""Write the picture of the README, in a light and a dark theme, from the folder of a demonstration.

    mobandits demo --out demo
    python tools/pictures.py demo

They are docs/images/budgets-light.svg and docs/images/budgets-dark.svg.
"""

import sys
from pathlib import Path

from mobandits.figures.palette import COLOURS

IMAGES = Path(__file__).parent.parent / "docs" / "images"


def main() -> None:
    """Write both files."""
    drawn = (Path(sys.argv[1]) / "figures" / "budgets.svg").read_text()
    (IMAGES / "budgets-light.svg").write_text(drawn)
    (IMAGES / "budgets-dark.svg").write_text(dark(drawn))


def dark(drawn: str) -> str:
    """A figure in dark colours.

    Example:
        >>> dark("fill: #ffffff; stroke: #0072b2")
        'fill: #14171c; stroke: #2590f0'
    """
    for colour in COLOURS:
        drawn = drawn.replace(colour.light, colour.dark)

    return drawn


if __name__ == "__main__":
    main()
