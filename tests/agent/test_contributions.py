"""Explanations of agents with an encoder: columns and values, and what they add to estimates."""

import numpy as np

import mobandits as mob
from mobandits.agent import Objective
from mobandits.encoding import Encoder
from mobandits.policies import MolUcb

COST = Objective("cost", minimise=True, unit="USD")
TABLE = {"length": [100.0, 812.0, 50.0, 400.0], "city": ["Rome", "Paris", "Rome", "Paris"]}


def agent_of(features):
    return mob.Agent(
        MolUcb(scale=0.3), arms=["small", "large"], features=features, objectives=["quality", COST]
    )


def taught():
    """An agent of which the quality of "large" grows with the length, and all else does not matter."""
    agent = agent_of(Encoder.fit(TABLE, "length,city:category"))
    rng = np.random.default_rng(0)
    for i in range(200):
        row = {"length": rng.uniform(0, 1000), "city": ["Rome", "Paris"][i % 2]}
        arm = ["small", "large"][i // 2 % 2]
        quality = 0.5 if arm == "small" else row["length"] / 1000
        agent.adopt(row, arm, rewards=[quality, 0.1])
    return agent


def test_explanations_name_columns_and_values():
    agent = taught()
    decision = agent.decide({"length": 812, "city": "Rome"}, ["large", "small"])
    explanation = agent.explain(decision)
    assert "because length = 812 (quality" in str(explanation)
    by_column = {each.column: each for each in explanation.contributions}
    assert list(by_column) == ["length", "city"]
    assert by_column["city"].value == "Rome"
    assert by_column["length"].amounts.shape == (2, 2)
    nothing = decision.replaced(context=np.zeros_like(decision.context))
    intercept = decision.context.copy()
    intercept[:, 1:] = 0.0
    parts_of_it = sum(each.amounts for each in explanation.contributions)
    alone = agent.explain(decision.replaced(context=intercept)).estimates
    np.testing.assert_allclose(parts_of_it + alone, explanation.estimates, atol=1e-12)
    assert agent.explain(nothing).sentence.count("because") == 0


def test_one_arm_has_no_reason():
    agent = taught()
    decision = agent.decide({"length": 812, "city": "Rome"}, ["large"])
    assert "because" not in str(agent.explain(decision))
    plain = agent_of(2)
    assert plain.explain(plain.decide([0.5, 1.0])).contributions == ()
