"""The demonstration on real data: which language model should answer this prompt?"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Recipe
from mobandits.demo.deployment import deployments
from mobandits.demo.hindsight import hindsight
from mobandits.demo.page import DEPLOYMENTS, demo_page
from mobandits.environments import LlmRouting
from mobandits.environments.llm_routing import FIRST
from mobandits.figures.contents import Manifest
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
from mobandits.simulation import PreferenceSweep, finished, simulate
from mobandits.simulation.collection import RUNS, check_collection, collect
from mobandits.simulation.files import locked
from mobandits.support.checks import integer
from mobandits.support.files import replacing
from mobandits.support.naming import short_repr

NAME = "demo"
TRIALS = 30
QUICK = 4
LOGS = 20
PARTS = 3  # deployments, orders with the text as context, and orders with a constant
DEPLOYED_PROMPTS = None  # of each file; None: all
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
        "Scale 1 of MOL-TS and MOL-UCB: rewards are at most 1 and contexts have norm 1, so that a "
        "model that was never tried is believed to pay up to 1, and nothing is written off unseen. "
        "With 0.1 both got stuck on one or two models in some of the other orders, and MOL-UCB "
        "with 0.3 too; 3 had a higher regret."
    ),
    "Epsilon 0.05 of MOL-eps-Greedy and scale 1 of Scalarized-UCB1 are those of their papers.",
    (
        "Epsilon 10 of MOSLB-PL, which explores uniformly while some interval is wider: for about "
        "230 prompts. Its default, 3.4, explores for about 3,100 of them, because 33 features have "
        "to be learned for every model. Alpha 0.05 makes the intervals after that about as wide as "
        "those of the others."
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
    """Play, record and explain the demonstration in a folder.

    After an interruption, the same call continues. First, what one would really do: policies learn
    from a log of the first file of prompts, and are deployed on the second with a budget. Then a
    hard case, from nothing: a trial is one random order of the 3,609 prompts, and every policy
    learns online from its own choices only. One table holds all policies with the prompts' text as
    context; eleven weights that read the beliefs of one MOL-UCB learner; that learner and the best
    balanced one with a constant as context, on the same orders; and the best model per prompt in
    hindsight.

    Args:
        out: a folder of its own: `results.parquet`, `deployments.parquet`, `manifest.json`,
            `figures/`, `report.html`, and `runs/`.
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
        part: int,
    ) -> pl.DataFrame:
        results = simulate(
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
            progress=progress_of_part(progress, part),
        )
        return results.table

    # Two runs in one folder would write over each other's results.
    with locked(out):
        check_collection(out, NAME)
        runs = out / RUNS
        runs.mkdir(exist_ok=True)
        write_deployments(out, trials, seed, progress_of_part(progress, 0))
        readings = {reading(weights): Weighted(weights) for weights in WEIGHTS}
        reader = {READER: PreferenceSweep(MolUcb(scale=SCALE), readings)}

        text_folder = runs / "text"
        policies = {**LEARNERS, **CHANCE, **MODELS}
        text_table = play({**policies, **reader}, TEXT, text_folder, 1)

        # One learner without the text is enough to see what the text is worth: the best one.
        best = best_learner(text_table, list(BALANCED))
        constant_folder = runs / f"constant-{best.lower()}"
        constant_table = play({best: BALANCED[best], **reader}, CONSTANT, constant_folder, 2)

        known_rows = {f"hindsight, {reading(weights)}": weights for weights in WEIGHTS}
        known_table = hindsight(TEXT, known_rows, NAME)
        whole = pl.concat([text_table, constant_table, known_table], rechunk=True)
        described = demo_specification(trials, seed, best)
        collected = collect(out, NAME, whole, described, [text_folder, constant_folder])
        page = demo_page(out, whole, cast("Manifest", collected))
        return write_page(out, page)


def is_finished(out: str | Path, quick: bool = False, seed: int = 0) -> bool:
    """Whether a folder has all that `run` would make.

    Args:
        out: the folder, which need not exist.
        quick: as in `run`.
        seed: as in `run`.

    Raises:
        FolderError: where the folder holds something that cannot be read.
    """
    folder = Path(out)
    trials = QUICK if quick else TRIALS
    # Which learner was the best one is what a run finds out.
    wanted = demo_specification(trials, seed, "")
    has_deployments = (folder / DEPLOYMENTS).exists()

    return has_deployments and finished.is_finished(folder, wanted, unless=["best"])


def write_deployments(out: Path, trials: int, seed: int, progress: Progress | None) -> None:
    """Write the table of deployments, unless it is there with as many trials."""
    file = out / DEPLOYMENTS
    logs = min(trials, LOGS)
    if file.exists():
        written = pl.read_parquet(file, columns=["trial"])
        if written["trial"].n_unique() == logs:
            return

    def report(done: int, total: int) -> None:
        # A log and what comes after it are as many prompts as an order of all of them.
        if progress is not None:
            progress(done * trials * PROMPTS // total, trials * PROMPTS)

    table = deployments(logs, seed, report, DEPLOYED_PROMPTS)
    with replacing(file, private=False) as temporary:
        table.write_parquet(temporary)


def progress_of_part(progress: Progress | None, part: int) -> Progress | None:
    """The report on one of three parts of the same size, as one on all together."""
    if progress is None:
        return None

    def report(done: int, total: int) -> None:
        done_before = part * total
        progress(done_before + done, PARTS * total)

    return report


def reading(weights: tuple[float, float]) -> str:
    """The name of the row that reads with these weights."""
    weight_of_quality, _ = weights
    return f"weight {weight_of_quality:g}"


def best_learner(table: pl.DataFrame, rows: list[str]) -> str:
    """The row with the lowest mean final effective Pareto regret, the first of several."""
    of_regret = pl.col("metric") == "effective_pareto_regret"
    at_end = pl.col("round") == pl.col("round").max()
    final = table.filter(of_regret & at_end)
    by_policy = final.group_by("policy")
    means = by_policy.agg(pl.col("value").mean())
    regret = dict(means.rows())

    def regret_of(row: str) -> float:
        return float(regret[row])

    return min(rows, key=regret_of)


def demo_specification(trials: int, seed: int, best: str) -> dict[str, Any]:
    """What the page needs to know about the rows of the table, and what was asked for."""
    return {
        "experiment": NAME,
        "rounds": PROMPTS,
        "trials": trials,
        "logs": min(trials, LOGS),
        "first": FIRST,
        "second": PROMPTS - FIRST,
        "seed": seed,
        "models": list(LlmRouting.models),
        "text": short_repr(TEXT),
        "constant": short_repr(CONSTANT),
        "balanced": list(BALANCED),
        "best": best,
        "constants": CONSTANTS,
        "rows": described_rows(),
    }


def described_rows() -> list[dict[str, Any]]:
    """The policy, the role and the weight of quality of every row of the table."""
    # Figures and tables show the rows in this order.
    rows: list[dict[str, Any]] = []
    roles = {"learner": LEARNERS, "chance": CHANCE, "model": MODELS, "reader": [READER]}
    for role, group in roles.items():
        rows += [{"policy": row, "role": role, "weight": None} for row in group]

    for role, prefix in (("reading", ""), ("hindsight", "hindsight, ")):
        for weights in WEIGHTS:
            row = prefix + reading(weights)
            rows.append({"policy": row, "role": role, "weight": weights[0]})

    return rows
