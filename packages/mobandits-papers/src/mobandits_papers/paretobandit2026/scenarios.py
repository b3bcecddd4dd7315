"""The scenarios of paretobandit2026: a price cut, a silent regression, and a model that comes later."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, IntArray, Recipe, Rng
from mobandits.environments import LlmRouting
from mobandits.logs import Feedback
from mobandits.policies import Forgetting, MolUcb
from mobandits_papers.described import described
from mobandits_papers.experiment import Computed, Experiment, RunOptions
from mobandits_papers.numbers import Parts, above, at_most, below, mean_part
from mobandits_papers.paretobandit2026 import published
from mobandits_papers.paretobandit2026.routing import (
    LEARNER,
    STEADY,
    THOUSAND,
    Outcomes,
    Prompts,
    Routing,
    play,
    router,
    uniform_log,
)
from mobandits_papers.paretobandit2026.source import (
    MOST_SPENT,
    PUBLISHED,
    QUALITY,
    ROUNDED,
    SPENDING,
    Source,
    middle,
    money,
    on_source,
    outcome_rows,
    overspending,
    reached,
    spent_share,
    stream,
)
from mobandits_papers.rows import rows_of

PAPER = "paretobandit2026"
PACED = "Paced"
ANNOUNCED = "Paced, announced"
UNANNOUNCED = "Paced, not announced"
DEAREST = "always the dearest model"
FORGETS = "Paced, discount 0.997"
WITHOUT_ALARM = "Paced, no alarm"
EXPLORING = "Paced, exploring"
PHASES = ("phase 1", "phase 2", "phase 3")
ADOPTION = "adoption"
SHARE = "share"
SHORT = (ADOPTION, SHARE)  # metrics that need more rounds than a user may ask for
LEAST_MODELS = 3
WHOLE = len(PHASES)  # the component of spending over all phases
MOST_SPENT_BESIDE_NEWCOMER = 1.02  # of the budget: the newcomer is tried whatever it costs

# The rows of one trial under one budget.
Play = Callable[[Routing, Feedback, float, Rng, int], pl.DataFrame]
Phased = Mapping[float, Sequence[float]]


class Phases(NamedTuple):
    """The prompts of three phases; the third has those of the first, in another order."""

    first: IntArray
    second: IntArray
    third: IntArray


def phases_of(routing: Routing, rng: Rng, rounds: int) -> Phases:
    """Phases of a third of so many rounds."""
    length = rounds // len(PHASES)
    order = rng.permutation(len(routing.second.dollars))
    first = order[:length]
    second = order[length : 2 * length]

    return Phases(first, second, rng.permutation(first))


# --- a price cut


def play_price_cut(
    routing: Routing, log: Feedback, budget: float, rng: Rng, rounds: int
) -> pl.DataFrame:
    """The dearest model costs a part of its price in the second phase."""
    phases = phases_of(routing, rng, rounds)
    dearest = len(routing.models) - 1
    usual = routing.second
    dollars = usual.dollars.copy()
    dollars[:, dearest] *= published.PRICE_FACTOR
    cut = usual._replace(dollars=dollars)
    frames = []
    for row in (ANNOUNCED, UNANNOUNCED):
        agent = router(routing, log, budget / THOUSAND)
        outcomes = [play(agent, routing, usual, phases.first)]
        for factor, prompts, order in (
            (published.PRICE_FACTOR, cut, phases.second),
            (1.0 / published.PRICE_FACTOR, usual, phases.third),
        ):
            if row == ANNOUNCED:
                agent.reprice(routing.models[dearest], factor)

            outcomes.append(play(agent, routing, prompts, order))

        frames += _phase_rows(row, outcomes, budget, rounds)

    alone = [float(usual.quality[phase, dearest].mean()) for phase in phases]
    frames.append(rows_of(DEAREST, QUALITY, alone, rounds))

    return pl.concat(frames)


# --- a silent regression


def play_regression(
    routing: Routing, log: Feedback, budget: float, rng: Rng, rounds: int
) -> pl.DataFrame:
    """Every answer of the middle model is worth less in the second phase, and nobody says so."""
    phases = phases_of(routing, rng, rounds)
    usual = routing.second
    grades = usual.grades.copy()
    grades[:, middle(len(routing.models))] = _degraded(routing)
    worse = usual._replace(grades=grades)
    frames = []
    recipes: dict[str, Recipe] = {
        PACED: LEARNER,
        WITHOUT_ALARM: STEADY,
        FORGETS: Forgetting(STEADY, 0.997),
    }
    for row, recipe in recipes.items():
        agent = router(routing, log, budget / THOUSAND, recipe=recipe)
        outcomes = [
            play(agent, routing, prompts, order)
            for prompts, order in zip((usual, worse, usual), phases, strict=True)
        ]
        frames += _phase_rows(row, outcomes, budget, rounds)

    return pl.concat(frames)


def _degraded(routing: Routing) -> Any:
    """(judges,) what answers of the middle model are worth: less than those of any other one."""
    if routing.models == LlmRouting.models:
        return published.DEGRADED

    lowest: Array = routing.first.grades.mean(axis=0).min(axis=0)
    return lowest


def _phase_rows(
    row: str, outcomes: Sequence[Outcomes], budget: float, rounds: int
) -> list[pl.DataFrame]:
    """Quality in every phase, and spending in every phase and over all of them."""
    quality = [float(each.quality.mean()) for each in outcomes]
    spending = [spent_share([each], budget) for each in outcomes]
    spending.append(spent_share(outcomes, budget))

    return outcome_rows(row, quality, spending, rounds)


# --- a model that comes later


def play_newcomer(
    routing: Routing, log: Feedback, budget: float, rng: Rng, rounds: int
) -> pl.DataFrame:
    """The middle model is not in the log, and joins after a third of the prompts.

    Args:
        routing: the problem.
        log: of the other models.
        budget: US dollars per 1,000 prompts.
        rng: draws the order.
        rounds: how many prompts.
    """
    order = rng.permutation(len(routing.second.dollars))[:rounds]
    start = rounds // len(PHASES)
    place = middle(len(routing.models))
    name = routing.models[place]
    prompts: Prompts = routing.second
    frames = []
    for row, recipe in {PACED: LEARNER, EXPLORING: MolUcb()}.items():
        agent = router(routing, log, budget / THOUSAND, recipe=recipe)
        before = play(agent, routing, prompts, order[:start])
        agent.add_arm(name)
        tried = order[start : start + published.FORCED]
        forced = play(agent, routing, prompts, tried, eligible=[name])
        after = play(agent, routing, prompts, order[start + published.FORCED :])
        chosen = after.arms == place
        last_third = chosen[-start:]
        frames += [
            rows_of(row, ADOPTION, [adoption(chosen)], rounds),
            rows_of(row, SHARE, [float(last_third.mean())], rounds),
            *outcome_rows(
                row,
                [float(before.quality.mean()), float(after.quality.mean())],
                [spent_share([before], budget), spent_share([forced, after], budget)],
                rounds,
            ),
        ]

    return pl.concat(frames)


def adoption(chosen: Array) -> float:
    """The rounds from a model's first play until it has its share of the window, and keeps it.

    Args:
        chosen: (rounds,) whether it was chosen, after the plays that were forced.

    Returns:
        With the forced plays; those of all rounds where it never is so, and NaN where there are
        fewer rounds than a window has.

    Example:
        >>> chosen = np.zeros(300, bool)
        >>> chosen[50:] = True
        >>> adoption(chosen), adoption(~chosen)
        (120.0, 320.0)
    """
    count = len(chosen)
    if count < published.WINDOW:
        return float("nan")

    sums = np.concatenate([[0.0], np.cumsum(chosen)])
    shares = (sums[published.WINDOW :] - sums[: -published.WINDOW]) / published.WINDOW
    short = np.flatnonzero(shares < published.LEAST_SHARE)
    if not len(short):
        return float(published.FORCED + published.WINDOW)

    # The first window that is not short, with all that follow.
    rounds = published.WINDOW + int(short[-1]) + 1

    return float(published.FORCED + min(rounds, count))


# --- experiments


def scenario_experiments(source: Source) -> tuple[Experiment, ...]:
    """The three scenarios on some prompts; claims of the paper's numbers on its own only."""
    cut = {"spending": spending(source, ANNOUNCED, WHOLE, MOST_SPENT)}
    regression = {
        "within-budget": within_budget(source),
        "spending": spending(source, PACED, WHOLE, MOST_SPENT),
    }
    newcomer = {
        "adoption": adopted(PACED),
        "adoption-exploring": adopted(EXPLORING),
        "spending": spending(source, PACED, 1, MOST_SPENT_BESIDE_NEWCOMER, " since it joined"),
    }
    learners = {PACED: "", WITHOUT_ALARM: "-no-alarm", FORGETS: "-forgetting"}
    later = described(
        f"{PAPER}/newcomer",
        _runs(source, play_newcomer, {}, without_middle=True),
        newcomer,
        sections=source.sections("newcomer"),
    )
    return (
        _phased("price-cut", source, play_price_cut, cut, published.PRICE_CUT, {ANNOUNCED: ""}),
        _phased("regression", source, play_regression, regression, published.REGRESSION, learners),
        on_source(later, source, ("spending",)),
    )


