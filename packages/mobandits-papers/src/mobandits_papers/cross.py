"""The policies of all papers side by side, on every kind of environment with finitely many arms.

Runs are short, because up to two dozen policies play in every environment.
"""

from mobandits_papers.described import described
from mobandits_papers.pcz2018.variants import UnlikeArms

ENVIRONMENTS = (
    "linear",
    "linear-fixed",
    "generalized-linear",
    "bumps",
    "multichannel",
    "ridges",
    "multi-armed",
)
EXPERIMENTS = tuple(
    described(f"cross/{name}", sections=["figures", name], similarity=UnlikeArms())
    for name in ENVIRONMENTS
)
