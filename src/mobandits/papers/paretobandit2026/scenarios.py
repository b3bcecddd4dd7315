"""The scenarios of paretobandit2026: a price cut, a silent regression, and a model that comes later."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, IntArray, Recipe, Rng
from mobandits.logs import Feedback
from mobandits.papers.claim_parts import above, at_most, below, final_values, mean_part
from mobandits.papers.claims import Claim, Outcome, Part
from mobandits.papers.experiment import Computed, Experiment, Plot, RunOptions
from mobandits.papers.paretobandit2026 import published
from mobandits.papers.paretobandit2026.budgets import (
    MOST_SPENT,
    ROUNDED,
    RULE_ABOVE,
    overspending,
)
from mobandits.papers.paretobandit2026.routing import (
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
from mobandits.papers.paretobandit2026.source import (
    PUBLISHED,
    QUALITY,
    SPENDING,
    TRIALS,
    Source,
    about_router,
    middle,
    money,
    rows_of,
    spent_share,
    stream,
)
from mobandits.policies import Forgetting, MolUcb

PAPER = "paretobandit2026"
PACED = "Paced"
ANNOUNCED = "Paced, announced"
UNANNOUNCED = "Paced, not announced"
DEAREST = "always the dearest model"
FORGETS = "Paced, discount 0.997"
WITHOUT_ALARM = "Paced, no alarm"
EXPLORING = "Paced, exploring"
PHASES = ("phase 1", "phase 2", "phase 3")
PARTS = ("before", "after")
ADOPTION = "adoption"
SHARE = "share"
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
            play(agent, routing, usual, phases.first),
            play(agent, routing, worse, phases.second),
            play(agent, routing, usual, phases.third),
        ]
        frames += _phase_rows(row, outcomes, budget, rounds)

    return pl.concat(frames)


def _degraded(routing: Routing) -> Any:
    """(judges,) what answers of the middle model are worth: less than those of any other one."""
    if routing.models == _published_models():
        return published.DEGRADED

    lowest: Array = routing.first.grades.mean(axis=0).min(axis=0)
    return lowest


def _published_models() -> tuple[str, ...]:
    from mobandits.environments import LlmRouting  # noqa: PLC0415 - for one comparison

    return LlmRouting.models


def _phase_rows(
    row: str, outcomes: Sequence[Outcomes], budget: float, rounds: int
) -> list[pl.DataFrame]:
    """Quality in every phase, and spending in every phase and over all of them."""
    quality = [float(each.quality.mean()) for each in outcomes]
    spending = [spent_share([each], budget) for each in outcomes]
    spending.append(spent_share(outcomes, budget))

    return [rows_of(row, QUALITY, quality, rounds), rows_of(row, SPENDING, spending, rounds)]


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
            rows_of(row, QUALITY, [before.quality.mean(), after.quality.mean()], rounds),
            rows_of(
                row,
                SPENDING,
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
    return _price_cut(source), _regression(source), _newcomer(source)


def _runs(source: Source, play_trial: Play, *, without_middle: bool = False) -> list[Computed]:
    """A part per budget."""
    return [_run(source, budget, play_trial, without_middle) for budget in source.scenario_budgets]


def _run(source: Source, budget: float, play_trial: Play, without_middle: bool) -> Computed:
    def compute(trial: int, options: RunOptions) -> pl.DataFrame:
        routing = source.routing()
        rng = stream(options, trial)
        models = list(range(len(routing.models)))
        if without_middle:
            models.remove(middle(len(models)))

        log = uniform_log(routing, rng, models)
        rounds = min(options.rounds_or(source.rounds), source.rounds)

        return play_trial(routing, log, budget, rng, rounds)

    return Computed(
        money(budget),
        compute,
        trials=TRIALS,
        settings={"budget": budget, **source.settings},
        scale={"rounds": source.rounds, "trials": TRIALS},
    )


def _phase_plots() -> tuple[Plot, Plot]:
    return (
        Plot(
            "quality",
            QUALITY,
            "Mean quality of the answers in each phase.",
            kind="points",
            parts=PHASES,
        ),
        Plot(
            "spending",
            SPENDING,
            "What was spent in each phase, and over all of them, as a share of the budget.",
            kind="points",
            parts=(*PHASES, "all"),
            vertical="spent / budget",
        ),
    )


def _with_published(runs: Sequence[Computed], source: Source, numbers: Phased) -> list[Computed]:
    """The same parts, with the paper's quality as a row where it gives one."""
    if not source.is_published:
        return list(runs)

    return [
        _with_row(run, numbers[budget]) if budget in numbers else run
        for run, budget in zip(runs, source.scenario_budgets, strict=True)
    ]


