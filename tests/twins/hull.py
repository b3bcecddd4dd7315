"""The effective front and gap, slowly: general LP solvers, rational arithmetic, closed forms; and tables to try.

`answers` asks every compiled function about a table, `answers_loop` is what it compiles.
"""

import math
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog
from twins.orders import pareto_front

from mobandits.compiling.compiled import compile_loop
from mobandits.numerics.hull import effective, effective_front, largest_sum, membership_program
from mobandits.numerics.hull_gap import effective_gap, effective_gaps
from mobandits.numerics.masks import everyone
from mobandits.numerics.mixtures import solve
from mobandits.numerics.ranges import columns_in_own_ranges
from mobandits.numerics.simplex import set_origin
from mobandits.orders.effective_pareto import EffectivePareto


def answers_loop(order, values):
    """Fronts and gaps, together and one arm at a time."""
    arms = len(values)
    alone, one_by_one = np.empty(arms, np.bool_), np.empty(arms)
    for a in range(arms):
        alone[a] = effective(values, a, everyone(arms))
        one_by_one[a] = effective_gap(values, a)
    return effective_front(values), effective_gaps(values), alone, one_by_one


def bounds_loop(order, values, arm, shares):
    """Bounds on v* of the test for one arm, the weights and the shares of the mixture that prove them."""
    s = membership_program(columns_in_own_ranges(values))
    set_origin(s, s.points, arm)
    first = largest_sum(s.points)
    low, high = solve(
        s, arm, first if first != arm else (arm + 1) % len(values), math.inf, -math.inf
    )
    for r in range(1, len(s.basis)):
        if s.basis[r] >= len(s.points):
            shares[s.basis[r] - len(s.points)] = max(s.inverse[r, len(s.points)], 0.0)
    return low, high, s.weights


def answers(values):
    """(arms,) front and gaps, after checking that every way to ask gives the same."""
    values = np.array(values, float)
    before, order = values.copy(), EffectivePareto()
    front, gaps, alone, one_by_one = compile_loop(answers_loop, order)(order, values)
    np.testing.assert_array_equal(values, before)
    np.testing.assert_array_equal(front, alone)
    np.testing.assert_allclose(
        gaps, one_by_one, rtol=1e-8, atol=1e-12 * np.ptp(values[front], axis=0).max()
    )
    assert front.any()
    assert (gaps >= 0).all()
    assert not np.signbit(gaps).any()
    return front, gaps


def bounds(values, arm):
    """Low and high bound on v*, weights, shares."""
    shares, order = np.zeros(len(values)), EffectivePareto()
    return *compile_loop(bounds_loop, order)(order, values, arm, shares), shares


def in_ranges(values):
    """Every objective that varies, in units of its range."""
    size = np.ptp(values, axis=0)
    return (values - values.min(axis=0))[:, size > 0] / size[size > 0]


def t1_surplus(values, arm):
    """The largest sum of what a mixture of all arms has more than `arm`, nowhere less: 0 for an effective arm."""
    points = in_ranges(values)
    k, m = points.shape
    equal = np.vstack([np.hstack([points.T, -np.eye(m)]), np.r_[np.ones(k), np.zeros(m)]])
    found = linprog(
        np.r_[np.zeros(k), -np.ones(m)], A_eq=equal, b_eq=np.r_[points[arm], 1.0], method="highs"
    )
    assert found.success, found.message
    return -found.fun


def t2_weight(values, arm):
    """The largest least weight under which `arm` is best: positive for an effective arm, -1 where there are none."""
    points = in_ranges(values)
    k, m = points.shape
    above = np.block([[points - points[arm], np.zeros((k, 1))], [-np.eye(m), np.ones((m, 1))]])
    found = weights_program(above, np.r_[np.zeros(m), -1.0])
    return -found.fun if found.success else -1.0


def lp_gap(means, arm):
    """The gap as the least v over weights w with ``(mu - mu_a) w <= v``."""
    found = weights_program(
        np.hstack([means - means[arm], -np.ones((len(means), 1))]), np.r_[0 * means[0], 1.0]
    )
    assert found.success, found.message
    return max(0.0, found.fun)


def weights_program(above, cost):
    """Minimise over weights in the simplex and one free variable."""
    m = len(cost) - 1
    total, bounds = np.r_[np.ones(m), 0.0][None], [(0, None)] * m + [(None, None)]
    return linprog(cost, above, np.zeros(len(above)), total, [1.0], bounds=bounds, method="highs")