def _runs(
    source: Source, play_trial: Play, numbers: Phased, *, without_middle: bool = False
) -> list[Computed]:
    """A part per budget, with the paper's quality as a row where its prompts are played.

    Args:
        source: of the prompts.
        play_trial: makes the rows of a trial.
        numbers: the paper's quality in every phase, by budget.
        without_middle: whether the log is one of the other models.
    """

    def compute(budget: float, trial: int, options: RunOptions) -> pl.DataFrame:
        routing = source.routing()
        rng = stream(options, trial)
        models = list(range(len(routing.models)))
        if without_middle:
            models.remove(middle(len(models)))

        log = uniform_log(routing, rng, models)
        # A phase without a prompt would have no quality, and no row.
        rounds = max(min(options.rounds_or(source.rounds), source.rounds), len(PHASES))
        frame = play_trial(routing, log, budget, rng, rounds)
        if not source.is_published or budget not in numbers:
            return frame

        return pl.concat([frame, rows_of(PUBLISHED, QUALITY, numbers[budget], rounds)])

    return [
        source.part(money(budget), functools.partial(compute, budget), {"budget": budget}, SHORT)
        for budget in source.scenario_budgets
    ]


def _phased(
    name: str,
    source: Source,
    play_trial: Play,
    parts: Mapping[str, Parts],
    numbers: Phased,
    rows: Mapping[str, str],
) -> Experiment:
    """A scenario with phases, in each of which rows are held against the published router."""
    of_phases = {
        f"phase-{phase + 1}{suffix}": at_least_published(row, numbers, phase)
        for row, suffix in rows.items()
        for phase in range(len(PHASES))
    }
    experiment = described(
        f"{PAPER}/{name}",
        _runs(source, play_trial, numbers),
        {**parts, **of_phases},
        sections=source.sections("phase", name, "phases"),
    )
    return on_source(experiment, source, ("spending",))


