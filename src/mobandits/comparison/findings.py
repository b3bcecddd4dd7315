"""The answer to who is best in a run, for pages and the command line."""

import polars as pl

from mobandits.comparison.comparing import compare
from mobandits.figures.contents import Findings
from mobandits.figures.formatting import title_of
from mobandits.metrics.traits import traits_of
from mobandits.support.text_tables import text_table

MOST_SENTENCES = 3  # on a console
TEXTS = {"policy", "better than ranks"}  # columns of a ranking; all others are numbers


def findings_of(table: pl.DataFrame) -> Findings:
    """The comparisons of a run; none where one policy played.

    Metrics of others, which this library does not have, are known where the call is within
    `mobandits.metrics.traits.describing(specification)`.

    Args:
        table: rows as `simulate` records them.

    Example:
        >>> from mobandits.environments import Linear
        >>> from mobandits.policies import MolUcb, RandomChoice
        >>> from mobandits.simulation import simulate
        >>> policies = {"ucb": MolUcb(scale=0.3), "random": RandomChoice()}
        >>> asked = {"rounds": 20, "trials": 1, "metrics": ["pareto_regret"]}
        >>> findings_of(simulate(policies, Linear(arms=5), **asked).table).unsure[0][-60:]
        'one trial cannot tell; 6 trials are the least that can tell.'
    """
    main = main_metric(table)
    ranking = None
    sure: list[str] = []
    unsure: list[str] = []
    has_rivals = table["policy"].n_unique() > 1
    for metric in directed_metrics(table) if has_rivals else ():
        try:
            comparison = compare(table, metric=metric)
        except ValueError as error:
            # A page shows what it can: runs may hold policies with other trials or rounds.
            unsure.append(f"{title_of(metric)} was not compared: {error}.")
            continue

        if metric == main and comparison.ranking["component"].n_unique() == 1:
            ranking = comparison.ranking

        sure += comparison.sentences(sure=True)
        unsure += comparison.sentences(sure=False)

    return Findings(main, ranking, sure, unsure)


def findings_text(table: pl.DataFrame, found: Findings) -> str:
    """The findings on a console: the ranking, and at most three sentences.

    Where nothing is sure, a single sentence says so: the page of a run has all of them.

    Args:
        table: rows as `simulate` records them.
        found: of this table.
    """
    # Pages draw figures, which consoles do not.
    from mobandits.figures.run_page import final_tables  # noqa: PLC0415

    pieces = []
    for ranking in final_tables(table, found.metric, found.ranking):
        numbers = set(ranking.header) - TEXTS
        pieces += [ranking.caption, text_table(ranking.header, ranking.rows, numbers)]

    sentences = found.sure[:MOST_SENTENCES] or found.unsure[:1]

    return "\n".join([*pieces, *sentences])


def directed_metrics(table: pl.DataFrame) -> list[str]:
    """The metrics of a table of which one knows what is better, in its order."""
    directed = []
    for name in table["metric"].unique(maintain_order=True):
        traits = traits_of(name)
        if traits.better is not None:
            directed.append(name)

    return directed


def main_metric(table: pl.DataFrame) -> str:
    """The metric that ranks policies: the first with a direction and a single component.

    Where there is none, it is the first with a direction, or else the first of all.

    Args:
        table: rows as `simulate` records them.

    Example:
        >>> names = ["plays", "reward", "reward", "pareto_regret"]
        >>> main_metric(pl.DataFrame({"metric": names, "component": [0, 0, 1, 0]}))
        'pareto_regret'
    """
    directed = directed_metrics(table)
    number = pl.col("component").n_unique()
    components = table.group_by("metric").agg(number)
    number_of = dict(components.rows())
    single = [name for name in directed if number_of[name] == 1]

    names: list[str] = [*single, *directed, table["metric"][0]]

    return names[0]