def maximum(rows, limits, costs):
    """The largest ``costs . x`` with ``rows x <= limits`` and x >= 0 in rational numbers, limits at least 0.

    The textbook's dictionary, with Bland's rule.
    """
    table = [[*row, limit] for row, limit in zip(rows, limits, strict=True)] + [
        [*costs, Fraction(0)]
    ]
    outside, basis = list(range(len(costs))), list(range(len(costs), len(costs) + len(rows)))
    while entering := min(
        ((variable, c) for c, variable in enumerate(outside) if table[-1][c] > 0), default=None
    ):
        c = entering[1]
        r = min((row[-1] / row[c], basis[r], r) for r, row in enumerate(table[:-1]) if row[c] > 0)[
            2
        ]
        pivot = table[r][c]
        table[r] = [v / pivot for v in table[r]]
        table[r][c] = 1 / pivot
        for i, row in enumerate(table):
            if i != r and row[c] != 0:
                factor, row[c] = row[c], Fraction(0)
                table[i] = [v - factor * p for v, p in zip(row, table[r], strict=True)]
        outside[c], basis[r] = basis[r], outside[c]
    return -table[-1][-1]


def leads(values, arm):
    """(objectives, other arms) exact differences to `arm`."""
    exact = [[Fraction(float(v)) for v in row] for row in values]
    return [
        [row[i] - exact[arm][i] for b, row in enumerate(exact) if b != arm]
        for i in range(len(exact[0]))
    ]


def exact_effective(values, arm):
    """Whether no mixture of the other arms dominates `arm`, decided without rounding."""
    if len(values) == 1:
        return True
    lead = leads(values, arm)
    total = [sum(column) for column in zip(*lead, strict=True)]
    rows, limits = [[-v for v in row] for row in lead], [Fraction(0)] * len(lead) + [Fraction(1)]
    return maximum([*rows, [Fraction(1)] * len(total)], limits, total) == 0


def worst_lead(lead):
    """The best worst lead of a mixture, which must be at least 0; (objectives, arms)."""
    arms = len(lead[0])
    rows = [[Fraction(1), *(-v for v in row)] for row in lead] + [
        [Fraction(0)] + [Fraction(1)] * arms
    ]
    return maximum(
        rows, [Fraction(0)] * len(lead) + [Fraction(1)], [Fraction(1)] + [Fraction(0)] * arms
    )


def exact_gap(means, arm):
    """The gap without rounding."""
    return worst_lead(leads(means, arm)) if len(means) > 1 else Fraction(0)


def in_question(values, arm):
    """The arms whose ranges are units: those of the Pareto front, and the one that is asked about."""
    values = np.asarray(values, float)
    asked = pareto_front(values)
    asked[arm] = True
    return values[asked], int(asked[:arm].sum())


def exact_lead(values, arm):
    """The signed v* of the test without rounding: leads in ranges, raised by 2 to make it positive meanwhile."""
    rows, place = in_question(values, arm)
    exact = [[Fraction(float(v)) for v in row] for row in rows]
    size = [max(column) - min(column) for column in zip(*exact, strict=True)]
    lead = [
        [v / s + 2 for v in row] for row, s in zip(leads(rows, place), size, strict=True) if s > 0
    ]
    return worst_lead(lead) - 2 if lead and lead[0] else Fraction(0)


def exact_bounds(values, arm, weights, shares):
    """What a mixture attains and what weights prove, without rounding, in ranges."""
    exact = [[Fraction(float(v)) for v in row] for row in values]
    size = [max(column) - min(column) for column in zip(*exact, strict=True)]
    lead = [[v / s for v in row] for row, s in zip(leads(values, arm), size, strict=True) if s > 0]
    w, b = (
        [Fraction(float(v)) for v in weights],
        [Fraction(float(v)) for v in np.delete(shares, arm)],
    )
    low = min(sum(x * y for x, y in zip(row, b, strict=True) if y) for row in lead) / sum(b)
    return low, max(
        sum(x * y for x, y in zip(column, w, strict=True)) for column in zip(*lead, strict=True)
    ) / sum(w)


def sweep(values):
    """Two objectives: the arms on the upper right hull, an arm on an edge being on it."""
    points, front = [tuple(map(Fraction, map(float, v))) for v in values], []
    for p in sorted(set(points), reverse=True):
        if front and p[1] <= front[-1][1]:
            continue
        while len(front) > 1 and turn(front[-2], front[-1], p) < 0:
            front.pop()
        front.append(p)
    return np.array([p in front for p in points])


def turn(a, b, c):
    """Negative where b lies strictly below the segment from a to c; a is to the right."""
    return (a[0] - c[0]) * (b[1] - c[1]) - (b[0] - c[0]) * (a[1] - c[1])


