"""The experiments of paretobandit2026: seven budgets, and three scenarios.

They are played on the published prompts, or on two files of the same form.
"""

from collections.abc import Sequence

from mobandits_papers.experiment import Experiment
from mobandits_papers.paretobandit2026 import budgets
from mobandits_papers.paretobandit2026.budgets import budgets_experiment
from mobandits_papers.paretobandit2026.routing import RoutingFiles
from mobandits_papers.paretobandit2026.scenarios import LEAST_MODELS, scenario_experiments
from mobandits_papers.paretobandit2026.source import Source, published_source, source_of_files


def _experiments_on(source: Source) -> tuple[Experiment, ...]:
    return budgets_experiment(source), *scenario_experiments(source)


EXPERIMENTS = _experiments_on(published_source())


def experiments_on_files(files: RoutingFiles, ids: Sequence[str]) -> list[Experiment]:
    """Experiments on two files, with the claims that do not rest on the published prompts.

    Args:
        files: with at least three models, or two where only the budgets are asked for.
        ids: of some of `EXPERIMENTS`, in their order.

    Raises:
        ValueError: in one line, where a file does not fit.
    """
    source = source_of_files(files)
    models = source.routing().models
    if len(models) < LEAST_MODELS and set(ids) != {budgets.ID}:
        raise ValueError(
            f"the scenarios of paretobandit2026 need files with at least {LEAST_MODELS} models, got "
            f"{len(models)}: ask for {budgets.ID} alone"
        )

    return [one for one in _experiments_on(source) if one.id in ids]
