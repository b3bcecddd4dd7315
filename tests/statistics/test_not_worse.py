"""Which rows are not worse than the best, against SciPy's test and Holm's method by hand."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mobandits.statistics.signed_rank import not_worse_than_best


def marked_slowly(values, smaller_is_better):
    """The same with SciPy's signed-rank test; a hypothesis falls while all smaller p-values fell."""
    means = [row.mean() for row in values]
    best = means.index(min(means) if smaller_is_better else max(means))
    p_values = {}
    for i, row in enumerate(values):
        if i != best:
            p_values[i] = stats.wilcoxon(row, values[best], method="exact").pvalue
    marked = [True] * len(values)
    left = len(p_values)
    if left * 2.0 ** (1 - values.shape[1]) > 0.05:  # no test could reject: nothing is marked
        return [False] * len(values)
    for i in sorted(p_values, key=p_values.get):
        if p_values[i] * left > 0.05:
            break
        marked[i] = False
        left -= 1
    return marked


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(3, 12), st.booleans())
@settings(max_examples=60, deadline=None)
def test_marks_are_those_of_scipys_test_and_holms_method(seed, rows, trials, smaller):
    rng = np.random.default_rng(seed)
    shared = rng.standard_normal(trials)
    values = shared + 0.3 * rng.standard_normal((rows, trials)) + rng.random((rows, 1))
    before = values.copy()
    marked = not_worse_than_best(values, smaller_is_better=smaller)
    assert marked.tolist() == marked_slowly(values, smaller)
    assert (values == before).all()


def test_what_differs_alike_in_all_trials_is_told_from_seven_trials_on():
    # Of two comparisons; of one from six on.
    first = np.arange(7.0)
    values = np.array([first, first + 1.0, first])
    assert not_worse_than_best(values, smaller_is_better=True).tolist() == [True, False, True]
    fewer = values[:, :6]
    assert not not_worse_than_best(fewer, smaller_is_better=True).any()
    one_comparison = fewer[:2]
    assert not_worse_than_best(one_comparison, smaller_is_better=True).tolist() == [True, False]


def test_one_trial_tells_nothing():
    assert not not_worse_than_best(np.array([[1.0], [2.0]]), smaller_is_better=True).any()
    assert not_worse_than_best(np.ones((1, 3)), smaller_is_better=True).tolist() == [True]


def test_identical_rows_are_rarely_told_apart():
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(400):
        values = rng.standard_normal(8) + rng.standard_normal((3, 8))
        wrong += not not_worse_than_best(values, smaller_is_better=True).all()
    # The best is chosen among three, which Holm's method does not know of: still near 5 %.
    assert wrong / 400 < 0.15
