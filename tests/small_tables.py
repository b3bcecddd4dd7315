"""Small tables, made by hand, with the columns that `simulate` writes."""

import polars as pl
import pytest

from mobandits_papers.paretobandit2026 import published
from mobandits_papers.paretobandit2026.budgets import MIXTURE, OPEN
from mobandits_papers.paretobandit2026.source import PUBLISHED

COLUMNS = ["experiment", "environment", "policy", "trial", "round", "metric", "component", "value"]
MODELS = {
    "cheap": (0.001, 0.70),
    "middle": (0.01, 0.90),
    "dear": (0.1, 0.92),
}  # dollars per prompt, quality


def make_table(rows):
    return pl.DataFrame(rows, COLUMNS, orient="row")


@pytest.fixture
def table():
    """Two policies, three trials, two rounds, one metric."""
    rows = [
        ("x", "World()", policy, trial, at, "pareto_regret", 0, at * (trial + 1.0) * factor)
        for policy, factor in (("b", 1.0), ("a", 2.0))
        for trial in range(3)
        for at in (10, 20)
    ]
    return make_table(rows)


@pytest.fixture
def make_demo():
    """A demonstration with three models, seven budgets and two logs; `gain` is what the router is worth."""

    def make(gain=0.02, models=MODELS):
        metrics = {
            (OPEN, "quality"): [0.8 + 0.02 * i + gain for i in range(7)],
            (OPEN, "spending"): [1.0] * 7,
            (MIXTURE, "quality"): [0.8 + 0.02 * i for i in range(7)],
            (PUBLISHED, "quality"): [each.quality for each in published.BUDGETS],
            (PUBLISHED, "spending"): [each.spending for each in published.BUDGETS],
        }
        for name, (dollars, quality) in models.items():
            metrics[f"always {name}", "quality"] = [quality]
            metrics[f"always {name}", "dollars"] = [1000.0 * dollars]
        rows = [
            ("demo", "World()", policy, log, 100, metric, component, value + 0.001 * log)
            for log in range(2)
            for (policy, metric), values in metrics.items()
            for component, value in enumerate(values)
        ]
        specification = {
            "experiment": "demo",
            "environment": "World()",
            "policies": {OPEN: "Paced()"},
            "budgets": [each.budget for each in published.BUDGETS],
            "logged": 60,
            "rounds": 100,
            "trials": 2,
            "seed": 0,
            "router": {"file": "router.agent", "budget": 0.664},
        }
        return make_table(rows), specification

    return make


@pytest.fixture
def manifest():
    """What a finished run says about itself."""

    def make(specification):
        return {
            "format": 1,
            "kind": "run",
            "status": "finished",
            "specification": specification,
            "versions": {"mobandits": "0"},
            "machine": {"cores": 2},
            "sessions": [{"started": "2020-01-01T00:00:00+00:00", "trials": 3, "seconds": 1.5}],
            "results_sha256": "0",
        }

    return make
