"""The suite's own test: honest environments pass, and every mutant fails the check that it breaks."""

import pytest
from environment_mutants import MUTANTS, Environment, FixedProblem

from mobandits.testing import ENVIRONMENT_CHECKS, EnvironmentCase, check_environment


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_fails_the_check_it_breaks(name):
    environment, check = MUTANTS[name]
    with pytest.raises(AssertionError, match=f"^{check}: "):
        EnvironmentCase(environment).check(check)


@pytest.mark.parametrize(
    "environment", [Environment(), Environment(FixedProblem)], ids=lambda e: e.kind.__name__
)
def test_honest_environment_passes(environment):
    check_environment(environment)


def test_every_check_has_a_mutant():
    assert {check for _, check in MUTANTS.values()} == set(ENVIRONMENT_CHECKS)
