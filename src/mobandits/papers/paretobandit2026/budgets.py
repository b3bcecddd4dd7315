"""Figure 1 of paretobandit2026: quality under seven budgets, beside the best fixed mixture."""

from collections.abc import Mapping, Sequence

import polars as pl

from mobandits.contracts.protocols import Array, Recipe
from mobandits.metrics import best_within_budgets
from mobandits.papers.claim_parts import (
    above,
    below,
    difference_of_means,
    final_pair,
    final_values,
    mean_part,
    resampled_part,
)
from mobandits.papers.claims import LEAST, Claim, Outcome, Part
from mobandits.papers.experiment import Computed, Experiment, Plot, RunOptions
from mobandits.papers.paretobandit2026 import published
from mobandits.papers.paretobandit2026.routing import (
    LEARNER,
    THOUSAND,
    Prompts,
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
    rows_of,
    spent_share,
    stream,
)
from mobandits.policies import MolUcb

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
MOST_SPENT = 1.01
MOST_SPENT_BY_ONE = 1.02
ROUNDED = 0.0005  # half a unit of the last digit that the paper prints
RULE_ABOVE = (
    "each: the 95 % bootstrap interval of the difference is above -0.0005, half a unit of the last "
    "published digit"
)


def budgets_experiment(source: Source) -> Experiment:
    """The experiment on some prompts; claims of the paper's numbers on its own only."""
    names = tuple(f"${budget:g}" for budget in source.budgets)

    def compute(trial: int, options: RunOptions) -> pl.DataFrame:
        return budget_rows(source, trial, options)

    run = Computed(
        RUN,
        compute,
        trials=TRIALS,
        settings={"budgets": list(source.budgets), **source.settings},
        scale={"rounds": source.rounds, "trials": TRIALS},
    )
    claims = _claims(source)
    if source.is_published:
        claims = (*_claims_of_paper(), *claims)

    return Experiment(
        id=ID,
        title=f"Quality under seven budgets ({source.name})",
        source="section 4.2, figure 1" if source.is_published else "section 4.2 on other prompts",
        about=(
            *about_router(source),
            (
                "Budgets are US dollars per 1,000 prompts. The best fixed mixture in hindsight plays "
                "each model with one probability, the best for the budget on the very prompts that "
                "are played. Spending is a share of the budget. The exploring router is "
                "`Paced(MolUcb(), ...)`."
            ),
        ),
        runs=(run,),
        plots=(
            Plot(
                "quality",
                QUALITY,
                "Mean quality of the answers under each budget.",
                kind="points",
                parts=names,
                vertical="quality",
            ),
            Plot(
                "spending",
                SPENDING,
                "What was spent, as a share of the budget.",
                kind="points",
                parts=names,
                vertical="spent / budget",
            ),
        ),
        claims=claims,
    )


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

        frames.append(rows_of(row, QUALITY, quality, rounds))
        frames.append(rows_of(row, SPENDING, spending, rounds))

    played = Prompts(*(column[order] for column in routing.second))
    frames += _mixtures(played, source.budgets, rounds)
    costs = played.dollars.mean(axis=0)
    frames.append(rows_of(MIXTURE, RANGE, [float(costs.max() / max(costs.min(), 1e-300))], rounds))
    if source.is_published:
        results = published.BUDGETS
        frames.append(rows_of(PUBLISHED, QUALITY, [each.quality for each in results], rounds))
        frames.append(rows_of(PUBLISHED, SPENDING, [each.spending for each in results], rounds))

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

    return [
        rows_of(MIXTURE, QUALITY, quality, rounds),
        rows_of(MIXTURE, SPENDING, spending, rounds),
    ]


def overspending(name: str, values: Array, most: float) -> Part:
    """The mean of what was spent, which may be at most so much of the budget."""
    part = mean_part(name, values)
    # The mean decides, not the interval: the paper prints no spread.
    holds = None if part.interval is None else part.measured <= most

    return part._replace(holds=holds)


def _claims_of_paper() -> tuple[Claim, ...]:
    def cost_range(outcome: Outcome) -> list[Part]:
        values = final_values(outcome, MIXTURE, RANGE)
        part = mean_part("cost of the dearest model over the cheapest's", values)
        is_near = abs(part.measured / published.COST_RANGE - 1.0) <= 0.05
        return [part._replace(holds=None if part.interval is None else is_near)]

    def compliance(outcome: Outcome) -> list[Part]:
        return [
            overspending(
                f"spent of ${each.budget:g}, {OPEN}",
                final_values(outcome, OPEN, SPENDING, place),
                published.MOST_OVERSPENT,
            )
            for place, each in enumerate(published.BUDGETS)
        ]

    def at_least(row: str) -> Claim:
        def parts(outcome: Outcome) -> list[Part]:
            return [
                mean_part(
                    f"quality at ${each.budget:g} less {each.quality:g}",
                    final_values(outcome, row, QUALITY, place) - each.quality,
                    above(-ROUNDED),
                )
                for place, each in enumerate(published.BUDGETS)
            ]

        return Claim(
            id=f"{ID}/published-{'known' if row == KNOWN else 'open'}",
            claim=f"{row}: at every budget the quality is at least the published router's",
            target="not in the paper",
            rule=RULE_ABOVE,
            parts=parts,
            kind="ours",
        )

    return (
        Claim(
            id=f"{ID}/cost-range",
            claim="The three models span a range of costs of about 530",
            target="~530x",
            rule="the mean is within 5 % of the paper's",
            parts=cost_range,
        ),
        Claim(
            id=f"{ID}/compliance",
            claim="Across seven budget ceilings, mean per-request cost never exceeds the target by "
            "more than 0.4 %",
            target="at most 1.004; said of another router",
            rule="each: the mean is at most 1.004; its interval may reach beyond",
            parts=compliance,
            kind="extension",
            note="Asked of Paced without a horizon.",
        ),
        at_least(OPEN),
        at_least(KNOWN),
    )


def _claims(source: Source) -> tuple[Claim, ...]:
    """What is asked on any prompts."""

    def beats_mixture(outcome: Outcome) -> list[Part]:
        return [
            resampled_part(
                f"quality at ${budget:g} less that of the mixture",
                final_pair(outcome, MIXTURE, OPEN, QUALITY, place),
                difference_of_means,
                above(-ROUNDED),
            )
            for place, budget in enumerate(source.budgets)
        ]

    def spends(outcome: Outcome) -> list[Part]:
        parts = []
        for row in (KNOWN, OPEN):
            for place, budget in enumerate(source.budgets):
                values = final_values(outcome, row, SPENDING, place)
                name = f"spent of ${budget:g}, {row}"
                parts.append(mean_part(name, values, below(MOST_SPENT)))
                largest = float(values.max())
                holds = largest <= MOST_SPENT_BY_ONE if len(values) >= LEAST else None
                parts.append(Part(f"{name}, worst log", largest, None, holds, len(values)))

        return parts

    return (
        Claim(
            id=f"{ID}/mixture",
            claim=f"{OPEN}: at every budget the quality is at least that of the best fixed mixture "
            "in hindsight",
            target="not in the paper",
            rule="each: the 95 % bootstrap interval of the difference is above -0.0005",
            parts=beats_mixture,
            kind="ours",
            note="The mixture knows the prompts that come.",
        ),
        Claim(
            id=f"{ID}/spending",
            claim="At most 1.01 of the budget is spent in the mean, and 1.02 by the worst log",
            target="not in the paper",
            rule="each: the 95 % bootstrap interval of the mean is below 1.01, and the largest is at "
            "most 1.02",
            parts=spends,
            kind="ours",
        ),
    )
