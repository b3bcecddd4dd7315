"""Interpreted, plain and optimised, every map does the same bit for bit, and compiles once."""

import pytest
from rehearsals import prepare_near
from twins.feature_maps import MAPS

from mobandits.policies import Features, MolUcb
from mobandits.testing import DEFAULT_SHAPE, PolicyCase

SHARED = DEFAULT_SHAPE._replace(shared=True)
CASES = [
    PolicyCase(Features(feature_map, MolUcb(scale=0.3)), shape)
    for feature_map, shape in zip(MAPS.values(), [DEFAULT_SHAPE, SHARED] * len(MAPS), strict=False)
]


@pytest.mark.parametrize(
    ("case", "check"), [(case, check) for case in CASES for check in case.checks], ids=str
)
def test_promise(case, check):
    prepare_near(case, CASES)
    case.check(check)
