"""The demonstration on real data: which language model should answer this prompt?"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Recipe
from mobandits.demo.hindsight import hindsight
from mobandits.demo.page import demo_page
from mobandits.environments import LlmRouting
from mobandits.figures.page import write_page
from mobandits.orders import Weighted
from mobandits.policies import (
    MolEpsGreedy,
    MolTs,
    MolUcb,
    MoslbPl,
    RandomChoice,
    ScalarizedUcb1,
    SingleArm,
)
from mobandits.simulation import PreferenceSweep, simulate
from mobandits.simulation.collection import RUNS, check_collection, collect
from mobandits.simulation.files import locked
from mobandits.support.checks import integer
from mobandits.support.naming import short_repr

NAME = "demo"
TRIALS = 30
QUICK = 4
POINTS = 60  # recorded rounds
METRICS = ("pareto_regret", "effective_pareto_regret", "reward", "dollars", "plays")
TEXT = LlmRouting()
CONSTANT = LlmRouting(text_features=0)
PROMPTS = LlmRouting.max_rounds

SCALE = 1.0
EPSILON = 10.0
ALPHA = 0.05
CONSTANTS = [
    (
        "Scale 1 of MOL-TS and MOL-UCB: rewards are at most 1 and contexts have norm 1, so that a model that was never "
        "tried is believed to pay up to 1, and nothing is written off unseen. With 0.1 both got stuck on one or two "
        "models in some of the other orders, and MOL-UCB with 0.3 too; 3 had a higher regret."
    ),
    "Epsilon 0.05 of MOL-eps-Greedy and scale 1 of Scalarized-UCB1 are those of their papers.",
    (
        "Epsilon 10 of MOSLB-PL, which explores uniformly while some interval is wider: for about 230 prompts. Its "
        "default, 3.4, explores for about 3,100 of them, because 33 features have to be learned for every model. Alpha "
        "0.05 makes the intervals after that about as wide as those of the others."
    ),
]

BALANCED: dict[str, Recipe] = {
    "MOL-TS": MolTs(scale=SCALE),
    "MOL-UCB": MolUcb(scale=SCALE),
    "MOL-eps-Greedy": MolEpsGreedy(),
}
LEARNERS: dict[str, Recipe] = {
    **BALANCED,
    "MOSLB-PL, quality first": MoslbPl(levels=((0,), (1,)), epsilon=EPSILON, alpha=ALPHA),
    "MOSLB-PL, cost first": MoslbPl(levels=((1,), (0,)), epsilon=EPSILON, alpha=ALPHA),
    "Scalarized-UCB1": ScalarizedUcb1(),
}
CHANCE: dict[str, Recipe] = {"random": RandomChoice()}
MODELS: dict[str, Recipe] = {
    f"always {model}": SingleArm(arm) for arm, model in enumerate(LlmRouting.models)
}
READER = "MOL-UCB, read"
WEIGHTS = [(tenths / 10, (10 - tenths) / 10) for tenths in range(11)]  # of quality and of cost

Progress = Callable[[int, int], None]


def run(
    out: str | Path,
    quick: bool = False,
    workers: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Path:
    """Play, record and explain the demonstration in a folder; after an interruption, the same call continues.

    A trial is one random order of the 3,609 prompts, and every policy learns online from its own choices only. One
    table holds all policies with the prompts' text as context; eleven weights that read the beliefs of one MOL-UCB
    learner; that learner and the best balanced one with a constant as context, on the same orders; and the best model
    per prompt in hindsight.

    Args:
        out: a folder of its own: `results.parquet`, `manifest.json`, `figures/`, `report.html`, and `runs/`.
        quick: fewer trials; a full run may follow in the same folder.
        workers: threads; None: one per processor.
        seed: of the orders and of the policies, at least 0.
        progress: called with the rounds played and how many there will be.

    Returns:
        The page.

    Raises:
        MissingExtraError: where the extra `data` is not installed.
        FolderError: where `out` holds something else.
    """
    integer("seed", seed, at_least=0)
    out = Path(out)
    trials = QUICK if quick else TRIALS
    # Before a folder is made: the data and the features of the prompts' text need the extra `data`.
    TEXT.problem(1, np.random.default_rng(seed))

    def play(
        policies: Mapping[str, Recipe | PreferenceSweep],
        environment: LlmRouting,
        folder: Path,
        half: int,
    ) -> pl.DataFrame:
        return simulate(
            policies,
            environment,
            rounds=PROMPTS,
            trials=trials,
            seed=seed,
            metrics=METRICS,
            record=POINTS,
            workers=workers,
            experiment=NAME,
            out=folder,
            progress=progress and (lambda done, total: progress(done + half * total, 2 * total)),
        ).table

    with locked(out):
        check_collection(out, NAME)
        (out / RUNS).mkdir(exist_ok=True)
        reader = {
            READER: PreferenceSweep(
                MolUcb(scale=SCALE), {reading(weights): Weighted(weights) for weights in WEIGHTS}
            )
        }
        text = out / RUNS / "text"
        table = play({**LEARNERS, **CHANCE, **MODELS, **reader}, TEXT, text, 0)
        best = best_of(table, list(BALANCED))
        constant = out / RUNS / f"constant-{best.lower()}"
        again = play({best: BALANCED[best], **reader}, CONSTANT, constant, 1)
        known = hindsight(
            TEXT, {f"hindsight, {reading(weights)}": weights for weights in WEIGHTS}, NAME
        )
        whole = pl.concat([table, again, known], rechunk=True)
        manifest = collect(out, NAME, whole, specification(trials, seed, best), [text, constant])
        return write_page(out, demo_page(out, whole, manifest))


def reading(weights: tuple[float, float]) -> str:
    """The name of the row that reads with these weights."""
    return f"weight {weights[0]:g}"


def best_of(table: pl.DataFrame, rows: list[str]) -> str:
    """The row with the lowest mean final effective Pareto regret, the first of several."""
    last = (pl.col("metric") == "effective_pareto_regret") & (
        pl.col("round") == pl.col("round").max()
    )
    regret = dict(table.filter(last).group_by("policy").agg(pl.col("value").mean()).rows())
    return min(rows, key=lambda row: float(regret[row]))


def specification(trials: int, seed: int, best: str) -> dict[str, Any]:
    """What the page needs to know about the rows of the table, and what was asked for."""
    roles = {"learner": LEARNERS, "chance": CHANCE, "model": MODELS, "reader": [READER]}
    rows: list[dict[str, Any]] = [
        {"policy": row, "role": role, "weight": None}
        for role, group in roles.items()
        for row in group
    ]
    for role, prefix in (("reading", ""), ("hindsight", "hindsight, ")):
        rows += [
            {"policy": prefix + reading(weights), "role": role, "weight": weights[0]}
            for weights in WEIGHTS
        ]
    return {
        "experiment": NAME,
        "rounds": PROMPTS,
        "trials": trials,
        "seed": seed,
        "models": list(LlmRouting.models),
        "text": short_repr(TEXT),
        "constant": short_repr(CONSTANT),
        "balanced": list(BALANCED),
        "best": best,
        "constants": CONSTANTS,
        "rows": rows,
    }