# --- numbers of claims


def at_least_published(row: str, numbers: Phased, phase: int) -> Parts:
    """The quality in a phase less that of the published router, under every budget it had."""
    return lambda outcome: [
        mean_part(
            f"quality at ${budget:g} less {quality[phase]:g}",
            reached(outcome, row, QUALITY, phase, budget) - quality[phase],
            above(-ROUNDED),
        )
        for budget, quality in numbers.items()
    ]


def spending(source: Source, row: str, component: int, most: float, since: str = "") -> Parts:
    """Of every budget at most so much is spent in the mean, in one part of the stream."""
    return lambda outcome: [
        mean_part(
            f"spent of ${budget:g}{since}",
            reached(outcome, row, SPENDING, component, budget),
            below(most),
        )
        for budget in source.scenario_budgets
    ]


def within_budget(source: Source) -> Parts:
    """What is spent of every budget while answers are worse."""
    return lambda outcome: [
        overspending(
            f"spent of ${budget:g} in phase 2", reached(outcome, PACED, SPENDING, 1, budget)
        )
        for budget in source.scenario_budgets
    ]


def adopted(row: str) -> Parts:
    """The rounds until a model is adopted, beside the paper's."""
    return lambda outcome: [
        mean_part(
            f"rounds at ${budget:g}", reached(outcome, row, ADOPTION, 0, budget), at_most(rounds)
        )
        for budget, rounds in published.ADOPTION.items()
    ]