def _with_row(run: Computed, quality: Sequence[float]) -> Computed:
    def compute(trial: int, options: RunOptions) -> pl.DataFrame:
        frame = run.compute(trial, options)
        rounds = int(frame["round"][0])
        return pl.concat([frame, rows_of(PUBLISHED, QUALITY, quality, rounds)])

    return Computed(run.name, compute, run.trials, run.settings, scale=run.scale)


def _price_cut(source: Source) -> Experiment:
    name = f"{PAPER}/price-cut"
    runs = _runs(source, play_price_cut)
    claims = [_phases_spending(name, source, ANNOUNCED)]
    if source.is_published:
        claims = [
            _lift_claim(name),
            *_phase_claims(name, ANNOUNCED, published.PRICE_CUT),
            *claims,
        ]

    return Experiment(
        id=name,
        title="The dearest model's price falls, and is restored",
        source="section 4.3, figure 2",
        about=(
            *about_router(source),
            (
                "Three phases; the third has the prompts of the first in another order. In the "
                "second the dearest model costs 1 / 56.25 of its price ($0.10 in place of $1.25 and "
                "$10 per million tokens, on average). `Agent.reprice` announces both changes: "
                "predictions change at once, and the price of a dollar is looked up again on the "
                "log. The row without it learns the changes from bills."
            ),
        ),
        runs=_with_published(runs, source, published.PRICE_CUT),
        plots=_phase_plots(),
        claims=claims,
    )


def _regression(source: Source) -> Experiment:
    name = f"{PAPER}/regression"
    runs = _runs(source, play_regression)
    claims = [_phases_spending(name, source, PACED)]
    if source.is_published:
        claims = [
            *_phase_claims(name, PACED, published.REGRESSION),
            *_phase_claims(name, WITHOUT_ALARM, published.REGRESSION, "-no-alarm"),
            *_phase_claims(name, FORGETS, published.REGRESSION, "-forgetting"),
            _within_budget_claim(name, source, PACED),
            *claims,
        ]

    return Experiment(
        id=name,
        title="The middle model's answers get worse, and nobody says so",
        source="section 4.4, figure 3",
        about=(
            *about_router(source),
            (
                "Three phases; the third has the prompts of the first in another order. In the "
                "second every answer of the middle model is worth 0.75, or on other prompts the "
                "lowest mean of any model in the first file. Paced learns with `DriftAlarm`; one "
                "row has none, and another one `Forgetting(..., 0.997)` in its place."
            ),
        ),
        runs=_with_published(runs, source, published.REGRESSION),
        plots=_phase_plots(),
        claims=claims,
    )


def _newcomer(source: Source) -> Experiment:
    name = f"{PAPER}/newcomer"
    runs = _runs(source, play_newcomer, without_middle=True)
    claims = [_newcomer_spending(name, source)]
    if source.is_published:
        claims = [
            _adoption_claim(name, PACED),
            _adoption_claim(name, EXPLORING),
            *claims,
        ]

    return Experiment(
        id=name,
        title="A model that comes later",
        source="section 4.5",
        about=(
            *about_router(source),
            (
                "The middle model is not in the log. It joins after a third of the prompts by "
                "`Agent.add_arm`, answers the next 20, and competes from then on. Adoption is the "
                "number of rounds since it joined until it has 5 % of the last 100 choices and "
                "keeps them; forced plays count as rounds and not as choices, so that 120 is the "
                "least. Where that never happens, it is all rounds."
            ),
        ),
        runs=runs,
        plots=(
            Plot("adoption", ADOPTION, "Rounds until the model is adopted.", kind="points"),
            Plot("share", SHARE, "Its share of the last third of the choices.", kind="points"),
            Plot(
                "spending",
                SPENDING,
                "What was spent before and after it joined, as a share of the budget.",
                kind="points",
                parts=PARTS,
                vertical="spent / budget",
            ),
        ),
        claims=claims,
    )


# --- claims


