"""Small tables, made by hand, with the columns that `simulate` writes."""

import math

import numpy as np
import polars as pl
import pytest

from mobandits.demo import deployment

COLUMNS = ["experiment", "environment", "policy", "trial", "round", "metric", "component", "value"]
MODELS = {
    "cheap": (0.001, 0.70),
    "middle": (0.01, 0.90),
    "dear": (0.1, 0.92),
}  # dollars per prompt, quality
WEIGHTS = (0.0, 0.5, 1.0, 0.25, 0.75)


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


def routing(environment, policy, trial, dollars, quality, regret, plays):
    """One policy's rows in one trial: everything grows evenly over ten recorded rounds."""
    for at in range(10, 101, 10):
        values = [
            ("dollars", 0, dollars),
            ("reward", 0, quality),
            ("reward", 1, 1.0 + math.log10(dollars) / 4),
        ]
        values += [("pareto_regret", 0, regret / 2), ("effective_pareto_regret", 0, regret)]
        values += [("plays", arm, share) for arm, share in enumerate(plays)]
        for metric, component, value in values:
            yield "demo", environment, policy, trial, at, metric, component, at * value


@pytest.fixture
def make_demo():
    """A demonstration with three models, a learner, a reader and five weights; `gain` is what the text is worth."""

    def make(gain=0.02, trials=3):
        rows, said = [], []
        weights = sorted(WEIGHTS)
        for trial in range(trials):
            luck = 0.0001 * (trial - 1)
            for arm, (name, (dollars, quality)) in enumerate(MODELS.items()):
                plays = [float(arm == other) for other in range(3)]
                rows += routing(
                    "Text()", f"always {name}", trial, dollars, quality, 0.1 * arm, plays
                )
            for environment, extra in (("Text()", gain), ("Constant()", 0.0)):
                rows += routing(
                    environment,
                    "L",
                    trial,
                    0.03,
                    0.85 + luck,
                    0.3 - extra + 2 * luck,
                    [0.5, 0.3, 0.2],
                )
                for weight in weights:
                    dollars = 0.001 * 100**weight
                    quality = 0.70 + 0.2 * min(weight * 2, 1.0) + extra + luck * (1 + weight)
                    rows += routing(
                        environment,
                        f"weight {weight:g}",
                        trial,
                        dollars,
                        quality,
                        0.1,
                        [0.5, 0.3, 0.2],
                    )
        for weight in weights:
            rows += list(
                routing(
                    "Text()", f"hindsight, weight {weight:g}", 0, 0.002, 0.95, 0.0, [1.0, 0.0, 0.0]
                )
            )[-8:]
        said += [{"policy": f"always {name}", "role": "model", "weight": None} for name in MODELS]
        said += [{"policy": "L", "role": "learner", "weight": None}]
        for role, prefix in (("reading", ""), ("hindsight", "hindsight, ")):
            said += [
                {"policy": f"{prefix}weight {weight:g}", "role": role, "weight": weight}
                for weight in weights
            ]
        specification = {
            "experiment": "demo",
            "rounds": 100,
            "logs": 2,
            "first": 60,
            "second": 40,
            "trials": trials,
            "seed": 0,
            "models": list(MODELS),
            "text": "Text()",
            "constant": "Constant()",
            "balanced": ["L", "M"],
            "best": "L",
            "constants": ["Chosen <before>."],
            "rows": said,
            "runs": [
                {
                    "environment": "Text()",
                    "policies": {"L": "L(1)"},
                    "rounds": 100,
                    "trials": trials,
                    "seed": 0,
                },
            ],
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


def write_deployments(directory):
    """What a demonstration says of policies that learned from a log, with outcomes drawn at random."""
    rng = np.random.default_rng(0)
    policies = [(f"always {name}", None, 0) for name in deployment.MODELS]
    for budget in deployment.BUDGETS:
        for trial in range(2):
            policies += [("deployed", budget, trial), ("mixture", budget, trial)]
    frames = []
    for i, (policy, budget, trial) in enumerate(policies):
        outcomes = {"quality": rng.random(40), "dollars": rng.random(40) * 1e-4 * (1 + i % 3)}
        who = {"policy": policy, "budget": budget, "trial": trial, "prompt": range(40)}
        frames.append(pl.DataFrame(who | outcomes).cast(deployment.SCHEMA))
    pl.concat(frames).write_parquet(directory / "deployments.parquet")
