"""The suite's own test: an honest policy passes, and every mutant fails the check that it breaks."""

import pytest
from policy_mutants import MUTANTS, HonestRecipe, Mutant

from mobandits.testing import POLICY_CHECKS, PolicyCase

MUTANT_CASES = {name: PolicyCase(Mutant(name)) for name in MUTANTS}
HONEST = PolicyCase(HonestRecipe())


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_fails_the_check_it_breaks(name):
    with pytest.raises(AssertionError, match=f"^{MUTANTS[name][1]}: Mutant"):
        MUTANT_CASES[name].check(MUTANTS[name][1])


@pytest.mark.parametrize("check", POLICY_CHECKS)
def test_honest_policy_passes(check):
    HONEST.check(check)


def test_every_check_has_a_mutant():
    assert {check for _, check in MUTANTS.values()} == set(POLICY_CHECKS)