def _phase_claims(name: str, row: str, numbers: Phased, suffix: str = "") -> list[Claim]:
    """A claim per phase: at every budget that the paper has, quality is at least its router's."""
    return [_phase_claim(name, row, numbers, phase, suffix) for phase in range(len(PHASES))]


def _phase_claim(name: str, row: str, numbers: Phased, phase: int, suffix: str) -> Claim:
    def parts(outcome: Outcome) -> list[Part]:
        found = []
        for budget, quality in numbers.items():
            reached = final_values(outcome, row, QUALITY, phase, money(budget))
            said = f"quality at ${budget:g} less {quality[phase]:g}"
            found.append(mean_part(said, reached - quality[phase], above(-ROUNDED)))

        return found

    return Claim(
        id=f"{name}/phase-{phase + 1}{suffix}",
        claim=f"{row}: in phase {phase + 1} the quality is at least the published router's",
        target="not in the paper",
        rule=RULE_ABOVE,
        parts=parts,
        kind="ours",
    )


def _phases_spending(name: str, source: Source, row: str) -> Claim:
    claim = f"{row}: over all phases at most {MOST_SPENT:g} of the budget is spent"
    return _spending_claim(name, source, row, WHOLE, claim, MOST_SPENT)


def _newcomer_spending(name: str, source: Source) -> Claim:
    most = MOST_SPENT_BESIDE_NEWCOMER
    claim = f"Since the model joined at most {most:g} of the budget is spent"
    return _spending_claim(name, source, PACED, 1, claim, most, " since it joined")


def _spending_claim(
    name: str,
    source: Source,
    row: str,
    component: int,
    claim: str,
    most: float,
    since: str = "",
) -> Claim:
    """Of every budget at most so much is spent in the mean, in one part of the stream."""

    def parts(outcome: Outcome) -> list[Part]:
        found = []
        for budget in source.scenario_budgets:
            spent = final_values(outcome, row, SPENDING, component, money(budget))
            found.append(mean_part(f"spent of ${budget:g}{since}", spent, below(most)))

        return found

    return Claim(
        id=f"{name}/spending",
        claim=claim,
        target="not in the paper",
        rule=f"each: the 95 % bootstrap interval is below {most:g}",
        parts=parts,
        kind="ours",
    )


def _within_budget_claim(name: str, source: Source, row: str) -> Claim:
    def parts(outcome: Outcome) -> list[Part]:
        return [
            overspending(
                f"spent of ${budget:g} in phase 2",
                final_values(outcome, row, SPENDING, 1, money(budget)),
                published.MOST_OVERSPENT,
            )
            for budget in source.scenario_budgets
        ]

    return Claim(
        id=f"{name}/within-budget",
        claim="A silent quality regression is rerouted within budget",
        target="within budget; said of another router",
        rule="each: the mean of what is spent in phase 2 is at most 1.004",
        parts=parts,
        kind="extension",
        note="Asked of Paced with its alarm.",
    )


def _lift_claim(name: str) -> Claim:
    def parts(outcome: Outcome) -> list[Part]:
        found = []
        for budget in published.PRICE_CUT:
            run = money(budget)
            before = final_values(outcome, ANNOUNCED, QUALITY, 0, run)
            during = final_values(outcome, ANNOUNCED, QUALITY, 1, run)
            found.append(mean_part(f"lift at ${budget:g}", during - before))

        return found

    return Claim(
        id=f"{name}/lift",
        claim=f"A price cut on the costliest model yields up to +{published.LIFT:g} quality lift",
        target=f"+{published.LIFT:g}; said of another router",
        rule="none: the lift is what the first phase lacks, and Paced lacks less there",
        parts=parts,
        kind="extension",
    )


def _adoption_claim(name: str, row: str) -> Claim:
    def parts(outcome: Outcome) -> list[Part]:
        found = []
        for budget, rounds in published.ADOPTION.items():
            adopted = final_values(outcome, row, ADOPTION, 0, money(budget))
            found.append(mean_part(f"rounds at ${budget:g}", adopted, at_most(rounds)))

        return found

    return Claim(
        id=f"{name}/adoption{'' if row == PACED else '-exploring'}",
        claim=f"A cold-started model reaches meaningful adoption within about 142 steps: {row}",
        target="142, 121 and 121 rounds; said of another router",
        rule="each: the 95 % bootstrap interval of the mean reaches down to the paper's number",
        parts=parts,
        kind="extension",
    )
