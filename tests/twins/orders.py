"""Orders written down the slow and obvious way, tables to try them on, and loops that ask a compiled order."""

import itertools

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Beliefs
from mobandits.numerics.dominance import dominated, nondominated, pareto_gap, pareto_gaps


def survey_loop(order, low, high):
    """The front of the intervals, the gaps of their upper ends, and the same gaps one arm at a time."""
    gaps, front = order.gaps(high), order.front(Beliefs(high, low, high))
    one_by_one = np.empty(gaps.shape)
    for a in range(len(high)):
        digits = order.gap(high, a)
        for i in range(len(digits)):
            one_by_one[a, i] = digits[i]
    return front, gaps, one_by_one


def survey(order, means):
    """(arms,) front and (arms, digits) gaps, after checking what holds for every order."""
    before = means.copy()
    front, gaps, one_by_one = compile_loop(survey_loop, order)(order, means, means)
    np.testing.assert_array_equal(means, before)
    np.testing.assert_array_equal(gaps, one_by_one)
    assert front.shape == (len(means),)
    assert front.any()
    assert (gaps >= 0.0).all()
    assert not np.signbit(gaps).any()
    return front, gaps


def front_loop(order, low, high):
    return order.front(Beliefs(high, low, high))


def front_of(order, low, high=None):
    """(arms,) the front of intervals, or of points, which may be infinite."""
    high = low if high is None else high
    front = compile_loop(front_loop, order)(order, low, high)
    assert front.any()
    return front


def draws_loop(order, low, high, rng, counts):
    for _ in range(1000):
        counts[order.draw(Beliefs(high, low, high), rng)] += 1


def draws(order, low, high, seed=0):
    """(arms,) how often each arm was drawn in 1000 draws."""
    counts = np.zeros(len(low), np.int64)
    compile_loop(draws_loop, order)(order, low, high, np.random.default_rng(seed), counts)
    return counts


def primitives_loop(_order, values, on, among):
    """What numerics/dominance.py says; `_order` only carries the fingerprint of that file."""
    beaten = np.empty(len(values), np.bool_)
    for a in range(len(values)):
        beaten[a] = dominated(values, a, on, among)
    return nondominated(values, on, among), beaten


def gap_primitives_loop(_order, values, on, among):
    one_by_one = np.empty(len(values))
    for a in range(len(values)):
        one_by_one[a] = pareto_gap(values, a, on, among)
    return pareto_gaps(values, on, among), one_by_one


@st.composite
def tables(draw, objectives=None, arms=8, grid=None, infinite=False):
    """Means (arms, objectives): floats or a coarse grid with many ties, some rows repeated."""
    shape = draw(st.integers(1, arms)), objectives or draw(st.integers(1, 4))
    on_grid = draw(st.booleans()) if grid is None else grid
    entries = (
        st.integers(0, 3).map(float) if on_grid else st.floats(-100.0, 100.0, allow_subnormal=False)
    )
    if infinite:
        entries = entries | st.sampled_from([np.inf, np.inf, -np.inf])
    table = draw(arrays(np.float64, shape, elements=entries))
    again = draw(st.lists(st.integers(0, len(table) - 1), max_size=2))
    return np.vstack([table, table[again]])


@st.composite
def intervals(draw, objectives=None, arms=8, infinite=False):
    """Lower and upper bounds on a half-integer grid, where touching and nesting are common."""
    low = draw(tables(objectives, arms, grid=True))
    half = draw(arrays(np.int64, low.shape, elements=st.integers(0, 3)))
    high = low + half / 2.0
    if infinite:
        unknown = draw(arrays(np.bool_, len(low)))
        low[unknown], high[unknown] = -np.inf, np.inf
    return low, high


def dominates(v, u):
    return bool((v >= u).all() and (v > u).any())


def pareto_front(means):
    return np.array([not any(dominates(v, u) for v in means) for u in means])


def pareto_gap_closed(means, against=None):
    against = means if against is None else against
    return np.array([max(0.0, *(min(v - u) for v in against)) for u in means])


def pareto_gap_by_bisection(means, arm):
    """The least eps for which the arm, lifted by eps in every objective, is dominated by nobody."""
    low, high = 0.0, 1.0 + np.ptp(means)
    for _ in range(100):
        eps = 0.5 * (low + high)
        if any(dominates(v, means[arm] + eps) for v in means):
            low = eps
        else:
            high = eps
    return low


def lexicographic_front(means):
    best = max(map(tuple, means.tolist()))
    return np.array([tuple(row) == best for row in means.tolist()])


def lexicographic_front_tolerant(means, tolerance):
    kept = list(range(len(means)))
    for i in range(means.shape[1]):
        top = max(means[a, i] for a in kept)
        kept = [a for a in kept if means[a, i] >= top - tolerance]
    return np.isin(np.arange(len(means)), kept)


def priority_gap(means):
    """Digit i: what an arm lacks in objective i, counted where it lacks nothing in the objectives before."""
    best = np.array(max(map(tuple, means.tolist())))
    lacks = best - means
    for row in lacks:
        lost = np.flatnonzero(row != 0.0)
        if lost.size:
            row[lost[0] + 1 :] = 0.0
    return np.abs(lacks)  # -0.0 becomes 0.0


