"""The demonstration on real prompts: a router that keeps a budget, beside mixtures of models."""

from pathlib import Path
from typing import Any, cast

import polars as pl

from mobandits.environments import LlmRouting
from mobandits.environments.llm_routing import FIRST
from mobandits.figures.contents import Manifest
from mobandits.figures.page import write_page
from mobandits.simulation import folder as folders
from mobandits.simulation.folder import Folder
from mobandits.support.checks import integer
from mobandits.support.naming import short_repr
from mobandits.support.progress import ProgressCallback
from mobandits_papers.demo.page import demo_page
from mobandits_papers.demo.results import ALWAYS, DOLLARS
from mobandits_papers.experiment import RunOptions
from mobandits_papers.paretobandit2026 import published
from mobandits_papers.paretobandit2026.budgets import OPEN, ROUTERS, budget_rows
from mobandits_papers.paretobandit2026.routing import (
    THOUSAND,
    Routing,
    published_routing,
    router,
    uniform_log,
)
from mobandits_papers.paretobandit2026.source import QUALITY, published_source, stream
from mobandits_papers.rows import labelled, rows_of

NAME = "demo"
LOGS = published.SEEDS
QUICK = 4
PROMPTS = published.PROMPTS
ROUTER = "router.agent"
ROUTER_BUDGET = 0.664  # US dollars per 1,000 prompts, the middle one of seven


def run(
    out: str | Path,
    quick: bool = False,
    seed: int = 0,
    progress: ProgressCallback | None = None,
) -> Path:
    """Play, record and explain the demonstration in a folder.

    A router learns a log of the first file of prompts, each answered by one model. Then it routes
    the prompts of the second file under each of seven budgets, as in the experiment
    paretobandit2026/budgets. After an interruption, the same call continues.

    Args:
        out: a folder of its own: `results.parquet`, `manifest.json`, `budgets.csv`, `figures/`,
            `router.agent` and `report.html`.
        quick: fewer logs; a full run may follow in the same folder.
        seed: of the logs and of the orders of the prompts, at least 0.
        progress: called with the prompts that are routed and how many there will be.

    Returns:
        The page.

    Raises:
        MissingExtraError: where the extra `data` is not installed.
        FolderError: where `out` holds something else.
    """
    integer("seed", seed, at_least=0)
    folder = Path(out)
    logs = QUICK if quick else LOGS
    options = RunOptions(rounds=PROMPTS, seed=seed)
    routed = PROMPTS * len(published.BUDGETS)  # with every log
    # Before a folder is made: the data and the features of the prompts' text need the extra `data`.
    routing = published_routing()
    with Folder(folder, demo_specification(logs, seed), NAME) as store:
        store.begin()
        for log in range(logs):
            if log not in store.finished:
                store.keep(log, log_rows(routing, log, options))
            if progress is not None:
                progress((log + 1) * routed, logs * routed)

        save_router(folder / ROUTER, routing, options)
        table = store.finish()
        page = demo_page(folder, table, cast("Manifest", store.manifest))
        return write_page(folder, page)


def is_finished(out: str | Path, quick: bool = False, seed: int = 0) -> bool:
    """Whether a folder has all that `run` would make.

    Args:
        out: the folder, which need not exist.
        quick: as in `run`.
        seed: as in `run`.

    Raises:
        FolderError: where the folder holds something that cannot be read.
    """
    logs = QUICK if quick else LOGS
    return folders.is_finished(Path(out), demo_specification(logs, seed))


def log_rows(routing: Routing, log: int, options: RunOptions) -> pl.DataFrame:
    """The rows of one log: the router under every budget, mixtures, published numbers, models."""
    routers = {OPEN: ROUTERS[OPEN]}
    budgets = budget_rows(published_source(), log, options, routers)
    rows = pl.concat([budgets, *model_rows(routing)])
    return labelled(rows, NAME, short_repr(LlmRouting()), log)


def model_rows(routing: Routing) -> list[pl.DataFrame]:
    """The quality and the cost of every model that answers all prompts by itself."""
    prompts = routing.second
    qualities = prompts.quality.mean(axis=0)
    dollars = THOUSAND * prompts.dollars.mean(axis=0)
    frames = []
    for model, quality, cost in zip(routing.models, qualities, dollars, strict=True):
        row = f"{ALWAYS}{model}"
        frames.append(rows_of(row, QUALITY, [quality], PROMPTS))
        frames.append(rows_of(row, DOLLARS, [cost], PROMPTS))

    return frames


def save_router(file: Path, routing: Routing, options: RunOptions) -> None:
    """Save the router that has learned the first log, before it routes a prompt."""
    log = uniform_log(routing, stream(options, 0))
    agent = router(routing, log, ROUTER_BUDGET / THOUSAND)
    agent.save(file)


def demo_specification(logs: int, seed: int) -> dict[str, Any]:
    """The specification of the table, for its manifest."""
    recipe, _ = ROUTERS[OPEN]
    return {
        "experiment": NAME,
        "environment": short_repr(LlmRouting()),
        "policies": {OPEN: f"Paced({short_repr(recipe)}, {{'cost': budget}})"},
        "budgets": [each.budget for each in published.BUDGETS],
        "logged": FIRST,
        "rounds": PROMPTS,
        "trials": logs,
        "seed": seed,
        "router": {"file": ROUTER, "budget": ROUTER_BUDGET},
    }
