"""The effective front and gap against general solvers, rational arithmetic and closed forms."""

import hashlib
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from twins import hull as twins
from twins.orders import pareto_front, pareto_gap_closed

TIE = 1e-12
every_table = pytest.mark.parametrize("name", twins.TABLES)


@every_table
def test_rational_arithmetic_agrees(name):
    rng = np.random.default_rng(5)
    for means in twins.tables(name, seed=1, number=8):
        front, gaps = twins.answers(means)
        for arm in rng.permutation(len(means))[:6]:
            size = np.ptp(twins.in_question(means, arm)[0], axis=0)
            lead = float(twins.exact_lead(means, arm))
            gap = float(twins.exact_gap(means, arm))
            assert front[arm] == twins.exact_effective(means, arm) or abs(lead) <= 1.001 * TIE
            assert gaps[arm] == pytest.approx(
                gap, rel=0, abs=1e-12 * size.min() if lead > 1.001 * TIE else TIE * size.max()
            )


@every_table
def test_every_bound_is_proved_by_a_mixture_or_by_weights(name):
    for values in twins.tables(name, seed=2, number=4, arms=30, objectives=8):
        for arm in range(0, len(values), 5):
            if len(values) > 1 and np.ptp(values, axis=0).any():
                low, high, weights, shares = twins.bounds(values, arm)
                attained, proved = twins.exact_bounds(values, arm, weights, shares)
                assert low - 2e-14 <= attained <= proved <= high + 1e-15
                assert proved - attained <= 2e-13


@pytest.mark.parametrize("kind", ["random", "coplanar", "flat", "grid", "binary", "low rank"])
def test_many_arms_and_objectives(kind):
    rng = np.random.default_rng(3)
    values = {
        "random": rng.standard_normal((200, 10)),
        "coplanar": twins.simplex_points(rng, 200, 8),
        "flat": twins.noise(rng, twins.simplex_points(rng, 200, 8), 1e-10),
        "grid": rng.integers(0, 4, (200, 9)).astype(float),
        "binary": rng.integers(0, 2, (200, 10)).astype(float),
        "low rank": twins.noise(
            rng, twins.simplex_points(rng, 200, 4) @ twins.simplex_points(rng, 4, 10), 1e-9
        ),
    }[kind]
    front, gaps = twins.answers(values)
    for arm in range(0, 200, 25):
        low, _, weights, shares = twins.bounds(values, arm)
        attained, proved = twins.exact_bounds(values, arm, weights, shares)
        assert proved - attained <= 2e-13
        assert front[arm] == (proved < 0) or abs(low) <= TIE
        assert gaps[arm] == pytest.approx(twins.lp_gap(values, arm), abs=1e-8)
    assert not gaps[front].any()


@pytest.mark.parametrize(
    "name", ["random", "grid of 3", "decimals", "coplanar grid", "duplicates", "few arms"]
)
def test_general_solvers_agree(name):
    rng = np.random.default_rng(7)
    for values in twins.tables(name, seed=3, number=12):
        front, gaps = twins.answers(values)
        for arm in rng.permutation(len(values))[: 5 if np.ptp(values, axis=0).any() else 0]:
            assert front[arm] == (twins.t1_surplus(values, arm) <= 1e-8)
            assert front[arm] == (twins.t2_weight(values, arm) > 1e-8)
            assert gaps[arm] == pytest.approx(twins.lp_gap(values, arm), abs=1e-8)


@pytest.mark.parametrize(
    "name", ["random", "grid of 3", "grid of 11", "coplanar grid", "duplicates", "flat to 1e-9"]
)
def test_one_and_two_objectives(name):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        values = np.array(twins.TABLES[name](rng, int(rng.integers(1, 40)), 2), float)
        front, gaps = twins.answers(values)
        np.testing.assert_array_equal(front, twins.sweep(values))
        expected = [twins.crossing_gap(values, arm) for arm in range(len(values))]
        np.testing.assert_allclose(gaps, expected, rtol=0, atol=2e-12 if "flat" in name else 1e-14)
        front, gaps = twins.answers(values[:, :1])
        np.testing.assert_array_equal(front, values[:, 0] == values[:, 0].max())
        np.testing.assert_array_equal(gaps, values[:, 0].max() - values[:, 0])


@every_table
def test_two_arms_leave_nothing_to_mix(name):
    for means in twins.tables(name, seed=4, number=6):
        front, gaps = twins.answers(means[:2])
        np.testing.assert_array_equal(gaps, pareto_gap_closed(means[:2]))
        np.testing.assert_array_equal(front, pareto_front(means[:2]))
        assert [part.tolist() for part in twins.answers(means[:1])] == [[True], [0.0]]


