"""Interpreted, plain and optimised, every map does the same bit for bit, and compiles once."""

import pytest
from rehearsals import check_behaviour, check_compiled
from twins.feature_maps import MAPS

from mobandits.policies import Features, MolUcb
from mobandits.testing import DEFAULT_SHAPE, PolicyCase

SHARED = DEFAULT_SHAPE._replace(shared=True)
CASES = [
    PolicyCase(Features(feature_map, MolUcb(scale=0.3)), shape)
    for feature_map, shape in zip(MAPS.values(), [DEFAULT_SHAPE, SHARED] * len(MAPS), strict=False)
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_promise_of_behaviour(case):
    check_behaviour(case)


@pytest.mark.process
@pytest.mark.parametrize("case", CASES, ids=str)
def test_compiled_it_does_the_same(case):
    check_compiled(case)
    case.check("compiles-once")
