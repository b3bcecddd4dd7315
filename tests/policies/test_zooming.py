"""PCZ and Contextual Zooming against zooming by the book, on intervals, finitely many arms, and cubes."""

import io
import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.surfaces import Copies, Manhattan, SameDistance
from twins.zooming import Zoom

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.continuum import SurfaceShape
from mobandits.contracts.protocols import Shape
from mobandits.environments import TwoRidges, TwoRidgesGrid
from mobandits.policies import ContextualZooming, Pcz, RandomChoice
from mobandits.policies.zooming.active_balls import Balls
from mobandits.policies.zooming.domains import owned_pieces, owners_of, relevant_balls
from mobandits.policies.zooming.similarity import ScaledEuclidean
from mobandits.simulation.play import play_surface
from mobandits.support.naming import short_repr
from mobandits.testing.arena import copied, same

LINE = SurfaceShape(dimensions=1, features=1, objectives=2, rounds=100_000)


def one_round(policy, state, surface, x, uniforms, rng):
    """Beliefs, decision and reward of one round, and the state after it."""
    beliefs = policy.beliefs(state, x, rng)
    aim = policy.draw(beliefs, rng)
    reward = surface.reward(x, aim.point, uniforms)
    return beliefs, aim, reward, policy.update(state, x, aim.point, aim.note, reward, rng)


def played(recipe, surface, shape=LINE, rounds=2000, seed=0):
    """The state after some rounds, and the points."""
    policy, rng = recipe.bind(shape), np.random.default_rng([seed, 1])
    contexts, uniforms = (
        np.random.default_rng([seed, i]).random((rounds, n))
        for i, n in ((2, shape.features), (3, 2))
    )
    chosen = np.empty((rounds, shape.dimensions))
    loop = compile_loop(play_surface, policy, surface)
    return loop(policy, policy.init(), surface, contexts, uniforms, rng, chosen), chosen


RIDGES = TwoRidges().problem(10, np.random.default_rng(0)).surface


@pytest.mark.parametrize(
    "recipe",
    [
        Pcz(scale=0.05),
        ContextualZooming(scale=0.05),
        ContextualZooming(scale=0.04, width="pcz", objective=1),
    ],
    ids=short_repr,
)
def test_every_round_is_the_books(recipe):
    policy, rng, seen = recipe.bind(LINE), np.random.default_rng(0), 0
    rule, state, pareto = policy.rule, policy.init(), isinstance(recipe, Pcz)
    twin = Zoom(rule.half_width, rule.enough, rule.objectives)
    for t in range(300):
        x = rng.random(1)
        beliefs, aim, reward, state = one_round(
            policy, copied(state), RIDGES, x, rng.random(2), rng
        )
        if t:
            pieces, (y,), ball = twin.pieces(x), aim.point, int(aim.note.ball)
            front = twin.front(set.union(*(owners for _, _, owners in pieces)))
            assert set(beliefs.balls[beliefs.front]) == front, f"round {t}"
            here = [owners for a, b, owners in pieces if a - 1e-12 <= y <= b + 1e-12]
            assert any(ball in owners & front for owners in here), f"round {t}"
            seen += len(front) > 1
        lesson = reward if pareto else reward[[recipe.objective]]
        twin.learn([x[0], aim.point[0]], int(aim.note.ball), lesson)
        if t % 20 == 0:
            twin.agrees(state)
    twin.agrees(state)
    assert len(twin.balls) > 30
    assert min(b.radius for b in twin.balls) <= 1 / 8
    assert not pareto or seen > 150


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([Pcz(scale=0.05), ContextualZooming(scale=0.05)]))
def test_domains_partition_the_square_at_every_round(seed, recipe):
    """Every pair is owned, by balls of one size only, and the pieces of a slice make up [0, 1], each part once."""
    policy, rng, deepest = recipe.bind(LINE), np.random.default_rng(seed), 1.0
    state = policy.init()
    for t in range(80):
        x = rng.random(1)
        beliefs, aim, _, state = one_round(policy, copied(state), RIDGES, x, rng.random(2), rng)
        pairs = rng.random((2, 25))
        owners = owners_of(state, pairs, ScaledEuclidean())
        for column in owners.T:
            sizes = set(state.radius[column])
            assert len(sizes) == 1, f"round {t}"
        pieces = owned_pieces(beliefs.ends, relevant_balls(beliefs.ends))
        low, high = pieces[0, np.argsort(pieces[0])], np.sort(pieces[1])
        assert abs((high - low).sum() - 1.0) < 1e-9, f"round {t}"
        assert (low[1:] >= high[:-1] - 1e-12).all(), f"round {t}"
        inside = (pieces[0] <= aim.point[0]) & (aim.point[0] <= pieces[1])
        assert inside.any(), f"round {t}"
        deepest = min(deepest, state.radius.min())
    assert deepest <= 1 / 4


