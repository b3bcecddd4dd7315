"""Templates of this distribution's pages."""

from pathlib import Path

TEMPLATES = Path(__file__).with_name("templates")
