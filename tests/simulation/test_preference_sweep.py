"""Orders that read one learner's beliefs."""

import numpy as np
import polars as pl
import pytest
from twins.tiny import Plain, Tiny

from mobandits.contracts.protocols import Beliefs, Block
from mobandits.orders import Levels, Lexicographic, Pareto
from mobandits.policies import MolUcb, RandomChoice
from mobandits.simulation import PreferenceSweep, simulate
from mobandits.simulation.players import player
from mobandits.simulation.streams import READER, stream
from mobandits.support.naming import short_repr

LEARNER = MolUcb(scale=0.3)
ORDERS = {"lexi": Lexicographic(), "front": Pareto()}
SMALL = {"rounds": 300, "trials": 2, "record": 300, "metrics": ["plays", "jaccard"]}


def rows(table, *policies):
    return table.filter(pl.col("policy").is_in(policies))


@pytest.mark.long
def test_the_learner_plays_as_it_would_alone():
    alone = simulate({"learner": LEARNER}, Tiny(), **SMALL).table
    aloud = simulate({"learner": PreferenceSweep(LEARNER, ORDERS)}, Tiny(), **SMALL).table
    assert rows(aloud, "learner").equals(alone)
    assert aloud["policy"].unique(maintain_order=True).to_list() == ["learner", "lexi", "front"]


@pytest.mark.long
def test_a_reader_depends_on_no_other_reader():
    both = simulate({"learner": PreferenceSweep(LEARNER, ORDERS)}, Tiny(), **SMALL).table
    one = simulate(
        {"learner": PreferenceSweep(LEARNER, {"front": Pareto()})}, Tiny(), **SMALL
    ).table
    assert rows(both, "front").equals(rows(one, "front"))


def test_a_reader_that_plays_no_arm_is_refused():
    class Nobody(Pareto):
        def draw(self, beliefs, rng):
            return -1

    with pytest.raises(IndexError, match="draw must return the position of an arm"):
        simulate({"learner": PreferenceSweep(LEARNER, {"nobody": Nobody()})}, Tiny(), **SMALL)


def test_readers_choose_from_the_means_before_the_round():
    """The slow twin: the learner in plain Python, one round at a time."""
    problem = Tiny().problem(40, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    block = Block(*problem.block(0, 40, rng))
    order = Levels([[1], [0]])
    readings, arms = PreferenceSweep(Plain(), {"r": order}), np.arange(4)
    learner, reader = player("p", readings, problem.shape, 3, 0, "auto").play(
        block, arms, with_fronts=True
    )

    policy, state, ties = (
        Plain().bind(problem.shape),
        None,
        stream(3, 0, READER, f"{Plain()!r} read by {order!r}"),
    )
    state = policy.init()
    for t in range(40):
        mean = policy.beliefs(state, block.contexts[t], arms, rng).mean.copy()
        point = Beliefs(mean, mean, mean)
        assert reader.chosen[t] == order.draw(point, ties)
        assert reader.fronts[t].tolist() == order.front(point).tolist()
        state = policy.update(
            state, None, learner.chosen[t], 0.0, block.rewards[t, learner.chosen[t]], rng
        )


@pytest.mark.long
def test_lexicographic_reader_prefers_the_first_objective():
    table = simulate(
        PreferenceSweep(LEARNER, ORDERS), Tiny(fixed=True), rounds=300, trials=4, metrics=["reward"]
    ).table
    last = table.filter(pl.col("round") == 300, pl.col("component") == 0)
    totals = dict(last.group_by("policy").agg(pl.col("value").sum()).iter_rows())
    assert totals["lexi"] >= totals["front"]
    assert short_repr(LEARNER) in totals


@pytest.mark.parametrize(
    ("recipe", "orders", "message"),
    [
        (
            RandomChoice(),
            ORDERS,
            r"policy 'p': PreferenceSweep.recipe must believe in means .*, got RandomChoice\(\)",
        ),
        (
            LEARNER,
            {"l": Levels([[0], [5]])},
            "policy 'p': PreferenceSweep.orders.'l'.: Levels.levels",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(recipe, orders, message):
    with pytest.raises(ValueError, match=message):
        simulate({"p": PreferenceSweep(recipe, orders)}, Tiny(), rounds=5)
