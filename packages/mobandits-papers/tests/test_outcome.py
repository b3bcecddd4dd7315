import numpy as np
import polars as pl
import pytest

from mobandits_papers.outcome import Outcome

COLUMNS = ["environment", "policy", "trial", "round", "metric", "component", "value"]
PLACES = {"d = 5": "World(5)", "d = 10": "World(10)"}
ROWS = {("d = 5", "A"): "A, c = 1", ("d = 5", "B"): "B", ("d = 10", "A"): "A, c = 3"}


def rows(drop=()):
    return [
        (place, policy, trial, at, "regret", i, 1000.0 * i + 10.0 * at + trial)
        for place, policy in (("World(5)", "A, c = 1"), ("World(5)", "A, c = 3"), ("World(5)", "B"),
                              ("World(10)", "A, c = 3"))
        for trial in (1, 0, 2)
        for at in (2, 1, 3)
        for i in (1, 0)
        if (policy, trial, at, i) not in drop
    ]  # fmt: skip


def outcome(table_rows, recorded=None):
    table = pl.DataFrame(table_rows, COLUMNS, orient="row")
    return (
        Outcome(table, PLACES, ROWS) if recorded is None else Outcome(table, PLACES, ROWS, recorded)
    )


def test_names():
    found = outcome(rows())
    assert found.runs() == ["d = 5", "d = 10"]
    assert found.rows("d = 5") == ["A", "B"]
    assert found.rows("d = 10") == ["A"]
    assert found.metrics("d = 5", "A") == ["regret"]
    assert found.components("d = 5", "A", "regret") == [0, 1]


def test_rows_that_were_not_chosen_can_be_read_by_their_names():
    """What a row stands for, and the other constants of its grid; the run's rows stay what they are."""
    found = outcome(rows())
    chosen = found.curves("d = 5", "A", "regret")[1]
    assert found.curves("d = 5", "A, c = 1", "regret")[1].tolist() == chosen.tolist()
    assert found.curves("d = 5", "A, c = 3", "regret")[1].shape == (3, 3)
    assert found.components("d = 5", "A, c = 3", "regret") == [0, 1]
    assert found.rows("d = 5") == ["A", "B"]
    with pytest.raises(ValueError, match=r"row.* must be one of"):
        found.curves("d = 10", "A, c = 1", "regret")


def test_curves_are_sorted_by_trial_and_round():
    points, values = outcome(rows()).curves("d = 5", "A", "regret", 1)
    assert points.tolist() == [1, 2, 3]
    assert values.tolist() == [
        [1000.0 + 10.0 * at + trial for at in (1, 2, 3)] for trial in range(3)
    ]


def test_a_missing_value_is_nan_where_it_was():
    found = outcome(rows(drop={("A, c = 1", 1, 1, 0)}))
    _, values = found.curves("d = 5", "A", "regret")
    assert np.argwhere(np.isnan(values)).tolist() == [[1, 0]]
    assert values[2].tolist() == [12.0, 22.0, 32.0]


def test_a_missing_trial_keeps_the_others_paired():
    found = outcome(
        rows(drop={("B", 1, at, 0) for at in (1, 2, 3)} | {("B", 1, at, 1) for at in (1, 2, 3)})
    )
    _, a = found.curves("d = 5", "A", "regret")
    _, b = found.curves("d = 5", "B", "regret")
    assert a.shape == b.shape == (3, 3)
    assert np.isnan(b[1]).all()
    assert (a[[0, 2]] == b[[0, 2]]).all()


def test_a_metric_without_any_value_is_nan_if_it_was_recorded():
    found = outcome(rows(), {"d = 5": ["regret", "ratio"]})
    points, values = found.curves("d = 5", "A", "ratio")
    assert (len(points), values.shape) == (1, (3, 1))
    assert np.isnan(values).all()
    assert found.components("d = 5", "A", "ratio") == []


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            ("d = 6", "A", "regret"),
            "run: 'd = 6' is unknown; did you mean d = 5. It must be one of d = 10, d = 5",
        ),
        (("d = 5", "C", "regret"), "row must be one of A, B, got 'C'"),
        (
            ("d = 5", "A", "regrets"),
            "metric: 'regrets' is unknown; did you mean regret. It must be one of regret",
        ),
    ],
)
def test_unknown_names_are_refused(asked, message):
    with pytest.raises(ValueError, match=message):
        outcome(rows()).curves(*asked)
