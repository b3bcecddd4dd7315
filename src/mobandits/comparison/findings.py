"""The sentences that answer who is best in a run, for pages and the command line."""

from typing import Protocol

import polars as pl

from mobandits.comparison.comparing import compare
from mobandits.figures.formatting import title_of
from mobandits.metrics.traits import describing, traits_of


class HasTable(Protocol):
    """Results: anything with a table as `simulate` records it."""

    @property
    def table(self) -> pl.DataFrame:
        """The table."""


def sentences(results: HasTable | pl.DataFrame) -> list[str]:
    """The best policy in each metric with a known direction; empty where one policy played.

    A metric whose values cannot be paired gets a sentence that says why.

    Args:
        results: results of a simulation, or their table.

    Example:
        >>> from mobandits.environments import Linear
        >>> from mobandits.policies import MolUcb, RandomChoice
        >>> from mobandits.simulation import simulate
        >>> policies = {"ucb": MolUcb(scale=0.3), "random": RandomChoice()}
        >>> asked = {"rounds": 20, "trials": 1, "metrics": ["pareto_regret"]}
        >>> sentences(simulate(policies, Linear(arms=5), **asked))[0][-60:]
        'one trial cannot tell; 6 trials are the least that can tell.'
    """
    table = results if isinstance(results, pl.DataFrame) else results.table
    # Results know the run, which describes metrics that this library does not have.
    specification = getattr(results, "specification", None)
    if specification is None:
        return _findings(table)

    with describing(specification):
        return _findings(table)


def _findings(table: pl.DataFrame) -> list[str]:
    if table["policy"].n_unique() < 2:
        return []

    found = []
    for metric in table["metric"].unique(maintain_order=True):
        if traits_of(metric).better is None:
            continue

        try:
            found += compare(table, metric=metric).sentences()
        except ValueError as error:
            # A page shows what it can: runs may hold policies with other trials or rounds.
            found.append(f"{title_of(metric)} was not compared: {error}.")

    return found
