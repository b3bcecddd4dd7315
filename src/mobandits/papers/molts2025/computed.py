"""What molts2025 argues without a simulation: the toy example of Figure 1, and how often samples are optimistic."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Array, Block, IntArray, Rng
from mobandits.environments import Linear
from mobandits.orders import EffectivePareto, Pareto
from mobandits.papers.claims import Claim, Outcome, Part, resample
from mobandits.papers.experiment import Computed, Experiment, Plot, RunOptions
from mobandits.papers.molts2025.theory import OPTIMISM as LEAST
from mobandits.papers.molts2025.theory import draws_needed, optimism
from mobandits.policies import MolTs
from mobandits.simulation.truth import BlockTruth

ARMS = {"(1, 0)": (1.0, 0.0), "(0.45, 0.45)": (0.45, 0.45), "(0, 1)": (0.0, 1.0)}
MIDDLE = "always the middle arm"
OUTER = "the outer arms in turn"
SAID = {"arms": {name: list(means) for name, means in ARMS.items()}}
METRICS = ("pareto_regret", "effective_pareto_regret", "reward")
ROUNDS = 10

OBJECTIVES = (1, 2, 4, 8)
PLAYS = 200
SAMPLES = 4000
STATES = 10
ABOVE_ONE = 0.158655253931457  # P(N(0, 1) >= 1)
NEAR = 0.01
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


def rows(policy: str, metric: str, values: Sequence[float], rounds: int = 1) -> pl.DataFrame:
    """One row of the table per component."""
    return pl.DataFrame(
        {
            "policy": policy,
            "round": rounds,
            "metric": metric,
            "component": range(len(values)),
            "value": values,
        },
        schema_overrides={"value": pl.Float64},
    )


def toy_gaps(chosen: IntArray) -> dict[str, Array]:
    """(rounds, 1) both gaps of arms of the toy example."""
    means = np.array([list(ARMS.values())])
    truth = BlockTruth(Block(np.zeros((1, 1, 0)), means, np.zeros((len(chosen), *means.shape[1:]))))
    return {
        kind: truth.gaps(order, chosen, 1)
        for kind, order in (("pareto", Pareto()), ("effective", EffectivePareto()))
    }


def gaps_of_arms(trial: int, options: RunOptions) -> pl.DataFrame:  # noqa: ARG001 - nothing is random
    """Both gaps of every arm of the toy example."""
    gaps = toy_gaps(np.arange(len(ARMS)))
    return pl.concat(
        rows(arm, f"{kind}_gap", of[i]) for kind, of in gaps.items() for i, arm in enumerate(ARMS)
    )


def totals_of_players(trial: int, options: RunOptions) -> pl.DataFrame:  # noqa: ARG001 - nothing is random
    """Regrets and total rewards of two players that stay on the Pareto front."""
    found = []
    for player, arms in ((MIDDLE, np.full(ROUNDS, 1)), (OUTER, np.arange(ROUNDS) % 2 * 2)):
        gaps = toy_gaps(arms)
        means = np.array(list(ARMS.values()))[arms]
        for metric, values in zip(METRICS, (gaps["pareto"], gaps["effective"], means), strict=True):
            found += [
                rows(player, metric, total, t + 1) for t, total in enumerate(values.cumsum(axis=0))
            ]
    return pl.concat(found)


def last(outcome: Outcome, run: str, row: str, metric: str) -> Array:
    """(components,) the values at the last round of a part that is not random."""
    return np.array(
        [
            outcome.curves(run, row, metric, i)[1][0, -1]
            for i in outcome.components(run, row, metric)
        ]
    )


def middle_arm(outcome: Outcome) -> list[Part]:
    """The middle arm is on the front, and a mixture beats it by 0.05."""
    gap, effective = (
        float(last(outcome, "arms", "(0.45, 0.45)", f"{kind}_gap")[0])
        for kind in ("pareto", "effective")
    )
    return [
        Part("Pareto gap of (0.45, 0.45)", gap, None, gap == 0.0, 1),
        Part(
            "effective Pareto gap of (0.45, 0.45)",
            effective,
            None,
            bool(np.isclose(effective, 0.05)),
            1,
        ),
    ]


def totals(outcome: Outcome) -> list[Part]:
    """Neither player has Pareto regret; one has more of every reward."""
    zero = [
        float(last(outcome, "players", player, "pareto_regret")[0]) for player in (MIDDLE, OUTER)
    ]
    more, less = (last(outcome, "players", player, "reward") for player in (OUTER, MIDDLE))
    lost = float(last(outcome, "players", MIDDLE, "effective_pareto_regret")[0])
    return [
        *(Part(f"Pareto regret, {player}", value, None, value == 0.0, 1)
          for player, value in zip((MIDDLE, OUTER), zero, strict=True)),
        *(Part(f"total reward of the outer arms less that of the middle arm, objective {i + 1}", value, None,
               value > 0.0, 1) for i, value in enumerate((more - less).tolist())),
        Part(f"effective Pareto regret, {MIDDLE}", lost, None, lost > 0.0, 1),
    ]  # fmt: skip


FIG1 = Experiment(
    "molts2025/fig1",
    "A toy example: an arm of the Pareto front that a mixture of arms beats",
    "molts2025, Figure 1 and section 3.3",
    (TOY,),
    [Computed("arms", gaps_of_arms, settings=SAID),
     Computed("players", totals_of_players, settings={**SAID, "rounds played": ROUNDS})],
    [
        Plot("effective_gap", "effective_gap", "Effective Pareto gap of the three arms.", kind="bars", runs=["arms"],
             parts=["the three arms"], vertical="effective Pareto gap"),
        Plot("reward", "reward", "Total rewards of two players without Pareto regret.", runs=["players"],
             parts=["objective 1", "objective 2"]),
        Plot("effective_pareto_regret", "effective_pareto_regret", "Their effective Pareto regrets.", runs=["players"]),
    ],
    (
        Claim("molts2025/fig1/middle-arm", "A Pareto optimal arm need not be effective Pareto optimal",
              "a(2) is Pareto optimal, but a mixture of a(1) and a(3) dominates it",
              "the Pareto gap is 0, the effective one 0.05", middle_arm, kind="check"),
        Claim("molts2025/fig1/totals", "Players without Pareto regret can have totals of which one dominates the other",
              "(1.6, 1.7) against (1.3, 1.3), both with Pareto regret 0",
              "no Pareto regret, a larger total in every objective, and effective regret where "
              "the total is smaller",
              totals, kind="check"),
    ),
)  # fmt: skip


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
    """`drawn` (samples, arms, objectives) becomes samples with c = 1 after some plays; returns estimate + width."""
    radius = np.ones((1, 1))
    for t in range(len(played)):
        state = ridge.update(state, played[t], 0, rewards[t])
    for i in range(len(drawn)):
        drawn[i] = ridge.sample(state, contexts, arms, draws, radius, rng)
    level: Array = ridge.mean(state, contexts, arms) + ridge.width(state, contexts, arms)
    return level


def frequencies(trial: int, options: RunOptions) -> pl.DataFrame:
    """How often samples are optimistic after some random plays, for all numbers of objectives and of samples.

    The estimates are those of a ridge regression; L is a component of the table.
    """
    frames = []
    for i, objectives in enumerate(OBJECTIVES):
        for row, draws in ((MANY, draws_needed(objectives)), (ONE, 1)):
            rng = np.random.default_rng([options.seed, trial, objectives, draws])
            values = optimistic(objectives, draws, options.rounds or PLAYS, rng)
            exact = {"every_objective": optimism(objectives, draws, ABOVE_ONE)}
            frames += [
                rows(row, metric, [value]).with_columns(component=pl.lit(i, pl.Int64))
                for metric, value in values.items()
            ]
            frames += [
                rows(f"{row}, formula", metric, [value]).with_columns(component=pl.lit(i, pl.Int64))
                for metric, value in exact.items()
            ]
    return pl.concat(frames)  # fmt: skip


def optimistic(objectives: int, draws: int, plays: int, rng: Rng) -> dict[str, float]:
    """The frequencies of three kinds of optimism, over samples from one state.

    `every_objective`: the samples of the first arm are at least estimate + radius width in all objectives.
    `weighted`: their sum with random weights is at least that of estimate + radius width.
    `best_arm`: the largest weighted sample of all arms is at least the largest weighted true mean.
    """
    problem = Linear(objectives=objectives).problem(plays, rng)
    block = problem.block(0, plays, rng)
    ridge = MolTs(scale=1.0).bind(problem.shape).estimator
    arms = np.arange(problem.shape.arms)
    t = np.arange(plays)
    played = rng.choice(arms, plays)
    drawn = np.empty((SAMPLES, len(arms), objectives))
    learnt = block.contexts[t, played], block.rewards[t, played]
    loop = compile_loop(learn_and_sample, ridge)
    level = loop(ridge, ridge.init(), *learnt, block.contexts[-1].copy(), arms, draws, rng, drawn)
    weights = rng.dirichlet(np.ones(objectives), SAMPLES)
    weighted = np.einsum("sal,sl->sa", drawn, weights)
    return {
        "every_objective": float((drawn[:, 0] >= level[0]).all(axis=1).mean()),
        "weighted": float((weighted[:, 0] >= weights @ level[0]).mean()),
        "best_arm": float(
            (weighted.max(axis=1) >= (weights @ block.means[-1].T).max(axis=1)).mean()
        ),
    }


def mean_of(
    outcome: Outcome, row: str, metric: str, i: int
) -> tuple[float, tuple[float, float] | None, int]:
    """A frequency over trials, its interval, and the number of trials."""
    samples = outcome.curves("samples", row, metric, i)[1][:, -1:]
    return *resample(samples, lambda means: means[0]), len(samples)


def each(
    row: str, metric: str, holds: Callable[[float, tuple[float, float] | None, int], bool | None]
) -> Callable[[Outcome], list[Part]]:
    """A part per number of objectives; `holds` has the frequency, its interval, and the position of L."""

    def parts(outcome: Outcome) -> list[Part]:
        found = []
        for i, objectives in enumerate(OBJECTIVES):
            value, ends, trials = mean_of(outcome, row, metric, i)
            found.append(
                Part(f"{row}, L = {objectives}", value, ends, holds(value, ends, i), trials)
            )
        return found

    return parts


def as_formula(outcome: Outcome) -> list[Part]:
    """Frequencies beside (1 - (1 - p)^M)^L with p = P(N(0, 1) >= 1)."""

    def near(draws: Sequence[int]) -> Callable[[float, tuple[float, float] | None, int], bool]:
        return lambda value, _, i: abs(value - optimism(OBJECTIVES[i], draws[i], ABOVE_ONE)) <= NEAR

    many = [draws_needed(objectives) for objectives in OBJECTIVES]
    one = [1] * len(OBJECTIVES)
    return [
        part
        for row, draws in ((MANY, many), (ONE, one))
        for part in each(row, "every_objective", near(draws))(outcome)
    ]


def vanishing(outcome: Outcome) -> list[Part]:
    """With one sample, what twice as many objectives take away."""
    found = []
    for i in range(len(OBJECTIVES) - 1):
        samples = np.stack(
            [outcome.curves("samples", ONE, "every_objective", j)[1][:, -1] for j in (i + 1, i)],
            axis=1,
        )
        value, ends = resample(samples, lambda means: means[1] - means[0])
        said = f"frequency with L = {OBJECTIVES[i]} less that with L = {OBJECTIVES[i + 1]}"
        found.append(Part(said, value, ends, ends and ends[0] > 0.0, len(samples)))
    return found


def reported(said: str, metric: str, sentence: str) -> Claim:
    """Frequencies that no rule judges."""

    def parts(outcome: Outcome) -> list[Part]:
        return [one for row in (MANY, ONE) for one in each(row, metric, lambda *_: None)(outcome)]

    return Claim(
        f"molts2025/optimism/{said}",
        sentence,
        "not in the paper",
        "none: reported",
        parts,
        kind="ours",
    )


OPTIMISM = Experiment(
    "molts2025/optimism",
    "Why several samples: with one, all objectives are seldom optimistic at once",
    "molts2025, section 5.3 and Lemma 1",
    (SAMPLING,),
    [
        Computed("samples", frequencies, STATES,
                 {"plays": PLAYS, "samples": SAMPLES, "objectives": list(OBJECTIVES), "radius": 1.0}),
    ],
    [
        Plot(metric, metric, caption, kind="bars", rows=(MANY, ONE), parts=[f"L = {l}" for l in OBJECTIVES],
             vertical="frequency")
        for metric, caption in (
            ("every_objective", "A fixed arm is optimistic in every objective."),
            ("weighted", "A fixed arm is optimistic in a weighted sum of objectives."),
            ("best_arm", "The best weighted sample is at least the best weighted true mean."),
        )
    ],
    (
        Claim("molts2025/optimism/lemma-1",
              "With M samples a fixed arm is optimistic in all objectives with probability at "
              "least p = 0.15",
              "at least 0.15, whatever L", "the 95 % bootstrap interval is above 0.15",
              each(MANY, "every_objective", lambda _, ends, __: ends and ends[0] > LEAST),
              "With L = 1 the lemma's M is 1 and the probability 0.1587, close to the bound of "
              "0.15.",
              kind="check"),
        Claim("molts2025/optimism/formula", "The probability is (1 - (1 - p)^M)^L", "(1 - (1 - p)^M)^L, p = P(N >= 1)",
              f"each frequency is within {NEAR:g} of the formula", as_formula, kind="check"),
        Claim("molts2025/optimism/one-sample", "With one sample the probability vanishes as objectives are added",
              "p^L", "the 95 % bootstrap interval of each difference is above 0", vanishing,
              "p^4 is 0.0006 and p^8 0.0000004: beyond four objectives the samples are too few to "
              "tell.",
              kind="check"),
        reported("weighted", "weighted", "How often a fixed arm is optimistic in a weighted sum"),
        reported("best-arm", "best_arm", "How often the best weighted sample is at least the best weighted true mean"),
    ),
)  # fmt: skip
