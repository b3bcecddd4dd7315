"""Limits on rewards: who is left, against a slow twin; the laws of who is left; agents; what is refused."""

import numpy as np
import pytest
from playing import OWN, SHARED, D, K, L, T, estimates, pareto, played, regressions

from mobandits.contracts.protocols import Beliefs
from mobandits.estimators import SampleMean
from mobandits.explorers import Ucb
from mobandits.explorers.radii import Constant
from mobandits.orders import Pareto, Weighted
from mobandits.policies import (
    CpUcb1,
    Doubling,
    Exp3P,
    GapWeighted,
    HypervolumeUcb,
    MoglbUcb,
    MolTs,
    MolUcb,
    Paced,
    RandomChoice,
    WithFloor,
    Within,
)
from mobandits.policies.composite import Composite
from mobandits.policies.wrappers.within import WithinPolicy

SCALE = 0.3


def worst_break(low, high, limits, keeps, reference):
    """(arms,) the largest share of a limit by which an arm breaks it, in plain Python."""
    shares = []
    for a in range(len(low)):
        worst = 0.0
        for objective, limit in limits.items():
            own = (low if keeps == "certain" else high)[a][objective]
            if reference is not None:
                if a == reference:
                    continue
                other = (high if keeps == "certain" else low)[reference][objective]
                limit = other - limit * abs(other)  # noqa: PLW2901
            if own < limit:
                worst = max(worst, (limit - own) / (abs(limit) or 1.0))
        shares.append(worst)
    return np.array(shares)


ROWS = [
    ({0: 1.0}, {}, OWN),
    ({0: 1.0}, {}, SHARED),
    ({0: 0.9, 2: 0.8}, {"keeps": "certain"}, OWN),
    ({1: 0.1}, {"relative_to": 2}, OWN),
    ({0: 0.0, 1: 0.0}, {"relative_to": 2, "keeps": "possible"}, SHARED),
    ({0: 50.0}, {}, OWN),
]


@pytest.mark.parametrize(("limits", "options", "shape"), ROWS, ids=str)
def test_who_is_left(limits, options, shape):
    """The front of every round, from the whole history."""
    recipe = Within(MolUcb(scale=SCALE), limits, **options)
    play = played(recipe, shape, rounds=60)
    keeps = options.get("keeps") or ("certain" if "relative_to" in options else "possible")
    reference = options.get("relative_to")
    some_left_out = False
    for t in range(60):
        models = regressions(*play.before(t), 1.0, shape.shared)
        mean, width = estimates(models, play.rows(t))
        low, high = mean - SCALE * width, mean + SCALE * width
        shares = worst_break(low, high, limits, keeps, reference)
        left = shares == shares.min()
        # The share that decides is computed in another order: ties and near ties are left alone.
        if np.partition(np.abs(shares[~left] - shares.min()), 0)[:1].min(initial=1.0) < 1e-9:
            continue
        some_left_out |= not left.all()
        assert play.fronts[t].tolist() == pareto(high, left).tolist()
    assert some_left_out


def beliefs_of(mean, half):
    mean = np.array(mean, float)
    return Beliefs(mean, mean - half, mean + half)


def policy_with(**changes):
    fields = {
        "policy": Composite(SampleMean(3, 2), Ucb(Constant(1.0)), Pareto()),
        "explorer": Ucb(Constant(1.0)),
        "objectives": [0, 1],
        "offsets": [0.0, -1.0],
        "slopes": [1.0, 2.0],
        "limits": [0.5, 0.0],
        "certain": False,
        "reference": -1,
    }
    return WithinPolicy(**{**fields, **changes})


def test_the_least_bad_stays_by_its_worst_share():
    policy = policy_with()
    arms = np.arange(3)
    # Worths of objective 1 are 2 r - 1; its limit is 0, so that its shares are differences.
    bounds = beliefs_of([[0.4, 0.5], [0.25, 0.9], [0.5, 0.3]], 0.0)
    assert policy.excess(bounds, arms).round(12).tolist() == [0.2, 0.5, 0.4]
    assert policy.least_broken(bounds, arms).tolist() == [0]
    tied = beliefs_of([[0.4, 0.5], [0.4, 0.9], [0.5, 0.3]], 0.0)
    assert policy.least_broken(tied, arms).tolist() == [0, 1]
    kept = beliefs_of([[0.4, 0.5], [0.5, 0.5], [0.7, 0.8]], 0.0)
    assert policy.least_broken(kept, arms).tolist() == [1, 2]


def test_intervals_without_end():
    arms = np.arange(3)
    unknown = Beliefs(np.zeros((3, 2)), np.full((3, 2), -np.inf), np.full((3, 2), np.inf))
    assert policy_with().least_broken(unknown, arms).tolist() == [0, 1, 2]
    assert policy_with(certain=True).least_broken(unknown, arms).tolist() == [0, 1, 2]
    # Compared with an arm of which nothing is known, no other is certain to be as good.
    relative = policy_with(certain=True, reference=1, limits=[0.1, 0.1])
    assert relative.least_broken(unknown, arms).tolist() == [1]
    # Where it is not eligible, nothing is compared.
    assert relative.least_broken(unknown, np.array([0, 2, 3])).tolist() == [0, 1, 2]


