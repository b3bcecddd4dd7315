"""A baseline that is kept: the condition against a slow twin, the laws, late and partial rewards; what is refused."""

import numpy as np
import pytest
from playing import OWN, SHARED, D, K, L, ridge

from mobandits.orders import Lexicographic, Weighted
from mobandits.policies import (
    Conservative,
    CpUcb1,
    Doubling,
    Exp3P,
    Forgetting,
    GapWeighted,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    Paced,
    WithFloor,
    Within,
)

SCALE, LOSS, BASE = 0.3, 0.2, 1
ROWS = np.array([[0.9, 0.1], [0.7, 0.7], [0.1, 0.9], [0.4, 0.4], [0.1, 0.2]])
FIXED = OWN._replace(fixed_arms=ROWS)
KNOWN = (0.6, 0.5)
SETTINGS = [
    (SHARED, None),
    (SHARED, KNOWN),
    (FIXED, None),
    (FIXED, KNOWN),
    (OWN, KNOWN),
]


def slow_safe(history, context, arms, shape, objective, mean):
    """(arms,) whether an arm may be played, by the condition of the paper, from the whole history.

    Args:
        history: (context row, arm, baseline's row, rewards) per round.
        context: (arms or 1, features).
        arms: the eligible ones.
        shape: of the problem.
        objective: which is guarded.
        mean: the baseline's, or None.
    """
    models = K if shape.shared else 1
    fitted = []
    for model in range(models):
        mine = [one for one in history if one[1] == model or models == 1]
        xs = np.array([one[0] for one in mine]).reshape(-1, D)
        rewards = np.array([one[3] for one in mine]).reshape(-1, L)
        inverse, theta = ridge(xs, rewards, 1.0)
        fitted.append((inverse, theta[objective]))

    def end(sums, sign):
        """The least or largest <theta, y> over the ellipsoids, y stacked by model."""
        total = 0.0
        for (inverse, theta), y in zip(fitted, sums, strict=True):
            total += theta @ y + sign * SCALE * np.sqrt(y @ inverse @ y)
        return total

    def stacked(rows):
        sums = np.zeros((models, D))
        for x, arm in rows:
            sums[arm if models > 1 else 0] += x
        return sums

    others = [(x, arm) for x, arm, _, _ in history if arm != BASE]
    forgone = [(row, BASE) for _, arm, row, _ in history if arm != BASE]
    kept = [(x, BASE) for x, arm, _, _ in history if arm == BASE]
    now = context[list(arms).index(BASE) if len(context) > 1 else 0]
    safe = []
    for place, arm in enumerate(arms):
        x = context[place if len(context) > 1 else 0]
        least = end(stacked([*others, (x, arm)]), -1.0)
        if mean is None:
            sure = LOSS * max(end(stacked(kept), -1.0), 0.0)
            needed = (1.0 - LOSS) * end(stacked([*forgone, (now, BASE)]), 1.0)
        else:
            sure = len(kept) * mean
            needed = (1.0 - LOSS) * (len(history) + 1) * mean
        safe.append(True if arm == BASE else least + sure - needed)
    return safe


def lived(recipe, shape, rounds=60, seed=0):
    """The policy, its history, and in every round what it believed and was offered."""
    policy = recipe.bind(shape)
    state, rng = policy.init(), np.random.default_rng(seed)
    history, moments = [], []
    for _ in range(rounds):
        context = rng.random((1 if shape.shared else K, D))
        if shape.fixed_arms is not None:
            context = shape.fixed_arms.copy()
        arms = np.sort(rng.permutation(K)[: rng.integers(2, K + 1)])
        offered = context[arms] if len(context) > 1 else context
        beliefs = policy.beliefs(state, offered, arms, rng)
        choice = policy.draw(beliefs, rng)
        arm = int(arms[choice.arm])
        moments.append((list(history), offered, arms, beliefs, choice.arm))
        row = context[BASE if len(context) > 1 else 0]
        x = offered[choice.arm if len(offered) > 1 else 0]
        reward = 0.4 + 0.2 * rng.random(L) + 0.1 * x.sum() + 0.05 * (arm == 2)
        history.append((x.copy(), arm, row.copy(), reward))
        state = policy.update(state, x, arm, choice.note, reward, rng)
    return policy, state, history, moments


@pytest.mark.parametrize(("shape", "means"), SETTINGS, ids=str)
def test_what_is_safe(shape, means):
    recipe = Conservative(
        MolUcb(scale=SCALE, order=Weighted([1.0, 1.0, 1.0])), BASE, LOSS, (0, 2), means
    )
    _, _, _, moments = lived(recipe, shape)
    seen = set()
    for history, context, arms, beliefs, _ in moments:
        if BASE not in arms:
            assert beliefs.safe.all()
            continue
        expected = np.ones(len(arms), bool)
        near = np.zeros(len(arms), bool)
        for j, objective in enumerate((0, 2)):
            mean = None if means is None else means[j]
            margins = slow_safe(history, context, arms, shape, objective, mean)
            for a, margin in enumerate(margins):
                if margin is True:
                    continue
                expected[a] &= margin >= 0.0
                near[a] |= abs(margin) < 1e-9
        seen |= set(beliefs.safe.tolist())
        assert (beliefs.safe == expected)[~near].all()
        assert beliefs.baseline == list(arms).index(BASE)
    assert seen == {True, False}


