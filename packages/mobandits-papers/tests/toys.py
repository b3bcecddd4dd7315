"""Small experiments with cheap policies."""

import polars as pl

from mobandits.environments import Linear
from mobandits.policies import RandomChoice, SingleArm
from mobandits_papers import reproduce
from mobandits_papers.claims import level, ordering
from mobandits_papers.experiment import Computed, Experiment, Plot, Run, Tuned

WORLD = Linear(arms=4, features=2, objectives=2, fixed_arms=True)
GRID = {f"arm = {arm}": SingleArm(arm) for arm in range(4)}


class Renamed:
    """An outcome in which some rows stand for others, as `Outcome.renamed` has it."""

    def __init__(self, outcome, names):
        self._outcome, self._names = outcome, names

    def __getattr__(self, name):
        return getattr(self._outcome, name)

    def metrics(self, run, row):
        return self._outcome.metrics(run, self._names.get(row, row))

    def components(self, run, row, metric):
        return self._outcome.components(run, self._names.get(row, row), metric)

    def curves(self, run, row, metric, component=0):
        return self._outcome.curves(run, self._names.get(row, row), metric, component)


def squares(trial, ask):
    """A part that is no simulation."""
    rows = [("square", at, "squares", 0, float(at * at)) for at in (1, 2, 3)]
    return pl.DataFrame(rows, ["policy", "round", "metric", "component", "value"], orient="row")


def small(name, **changed):
    """An experiment with a tuned row, a plain one, and a computed part."""
    said = {
        "rounds": 30,
        "trials": 4,
        "metrics": ("pareto_regret", "reward"),
        "record": 3,
        "tuning_trials": 2,
    }
    rows = {"single": Tuned(GRID), "uniform": RandomChoice()}
    claims = (
        ordering(
            f"{name}/low",
            "single is below uniform.",
            "pareto_regret",
            ("single",),
            ("uniform",),
            runs=("W",),
        ),
        level(
            f"{name}/square", "The square.", "squares", ("square",), target="9", runs=("squares",)
        ),
    )
    return Experiment(
        name,
        f"Title of {name}",
        "nowhere",
        ("About.",),
        [Run("W", WORLD, rows, **(said | changed)), Computed("squares", squares)],
        [
            Plot("regret", "pareto_regret", "Regret.", runs=("W",)),
            Plot("sq", "squares", "Squares.", kind="bars"),
        ],
        claims,
    )


def without_pages(monkeypatch):
    """Figures and pages are not written."""
    for name in ("paper_page", "write_page", "write_index"):
        monkeypatch.setattr(reproduce, name, lambda folder, *_: folder / "report.html")
