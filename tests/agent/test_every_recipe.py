"""Agents of every recipe: propensities are frequencies, what is drawn is declared, and files keep all of it."""

import functools
import json
import math
import os
import subprocess
import sys
import warnings
from pathlib import Path

import every_recipe
import pytest
from every_recipe import CASES, DRAWS, SAMPLES
from scipy import stats

from mobandits import policies
from mobandits.agent.parts import comparing
from mobandits.compiling.backend import INTERPRETED
from mobandits.contracts.protocols import Recipe, Shape

INDEX = range(len(CASES))
NAMES = [str(case) for case in CASES]


AT_ONCE = 12  # cases of one process: where several share the tests, none needs all of them
# A case's tests come one after the other, so that they need one report.
EVERY = pytest.mark.parametrize("i", INDEX, ids=NAMES, scope="module")


@pytest.fixture(scope="module")
def said_of(tmp_path_factory):
    """What interpreted processes have to say: of cases from a row on, or without rows of preferences."""

    @functools.cache
    def reports(*rows):
        path = [str(Path(every_recipe.__file__).parent), *(p or str(Path.cwd()) for p in sys.path)]
        environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(path)}
        folder = str(tmp_path_factory.mktemp("agents"))
        command = [sys.executable, every_recipe.__file__, folder, *map(str, rows)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        return [json.loads(line) for line in done.stdout.splitlines()]

    return reports


@pytest.fixture
def report(said_of, i):
    """Of one case."""
    first = i // AT_ONCE * AT_ONCE
    return said_of(first, first + AT_ONCE)[i - first]


@pytest.fixture
def swaps(said_of):
    """Of agents that are given another order."""
    return said_of()[0]


def check_frequencies(report):
    for one in report["frequencies"]:
        eligible, counts = one["eligible"], one["counts"]
        assert sum(counts) == sum(counts[arm] for arm in eligible) == DRAWS
        for arm, propensity, error, front in one["said"]:
            assert arm in front
            assert set(front) <= set(eligible)
            assert 0.0 < propensity <= 1.0
            assert error >= 0.0
        (check_sampled if report["chance"][0] else check_exact)(one)


def check_exact(one):
    """The same law in every decision, and the arms follow it."""
    law = {arm: propensity for arm, propensity, *_ in one["said"]}
    assert all((law[arm], 0.0) == (propensity, error) for arm, propensity, error, _ in one["said"])
    assert len({tuple(front) for *_, front in one["said"]}) == 1
    rest = 1.0 - sum(law.values())
    assert rest > -1e-9
    assert rest < 0.05  # nothing that is likely was never played
    seen, expected = [one["counts"][arm] for arm in law], [DRAWS * p for p in law.values()]
    if rest > 1e-9:
        seen, expected = [*seen, 0], [*expected, DRAWS * rest]
    if len(seen) > 1:
        assert stats.chisquare(seen, expected).pvalue > 1e-5


def check_sampled(one):
    """Within the standard error that is said, that of the frequency, and the weight of the belief that was played."""
    for arm, propensity, error, _ in one["said"]:
        often = one["counts"][arm] / DRAWS
        slack = 5.0 * math.hypot(error, math.sqrt(often * (1.0 - often) / DRAWS)) + 2.0 / SAMPLES
        assert abs(propensity - often) < slack


def check_explained(case, report):
    shape = Shape(every_recipe.K, case.features, every_recipe.L, every_recipe.ROUNDS, case.shared)
    if comparing(case.recipe.bind(shape)) is None:
        name = type(case.recipe).__name__
        assert (
            report["explained"] == f"{name} has no estimates per arm and objective to explain it by"
        )
    else:
        assert report["explained"] == []


def check_all(case, report):
    check_frequencies(report)
    check_explained(case, report)
    assert report["chance"][0] == report["chance"][1]
    assert report["saved"]["wrong"] == []


@EVERY
def test_propensities_are_frequencies(report, i):
    check_frequencies(report)


@EVERY
def test_beliefs_are_declared_random_where_they_are(report, i):
    declared, used = report["chance"]
    assert declared == used


@EVERY
def test_files_keep_everything(report, i):
    assert report["saved"]["wrong"] == []


@EVERY
def test_decisions_are_explained_where_there_are_estimates(report, i):
    check_explained(CASES[i], report)


@pytest.mark.parametrize("order", every_recipe.ORDERS, ids=str)
def test_a_preference_is_that_of_a_recipe_that_had_it(swaps, order):
    as_early, as_before, _ = swaps[repr(order)]
    assert as_early
    assert as_before


def test_preferences_decide_something(swaps):
    assert sum(fronts > 1 for _, _, fronts in swaps.values()) >= len(every_recipe.ORDERS) - 2


@pytest.mark.slow
@pytest.mark.skipif(INTERPRETED, reason="there is nothing to compile")
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_compiled_as_well(case, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_all(case, every_recipe.report(case, tmp_path))


def test_every_recipe_that_an_agent_can_play_has_a_case():
    public = {name for name in policies.__all__ if issubclass(getattr(policies, name), Recipe)}
    assert {type(case.recipe).__name__ for case in CASES} == public - {
        "PfiRls"
    }  # which needs arms that never change


def test_arms_that_never_change_are_not_an_agents():
    with pytest.raises(ValueError, match="fixed_arms"):
        every_recipe.Case(policies.PfiRls(scale=0.1)).agent()
