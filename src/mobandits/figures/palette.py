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

# After Okabe and Ito, whose colours colour-blind readers tell apart. Four of theirs have less than
# three times the luminance of white to spare, so they are darker here; the dark theme has the
# bright ones. Their yellow vanishes on white and is left out.
BLUE = Colour("blue", "#0072b2", "#4ba6e8")
VERMILLION = Colour("vermillion", "#d55e00", "#f0702a")
GREEN = Colour("green", "#009e73", "#1fb98a")
ORANGE = Colour("orange", "#b37700", "#e9b33b")
PURPLE = Colour("purple", "#b3568b", "#d98fb8")
SKY = Colour("sky", "#2b91cc", "#9fd6f7")
LINES = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, INK)

# words of verdicts
GOOD = Colour("good", "#00674a", "#5fd0a5")
BAD = Colour("bad", "#a33d00", "#ff9a5c")
TEXTS = (INK, SOFT, BLUE, GOOD, BAD)

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
