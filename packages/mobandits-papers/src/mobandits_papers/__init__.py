"""The papers that are reproduced: a folder each, with theory, theorem checks and experiments.

`mobandits_papers.molts2025.theory` holds the bounds and events of that paper's theorems as
functions. At the papers' horizons and with their constants all of the bounds are larger than the
regret of any policy: draw them on logarithmic axes. The events are informative; `mobandits
check-theorems` counts how often they fail.

In each folder, `checks` is what a theorem check plays, `experiments` and its modules what figures and
remarks play. Titles, plots and claims are in `texts/`, a TOML file per paper, which `described` makes
experiments of. `catalogue` lists them, `playing` plays their runs, `claims` judges, `reproduce` and
`commands` are what a user calls; `protocol` plays theorem checks; `pages` and `templates` make the
pages; `demo` is the page that `make demo` writes.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mobandits_papers import (
        drugan2013,
        guan2026,
        mocmab2018,
        moglb2019,
        molts2025,
        moslb2024,
        paretobandit2026,
        pcz2018,
    )

__all__ = [
    "drugan2013",
    "guan2026",
    "mocmab2018",
    "moglb2019",
    "molts2025",
    "moslb2024",
    "paretobandit2026",
    "pcz2018",
]


def __getattr__(name: str) -> Any:
    """A paper, loaded when it is first asked for: the program asks for commands alone."""
    if name not in __all__:
        raise AttributeError(f"module 'mobandits_papers' has no attribute {name!r}")

    return importlib.import_module(f"mobandits_papers.{name}")