@pytest.mark.parametrize("recipe", [Pcz(scale=0.12), ContextualZooming(scale=0.12)], ids=short_repr)
def test_arms_are_uniform_in_what_is_played(recipe):
    """Draws at one context, against the law of the rule on the finest cut of the slice."""
    (state, _), rng, n = played(recipe, RIDGES, rounds=2000), np.random.default_rng(0), 20_000
    policy, tested = recipe.bind(LINE), 0
    for x in (0.3, 0.6):
        beliefs = policy.beliefs(state, np.array([x]), rng)
        arms = np.array([policy.draw(beliefs, rng).point[0] for _ in range(n)])
        law = slice_law(policy.rule, beliefs, np.linspace(0.0, 1.0, 21))
        counts, _ = np.histogram(arms, bins=20, range=(0.0, 1.0))
        assert (np.abs(counts - n * law) <= 5 * np.sqrt(n * law * (1 - law)) + 1e-6).all()
        assert abs(law.sum() - 1.0) < 1e-9
        tested += (law > 0).sum()
    assert tested >= 4


def slice_law(rule, beliefs, edges):
    """The probability of every part of [0, 1] between the edges: PCZ's union, or the average over the best balls."""
    front = np.flatnonzero(beliefs.front)
    one_by_one = [np.arange(len(beliefs.front)) == i for i in front]
    groups = one_by_one if hasattr(rule, "objective") else [beliefs.front]
    law = np.zeros(len(edges) - 1)
    for group in groups:
        pieces = owned_pieces(beliefs.ends, group)
        overlap = np.minimum(edges[1:, None], pieces[1]) - np.maximum(edges[:-1, None], pieces[0])
        law += np.maximum(overlap, 0.0).sum(1) / (pieces[1] - pieces[0]).sum() / len(groups)
    return law


def test_children_come_when_the_paper_says():
    rule = Pcz().bind(LINE).rule
    for radius, plays in ((1.0, 125), (0.5, 497), (0.25, 1985), (0.125, 7940)):
        assert [rule.enough(seen, radius) for seen in (plays - 1, plays)] == [False, True]
    for rounds, balls in ((125, 1), (126, 2)):  # the test looks at the count before the round
        assert len(played(Pcz(), Copies(2), rounds=rounds)[0].radius) == balls
    slivkins = ContextualZooming().bind(LINE).rule
    plays = math.ceil(16 * math.log(100_000)) - 1  # conf <= 1 with the count after the round
    for rounds, balls in ((plays - 1, 1), (plays, 2)):
        assert slivkins.enough(rounds - 1, 1.0) == (balls == 2)
        assert len(played(ContextualZooming(), Copies(2), rounds=rounds)[0].radius) == balls