INSIDE = [
    MolUcb(scale=SCALE),
    MolTs(scale=SCALE),
    MolTs(scale=SCALE, selection="weight"),
    MolUcb(scale="data"),
    HypervolumeUcb(scale=SCALE),
    GapWeighted(MolUcb(scale=SCALE)),
    WithFloor(MolUcb(scale=SCALE), 0.3),
    Paced(MolUcb(scale=SCALE, order=Weighted([1.0, 0.0, 0.0])), {1: 0.5}),
    CpUcb1(scale=0.3, per_side=2),
    Within(MolUcb(scale=SCALE), {1: 0.2}),
]


@pytest.mark.long
@pytest.mark.parametrize("recipe", INSIDE, ids=str)
def test_draws_follow_the_law_of_who_is_left(recipe):
    shape = SHARED
    policy = Within(recipe, {0: 1.1}).bind(shape)
    play = played(Within(recipe, {0: 1.1}), shape, rounds=40)
    rng = np.random.default_rng(5)
    eligible = np.array([3, 0, 4, 1])
    context = rng.random((1, D))
    beliefs = policy.beliefs(play.state, context, eligible, rng)
    law = policy.probabilities(beliefs)
    assert law.sum() == pytest.approx(1.0)
    assert set(np.flatnonzero(law)) <= set(beliefs.places.tolist())
    inner = policy.policy.probabilities(beliefs.kept)
    assert law[beliefs.places].tolist() == inner.tolist()
    draws = 4000
    counts = np.bincount([policy.draw(beliefs, rng).arm for _ in range(draws)], minlength=4)
    slack = 4.5 * np.sqrt(draws * law * (1.0 - law)) + 1e-9
    assert (np.abs(counts - draws * law) <= slack).all()


def test_a_floor_outside_plays_what_breaks_limits_and_a_floor_inside_does_not():
    inside = Within(WithFloor(MolUcb(scale=SCALE), 0.3), {0: 1.1})
    outside = WithFloor(Within(MolUcb(scale=SCALE), {0: 1.1}), 0.3)
    state = played(inside, OWN, rounds=60).state
    rng = np.random.default_rng(6)
    context = rng.random((K, D))
    laws = []
    for recipe in (inside, outside):
        policy = recipe.bind(OWN)
        beliefs = policy.beliefs(state, context, np.arange(K), rng)
        laws.append(policy.probabilities(beliefs))
    assert (laws[0] == 0.0).any()
    assert (laws[1] > 0.0).all()


def test_stages_have_the_limits_too():
    stage = next(iter(Within(Doubling(MolUcb(scale=SCALE), first=10), {0: 1.0}).stages(OWN)))
    assert stage.rounds == 10
    assert stage.policy == Within(MolUcb(scale=SCALE), {0: 1.0}).bind(OWN._replace(rounds=10))


def test_it_is_a_value():
    recipe = Within(MolUcb, {0: 1})
    assert recipe == Within(MolUcb(), ((0, 1.0),))
    assert hash(recipe) == hash(Within(MolUcb(), [[0, 1.0]]))
    assert recipe.assumptions() == MolUcb().assumptions()
    assert not Within(Exp3P(), {0: 1.0}).accepts_partial
    assert "terms" not in repr(recipe)


@pytest.mark.parametrize(
    ("recipe", "options", "said"),
    [
        ("MolUcb", {"limits": {0: 1.0}}, r"Within\.recipe must be a recipe such as"),
        (MolUcb(), {"limits": {}}, r"Within\.limits must be a dictionary .* got none"),
        (MolUcb(), {"limits": 0.5}, r"Within\.limits must be a dictionary .* got 0\.5"),
        (MolUcb(), {"limits": [(0, 1.0), (0, 2.0)]}, "every objective once"),
        (MolUcb(), {"limits": {0: float("nan")}}, r"Within\.limits\[0\] must be a finite number"),
        (MolUcb(), {"limits": {0: "x"}}, r"Within\.limits\[0\] must be a finite number"),
        (MolUcb(), {"limits": {0: 1.0}, "keeps": "surely"}, r"Within\.keeps must be one of"),
        (MolUcb(), {"limits": {0: -0.1}, "relative_to": 1}, "a margin, must be at least 0"),
    ],
)
def test_what_is_refused(recipe, options, said):
    with pytest.raises(ValueError, match=said):
        Within(recipe, **options)


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (Within(MolUcb(), {3: 1.0}), r"Within\.limits must be on objectives below 3, got 3"),
        (Within(MolUcb(), {"cost": 1.0}), "name objectives by number, from 0, outside of an agent"),
        (Within(MolUcb(), {True: 1.0}), "name objectives by number"),
        (Within(MolUcb(), {0: 1.0}, relative_to=5), r"relative_to must be an arm below 5, got 5"),
        (Within(MolUcb(), {0: 1.0}, relative_to="a"), "must be the number of an arm, from 0"),
        (Within(Exp3P(), {0: 1.0}), r"Within\.recipe must have estimates .* got Exp3PPolicy"),
        (Within(RandomChoice(), {0: 1.0}), r"Within\.recipe must have estimates"),
        (Within(MoglbUcb(), {0: 1.0}), r"Within\.recipe must believe in mean rewards"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_when_bound(recipe, said):
    with pytest.raises(ValueError, match=said):
        recipe.bind(OWN)


def test_the_dimensions_are_those_of_the_suite():
    assert tuple(OWN[:4]) == (K, D, L, T)