@pytest.mark.long
@pytest.mark.parametrize("recipe", [MolUcb(scale=SCALE), MolTs(scale=SCALE)], ids=str)
def test_draws_follow_the_law(recipe):
    recipe = Conservative(recipe, BASE, LOSS, 0)
    policy, _, _, moments = lived(recipe, SHARED)
    rng = np.random.default_rng(1)
    for _, _, arms, beliefs, played in moments[::12]:
        law = policy.probabilities(beliefs)
        assert law.sum() == pytest.approx(1.0)
        assert law[played] > 0.0
        if BASE in arms:
            assert (law[~beliefs.safe] == 0.0).all()
        draws = 2000
        counts = np.bincount(
            [policy.draw(beliefs, rng).arm for _ in range(draws)], minlength=len(law)
        )
        slack = 4.5 * np.sqrt(draws * law * (1.0 - law)) + 1e-9
        assert (np.abs(counts - draws * law) <= slack).all()


def test_late_and_partial_rewards_end_in_the_same_sums():
    recipe = Conservative(MolUcb(scale=SCALE), BASE, LOSS, (0, 2))
    policy, state, history, _ = lived(recipe, SHARED, rounds=30)
    late, rng = policy.init(), np.random.default_rng(3)
    parts = []
    for x, arm, _, reward in history:
        for l in range(L):
            part = np.full(L, np.nan)
            part[l] = reward[l]
            parts.append((x, arm, part))
    for i in rng.permutation(len(parts)):
        x, arm, part = parts[i]
        late = policy.update(late, x, arm, 0.0, part, rng)
    for field in ("others", "forgone", "kept", "rounds", "guarded"):
        assert getattr(late, field) == pytest.approx(getattr(state, field), abs=1e-12)


def test_sums_of_two_add_up():
    recipe = Conservative(MolUcb(scale=SCALE), BASE, LOSS, (0, 2))
    policy, _, history, _ = lived(recipe, SHARED, rounds=30)
    rng = np.random.default_rng(0)
    whole = policy.init()
    halves = [policy.init(), policy.init()]
    for i, (x, arm, _, reward) in enumerate(history):
        whole = policy.update(whole, x, arm, 0.0, reward, rng)
        halves[i % 2] = policy.update(halves[i % 2], x, arm, 0.0, reward, rng)
    both = halves[0].merged(halves[1], policy.init())
    for field in ("others", "forgone", "kept", "rounds", "guarded"):
        assert getattr(both, field) == pytest.approx(getattr(whole, field), abs=1e-12)
    assert both.policy.theta == pytest.approx(whole.policy.theta)


def test_the_baseline_is_played_until_more_is_known():
    recipe = Conservative(MolUcb(), BASE, 0.05, 0)
    _, _, _, moments = lived(recipe, SHARED, rounds=20)
    # Where it was not eligible, there was nothing else to be played.
    played = [arms[place] for _, _, arms, _, place in moments if BASE in arms]
    assert len(played) > 5
    assert set(played) == {BASE}


def test_other_policies_inside():
    for recipe in (
        WithFloor(MolUcb(scale=SCALE), 0.2),
        Within(MolUcb(scale=SCALE), {0: 0.3}),
        Paced(MolUcb(scale=SCALE), {1: 0.3}),
        MolUcb(scale="data", order=Lexicographic()),
    ):
        policy, _, _, moments = lived(Conservative(recipe, BASE, LOSS, 0), SHARED, rounds=20)
        law = policy.probabilities(moments[-1][3])
        assert law.sum() == pytest.approx(1.0)


def test_it_is_a_value():
    recipe = Conservative(MolUcb, 1, 0.1, [0, 2], [0.5, None])
    assert recipe == Conservative(MolUcb(), 1, 0.1, (0, 2), (0.5, None))
    assert hash(recipe) == hash(Conservative(MolUcb(), 1, 0.1, (0, 2), (0.5, None)))
    assert recipe.assumptions() == MolUcb().assumptions()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"recipe": "MolUcb"}, r"Conservative\.recipe must be a recipe"),
        ({"loss": 1.0}, r"Conservative\.loss must be below 1"),
        ({"loss": 0.0}, r"Conservative\.loss must be above 0"),
        ({"mean": 0.0}, r"Conservative\.mean must be above 0"),
        ({"mean": "x"}, r"Conservative\.mean must be a finite number"),
        ({"mean": (0.5, 0.5)}, r"Conservative\.mean must have one number per objective, 1"),
    ],
)
def test_what_is_refused(options, said):
    fields = {"recipe": MolUcb(), "baseline": 0, "loss": 0.1, "objective": 0}
    with pytest.raises(ValueError, match=said):
        Conservative(**{**fields, **options})


@pytest.mark.parametrize(
    ("recipe", "options", "said"),
    [
        (Exp3P(), {}, "must rest on ridge regression"),
        (CpUcb1(per_side=2), {}, "must rest on ridge regression"),
        (Forgetting(MolUcb(scale=0.3), 0.9), {}, "that forgets nothing"),
        (MolEpsGreedy(), {}, r"Conservative\.recipe must have confidence intervals"),
        (GapWeighted(MolUcb()), {}, "must act on the beliefs of its explorer"),
        (Doubling(MolUcb(), first=10), {}, "must play without stages, got Doubling"),
        (MolUcb(), {"baseline": 5}, r"Conservative\.baseline must be an arm below 5, got 5"),
        (MolUcb(), {"baseline": "a"}, "must be the number of an arm"),
        (MolUcb(), {"objective": 3}, r"Conservative\.objective must be below 3, got 3"),
        (MolUcb(), {"objective": "grade"}, "must name objectives by number"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_when_bound(recipe, options, said):
    fields = {"baseline": 0, "loss": 0.1, "objective": 0}
    with pytest.raises(ValueError, match=said):
        Conservative(recipe, **{**fields, **options}).bind(SHARED)


def test_an_unknown_baseline_needs_its_features():
    with pytest.raises(ValueError, match=r"Conservative\.mean must be known where arms have"):
        Conservative(MolUcb(), 0, 0.1, 0).bind(OWN)