def crossing_gap(means, arm):
    """Two objectives: mixtures of at most two arms, at their corners or where the two leads cross."""
    lead = means - means[arm]
    first, second = lead[:, None, :], lead[None, :, :]
    slope = (first - second)[..., 0] - (first - second)[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = -(second[..., 0] - second[..., 1]) / slope
        value = second[..., 0] + t * (first - second)[..., 0]
    inside = (t >= 0) & (t <= 1)
    return max(0.0, lead.min(axis=1).max(), value[inside].max(initial=0.0))


def simplex_points(rng, arms, objectives):
    """Uniform points of the plane where the objectives sum to 1."""
    return rng.dirichlet(np.ones(objectives), arms)


def compositions(rng, arms, objectives):
    """Grid points of that plane, many of them equal."""
    return rng.multinomial(6, np.full(objectives, 1 / objectives), arms) / 8


def scales(rng, objectives):
    return 10.0 ** rng.integers(-3, 7, objectives)


def noise(rng, table, size):
    return table + size * rng.standard_normal(table.shape)


def flat_space(rng, k, m):
    """Mixtures of three points."""
    return simplex_points(rng, k, 3) @ simplex_points(rng, 3, m)


def spherical(rng, k, m):
    table = rng.standard_normal((k, m))
    return table / np.linalg.norm(table, axis=1, keepdims=True)


TABLES = {  # random tables: name, then a function of a generator, a number of arms and a number of objectives
    "random": lambda rng, k, m: rng.standard_normal((k, m)),
    "binary": lambda rng, k, m: rng.integers(0, 2, (2 * k, m)),
    "grid of 3": lambda rng, k, m: rng.integers(0, 3, (k, m)),
    "grid of 11": lambda rng, k, m: rng.integers(0, 11, (k, m)),
    "decimals": lambda rng, k, m: rng.integers(0, 11, (k, m)) / 10,
    "weakly dominated": lambda rng, k, m: np.where(
        rng.random((k, m)) < 0.7, 3, rng.integers(0, 4, (k, m))
    ),
    "coplanar grid": lambda rng, k, m: compositions(rng, 2 * k, m),
    "coplanar decimals": lambda rng, k, m: compositions(rng, 2 * k, m) * 0.8,
    "coplanar": lambda rng, k, m: simplex_points(rng, 2 * k, m),
    "collinear": lambda rng, k, m: (
        rng.standard_normal(m) + rng.random((k, 1)) * rng.standard_normal(m)
    ),
    "collinear grid": lambda rng, k, m: (
        rng.integers(-3, 4, m) + rng.integers(0, 7, (k, 1)) * rng.integers(-3, 4, m)
    ),
    "a plane": lambda rng, k, m: rng.standard_normal((k, 2)) @ rng.standard_normal((2, m)),
    "almost a plane": lambda rng, k, m: noise(rng, flat_space(rng, k, m), 1e-9),
    "flat to 1e-9": lambda rng, k, m: noise(rng, simplex_points(rng, 2 * k, m), 1e-9),
    "flat to 1e-10": lambda rng, k, m: noise(rng, simplex_points(rng, 2 * k, m), 1e-10),
    "flat grid": lambda rng, k, m: (
        compositions(rng, 2 * k, m) + 1e-10 * rng.integers(-1, 2, (2 * k, m))
    ),
    "clusters": lambda rng, k, m: noise(
        rng, np.repeat(simplex_points(rng, 4, m), k // 2 + 1, 0), 1e-9
    ),
    "close clusters": lambda rng, k, m: noise(
        rng, np.repeat(simplex_points(rng, 4, m), k // 2 + 1, 0), 1e-12
    ),
    "a funnel": lambda rng, k, m: (
        1.0 + simplex_points(rng, k, m) * 10.0 ** -rng.integers(0, 14, (k, 1))
    ),
    "duplicates": lambda rng, k, m: np.tile(rng.standard_normal((k, m)), (2, 1)),
    "all equal": lambda rng, k, m: np.tile(rng.standard_normal(m), (k, 1)),
    "scales": lambda rng, k, m: rng.standard_normal((k, m)) * scales(rng, m),
    "scaled sphere": lambda rng, k, m: spherical(rng, k, m) * scales(rng, m),
    "wide scales": lambda rng, k, m: (
        noise(rng, flat_space(rng, k, m), 1e-9) * 10.0 ** rng.integers(0, 13, m)
    ),
    "far away": lambda rng, k, m: 1e6 + 1e-3 * rng.standard_normal((k, m)),
    "many sizes": lambda rng, k, m: (
        rng.standard_normal((k, m)) * 10.0 ** rng.uniform(-8, 0, (k, m))
    ),
    "heavy tails": lambda rng, k, m: np.exp(8 * rng.standard_normal((k, m))),
    "few arms": lambda rng, k, m: rng.standard_normal((1 + k % 3, m + 3)),
}


def tables(name, seed, number, arms=13, objectives=5):
    """Some tables of a kind, of random sizes."""
    for i in range(number):
        rng = np.random.default_rng([seed, i])
        yield np.array(
            TABLES[name](rng, int(rng.integers(2, arms)), int(rng.integers(1, objectives + 1))),
            float,
        )
