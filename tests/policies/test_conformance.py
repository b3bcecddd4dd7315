"""Every built-in policy keeps every promise of `mobandits.testing`: one row each."""

import numpy as np
import pytest
from rehearsals import check_behaviour, check_compiled, rows_of_all_parts

from mobandits import policies
from mobandits.contracts.protocols import Recipe
from mobandits.contracts.states import declares
from mobandits.features import Bins, Crosses, Fourier
from mobandits.orders import EffectivePareto, Levels, Pareto, Weighted
from mobandits.policies import (
    AnnealingPareto,
    Ape,
    CdUcb1,
    Conservative,
    ContextualZooming,
    CpUcb1,
    CsUcb1,
    Diagonal,
    Doubling,
    DriftAlarm,
    Ege,
    Elimination,
    Exp3P,
    Falling,
    Features,
    Forgetting,
    GapWeighted,
    HypervolumeUcb,
    LexElim,
    MocMab,
    MoglbUcb,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    MoslbParetoUcb,
    MoslbPc,
    MoslbPl,
    Mtlo,
    Neighbours,
    Ogde,
    Paced,
    ParetoKg,
    ParetoTs,
    ParetoUcb1,
    Pcz,
    Pessimistic,
    PfiRls,
    PfLex,
    PreferenceUcb,
    PrimalDual,
    RandomChoice,
    Rollout,
    ScalarizedUcb1,
    SingleArm,
    Stlo,
    TopTwoParetoTs,
    Ucb1,
    WidthGuided,
    WithFloor,
    Within,
)
from mobandits.testing import DEFAULT_SHAPE, PolicyCase

SHARED = DEFAULT_SHAPE._replace(shared=True)
FIXED = DEFAULT_SHAPE._replace(
    fixed_arms=np.array([[0.9, 0.1], [0.7, 0.7], [0.1, 0.9], [0.4, 0.4], [0.1, 0.2]])
)

PLACES = ((0.0,), (0.2,), (0.5,), (0.9,), (1.0,))
FIRST = Weighted([1.0, 0.0, 0.0])

