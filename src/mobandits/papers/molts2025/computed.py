"""What molts2025 argues without a simulation: Figure 1's toy example, and samples' optimism."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Array, Block, IntArray, Rng
from mobandits.environments import Linear
from mobandits.orders import EffectivePareto, Pareto
from mobandits.papers.claim_parts import (
    Parts,
    above,
    difference_of_means,
    only_mean,
    resampled_part,
)
from mobandits.papers.claims import Claim, Outcome, Part
from mobandits.papers.experiment import Computed, Experiment, Plot, RunOptions
from mobandits.papers.molts2025.theory import OPTIMISM as LEAST
from mobandits.papers.molts2025.theory import draws_needed, optimism
from mobandits.policies import MolTs
from mobandits.simulation.truth import BlockGroundTruth

ARMS = {"(1, 0)": (1.0, 0.0), "(0.45, 0.45)": (0.45, 0.45), "(0, 1)": (0.0, 1.0)}
# Two policies that are written down: nothing is learned, so that one trial is enough.
MIDDLE = "always the middle arm"
OUTER = "the outer arms in turn"
TOY_SETTINGS = {"arms": {name: list(means) for name, means in ARMS.items()}}
ROUNDS = 10

OBJECTIVES = (1, 2, 4, 8)
PLAYS = 200
SAMPLES = 4000
STATES = 10
ABOVE_ONE = 0.158655253931457  # P(N(0, 1) >= 1)
NEAR = 0.01  # four standard deviations of a frequency in 10 times 4,000 samples, at most
MANY = "M = 1 - ln L / ln 0.85"
ONE = "M = 1"
TOY = (
    "The coordinates of the paper's example are in an image that is lost; its text tells that two "
    "players that stay on the Pareto front for three rounds end with totals (1.3, 1.3) and (1.6, "
    "1.7). This example is ours: arms (1, 0), (0.45, 0.45) and (0, 1). All are Pareto optimal; the "
    "middle one is not effective Pareto optimal, because half a play of each outer arm pays (0.5, "
    "0.5). After an even number of rounds, playing the outer arms in turn pays more in both "
    "objectives than the middle arm, at the same Pareto regret: 0. The effective Pareto regret "
    "tells the two apart."
)
SAMPLING = (
    "After 200 random plays of the problem of Figure 2 with 1, 2, 4 and 8 objectives, 4,000 "
    "samples are drawn as MOL-TS draws them, with c = 1, and compared with estimate + c width of a "
    "fixed arm: in all objectives, as in Lemma 1, and as a sum with weights drawn uniformly from "
    "the simplex. A third number asks what play needs: whether the best weighted sample of all "
    "arms is at least the best weighted true mean. Lemma 1 needs optimism in every objective, "
    "which is sufficient for a weighted sum, and far from necessary. The proof of Theorem 2 uses "
    "it for an arm and weights that depend on the samples, while Lemma 1 is about a fixed arm; "
    "nothing here settles that doubt."
)


def component_rows(
    policy: str, metric: str, values: Sequence[float], rounds: int = 1
) -> pl.DataFrame:
    """A row of the table per component of a value."""
    columns = {
        "policy": policy,
        "round": rounds,
        "metric": metric,
        "component": range(len(values)),
        "value": values,
    }
    # The type is named, because values that happen to be whole would make a column of integers.
    return pl.DataFrame(columns, schema_overrides={"value": pl.Float64})


def toy_gaps(chosen: IntArray) -> dict[str, Array]:
    """(rounds, 1) both gaps of arms of the toy example."""
    means = np.array([list(ARMS.values())])
    rounds = len(chosen)
    arms, objectives = means.shape[1:]
    no_contexts = np.zeros((1, 1, 0))
    rewards = np.zeros((rounds, arms, objectives))  # gaps do not look at them
    truth = BlockGroundTruth(Block(no_contexts, means, rewards))

    return {
        "pareto": truth.gaps(Pareto(), chosen, 1),
        "effective": truth.gaps(EffectivePareto(), chosen, 1),
    }


def gaps_of_arms(trial: int, options: RunOptions) -> pl.DataFrame:  # noqa: ARG001 - not random
    """Both gaps of every arm of the toy example."""
    # To play every arm once is to ask for every arm's gap.
    gaps = toy_gaps(np.arange(len(ARMS)))
    frames = []
    for kind, gaps_of_kind in gaps.items():
        for i, arm in enumerate(ARMS):
            frames.append(component_rows(arm, f"{kind}_gap", gaps_of_kind[i]))

    return pl.concat(frames)


def totals_of_players(trial: int, options: RunOptions) -> pl.DataFrame:  # noqa: ARG001 - not random
    """Regrets and total rewards of two players that stay on the Pareto front."""
    means_of_arms = np.array(list(ARMS.values()))
    players = {
        MIDDLE: np.full(ROUNDS, 1),
        OUTER: np.arange(ROUNDS) % 2 * 2,  # arms 0 and 2 in turn
    }
    frames = []
    for player, arms in players.items():
        gaps = toy_gaps(arms)
        per_round = {
            "pareto_regret": gaps["pareto"],
            "effective_pareto_regret": gaps["effective"],
            "reward": means_of_arms[arms],
        }
        for metric, values in per_round.items():
            totals_so_far = values.cumsum(axis=0)
            for t, total in enumerate(totals_so_far, start=1):
                frames.append(component_rows(player, metric, total, t))

    return pl.concat(frames)


def last_values(outcome: Outcome, run: str, row: str, metric: str) -> Array:
    """(components,) the values at the last round of a part that is not random."""
    values = []
    for i in outcome.components(run, row, metric):
        _, curves = outcome.curves(run, row, metric, i)
        only_trial = curves[0]
        values.append(only_trial[-1])

    return np.array(values)


def last_value(outcome: Outcome, run: str, row: str, metric: str) -> float:
    """The same of a metric that has one component."""
    values = last_values(outcome, run, row, metric)
    return float(values[0])


def exact_part(name: str, value: float, *, holds: bool) -> Part:
    """A number of a claim that is computed, and not estimated: it has no interval."""
    return Part(name, value, None, holds, 1)


def middle_arm(outcome: Outcome) -> list[Part]:
    """The gaps of the middle arm, which is on the front, and which a mixture beats by 0.05."""
    arm = "(0.45, 0.45)"
    gap = last_value(outcome, "arms", arm, "pareto_gap")
    effective = last_value(outcome, "arms", arm, "effective_gap")
    # 0.5 - 0.45 is not exactly 0.05 in floats, and the gap comes from a matrix game.
    as_claimed = bool(np.isclose(effective, 0.05))

    return [
        exact_part(f"Pareto gap of {arm}", gap, holds=gap == 0.0),
        exact_part(f"effective Pareto gap of {arm}", effective, holds=as_claimed),
    ]


def totals(outcome: Outcome) -> list[Part]:
    """The regrets and the totals of both players.

    Neither has Pareto regret; one has more of every reward.
    """
    parts = []
    for player in (MIDDLE, OUTER):
        regret = last_value(outcome, "players", player, "pareto_regret")
        parts.append(exact_part(f"Pareto regret, {player}", regret, holds=regret == 0.0))

    outer_total = last_values(outcome, "players", OUTER, "reward")
    middle_total = last_values(outcome, "players", MIDDLE, "reward")
    leads = outer_total - middle_total
    for i, lead in enumerate(leads.tolist(), start=1):
        name = f"total reward of the outer arms less that of the middle arm, objective {i}"
        parts.append(exact_part(name, lead, holds=lead > 0.0))

    lost = last_value(outcome, "players", MIDDLE, "effective_pareto_regret")
    parts.append(exact_part(f"effective Pareto regret, {MIDDLE}", lost, holds=lost > 0.0))

    return parts


FIG1 = Experiment(
    "molts2025/fig1",
    "A toy example: an arm of the Pareto front that a mixture of arms beats",
    "molts2025, Figure 1 and section 3.3",
    (TOY,),
    [
        Computed("arms", gaps_of_arms, settings=TOY_SETTINGS),
        Computed(
            "players",
            totals_of_players,
            settings={**TOY_SETTINGS, "rounds played": ROUNDS},
        ),
    ],
    [
        Plot(
            "effective_gap",
            "effective_gap",
            "Effective Pareto gap of the three arms.",
            kind="bars",
            runs=["arms"],
            parts=["the three arms"],
            vertical="effective Pareto gap",
        ),
        Plot(
            "reward",
            "reward",
            "Total rewards of two players without Pareto regret.",
            runs=["players"],
            parts=["objective 1", "objective 2"],
        ),
        Plot(
            "effective_pareto_regret",
            "effective_pareto_regret",
            "Their effective Pareto regrets.",
            runs=["players"],
        ),
    ],
    (
        Claim(
            "molts2025/fig1/middle-arm",
            "A Pareto optimal arm need not be effective Pareto optimal",
            "a(2) is Pareto optimal, but a mixture of a(1) and a(3) dominates it",
            "the Pareto gap is 0, the effective one 0.05",
            middle_arm,
            kind="check",
        ),
        Claim(
            "molts2025/fig1/totals",
            "Players without Pareto regret can have totals of which one dominates the other",
            "(1.6, 1.7) against (1.3, 1.3), both with Pareto regret 0",
            "no Pareto regret, a larger total in every objective, and effective regret where the "
            "total is smaller",
            totals,
            kind="check",
        ),
    ),
)


def learn_and_sample(
    ridge: Any,
    state: Any,
    played: Array,
    rewards: Array,
    contexts: Array,
    arms: IntArray,
    draws: int,
    rng: Rng,
    drawn: Array,
) -> Array:
    """Estimate + width of every arm after some plays, (arms, objectives).

    `drawn` (samples, arms, objectives) is filled with samples of the same state, with c = 1.
    """
    # Learning and sampling are one loop, because the state would have to leave it otherwise.
    radius = np.ones((1, 1))
    for t in range(len(played)):
        state = ridge.update(state, played[t], 0, rewards[t])

    for i in range(len(drawn)):
        drawn[i] = ridge.sample(state, contexts, arms, draws, radius, rng)

    estimate = ridge.mean(state, contexts, arms)
    width = ridge.width(state, contexts, arms)
    level: Array = estimate + width

    return level


def frequencies(trial: int, options: RunOptions) -> pl.DataFrame:
    """How often samples are optimistic after some random plays, for all L and numbers of samples.

    The estimates are those of a ridge regression; the position of L is a component of the table.
    """
    plays = options.rounds or PLAYS
    frames = []
    for i, objectives in enumerate(OBJECTIVES):
        for row, draws in ((MANY, draws_needed(objectives)), (ONE, 1)):
            # A stream of its own, so that other numbers of objectives change nothing here.
            rng = np.random.default_rng([options.seed, trial, objectives, draws])
            values = optimistic(objectives, draws, plays, rng)
            for metric, value in values.items():
                frames.append(position_rows(row, metric, value, i))

            exact = optimism(objectives, draws, ABOVE_ONE)
            frames.append(position_rows(f"{row}, formula", "every_objective", exact, i))

    return pl.concat(frames)


def position_rows(row: str, metric: str, value: float, position: int) -> pl.DataFrame:
    """One row of the table, whose component is the position of L in `OBJECTIVES`."""
    frame = component_rows(row, metric, [value])
    component = pl.lit(position, pl.Int64)
    return frame.with_columns(component=component)


def optimistic(objectives: int, draws: int, plays: int, rng: Rng) -> dict[str, float]:
    """The frequencies of three kinds of optimism, over samples from one state.

    Args:
        objectives: L.
        draws: M.
        plays: how many random plays the state has learned from.
        rng: of the problem, the plays, the samples and the weights.

    Returns:
        `every_objective`: the samples of the first arm are at least estimate + radius width in all
        objectives. `weighted`: their sum with random weights is at least that of estimate + radius
        width. `best_arm`: the largest weighted sample of all arms is at least the largest weighted
        true mean.
    """
    problem = Linear(objectives=objectives).problem(plays, rng)
    block = problem.block(0, plays, rng)
    ridge = MolTs(scale=1.0).bind(problem.shape).estimator
    arms = np.arange(problem.shape.arms)
    t = np.arange(plays)
    played = rng.choice(arms, plays)
    drawn = np.empty((SAMPLES, len(arms), objectives))
    loop = compile_loop(learn_and_sample, ridge)
    level = loop(
        ridge,
        ridge.init(),
        block.contexts[t, played],
        block.rewards[t, played],
        block.contexts[-1].copy(),
        arms,
        draws,
        rng,
        drawn,
    )

    # The first arm stands for a fixed one: all arms are drawn alike.
    fixed_arm = drawn[:, 0]
    in_every_objective = (fixed_arm >= level[0]).all(axis=1)

    weights = rng.dirichlet(np.ones(objectives), SAMPLES)  # uniform on the simplex
    weighted = np.einsum("sal,sl->sa", drawn, weights)
    in_weighted_sum = weighted[:, 0] >= weights @ level[0]

    true_scores = weights @ block.means[-1].T
    of_best_arm = weighted.max(axis=1) >= true_scores.max(axis=1)

    return {
        "every_objective": float(in_every_objective.mean()),
        "weighted": float(in_weighted_sum.mean()),
        "best_arm": float(of_best_arm.mean()),
    }


PartRule: TypeAlias = Callable[[Part, int], bool | None]  # of a part and the position of L


def each(row: str, metric: str, rule: PartRule) -> Parts:
    """The function that gives a part per number of objectives.

    Args:
        row: of the table.
        metric: a frequency.
        rule: decides by the frequency with its interval, and by the position of L.
    """

    def parts(outcome: Outcome) -> list[Part]:
        judged = []
        for i, objectives in enumerate(OBJECTIVES):
            _, values = outcome.curves("samples", row, metric, i)
            name = f"{row}, L = {objectives}"
            part = resampled_part(name, values[:, -1:], only_mean)
            holds = rule(part, i)
            judged.append(Part(name, part.measured, part.interval, holds, part.trials))

        return judged

    return parts


def likelier_than_bound(part: Part, position: int) -> bool | None:  # noqa: ARG001 - for all L
    """Whether an interval lies above Lemma 1's lower bound of p."""
    if part.interval is None:
        return None
    low, _ = part.interval
    return low > LEAST