def nested_fronts(means, levels):
    """The sets A_0, A_1, ... of arms."""
    sets = [np.arange(len(means))]
    for level in levels:
        sets.append(sets[-1][pareto_front(means[sets[-1]][:, level])])
    return sets


def levels_front(means, levels):
    return np.isin(np.arange(len(means)), nested_fronts(means, levels)[-1])


def levels_gap(means, levels):
    sets, out = nested_fronts(means, levels), np.zeros((len(means), len(levels)))
    for a, u in enumerate(means):
        for i, level in enumerate(levels):
            out[a, i] = max(0.0, *(min(means[b][level] - u[level]) for b in sets[i]))
            if out[a, i] > 0.0:
                break
    return out


def chain_values(row, chains):
    """A tuple of digits per chain, zero-padded to the longest: Python compares tuples lexicographically."""
    digits = max(map(len, chains))
    return [tuple(row[i] for i in chain) + (0.0,) * (digits - len(chain)) for chain in chains]


def chain_dominates(v, u):
    return all(x >= y for x, y in zip(v, u, strict=True)) and v != u


def chains_front(means, chains):
    values = [chain_values(row, chains) for row in means.tolist()]
    return np.array([not any(chain_dominates(v, u) for v in values) for u in values])


def chains_gap(means, chains):
    """The derived formula, with Python's comparison of tuples."""
    out = np.zeros((len(means), max(map(len, chains))))
    for a, u in enumerate(means):
        best = max(min(chain_values(v - u, chains)) for v in means)
        for k, digit in enumerate(best):
            if digit < 0.0:
                break
            out[a, k] = digit
    return out


def chains_gap_by_search(means, chains, arm, top=3):
    """Definition 5 by trying all digits, for integer means from 0 to `top`; a hair above an integer is the limit."""
    hair, values = 1e-3, [chain_values(row, chains) for row in means.tolist()]
    digits = max(map(len, chains))
    whole = [float(n) for n in range(top + 1)]
    last = sorted(whole + [n + hair for n in whole])
    for c in itertools.product(*[whole] * (digits - 1), last):
        lifted = [tuple(x + y for x, y in zip(digit, c, strict=True)) for digit in values[arm]]
        if not any(chain_dominates(v, lifted) for v in values):
            return np.floor(c)
    raise AssertionError("no digits suffice")


def authors_gap(means, chains):
    """The four steps of what the public code computes."""

    def ahead(v, u):
        first = next((x - y for x, y in zip(v, u, strict=True) if abs(x - y) > 1e-6), 0.0)
        return first > 0.0

    values = [chain_values(row, chains) for row in means.tolist()]
    beats = [[all(map(ahead, v, u)) for u in values] for v in values]
    optimal = [a for a in range(len(means)) if not any(row[a] for row in beats)]
    out = np.zeros((len(means), max(map(len, chains))))
    for a, u in enumerate(values):
        clipped = [
            min(
                tuple(max(0.0, p - q) for p, q in zip(x, y, strict=True))
                for x, y in zip(values[b], u, strict=True)
            )
            for b in optimal
            if beats[b][a]
        ]
        if clipped:
            out[a] = min(clipped)
    return out


def linked(low, high, objective, among):
    """The leader's component of the graph of all pairs of overlapping closed intervals."""
    low, high = low[:, objective], high[:, objective]
    inside = {max(among, key=lambda a: high[a])}
    while True:
        more = {a for a in among for b in inside if low[a] <= high[b] and low[b] <= high[a]}
        if more <= inside:
            return sorted(inside)
        inside |= more


def chain_filter(low, high, chains):
    union = set()
    for chain in chains:
        kept = list(range(len(low)))
        for objective in chain:
            kept = linked(low, high, objective, kept)
        union |= set(kept)
    return np.isin(np.arange(len(low)), list(union))


def dominant_front(low, high, margin, doubt):
    kept, last = list(range(len(low))), low.shape[1] - 1
    for i in range(last):
        leader = max((high[a, i], low[a, i]) for a in kept)
        leaders = [a for a in kept if (high[a, i], low[a, i]) == leader]
        if leader[0] - leader[1] > 2.0 * doubt:
            return np.isin(np.arange(len(low)), leaders)
        kept = [a for a in kept if high[a, i] >= leader[1] - margin]
    top = max(high[a, last] for a in kept)
    return np.isin(np.arange(len(low)), [a for a in kept if high[a, last] == top])


def partitions(objectives):
    """Every way of a few to group the objectives, for drawing chains and levels."""
    order = list(range(objectives))
    return st.permutations(order).flatmap(
        lambda names: st.builds(cut, st.just(names), st.sets(st.integers(1, objectives)))
    )


def cut(names, places):
    edges = [0, *sorted(p for p in places if p < len(names)), len(names)]
    return [names[i:j] for i, j in itertools.pairwise(edges)]


def largest_ratios(low, high, numerator, denominator, floor):
    """(arms,) the largest ratio of every arm, by a look at the corners of its box."""
    best = []
    for a in range(len(low)):
        corners = itertools.product(
            (low[a, numerator], high[a, numerator]), (low[a, denominator], high[a, denominator])
        )
        best.append(max(top / max(bottom, floor) for top, bottom in corners))
    return np.array(best)