def test_the_child_is_new_and_the_parent_learns():
    before, _ = played(Pcz(), Copies(2), rounds=125)
    after, chosen = played(Pcz(), Copies(2), rounds=126)
    assert (before.seen.tolist(), after.seen.tolist()) == ([125.0], [126.0, 0.0])
    assert after.radius.tolist() == [1.0, 0.5]
    assert after.centre[1, 1] == chosen[-1, 0]
    assert (after.total[:, 1].tolist(), after.reach[0, 1]) == ([0.0, 0.0], math.inf)
    assert np.isfinite(after.bound).all()


def test_identical_objectives_are_one():
    # A depends on L / delta only: with twice the delta, two copies of an objective have the widths of one.
    shape = LINE._replace(rounds=3000)
    two, points = played(Pcz(scale=0.2, delta=2 / 3000), Copies(2), shape, rounds=3000)
    one, same_points = played(
        Pcz(scale=0.2, delta=1 / 3000), Copies(1), shape._replace(objectives=1), rounds=3000
    )
    np.testing.assert_array_equal(points, same_points)
    for i in range(2):
        np.testing.assert_array_equal(two.bound[i], one.bound[0])
    policy = Pcz(scale=0.2, delta=2 / 3000).bind(shape)
    for x in np.linspace(0, 1, 30):  # the front is the largest index
        beliefs = policy.beliefs(two, np.array([x]), np.random.default_rng(0))
        bound = two.bound[0, beliefs.balls]
        assert (bound[beliefs.front] == bound[relevant_balls(beliefs.ends)].max()).all()


@pytest.mark.parametrize("recipe", [Pcz(scale=0.12), ContextualZooming(scale=0.12)], ids=short_repr)
def test_a_fine_grid_of_arms_is_the_interval(recipe):
    (state, _), n = played(recipe, RIDGES, rounds=3000), 4000
    line, grid = recipe.bind(LINE), recipe.bind(Shape(n, 2, 2, LINE.rounds))
    arms, rng = (np.arange(n) + 0.5) / n, np.random.default_rng(0)
    for x in np.linspace(0, 1, 25):
        exact = line.beliefs(state, np.array([x]), rng)
        found = grid.beliefs(state, np.stack([np.full(n, x), arms], axis=1), np.arange(n), rng)
        assert set(np.flatnonzero(found.front)) == set(exact.balls[exact.front])
        played_balls = line.rule.played(exact.front, np.random.default_rng(1))
        pieces = owned_pieces(exact.ends, played_balls)
        inside = ((pieces[0] <= arms[:, None]) & (arms[:, None] <= pieces[1])).any(1)
        numbers = exact.balls[played_balls]
        np.testing.assert_array_equal(found.owners[numbers].any(0), inside)
        if isinstance(recipe, Pcz):
            np.testing.assert_array_equal(grid.probabilities(found) > 0, inside)
            size = (pieces[1] - pieces[0]).sum()
            assert abs(inside.mean() - size) <= 2 * pieces.shape[1] / n


def test_interval_and_grid_play_alike():
    """The regret of a whole run, on the continuum and on 200 arms, within its noise."""
    from mobandits import simulate  # noqa: PLC0415

    regrets = []
    for environment in (TwoRidges(), TwoRidgesGrid(points=200)):
        results = simulate(
            Pcz(scale=0.1), environment, rounds=4000, trials=12, metrics=["pareto_regret"], record=1
        )
        regrets.append(results.table["value"].to_numpy())
    one, other = regrets
    assert abs(one.mean() - other.mean()) < 4 * math.hypot(one.std(), other.std()) / math.sqrt(
        len(one) - 1
    )
    assert max(one.mean(), other.mean()) < 0.9 * 4000 * 0.1675


