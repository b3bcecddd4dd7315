"""The data behind environments and evaluations: tables with their description and source.

`print(hillstrom.about)` shows a description, `hillstrom.load(path)` the table,
`hillstrom.feedback(path)` logged decisions; nothing is ever downloaded.
docs/how-to/use-your-own-data.md shows all of it.
"""

from mobandits.datasets.breast_cancer import breast_cancer
from mobandits.datasets.criteo_attribution import criteo_attribution
from mobandits.datasets.dataset import About, Column, DataSet, RecordedObjective
from mobandits.datasets.display_ads import display_ads
from mobandits.datasets.hillstrom import hillstrom
from mobandits.datasets.llm_routing import llm_routing
from mobandits.datasets.open_bandit_small import open_bandit_small
from mobandits.datasets.yeast import yeast

__all__ = [
    "About",
    "Column",
    "DataSet",
    "RecordedObjective",
    "breast_cancer",
    "criteo_attribution",
    "display_ads",
    "hillstrom",
    "llm_routing",
    "open_bandit_small",
    "yeast",
]
