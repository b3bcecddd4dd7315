"""Every built-in policy keeps every promise of `mobandits.testing`: one row each."""

import numpy as np
import pytest

from mobandits import policies
from mobandits.contracts.protocols import Recipe
from mobandits.orders import EffectivePareto, Levels
from mobandits.policies import (
    AnnealingPareto,
    CdUcb1,
    ContextualZooming,
    CpUcb1,
    CsUcb1,
    Doubling,
    Exp3P,
    Forgetting,
    GapWeighted,
    HypervolumeUcb,
    MocMab,
    MoglbUcb,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    MoslbParetoUcb,
    MoslbPc,
    MoslbPl,
    Mtlo,
    ParetoKg,
    ParetoTs,
    ParetoUcb1,
    Pcz,
    PfiRls,
    PfLex,
    RandomChoice,
    ScalarizedUcb1,
    SingleArm,
    Stlo,
    Ucb1,
)
from mobandits.testing import DEFAULT_SHAPE, PolicyCase, prepare

SHARED = DEFAULT_SHAPE._replace(shared=True)
FIXED = DEFAULT_SHAPE._replace(
    fixed_arms=np.array([[0.9, 0.1], [0.7, 0.7], [0.1, 0.9], [0.4, 0.4], [0.1, 0.2]])
)

PLACES = ((0.0,), (0.2,), (0.5,), (0.9,), (1.0,))

CASES = [
    PolicyCase(MoglbUcb(links=("probit", "logit", "identity"), scale=0.1)),
    PolicyCase(MoglbUcb(), SHARED, rewards="binary"),
    PolicyCase(MolTs(scale=0.3)),
    PolicyCase(MolTs(draws=1), SHARED),
    PolicyCase(MolTs(scale=0.3, selection="weight")),
    PolicyCase(MolTs(scale=0.3, links="logit"), rewards="binary"),
    PolicyCase(MolUcb(scale=0.3)),
    PolicyCase(MolUcb(order=EffectivePareto()), SHARED),
    PolicyCase(MolEpsGreedy(epsilon=0.3)),
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
    PolicyCase(GapWeighted(MolUcb(order=Levels([[0, 1], [2]])))),
    PolicyCase(AnnealingPareto(rate=0.97)),
    PolicyCase(ParetoKg()),
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
    PolicyCase(RandomChoice()),
    PolicyCase(SingleArm(1)),
]


@pytest.mark.parametrize(
    ("case", "check"), [(case, check) for case in CASES for check in case.checks], ids=str
)
def test_promise(case, check):
    prepare(CASES)
    case.check(check)


def test_every_recipe_has_a_row():
    public = {name for name in policies.__all__ if issubclass(getattr(policies, name), Recipe)}
    assert {type(case.recipe).__name__ for case in CASES} == public
