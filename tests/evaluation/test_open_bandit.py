"""The real small log of Open Bandit, where somebody has it: estimators run, and say how little its clicks can tell."""

import numpy as np
import pytest
from twins.real_files import real_file

from mobandits.datasets import open_bandit_small
from mobandits.evaluation import ConstantTarget, Uniform, compare

FILE = real_file("obp-*.whl", "obp-*.tar.gz")


@pytest.mark.skipif(FILE is None, reason="needs obp's distribution in the folder MOBANDITS_DATA")
def test_few_clicks_are_called_few():
    log = open_bandit_small.feedback(FILE, policy="random", campaign="men")
    first = log.arm_names[0]
    found = compare(
        log,
        {"uniform": Uniform(), "first": ConstantTarget(first)},
        ("ips", "snips", "dr", "dm", "replay"),
    )
    assert np.isclose(found["uniform", "ips"].value[0], log.rewards.mean())
    for name in ("ips", "snips", "dr"):
        assert found["uniform", name].warnings == ()
        rules = [said.partition(":")[0] for said in found["first", name].warnings]
        assert rules == ["heavy tails", "few events"]
        assert (
            found["first", name].box().high[0] > 2 * found["first", name].value[0] - 1e-3
        )  # as wide as it is far from 0
