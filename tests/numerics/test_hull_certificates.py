"""Nearly flat fronts, where floating-point solvers go wrong: every answer is proved in rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from twins import hull as twins

TIE = Fraction(1, 10**12)


def nearly_flat(size, seed, arms=25, objectives=5):
    """Points of a plane, moved a little: the tables on which a solver has to tell 1e-10 from nothing."""
    rng = np.random.default_rng(seed)
    return twins.noise(rng, twins.simplex_points(rng, arms, objectives), size)


def highs_lead(values, arm):
    """v* of the test through HiGHS: the best worst lead of a mixture of the other arms."""
    lead = np.delete(twins.in_ranges(values) - twins.in_ranges(values)[arm], arm, axis=0)
    above = np.hstack([-lead.T, np.ones((lead.shape[1], 1))])
    bounds = [(0, None)] * len(lead) + [(None, None)]
    one = np.r_[np.ones(len(lead)), 0.0][None]
    costs = np.r_[np.zeros(len(lead)), -1.0]
    found = linprog(costs, above, np.zeros(len(above)), one, [1.0], bounds, method="highs")
    return -found.fun


@pytest.mark.parametrize("size", [1e-8, 1e-9, 1e-10, 1e-11])
def test_weights_or_a_mixture_prove_every_answer(size):
    proved_on, proved_off = 0, 0
    for seed in range(3):
        values = nearly_flat(size, seed)
        front, _ = twins.answers(values)
        for arm in range(len(values)):
            _, _, weights, shares = twins.bounds(values, arm)
            attained, bound = twins.exact_bounds(values, arm, weights, shares)
            assert bound < 0 if front[arm] else attained > 0 or abs(attained) <= TIE
            proved_on, proved_off = proved_on + bool(bound < 0), proved_off + bool(attained > 0)
    assert min(proved_on, proved_off) > 5


def test_highs_has_wrong_signs_where_the_proofs_decide():
    wrong = 0
    for seed in range(12):
        values = nearly_flat(1e-10, seed, arms=40)
        front, _ = twins.answers(values)
        for arm in range(0, len(values), 4):
            _, _, weights, shares = twins.bounds(values, arm)
            attained, bound = twins.exact_bounds(values, arm, weights, shares)
            if bound < -TIE or attained > TIE:
                assert front[arm] == (bound < 0)
                lead = highs_lead(values, arm)
                wrong += (lead > TIE) != (attained > TIE)
    assert wrong > 0


@pytest.mark.parametrize("distance", [2, 64, 4096])
def test_above_on_and_below_an_edge_by_powers_of_two(distance):
    """A step that is exact in floating point: an edge's middle, and a step of `distance` ties above and below."""
    step = distance * 2.0**-40  # 2^-40 is just below 1e-12
    corners = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    for move in (-step, 0.0, step):
        values = np.array([*corners, (0.25 + move, 0.25 + move, 0.5 + move)])
        assert twins.exact_effective(values, 3) == (move >= 0)
        assert twins.answers(values)[0].tolist() == [True, True, True, move >= 0]
        assert twins.answers(values)[1][3] == pytest.approx(
            max(0.0, -move), rel=1e-3 if move else 0, abs=0
        )


def test_gaps_below_a_flat_front_are_exact_to_a_tie():
    for seed in range(3):
        values = nearly_flat(1e-10, seed, arms=12, objectives=4)
        values[:4] -= 1e-6
        gaps = twins.answers(values)[1]
        for arm in range(4):
            assert abs(Fraction(float(gaps[arm])) - twins.exact_gap(values, arm)) <= TIE