def undecided(part: Part, position: int) -> None:
    """The rule of what is only reported."""


def as_formula(outcome: Outcome) -> list[Part]:
    """Frequencies beside (1 - (1 - p)^M)^L with p = P(N(0, 1) >= 1)."""

    def near(draws: Sequence[int]) -> PartRule:
        def rule(part: Part, position: int) -> bool:
            objectives = OBJECTIVES[position]
            formula = optimism(objectives, draws[position], ABOVE_ONE)
            distance = abs(part.measured - formula)
            return distance <= NEAR

        return rule

    many = [draws_needed(objectives) for objectives in OBJECTIVES]
    one = [1] * len(OBJECTIVES)
    of_many = each(MANY, "every_objective", near(many))
    of_one = each(ONE, "every_objective", near(one))

    return [*of_many(outcome), *of_one(outcome)]


def vanishing(outcome: Outcome) -> list[Part]:
    """With one sample, what twice as many objectives take away."""

    def frequencies_at(position: int) -> Array:
        _, values = outcome.curves("samples", ONE, "every_objective", position)
        return values[:, -1]

    losses = []
    for i, (fewer, more) in enumerate(itertools.pairwise(OBJECTIVES)):
        samples = np.stack([frequencies_at(i + 1), frequencies_at(i)], axis=1)
        loss = resampled_part(
            f"frequency with L = {fewer} less that with L = {more}",
            samples,
            difference_of_means,
            above(0.0),
        )
        losses.append(loss)

    return losses