CASES = [
    PolicyCase(MoglbUcb(links=("probit", "logit", "identity"), scale=0.1)),
    PolicyCase(MoglbUcb(), SHARED, rewards="binary"),
    PolicyCase(MolTs(scale=0.3)),
    PolicyCase(MolTs(draws=1), SHARED),
    PolicyCase(MolTs(scale=0.3, selection="weight")),
    PolicyCase(MolTs(scale=0.3, links="logit"), rewards="binary"),
    PolicyCase(MolUcb(scale=0.3)),
    PolicyCase(MolUcb(order=EffectivePareto()), SHARED),
    PolicyCase(MolUcb(scale="data"), SHARED),
    PolicyCase(MolUcb(scale="data", order=EffectivePareto()), FIXED),
    PolicyCase(MolTs(scale="data")),
    PolicyCase(MolEpsGreedy(epsilon=0.3)),
    PolicyCase(Paced(MolEpsGreedy(epsilon=0.3, penalty=10.0, intercept=30.0), {1: 0.5}), SHARED),
    PolicyCase(MoslbPl(levels=((0, 1), (2,)))),
    PolicyCase(MoslbPc(chains=((0, 1), (2,)))),
    PolicyCase(MoslbParetoUcb(on=(0, 2))),
    PolicyCase(ParetoUcb1(scale=0.3)),
    PolicyCase(ScalarizedUcb1(scale=0.1)),
    PolicyCase(ScalarizedUcb1(chebyshev=True, shared=True)),
    PolicyCase(ParetoTs(), rewards="binary"),
    PolicyCase(ParetoTs(prior="gaussian", noise=0.3)),
    PolicyCase(MocMab(scale=0.1, per_side=2)),
    PolicyCase(MocMab(scale=0.1, per_side=3, boundary="random", period=7), SHARED),
    PolicyCase(CpUcb1(scale=0.3, per_side=2), SHARED),
    PolicyCase(CsUcb1(scale=0.3, per_side=2, boundary="random", period=7), SHARED),
    PolicyCase(CdUcb1(scale=0.3, per_side=2), SHARED),
    PolicyCase(Ucb1(objective=1)),
    PolicyCase(Exp3P(objective=None)),
    PolicyCase(Doubling(Exp3P(), first=100)),
    PolicyCase(Forgetting(MolUcb(scale=0.3), discount=0.95)),
    PolicyCase(DriftAlarm(MolTs(scale=0.3))),
    PolicyCase(Paced(DriftAlarm(MolEpsGreedy(epsilon=0.0)), {1: 0.5}), SHARED),
    PolicyCase(Forgetting(MolTs(scale="data"), discount=0.95), SHARED),
    PolicyCase(Neighbours(MolUcb(scale=0.3), count=3, memory=8)),
    PolicyCase(Paced(Neighbours(DriftAlarm(MolEpsGreedy(epsilon=0.0))), {1: 0.5}), SHARED),
    PolicyCase(Neighbours(MolTs(scale="data"), count=2), SHARED),
    PolicyCase(Diagonal(MolUcb(scale=0.3))),
    PolicyCase(Diagonal(Forgetting(MolTs(scale="data"), discount=0.95)), SHARED),
    PolicyCase(Diagonal(MolUcb()), FIXED),
    PolicyCase(Features(Fourier(6, length=0.7), MolUcb(scale="data")), SHARED),
    PolicyCase(Features(Crosses(2), MolUcb(scale=0.3)), FIXED),
    PolicyCase(Features(Bins([[0.3], []]), MoglbUcb(scale=0.1)), rewards="binary"),
    PolicyCase(GapWeighted(MolUcb(order=Levels([[0, 1], [2]])))),
    PolicyCase(WithFloor(MolTs(scale=0.3), epsilon=0.3)),
    PolicyCase(WithFloor(Exp3P(objective=None), Falling(0.8, 0.2))),
    PolicyCase(WithFloor(MolTs(scale=0.3), Falling(2.0, 0.1)), SHARED),
    PolicyCase(WithFloor(MolUcb(scale=0.3), shares={0: 0.1, 1: 0.3, 2: 0.1, 3: 0.1, 4: 0.05})),
    PolicyCase(Rollout(MolUcb(scale=0.3), 1, 0.3)),
    PolicyCase(Pessimistic(MolUcb(scale=0.3))),
    PolicyCase(Pessimistic(MolTs(scale="data")), SHARED),
    PolicyCase(Pessimistic(Forgetting(MolUcb(scale=0.3), discount=0.95))),
    PolicyCase(Within(MolUcb(scale=0.3), {0: 0.4, 2: 0.2})),
    PolicyCase(Within(WithFloor(MolTs(scale=0.3), 0.3), {0: 0.2}, relative_to=1), SHARED),
    PolicyCase(Paced(MolUcb(scale=0.3, order=Pareto(on=[0])), {1: 0.5})),
    PolicyCase(Paced(MolTs(scale="data"), {1: 0.5, 2: 0.1}, horizon=200), SHARED),
    PolicyCase(Paced(GapWeighted(MolUcb(scale=0.3)), {1: 0.5}, horizon=200, price="violation")),
    PolicyCase(Conservative(MolUcb(scale=0.3), 1, 0.3, (0, 2), (0.4, 0.3))),
    PolicyCase(Conservative(MolTs(scale=0.3), 1, 0.3, 0), SHARED),
    PolicyCase(Conservative(MolUcb(scale=0.1), 1, 0.3, 0), FIXED),
    PolicyCase(AnnealingPareto(rate=0.97)),
    PolicyCase(ParetoKg()),
    PolicyCase(WidthGuided()),
    PolicyCase(LexElim()),
    PolicyCase(Ogde()),
    PolicyCase(PreferenceUcb("hidden", scale=0.3)),
    PolicyCase(PreferenceUcb(), DEFAULT_SHAPE._replace(objectives=4)),
    PolicyCase(PfLex(epsilon=0.5, scale=0.3)),
    PolicyCase(Stlo(epsilon=0.3, scale=0.1)),
    PolicyCase(Mtlo(scale=0.05)),
    PolicyCase(HypervolumeUcb(scale=0.3)),
    PolicyCase(HypervolumeUcb(exploration="thompson", reference=(0.0, -1.0, 0.0)), SHARED),
    PolicyCase(PfiRls(scale=0.1), FIXED),
    PolicyCase(Pcz(scale=0.3)),
    PolicyCase(Pcz(positions=PLACES), DEFAULT_SHAPE._replace(features=0)),
    PolicyCase(ContextualZooming(scale=0.3, objective=1)),
    PolicyCase(ContextualZooming(scale=0.2, positions=PLACES, width="pcz"), SHARED),
    PolicyCase(Ape(delta=0.2, epsilon=0.1)),
    PolicyCase(Elimination(epsilon=0.1, sigma=0.2)),
    PolicyCase(Ege(budget=100)),
    PolicyCase(TopTwoParetoTs()),
    PolicyCase(RandomChoice()),
    PolicyCase(SingleArm(1)),
    PolicyCase(PrimalDual(MolUcb(scale=0.3, order=FIRST), {1: 0.5}, {1: 1.0})),
    PolicyCase(
        PrimalDual(MolUcb(scale="data", order=FIRST), {1: 0.5, 2: 0.1}, {1: 2.0, 2: 1.0}), SHARED
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_promise_of_behaviour(case):
    check_behaviour(case)


@pytest.mark.process
@pytest.mark.parametrize("case", rows_of_all_parts(CASES), ids=str)
def test_compiled_it_does_the_same(case):
    """All rows are compiled by `compiling/test_modes.py`, on demand."""
    check_compiled(case)
    case.check("compiles-once")


def test_every_recipe_has_a_row():
    public = {name for name in policies.__all__ if issubclass(getattr(policies, name), Recipe)}
    assert {type(case.recipe).__name__ for case in CASES} == public


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_a_recipe_says_of_its_log(case):
    """`Traits.log` against the probabilities of 200 rounds."""
    said = case.recipe.traits.log
    stage = next(iter(case.recipe.stages(case.shape)))
    policy, rounds = stage.policy, min(200, stage.rounds or 200)
    drawn = declares(policy, "RANDOM_BELIEFS")
    largest, least = laws_in_play(policy, case, rounds)
    if said == "sampled":
        assert drawn
    elif said == "exact":
        assert not drawn
        assert least.min() > 0.0
    elif said == "exact, with zeros":
        assert not drawn
        assert least.min() == 0.0
    elif said == "1 in most rounds":
        # Some of them still explore in most of so few rounds.
        assert (largest[rounds // 2 :] >= 1.0).mean() > 0.3
    elif said == "as its recipe, without zeros":
        assert least.min() > 0.0
    else:
        assert said == "as its recipe"


def laws_in_play(policy, case, rounds):
    """(rounds,) the largest and the least probability of an arm, while the policy learns."""
    rng = np.random.default_rng(0)
    arms, features, objectives = case.shape[:3]
    fixed, state = case.shape.fixed_arms, policy.init()
    rows = 1 if case.shape.shared or features == 0 else arms
    means, laws = rng.random((arms, objectives)), []
    for _ in range(rounds):
        context = rng.random((rows, features)) if fixed is None else fixed.copy()
        beliefs = policy.beliefs(state, context, np.arange(arms), rng)
        laws.append(policy.probabilities(beliefs))
        arm, note = policy.draw(beliefs, rng)
        reward = (means[arm] + rng.random(objectives)) / 2
        if case.rewards == "binary":
            reward = (rng.random(objectives) < means[arm]).astype(float)
        x = context[arm if len(context) > 1 else 0]
        state = policy.update(state, x, arm, note, reward, rng)
    return np.max(laws, axis=1), np.min(laws, axis=1)
