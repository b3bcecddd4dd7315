"""Figure 1 of paretobandit2026: quality under seven budgets, beside the best fixed mixture."""

import functools
from collections.abc import Mapping, Sequence

import polars as pl

from mobandits.contracts.protocols import Recipe
from mobandits.metrics import best_within_budgets
from mobandits.policies import MolUcb
from mobandits_papers.described import described
from mobandits_papers.experiment import Experiment, RunOptions
from mobandits_papers.numbers import (
    LEAST,
    Part,
    Parts,
    above,
    below,
    by_value,
    difference_of_means,
    final_pair,
    final_values,
    mean_part,
    resampled_part,
)
from mobandits_papers.outcome import Outcome
from mobandits_papers.paretobandit2026 import published
from mobandits_papers.paretobandit2026.routing import (
    LEARNER,
    THOUSAND,
    Prompts,
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
    on_source,
    outcome_rows,
    overspending,
    spent_share,
    stream,
)
from mobandits_papers.rows import rows_of

ID = "paretobandit2026/budgets"
RUN = "seven budgets"
KNOWN = "Paced, horizon known"
OPEN = "Paced, open-ended"
EXPLORING = "Paced, open-ended, exploring"
MIXTURE = "best fixed mixture in hindsight"
ROUTERS: dict[str, tuple[Recipe, bool]] = {
    KNOWN: (LEARNER, True),
    OPEN: (LEARNER, False),
    EXPLORING: (MolUcb(), False),
}
RANGE = "cost range"
MOST_SPENT_BY_ONE = 1.02


def budgets_experiment(source: Source) -> Experiment:
    """The experiment on some prompts; claims of the paper's numbers on its own only."""
    compute = functools.partial(budget_rows, source)
    run = source.part(RUN, compute, {"budgets": list(source.budgets)})
    parts = {
        "cost-range": cost_range,
        "compliance": compliance,
        "published-open": at_least_published(OPEN),
        "published-known": at_least_published(KNOWN),
        "mixture": beats_mixture(source),
        "spending": spends(source),
    }
    experiment = described(
        ID,
        [run],
        parts,
        sections=source.sections("budgets"),
        prompts=source.name,
        figure=", figure 1" if source.is_published else " on other prompts",
        budgets=[f"${budget:g}" for budget in source.budgets],
    )
    return on_source(experiment, source, ("mixture", "spending"))


def budget_rows(
    source: Source,
    trial: int,
    options: RunOptions,
    routers: Mapping[str, tuple[Recipe, bool]] = ROUTERS,
) -> pl.DataFrame:
    """The rows of one log and one order of the prompts that come then.

    Args:
        source: of the prompts.
        trial: the number of the log.
        options: of the user.
        routers: {row: what `Paced` gives the budget, and whether it knows the horizon}.
    """
    routing = source.routing()
    rng = stream(options, trial)
    log = uniform_log(routing, rng)
    order = rng.permutation(len(routing.second.dollars))[: options.rounds_or(source.rounds)]
    rounds = len(order)
    frames = []
    for row, (recipe, is_horizon_known) in routers.items():
        quality = []
        spending = []
        for budget in source.budgets:
            agent = router(
                routing,
                log,
                budget / THOUSAND,
                recipe=recipe,
                horizon=rounds if is_horizon_known else None,
            )
            outcomes = play(agent, routing, routing.second, order)
            quality.append(float(outcomes.quality.mean()))
            spending.append(spent_share([outcomes], budget))

        frames += outcome_rows(row, quality, spending, rounds)

    played = Prompts(*(column[order] for column in routing.second))
    frames += _mixtures(played, source.budgets, rounds)
    costs = played.dollars.mean(axis=0)
    frames.append(rows_of(MIXTURE, RANGE, [float(costs.max() / max(costs.min(), 1e-300))], rounds))
    if source.is_published:
        _, qualities, shares = zip(*published.BUDGETS, strict=True)
        frames += outcome_rows(PUBLISHED, qualities, shares, rounds)

    return pl.concat(frames)


def _mixtures(prompts: Prompts, budgets: Sequence[float], rounds: int) -> list[pl.DataFrame]:
    """The rows of the best fixed mixtures; below the cheapest model, that one is all there is."""
    gains = prompts.quality.mean(axis=0)
    costs = THOUSAND * prompts.dollars.mean(axis=0)
    quality = []
    spending = []
    for budget in budgets:
        allowed = max(budget, float(costs.min()))
        best = best_within_budgets(gains, costs[:, None], [allowed])
        quality.append(best.value)
        spending.append(float(best.weights @ costs) / budget)

    return outcome_rows(MIXTURE, quality, spending, rounds)


def cost_range(outcome: Outcome) -> list[Part]:
    """The cost of the dearest model over that of the cheapest, near the paper's."""
    values = final_values(outcome, MIXTURE, RANGE)
    part = mean_part("cost of the dearest model over the cheapest's", values)
    return [by_value(part, holds=abs(part.measured / published.COST_RANGE - 1.0) <= 0.05)]


def compliance(outcome: Outcome) -> list[Part]:
    """What is spent of every budget of the paper."""
    return [
        overspending(
            f"spent of ${each.budget:g}, {OPEN}", final_values(outcome, OPEN, SPENDING, place)
        )
        for place, each in enumerate(published.BUDGETS)
    ]


def at_least_published(row: str) -> Parts:
    """The quality under every budget of the paper less that of its router."""
    return lambda outcome: [
        mean_part(
            f"quality at ${each.budget:g} less {each.quality:g}",
            final_values(outcome, row, QUALITY, place) - each.quality,
            above(-ROUNDED),
        )
        for place, each in enumerate(published.BUDGETS)
    ]


def beats_mixture(source: Source) -> Parts:
    """The quality under every budget less that of the best fixed mixture."""
    return lambda outcome: [
        resampled_part(
            f"quality at ${budget:g} less that of the mixture",
            final_pair(outcome, MIXTURE, OPEN, QUALITY, place),
            difference_of_means,
            above(-ROUNDED),
        )
        for place, budget in enumerate(source.budgets)
    ]


def spends(source: Source) -> Parts:
    """What is spent of every budget, in the mean and by the worst log."""

    def parts(outcome: Outcome) -> list[Part]:
        numbers = []
        for row in (KNOWN, OPEN):
            for place, budget in enumerate(source.budgets):
                values = final_values(outcome, row, SPENDING, place)
                name = f"spent of ${budget:g}, {row}"
                largest = float(values.max())
                holds = largest <= MOST_SPENT_BY_ONE if len(values) >= LEAST else None
                numbers += [
                    mean_part(name, values, below(MOST_SPENT)),
                    Part(f"{name}, worst log", largest, None, holds, len(values)),
                ]

        return numbers

    return parts