def test_only_eligible_arms_make_a_ball_relevant():
    (state, _), rng = played(Pcz(scale=0.12), RIDGES, rounds=2500), np.random.default_rng(0)
    positions = rng.random((12, 1))
    policy = Pcz(scale=0.12, positions=positions.tolist()).bind(Shape(12, 1, 2, 1000, shared=True))
    rule = policy.rule
    twin = Zoom(rule.half_width, rule.enough, 2)
    index = {b: state.bound[:, b] for b in range(len(state.radius))}
    for _ in range(40):
        x, arms = (
            rng.random((1, 1)),
            np.sort(rng.choice(12, size=rng.integers(1, 13), replace=False)),
        )
        pairs = np.array([[x[0, 0], positions[a, 0]] for a in arms])
        owners = [owner_set(state, twin, pair) for pair in pairs]
        among = set.union(*owners)
        beaten = {
            b
            for b in among
            for c in among
            if (index[c] >= index[b]).all() and (index[c] > index[b]).any()
        }
        allowed = np.array([bool(o - beaten) for o in owners])
        beliefs = policy.beliefs(state, x, arms, rng)
        np.testing.assert_allclose(policy.probabilities(beliefs), allowed / allowed.sum())
        choice = policy.draw(beliefs, rng)
        assert int(choice.note.ball) in owners[choice.arm] - beaten


def owner_set(state, twin, pair):
    near = [
        b
        for b in range(len(state.radius))
        if b == 0 or twin.distance(pair, state.centre[:, b]) <= state.radius[b]
    ]
    return {b for b in near if state.radius[b] == min(state.radius[c] for c in near)}


def test_the_leaders_law_is_the_average_over_their_domains():
    rule = ContextualZooming().bind(LINE).rule
    owners = np.array(
        [[True, True, False, False], [False, False, True, False], [False, False, False, True]]
    )
    law = rule.probabilities(owners, np.array([True, True, False]))
    np.testing.assert_allclose(law, [0.25, 0.25, 0.5, 0.0])


def test_candidates_are_uniform_and_decided_on_exactly():
    shape = SurfaceShape(dimensions=2, features=1, objectives=2, rounds=5000)
    recipe = Pcz(scale=0.12, candidates=300)
    state, chosen = played(recipe, Copies(2), shape, rounds=1500)
    policy, rng = recipe.bind(shape), np.random.default_rng(0)
    assert ((chosen >= 0) & (chosen <= 1)).all()
    assert len(state.radius) > 20
    x = np.array([0.4])
    beliefs = policy.beliefs(state, x, rng)
    assert (beliefs.pairs[0] == x).all()
    assert abs(beliefs.pairs[1:].mean() - 0.5) < 5 / math.sqrt(12 * 600)
    np.testing.assert_array_equal(
        beliefs.owners, owners_of(state, beliefs.pairs, ScaledEuclidean())
    )
    arms = recipe.bind(Shape(300, 3, 2, 5000)).beliefs(
        state, beliefs.pairs.T.copy(), np.arange(300), rng
    )
    np.testing.assert_array_equal(arms.front, beliefs.front)
    allowed = beliefs.owners[beliefs.front].any(0)
    for _ in range(50):
        aim = policy.draw(beliefs, rng)
        (j,) = np.flatnonzero(np.all(aim.point == beliefs.pairs[1:].T, axis=1))
        assert allowed[j]
        assert beliefs.owners[int(aim.note.ball), j]


def test_candidates_approach_the_interval():
    recipe = Pcz(scale=0.12, candidates=4000, similarity=SameDistance())
    (state, _), line, rng = (
        played(Pcz(scale=0.12), RIDGES, rounds=2500),
        Pcz(scale=0.12).bind(LINE),
        np.random.default_rng(0),
    )
    cloud = recipe.bind(LINE)
    for x in rng.random((10, 1)):
        exact, found = line.beliefs(state, x, rng), cloud.beliefs(state, x, rng)
        assert set(np.flatnonzero(found.front)) == set(exact.balls[exact.front])
        pieces = owned_pieces(exact.ends, exact.front)
        share = found.owners[found.front].any(0).mean()
        assert abs(share - (pieces[1] - pieces[0]).sum()) < 5 / math.sqrt(4 * 4000)


