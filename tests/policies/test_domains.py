"""Domains of balls against brute force: who owns what, and draws from it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.surfaces import Manhattan
from twins.zooming import ball_state, twin_of

from mobandits.policies.zooming.active_balls import add_ball, no_balls
from mobandits.policies.zooming.domains import (
    append_uncovered,
    draw_from_slice,
    include,
    owned_pieces,
    owners_of,
    relevant_balls,
    slice_at,
)
from mobandits.policies.zooming.similarity import ScaledEuclidean

COARSE = st.integers(0, 8).map(lambda i: i / 8)  # ties, and balls that touch
NUMBER = COARSE | st.floats(0, 1)


@st.composite
def balls(draw, dimensions):
    """Centres and levels, the first level 0."""
    rest = draw(
        st.lists(st.tuples(st.tuples(*[NUMBER] * dimensions), st.integers(0, 4)), max_size=12)
    )
    first = draw(st.tuples(*[NUMBER] * dimensions)), 0
    return [list(each) for each in zip(first, *rest, strict=True)]


@pytest.mark.long
@settings(max_examples=150)
@given(st.data())
def test_domains_partition_every_slice(data):
    features = data.draw(st.integers(0, 2))
    centres, levels = data.draw(balls(features + 1))
    x = np.array(data.draw(st.tuples(*[NUMBER] * features)), float)
    state, pieces = ball_state(centres, levels), twin_of(centres, levels).pieces(x)
    part = slice_at(state, x)
    assert (np.diff(part.ends[2]) >= 0).all()
    owning = relevant_balls(part.ends)
    assert set(part.balls[owning]) == set.union(*(owners for _, _, owners in pieces))
    every = owned_pieces(part.ends, owning)
    assert math.isclose((every[1] - every[0]).sum(), 1.0, abs_tol=1e-9)
    chosen = owning & np.array(data.draw(st.tuples(*[st.booleans()] * len(owning))), bool)
    check_pieces(owned_pieces(part.ends, chosen), set(part.balls[chosen]), pieces, levels)


def check_pieces(got, chosen, pieces, levels):
    """What is owned is what the twin says, each part once, and of the right size."""
    expected = [(a, b, owners) for a, b, owners in pieces if owners & chosen]
    assert math.isclose((got[1] - got[0]).sum(), sum(b - a for a, b, _ in expected), abs_tol=1e-9)
    for a, b, owners in pieces:
        if b - a > 1e-9:
            inside = (got[0] <= (a + b) / 2) & ((a + b) / 2 <= got[1])
            assert inside.sum() == bool(owners & chosen)
            if inside.any():
                assert got[2, inside].tolist() == [0.5 ** levels[next(iter(owners))]]


@pytest.mark.long
@settings(max_examples=100)
@given(st.data())
def test_points_belong_to_the_smallest_balls(data):
    dimensions = data.draw(st.integers(1, 3))
    centres, levels = data.draw(balls(dimensions))
    points = np.array(
        data.draw(st.lists(st.tuples(*[NUMBER] * dimensions), min_size=1, max_size=9))
    )
    got = owners_of(ball_state(centres, levels), np.ascontiguousarray(points.T), ScaledEuclidean())
    twin = twin_of(centres, levels)
    for j, point in enumerate(points):
        near = [abs(twin.distance(point, b.centre) - b.radius) < 1e-12 for b in twin.balls]
        if not any(near):  # on the border rounding decides
            assert set(np.flatnonzero(got[:, j])) == twin.owners(point)
        assert got[:, j].any()


def test_another_distance():
    centres, levels = [(0.5, 0.5), (0.2, 0.2), (0.9, 0.8)], [0, 2, 2]
    state = no_balls(2, 1)
    for centre, level in zip(centres, levels, strict=True):
        state = add_ball(state, np.array(centre), 0.5**level, math.inf, Manhattan())
    points = np.array([[0.2, 0.6, 0.45, 0.9], [0.6, 0.6, 0.45, 0.3]])
    expected = [
        [False, True, False, False],
        [True, False, True, False],
        [False, False, False, True],
    ]
    assert owners_of(state, points, Manhattan()).tolist() == expected


def test_everything_is_inside_the_first_ball_whatever_rounding_says():
    state = ball_state([(0.0, 0.0, 0.0)], [0])
    assert owners_of(state, np.ones((3, 1)), ScaledEuclidean()).all()
    assert owners_of(state, np.full((3, 1), np.nan), ScaledEuclidean()).all()
    assert slice_at(state, np.array([1.0, 1.0])).ends.tolist() == [[0.0], [1.0], [1.0]]


@pytest.mark.long
@settings(max_examples=100)
@given(st.lists(st.tuples(COARSE, COARSE).map(sorted), max_size=8), COARSE, COARSE)
def test_covers_are_unions(intervals, a, b):
    cover, n = np.empty((2, 10)), 0
    for low, high in intervals:
        n = include(cover, n, low, high)
    assert (np.diff(cover[:, :n].T.ravel()) >= 0).all()
    assert all(cover[1, i] < cover[0, i + 1] for i in range(n - 1))
    fine = (np.arange(1600) + 0.5) / 1600
    covered = np.array([any(low < y < high for low, high in intervals) for y in fine])
    assert (
        np.array([((cover[0, :n] < y) & (y < cover[1, :n])).any() for y in fine]) == covered
    ).all()
    pieces, (low, high) = np.empty((2, 12)), sorted((a, b))
    k = append_uncovered(cover, n, low, high, pieces, 0)
    left = np.array([((pieces[0, :k] < y) & (y < pieces[1, :k])).any() for y in fine])
    assert (left == (~covered & (low < fine) & (fine < high))).all()


@pytest.mark.long
def test_draws_are_uniform_on_the_union_and_among_the_owners():
    # Two balls of radius 1/4 overlap; a smaller one lies in the first; the first ball owns the rest.
    centres, levels = [(0.5, 0.5), (0.5, 0.3), (0.5, 0.6), (0.5, 0.25)], [0, 2, 2, 3]
    state, x, rng, n = (
        ball_state(centres, levels),
        np.array([0.5]),
        np.random.default_rng(0),
        40_000,
    )
    part, pieces = slice_at(state, x), twin_of(centres, levels).pieces(x)
    for numbers in ({1, 2}, {2, 3}, {0, 1, 2, 3}):
        chosen = np.isin(part.balls, list(numbers))
        assert relevant_balls(part.ends)[chosen].all()
        spots = [draw_from_slice(part.ends, chosen, rng) for _ in range(n)]
        arms, drawn = np.array([s.arm for s in spots]), part.balls[[s.ball for s in spots]]
        total = sum(b - a for a, b, owners in pieces if owners & numbers)
        for a, b, owners in pieces:
            inside, share = (arms > a) & (arms < b), (b - a) / total
            if not owners & numbers:
                assert not inside.any()
                continue
            close(inside.sum(), share, n)
            close((inside & (arms < (a + b) / 2)).sum(), share / 2, n)
            for ball in owners & numbers:
                close((drawn[inside] == ball).sum(), 1 / len(owners & numbers), inside.sum())
        assert any(len(owners & numbers) == 2 for _, _, owners in pieces) == (numbers != {2, 3})


def close(count, probability, n):
    assert abs(count - n * probability) <= 5 * math.sqrt(n * probability * (1 - probability)) + 1e-9
