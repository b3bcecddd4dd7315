"""Of equal policies one is called best in at most 5 % of cases; a better one is found."""

import numpy as np
import pytest
from false_positives import (
    LAWS,
    POLICIES,
    TRIALS,
    equal_policies,
    one_better,
    share_by_holm,
    share_called_best,
    share_unlike_baseline,
    share_unlike_best,
)

# 5 % and three standard errors of a rate of so many data sets.
SETS = 75
MARGIN = 3.0 * np.sqrt(0.05 * 0.95 / SETS)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("policies", [2, 5])
def test_equal_policies_are_rarely_told_apart(law, policies):
    values = equal_policies(law, policies, 10, SETS, seed=5)
    assert share_called_best(values) <= 0.05 + MARGIN
    assert share_unlike_best(values) <= 0.05 + MARGIN
    assert share_unlike_baseline(values) <= 0.05 + MARGIN


def test_five_trials_call_nothing_best():
    assert share_called_best(one_better(2, 5, 20, gain=5.0)) == 0.0


def test_a_better_policy_is_found_without_correction_for_the_others():
    values = one_better(10, 10, 60, gain=1.5)
    assert share_called_best(values) >= 0.6
    # All pairs after Holm's correction need p-values that ten trials cannot give.
    assert share_by_holm(values) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("policies", POLICIES)
def test_of_thousands_of_equal_sets_at_most_five_percent(policies):
    """With two policies 4.9 % is the exact rate of ten trials; a cell may be off by three errors."""
    cell_margin = 3.0 * np.sqrt(0.05 * 0.95 / 1000)
    shares = {"best": [], "any row": [], "baseline": []}
    for law in LAWS.values():
        for trials in TRIALS:
            values = equal_policies(law, policies, trials, 1000)
            shares["best"].append(share_called_best(values))
            shares["any row"].append(share_unlike_best(values))
            shares["baseline"].append(share_unlike_baseline(values))
    for cells in shares.values():
        assert max(cells) <= 0.05 + cell_margin
        assert np.mean(cells) <= 0.05
