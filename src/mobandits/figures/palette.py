"""The colours of figures and pages in a light and a dark theme: the only place that holds them.

Figures are drawn in the light colours. Inside a page every colour is a custom property of CSS, so
that it follows the theme of whoever reads.
"""

from typing import Literal, NamedTuple

Theme = Literal["light", "dark"]


class Colour(NamedTuple):
    """A colour of both themes.

    Attributes:
        name: of the custom property in pages, without its two hyphens.
        light: on white paper, as #rrggbb.
        dark: on dark paper.
    """

    name: str
    light: str
    dark: str


PAPER = Colour("paper", "#ffffff", "#14171c")
INK = Colour("ink", "#1f2328", "#e6e9ed")
SOFT = Colour("soft", "#59636e", "#a0abb6")
FAINT = Colour("faint", "#d7dce1", "#363d46")

# After Okabe and Ito, without their yellow, which vanishes on white. Where theirs has less than 3:1
# contrast to the paper it is darker, and its neighbours are moved so that readers with protanopia
# or deuteranopia tell any two apart at least as well as theirs (tests/figures/test_palette.py).
BLUE = Colour("blue", "#0072b2", "#2590f0")
VERMILLION = Colour("vermillion", "#9c3a00", "#d9480f")
GREEN = Colour("green", "#009e73", "#20c883")
ORANGE = Colour("orange", "#c48300", "#fac748")
PURPLE = Colour("purple", "#8f3a70", "#bb6597")
SKY = Colour("sky", "#4a9ac4", "#86c2ee")
LINES = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, INK)

# words of verdicts
GOOD = Colour("good", "#00674a", "#5fd0a5")
BAD = Colour("bad", "#a33d00", "#ff9a5c")
TEXTS = (INK, SOFT, BLUE, GOOD, BAD)

PRINTED = "#000000"  # of figures for papers, which have one theme

COLOURS = (PAPER, INK, SOFT, FAINT, BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, GOOD, BAD)


def declarations(theme: Theme) -> str:
    """The custom properties of a theme, as CSS declares them.

    Example:
        >>> declarations("light")[:34]
        '--paper: #ffffff; --ink: #1f2328; '
    """
    return " ".join(f"--{colour.name}: {getattr(colour, theme)};" for colour in COLOURS)


def properties() -> dict[str, str]:
    """The custom property of each light colour.

    Example:
        >>> properties()["#1f2328"]
        'var(--ink)'
    """
    return {colour.light: f"var(--{colour.name})" for colour in COLOURS}
