"""The doubling trick: stages, their horizons, and a run that needs no horizon."""

import numpy as np
import pytest
from twins.tiny import Tiny

from mobandits import simulate
from mobandits.contracts.protocols import Shape
from mobandits.policies import Doubling, Exp3P, MoslbPl, RandomChoice
from mobandits.policies.context_free.exp3p import Exp3PPolicy
from mobandits.simulation.learner import Learner
from mobandits.simulation.play import play
from mobandits.spec import build

SHAPE = Shape(arms=4, features=0, objectives=2)


def test_every_stage_is_bound_to_its_length():
    stages, known = Doubling(Exp3P(), first=64).stages(SHAPE), []
    for k in range(4):
        stage = next(stages)
        known.append(stage.rounds)
        assert stage.policy == Exp3P().bind(SHAPE._replace(rounds=64 * 2**k))
    assert known == [64, 128, 256, 512]


def test_a_class_is_its_defaults():
    assert Doubling(Exp3P) == Doubling(Exp3P())
    assert Doubling(RandomChoice).accepts_partial
    assert not Doubling(Exp3P).accepts_partial


def test_jointly_the_failure_probabilities_sum_to_delta():
    stages = Doubling(MoslbPl(delta=0.1), first=100, joint=True).stages(Shape(3, 2, 2))
    deltas = [next(stages).policy.explorer.radius.delta for _ in range(50)]
    np.testing.assert_allclose(deltas[:3], [0.1 / 2, 0.1 / 6, 0.1 / 12])
    assert sum(deltas) < 0.1


def test_stages_forget():
    """The state after 100 + 200 + 50 rounds has seen 50 of them."""
    one = Learner(
        "row", Doubling(Exp3P(), first=100), SHAPE, lambda policy: play, np.random.default_rng(0)
    )
    rewards = np.random.default_rng(1).random((350, 4, 2))
    block = Tiny().problem(350, np.random.default_rng(2)).block(0, 350, np.random.default_rng(3))
    block = block._replace(contexts=np.zeros((1, 1, 0)), rewards=rewards)
    chosen = np.empty(350, np.int64)
    one.play(block, np.arange(4), chosen, None)
    policy, state = one.policy, one.state
    assert policy == Exp3P().bind(SHAPE._replace(rounds=400))
    gains = np.zeros(4)
    for t in range(300, 350):
        law = policy.beliefs(state._replace(gains=gains), np.zeros((1, 0)), np.arange(4), None)
        gains += policy.bonus / law
        gains[chosen[t]] += rewards[t, chosen[t], 0] / law[chosen[t]]
    np.testing.assert_allclose(state.gains, gains, rtol=1e-10)


def test_it_runs_where_the_horizon_is_unknown_to_the_recipe():
    table = simulate(
        Doubling(MoslbPl(levels=((0,), (1,))), first=100), Tiny(), rounds=700, trials=1
    ).table
    assert table["policy"].unique().to_list()[0].startswith("Doubling(recipe=MoslbPl(")


def test_a_file_may_name_it():
    entry = {"name": "doubling", "first": 64, "recipe": {"name": "moslb-pl", "alpha": 0.3}}
    assert build("policies", entry, "policy") == Doubling(MoslbPl(alpha=0.3), first=64)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"recipe": "exp3p"}, "Doubling.recipe must be a recipe such as"),
        ({"recipe": Exp3PPolicy}, "Doubling.recipe must be a recipe such as"),
        ({"recipe": Doubling(Exp3P)}, "Doubling.recipe must be a recipe such as"),
        ({"recipe": Exp3P, "first": 0}, "Doubling.first must be an integer of at least 1"),
        (
            {"recipe": Exp3P, "joint": True},
            "Doubling.joint must be False for a recipe without a number delta",
        ),
    ],
)
def test_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Doubling(**given)