def reported(name: str, metric: str, sentence: str) -> Claim:
    """A claim on frequencies that no rule judges."""

    def parts(outcome: Outcome) -> list[Part]:
        of_many = each(MANY, metric, undecided)
        of_one = each(ONE, metric, undecided)
        return [*of_many(outcome), *of_one(outcome)]

    return Claim(
        f"molts2025/optimism/{name}",
        sentence,
        "not in the paper",
        "none: reported",
        parts,
        kind="ours",
    )


def frequency_plot(metric: str, caption: str) -> Plot:
    """The plot of a frequency, with bars for every L."""
    return Plot(
        metric,
        metric,
        caption,
        kind="bars",
        rows=(MANY, ONE),
        parts=[f"L = {objectives}" for objectives in OBJECTIVES],
        vertical="frequency",
    )


OPTIMISM = Experiment(
    "molts2025/optimism",
    "Why several samples: with one, all objectives are seldom optimistic at once",
    "molts2025, section 5.3 and Lemma 1",
    (SAMPLING,),
    [
        Computed(
            "samples",
            frequencies,
            STATES,
            {
                "plays": PLAYS,
                "samples": SAMPLES,
                "objectives": list(OBJECTIVES),
                "radius": 1.0,
            },
            scale={"rounds": PLAYS},
        ),
    ],
    [
        frequency_plot("every_objective", "A fixed arm is optimistic in every objective."),
        frequency_plot("weighted", "A fixed arm is optimistic in a weighted sum of objectives."),
        frequency_plot(
            "best_arm", "The best weighted sample is at least the best weighted true mean."
        ),
    ],
    (
        Claim(
            "molts2025/optimism/lemma-1",
            "With M samples a fixed arm is optimistic in all objectives with probability at least "
            "p = 0.15",
            "at least 0.15, whatever L",
            "the 95 % bootstrap interval is above 0.15",
            each(MANY, "every_objective", likelier_than_bound),
            "With L = 1 the lemma's M is 1 and the probability 0.1587, close to the bound of 0.15.",
            kind="check",
        ),
        Claim(
            "molts2025/optimism/formula",
            "The probability is (1 - (1 - p)^M)^L",
            "(1 - (1 - p)^M)^L, p = P(N >= 1)",
            f"each frequency is within {NEAR:g} of the formula",
            as_formula,
            kind="check",
        ),
        Claim(
            "molts2025/optimism/one-sample",
            "With one sample the probability vanishes as objectives are added",
            "p^L",
            "the 95 % bootstrap interval of each difference is above 0",
            vanishing,
            "p^4 is 0.0006 and p^8 0.0000004: beyond four objectives the samples are too few to "
            "tell.",
            kind="check",
        ),
        reported(
            "weighted",
            "weighted",
            "How often a fixed arm is optimistic in a weighted sum",
        ),
        reported(
            "best-arm",
            "best_arm",
            "How often the best weighted sample is at least the best weighted true mean",
        ),
    ),
)
