"""The protocol of every paper, under its key."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from mobandits.support.checks import choice, integer
from mobandits_papers.mocmab2018 import checks as mocmab2018
from mobandits_papers.moglb2019 import checks as moglb2019
from mobandits_papers.molts2025 import checks as molts2025
from mobandits_papers.moslb2024 import checks as moslb2024
from mobandits_papers.pcz2018 import checks as pcz2018
from mobandits_papers.protocol.protocol import Finding, Report, repeat

RUNS = 200
ROUNDS = 2000

PAPERS: dict[str, Callable[..., Sequence[Finding]]] = {
    "mocmab2018": mocmab2018.one_run,
    "moglb2019": moglb2019.one_run,
    "molts2025": molts2025.one_run,
    "moslb2024": moslb2024.one_run,
    "pcz2018": pcz2018.one_run,
}


def check_theorems(
    paper: str,
    *,
    runs: int = RUNS,
    rounds: int = ROUNDS,
    seed: int = 0,
    workers: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Report:
    """The theorems of a paper: how often events fail, and whether what follows is ever false.

    Args:
        paper: its key, one of `PAPERS`.
        runs: independent ones, each with a problem of its own.
        rounds: of each run.
        seed: of all runs together.
        workers: threads; None: one per processor.
        progress: called with the runs that are done, and how many there will be.

    Raises:
        ValueError: where the paper is unknown, or a number makes no sense.

    Example:
        >>> report = check_theorems("mocmab2018", runs=2, rounds=100)
        >>> report.holds, report.counts[0].name
        (True, 'bumps: means within u + v, in all rounds')
    """
    choice("PAPER", paper, PAPERS)
    integer("rounds", rounds, at_least=2)
    integer("seed", seed, at_least=0)
    one_run = partial(PAPERS[paper], rounds=rounds, seed=seed)

    return repeat(paper, one_run, runs, workers=workers, progress=progress)
