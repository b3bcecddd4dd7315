"""The options of a plot, checked before anything is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from mobandits.figures.style import WIDTH, StyleName
from mobandits.support.checks import choice, number
from mobandits.support.naming import wrong_value

Size = Literal["column", "page"] | tuple[float, float] | None
Log = Literal["x", "y", "both"] | None
Band = Literal["interval", "deviation", "quantiles"] | None
LegendPlace = Literal["auto", "ends", "below", "inside"] | None

# inches: a column of a page with two, and the whole text of such a page
WIDTHS = {"column": 3.25, "page": 6.75}
SMALLEST = 1.0  # inch, in which nothing can be read
LARGEST = 100.0


@dataclass(frozen=True)
class PlotOptions:
    """Options of a plot; the defaults are those of the pages that this library writes.

    Args:
        policies: which lines, in this order; None: all.
        size: "column" (3.25 inches wide), "page" (6.75 inches), or (width, height) in inches; None:
            6.8 inches, as high as the names of the lines need.
        log: which axes have a logarithmic scale: "x" (rounds), "y" (the metric) or "both".
        band: around a line: "interval", the 95 % interval of the mean over trials; "deviation",
            one standard deviation of the trials; "quantiles", from 10 % to 90 % of the trials, with
            the median as the line; None: no band.
        legend: names of lines: at their "ends", "below" the panels, "inside" the first panel;
            "auto": at the ends where they fit, else below; None: no names.
        style: "page", the look of this library's pages; "paper", serif letters of 8 points, as the
            text around a figure has them; "paper-mono", the same in black: dashes and markers tell
            lines apart.

    Raises:
        ValueError: naming the option that does not fit.

    Example:
        >>> PlotOptions(size="column", style="paper").width
        3.25
    """

    policies: Sequence[str] | None = None
    size: Size = None
    log: Log = None
    band: Band = "interval"
    legend: LegendPlace = "auto"
    style: StyleName = "page"

    def __post_init__(self) -> None:
        """Check every option."""
        for name, kind in (("log", Log), ("band", Band), ("legend", LegendPlace)):
            value = getattr(self, name)
            if value is not None:
                names, _ = get_args(kind)
                choice(name, value, get_args(names))

        choice("style", self.style, get_args(StyleName))
        self._check_size(self.size)
        self._check_policies(self.policies)

    def _check_size(self, size: Any) -> None:
        if size is None or (isinstance(size, str) and size in WIDTHS):
            return

        is_pair = isinstance(size, Sequence) and not isinstance(size, str) and len(size) == 2
        if not is_pair:
            raise wrong_value("size must be 'column', 'page' or (width, height) in inches", size)
        for side, inches in zip(("width", "height"), size, strict=True):
            number(f"size's {side} in inches", inches, at_least=SMALLEST, at_most=LARGEST)

    def _check_policies(self, policies: Any) -> None:
        if policies is None:
            return
        if isinstance(policies, str) or not isinstance(policies, Sequence):
            raise wrong_value("policies must be a list of names", policies)
        if not policies:
            raise ValueError("policies must name at least one policy, got none")

    @property
    def width(self) -> float:
        """Of the figure, in inches."""
        if isinstance(self.size, str):
            return WIDTHS[self.size]
        return WIDTH if self.size is None else float(self.size[0])

    @property
    def height(self) -> float | None:
        """Of the figure, in inches; None: as high as it needs."""
        if self.size is None or isinstance(self.size, str):
            return None
        return float(self.size[1])

    @property
    def log_rounds(self) -> bool:
        """Whether the axis of the rounds is logarithmic."""
        return self.log in ("x", "both")

    @property
    def log_values(self) -> bool:
        """Whether the axis of the metric is logarithmic."""
        return self.log in ("y", "both")
