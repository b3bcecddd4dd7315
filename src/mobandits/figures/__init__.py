"""Figures and pages from tables of results: each a data function and a drawing function."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mobandits.figures.metric_curves import curves

__all__ = ["curves"]


def __getattr__(name: str) -> Any:
    """Load the library for drawing only where something is drawn."""
    if name != "curves":
        raise AttributeError(f"module 'mobandits.figures' has no attribute {name!r}")

    from mobandits.figures import metric_curves  # noqa: PLC0415

    return metric_curves.curves
