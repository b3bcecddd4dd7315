"""Figure 3 of mocmab2018, display advertising: on a synthetic stand-in, or on a user's own log."""

from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np

from mobandits.contracts.protocols import Array, Environment
from mobandits_papers.described import described
from mobandits_papers.experiment import Run
from mobandits_papers.mocmab2018.shared import (
    CD,
    CP,
    CS,
    MOC,
    P,
    S,
    at_chosen_scales,
    beaten_by,
)
from mobandits_papers.numbers import Part, curves_of, resampled_part
from mobandits_papers.outcome import Outcome

# The scales of other rows, of which every one is played on the reported trials as well.
OTHER_GRIDS = {
    CD: ("1", "1/5", "1/10", "1/30"),
    **dict.fromkeys((CP, CS, P, S), ("1", "1/30")),
}


class ClickCounts(NamedTuple):
    """What a row did with the advertisements.

    Attributes:
        rounds: how many there were.
        clicks: (trials,) advertisements that were clicked.
        shows: (trials,) advertisements that were shown.
    """

    rounds: float
    clicks: Array
    shows: Array


def click_counts(outcome: Outcome, row: str) -> ClickCounts:
    """The clicks and the shows of a row, read from its rewards."""
    rounds, clicked = curves_of(outcome, row, "reward", 0)
    _, not_shown = curves_of(outcome, row, "reward", 1)
    horizon = rounds[-1]
    clicks = clicked[:, -1]
    shows = horizon - not_shown[:, -1]

    return ClickCounts(float(horizon), clicks, shows)


def rate_parts(outcome: Outcome) -> list[Part]:
    """The clicks per advertisement that CD-UCB1 shows."""

    def percent(means: Array) -> Array:
        clicks, shows = means
        return np.asarray(100.0 * clicks / shows)

    counts = click_counts(outcome, CD)
    samples = np.stack([counts.clicks, counts.shows], axis=1)
    name = f"clicks over shows of {CD}, %"

    return [resampled_part(name, samples, percent)]


def collected_parts(outcome: Outcome) -> list[Part]:
    """The share of all clicks that MOC-MAB collects.

    All clicks are those that showing in every round would bring, at the click rate of CD-UCB1.
    """
    # CD-UCB1 shows nearly always, so that its click rate is nearest to that of all rounds.
    always = click_counts(outcome, CD)
    collected = click_counts(outcome, MOC).clicks

    def percent(means: Array) -> Array:
        collected_clicks, clicks, shows = means
        all_clicks_times_shows = always.rounds * clicks
        return np.asarray(100.0 * collected_clicks * shows / all_clicks_times_shows)

    samples = np.stack([collected, always.clicks, always.shows], axis=1)
    name = f"clicks of {MOC} in all clicks, %"

    return [resampled_part(name, samples, percent)]


FIG3 = described(
    "mocmab2018/fig3",
    parts={
        "unbeaten": at_chosen_scales(OTHER_GRIDS),
        "click-rate": rate_parts,
        "collected": collected_parts,
    },
    revise={"unbeaten": beaten_by(OTHER_GRIDS)},
)


def display_run(environment: Environment, rounds: int, trials: int = 5) -> Run:
    """The run of Figure 3 on other advertisements.

    Args:
        environment: `DisplayAds`, with or without the log.
        rounds: how many; with the log at most its `max_rounds`.
        trials: how many.

    Example:
        >>> from mobandits.environments import DisplayAds
        >>> len(display_run(DisplayAds(), 1000).recipes())
        19
    """
    (run,) = FIG3.runs
    return replace(cast("Run", run), environment=environment, rounds=rounds, trials=trials)
