"""The conformance suite: the promises of policies, orders and environments, as named checks.

A case holds the part to check, of this library or your own; every promise is a check with a name,
and a failure names check, case, seed and values::

    from mobandits.testing import PolicyCase

    CASES = [PolicyCase(MyRecipe(scale=0.3)), PolicyCase(OtherRecipe(), rewards="binary")]

    PAIRS = [(case, check) for case in CASES for check in case.checks]

    @pytest.mark.parametrize(("case", "check"), PAIRS, ids=str)
    def test_conformance(case, check):
        case.check(check)

`check_policy`, `check_order` and `check_environment` run every check of one case;
docs/how-to/add-a-policy.md walks through it. `check_propensities`, `check_front` and
`check_sequence` are for what any library states.
"""

from mobandits.testing.arena import DEFAULT_SHAPE
from mobandits.testing.case import ConformanceCase
from mobandits.testing.environments import EnvironmentCase, check_environment
from mobandits.testing.orders import OrderCase, check_order
from mobandits.testing.others import check_front, check_propensities, check_sequence
from mobandits.testing.policies import PolicyCase, check_policy

POLICY_CHECKS = tuple(PolicyCase.available)
ORDER_CHECKS = tuple(OrderCase.available)
ENVIRONMENT_CHECKS = tuple(EnvironmentCase.available)

__all__ = [
    "DEFAULT_SHAPE",
    "ENVIRONMENT_CHECKS",
    "ORDER_CHECKS",
    "POLICY_CHECKS",
    "ConformanceCase",
    "EnvironmentCase",
    "OrderCase",
    "PolicyCase",
    "check_environment",
    "check_front",
    "check_order",
    "check_policy",
    "check_propensities",
    "check_sequence",
]