def test_snapshots_continue():
    policy, rng = Pcz(scale=0.12).bind(LINE), np.random.default_rng(0)
    contexts, uniforms, surface = rng.random((800, 1)), rng.random((800, 2)), Copies(2)
    loop, points = compile_loop(play_surface, policy, surface), np.empty((2, 400, 1))
    first, last = slice(0, 400), slice(400, 800)
    state = loop(policy, policy.init(), surface, contexts[first], uniforms[first], rng, points[0])
    file = io.BytesIO()
    np.savez(file, *state)
    file.seek(0)
    with np.load(file) as saved:
        loaded = Balls(*(saved[name] for name in saved.files))
    going, again = (
        loop(policy, one, surface, contexts[last], uniforms[last], np.random.default_rng(5), out)
        for one, out in ((state, points[0]), (loaded, points[1]))
    )
    np.testing.assert_array_equal(points[0], points[1])
    assert same(going, again)
    assert len(loop.dispatcher.signatures) == 1


def test_without_context_and_by_another_distance():
    shape = SurfaceShape(dimensions=1, features=0, objectives=2, rounds=1000)
    state = Pcz(scale=0.2).bind(shape).init()
    policy, rng = Pcz(scale=0.2).bind(shape), np.random.default_rng(0)
    for _ in range(400):
        aim = policy.draw(policy.beliefs(state, np.empty(0), rng), rng)
        reward = np.array([1 - abs(aim.point[0] - 0.3), 1 - abs(aim.point[0] - 0.4)])
        state = policy.update(state, np.empty(0), aim.point, aim.note, reward, rng)
    assert state.centre.shape[0] == 1
    assert len(state.radius) > 5
    state, _ = played(Pcz(scale=0.12, similarity=Manhattan(), candidates=64), RIDGES, rounds=600)
    assert len(state.radius) > 20


class Refused(NamedTuple):
    message: str
    shape: object = Shape(3, 2, 2, 100)
    parameters: dict | None = None


@pytest.mark.parametrize("recipe", [Pcz, ContextualZooming])
@pytest.mark.parametrize(
    "case",
    [
        Refused("scale must be above 0", parameters={"scale": 0}),
        Refused("candidates must be an integer of at least 1", parameters={"candidates": 0}),
        Refused("positions must lie in", parameters={"positions": [[0.5], [1.5], [0.1]]}),
        Refused(
            "positions must have a row for each of 3 arms, got 2",
            parameters={"positions": [[0.5], [0.1]]},
        ),
        Refused(
            "positions must be given where arms share a context",
            shape=Shape(3, 2, 2, 100, shared=True),
        ),
        Refused("positions must be given where arms share a context", shape=Shape(3, 0, 2, 100)),
        Refused("must know the number of rounds; Doubling", shape=Shape(3, 2, 2)),
    ],
    ids=lambda case: case.message,
)
def test_refusals(recipe, case):
    with pytest.raises(ValueError, match=rf"{recipe.__name__}.*{case.message}"):
        recipe(**case.parameters or {}).bind(case.shape)


def test_refusals_of_one_recipe():
    with pytest.raises(ValueError, match=r"Pcz.delta must be below 1, got 2"):
        Pcz(delta=2)
    with pytest.raises(ValueError, match=r"ContextualZooming.width must be one of pcz, slivkins"):
        ContextualZooming(width="wide")
    with pytest.raises(ValueError, match=r"ContextualZooming.objective must be below .* 2, got 2"):
        ContextualZooming(objective=2).bind(LINE)


def test_random_choice_is_uniform_on_a_cube():
    shape = SurfaceShape(dimensions=2, features=1, objectives=1, rounds=100)
    _, chosen = played(RandomChoice(), Copies(1), shape, rounds=8000)
    counts, _, _ = np.histogram2d(*chosen.T, bins=4, range=[[0, 1], [0, 1]])
    assert (np.abs(counts - 500) < 5 * math.sqrt(500)).all()
