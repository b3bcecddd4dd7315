"""Every built-in environment keeps every promise of `mobandits.testing`: one row each."""

from pathlib import Path

import numpy as np
import pytest

from mobandits import environments
from mobandits.environments import (
    Bumps,
    DisplayAds,
    GeneralizedLinear,
    Linear,
    LlmRouting,
    Logged,
    MedicalDiagnosis,
    MultiArmed,
    Multichannel,
    Multilabel,
    NetworkRouting,
    PeriodicBumps,
    Recommendation,
    RoughLinear,
    TwoRidgesGrid,
)
from mobandits.testing import EnvironmentCase

DATA = Path(__file__).parent.parent / "data"
SAMPLE, LABELLED = DATA / "r6a_sample.gz", DATA / "multilabel.csv"

CASES = [
    EnvironmentCase(Bumps()),
    EnvironmentCase(
        Bumps(centres=(((0, 0), None, (1, 1)), (None, (0.5, 0.5), None)), variance=0.05)
    ),
    EnvironmentCase(PeriodicBumps(period=100)),
    EnvironmentCase(PeriodicBumps(period=100, clock=True)),
    EnvironmentCase(DisplayAds()),
    EnvironmentCase(DisplayAds(SAMPLE)),
    EnvironmentCase(GeneralizedLinear(features=3)),
    EnvironmentCase(
        GeneralizedLinear(features=2, arms=5, links=("identity", "logit"), fixed_arms=False)
    ),
    EnvironmentCase(Logged(np.random.default_rng(0).random((300, 4, 3)))),
    EnvironmentCase(MedicalDiagnosis()),
    EnvironmentCase(MedicalDiagnosis(components=5, constant=False)),
    EnvironmentCase(MultiArmed()),
    EnvironmentCase(MultiArmed([[2, -1], [0, 1]], "gaussian", noise=0.3)),
    EnvironmentCase(Multichannel()),
    EnvironmentCase(Multichannel(rate=0.25)),
    EnvironmentCase(Multilabel(LABELLED, ("common", "usual", "rare"), components=2)),
    EnvironmentCase(Multilabel(LABELLED, ("common", "rare"), components=None)),
    EnvironmentCase(NetworkRouting()),
    EnvironmentCase(NetworkRouting(paths=3, measured=4, precision=0.5, constant=False)),
    EnvironmentCase(Recommendation()),
    EnvironmentCase(RoughLinear(arms=6, degrees=3)),
    EnvironmentCase(RoughLinear(arms=6, period=100)),
    EnvironmentCase(Recommendation(items=3, features=1, width=2.0, constant=False)),
    EnvironmentCase(Linear(arms=6, features=3, objectives=2)),
    EnvironmentCase(
        Linear(arms=6, features=3, objectives=2, fixed_arms=True, theta="ball", round_decimals=2)
    ),
    EnvironmentCase(Linear(arms=4, context_law="gauss_clipped", noise=0.1)),
    EnvironmentCase(LlmRouting(text_features=0)),
    EnvironmentCase(TwoRidgesGrid(points=7)),
]
CONTINUUM = {"TwoRidges"}  # tests/environments/test_two_ridges.py has what corresponds for these


@pytest.mark.long
@pytest.mark.parametrize(
    ("case", "check"), [(case, check) for case in CASES for check in case.checks], ids=str
)
def test_promise(case, check):
    case.check(check)


def test_every_environment_has_a_row():
    public = {
        name for name in environments.__all__ if hasattr(getattr(environments, name), "problem")
    }
    assert {type(case.environment).__name__ for case in CASES} == public - CONTINUUM
