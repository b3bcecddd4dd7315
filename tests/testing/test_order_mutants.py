"""The suite's own test: an honest order passes, and every mutant fails the check that it breaks."""

import pytest
from order_mutants import MUTANTS, Honest

from mobandits.testing import ORDER_CHECKS, OrderCase

HONEST = OrderCase(Honest())
MUTANT_CASES = {name: OrderCase(order) for name, (order, _) in MUTANTS.items()}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_fails_the_check_it_breaks(name):
    with pytest.raises(AssertionError, match=f"^{MUTANTS[name][1]}: "):
        MUTANT_CASES[name].check(MUTANTS[name][1])


@pytest.mark.parametrize("check", ORDER_CHECKS)
def test_honest_order_passes(check):
    HONEST.check(check)


def test_every_check_has_a_mutant():
    assert {check for _, check in MUTANTS.values()} == set(ORDER_CHECKS)