@every_table
def test_between_the_pareto_gap_and_every_single_regret(name):
    for means in twins.tables(name, seed=5, number=20):
        front, gaps = twins.answers(means)
        assert (pareto_gap_closed(means) <= gaps).all()
        assert (gaps <= (means.max(axis=0) - means).min(axis=1) + 1e-15 * np.ptp(means)).all()
        assert not gaps[front].any()
        assert not (front & ~pareto_front(means)).any()


def test_example_of_the_specification():
    means = [(1, 0), (0, 1), (0.4, 0.4), (0.5, 0.5), (1, 0), (1, -1), (0.2, 0.1)]
    front, gaps = twins.answers(means)
    assert np.flatnonzero(front).tolist() == [0, 1, 3, 4]
    assert np.abs(gaps - [0, 0, 0.1, 0, 0, 0, 0.35]).max() <= 2**-53


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e9])
@pytest.mark.parametrize("third", [0.3, 0.1, 0.7, 1 / 3])
def test_decimals_on_an_edge_count_as_on_it(third, scale):
    edge = np.array([(1, 0), (0, 1), (third, 1 - third)]) * [scale, 1.0]
    assert twins.answers(edge)[0].all()
    for step in (1e-10, -1e-10):
        assert twins.answers(edge + [[0, 0], [0, 0], [0, step]])[0].tolist() == [
            True,
            True,
            step > 0,
        ]
        assert twins.answers(edge + [[0, 0], [0, 0], [step * scale, 0]])[0].tolist() == [
            True,
            True,
            step > 0,
        ]


def test_a_tie_is_decided_by_the_second_step():
    corners = [(2, 0, 0), (0, 2, 0)]
    assert twins.answers([*corners, (1, 1, 0)])[0].all()  # equal to a mixture
    assert twins.answers([*corners, (1, 1, -1)])[0].tolist() == [
        True,
        True,
        False,
    ]  # and worse in one objective
    assert twins.answers([*corners, (1, 1, -1), (0, 0, -1), (1, 1, 0)])[0].tolist() == [
        True,
        True,
        False,
        False,
        True,
    ]
    assert not twins.answers([*corners, (1, 1, -1)])[1].any()


@pytest.mark.parametrize(
    "name", ["random", "scaled sphere", "grid of 11", "flat to 1e-9", "few arms"]
)
def test_scale_and_place_of_an_objective_do_not_matter(name):
    for values in twins.tables(name, seed=6, number=20):
        rng = np.random.default_rng(len(values))
        front, gaps = twins.answers(values)
        factor = 2.0 ** rng.integers(-40, 40, values.shape[1])
        np.testing.assert_array_equal(twins.answers(values * factor)[0], front)
        order = rng.permutation(len(values))
        np.testing.assert_array_equal(twins.answers(values[order][:, ::-1])[0], front[order])
        np.testing.assert_array_equal(twins.answers(values * 8)[1], gaps * 8)
        np.testing.assert_array_equal(
            twins.answers(np.vstack([values, values]))[0], [*front, *front]
        )


def test_an_objective_where_all_are_equal_changes_nothing():
    values = np.random.default_rng(1).standard_normal((30, 3))
    front, gaps = twins.answers(values)
    assert 3 < front.sum() < 30
    assert gaps.any()
    same, none = twins.answers(np.insert(values, 1, 0.1, axis=1))
    np.testing.assert_array_equal(same, front)
    assert not none.any()


def digest():
    """A hash of every bit of the answers to some tables of every kind."""
    out = hashlib.sha256()
    for name in twins.TABLES:
        for values in twins.tables(name, seed=8, number=2, arms=9, objectives=4):
            for part in twins.answers(values):
                out.update(part.tobytes())
    return out.hexdigest()


def test_interpreted_answers_are_identical():
    here = Path(__file__).parent
    code = f"import sys; sys.path[:0] = {[str(here), str(here.parent)]}; import test_hull; print(test_hull.digest())"
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    elsewhere = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert elsewhere.stdout.strip() == digest()


def test_the_rational_twin_on_a_program_of_a_textbook():
    rows = [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(2)], [Fraction(3), Fraction(2)]]
    assert (
        twins.maximum(rows, [Fraction(4), Fraction(12), Fraction(18)], [Fraction(3), Fraction(5)])
        == 36
    )
