"""Decisions in memory: what a user hands over is taken, or refused by one line that says what to write."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits.logs import Feedback

GOOD = {
    "contexts": [[1.0], [2.0]],
    "arms": [0, 1],
    "rewards": [[0.5, 1.0], [0.25, np.nan]],
    "propensities": [0.5, 0.25],
    "arm_names": ["small", "large"],
    "objectives": ["quality", "cost"],
}


def made(**change):
    return Feedback(**{**GOOD, **change})


@pytest.mark.parametrize(
    "arms",
    [
        ["large", "small"],
        ("large", "small"),
        np.array(["large", "small"]),
        np.array(["large", "small"], object),
        pl.Series(["large", "small"]),
        pl.Series(["large", "small"], dtype=pl.Categorical),
    ],
)
def test_arms_by_name(arms):
    log = made(arms=arms)
    assert log.arms.tolist() == [1, 0]
    assert log.arms.dtype == np.int64
    assert log[:1].arms.tolist() == [1]


names = st.one_of(
    st.text(max_size=3), st.tuples(st.text(max_size=2), st.integers()), st.floats(0.1, 0.9)
)


@pytest.mark.long
@given(st.lists(names, min_size=1, max_size=5, unique=True), st.data())
def test_names_mean_their_positions(arm_names, data):
    positions = data.draw(st.lists(st.integers(0, len(arm_names) - 1), max_size=6))
    rounds = len(positions)
    common = {
        "contexts": np.zeros((rounds, 1)),
        "rewards": np.zeros((rounds, 2)),
        "propensities": np.ones(rounds),
        "arm_names": arm_names,
    }
    by_position = made(arms=np.array(positions, np.int64), **common)
    by_name = made(arms=[arm_names[position] for position in positions], **common)
    assert by_name.arms.tolist() == by_position.arms.tolist() == positions


def test_numbers_are_positions_whatever_the_names_are():
    assert made(arms=[1, 0], arm_names=[1, 0]).arms.tolist() == [1, 0]
    assert made(arms=["b", 7], arm_names=[7, "b"]).arms.tolist() == [
        1,
        0,
    ]  # a list with a name in it has names only


# What must be given, for messages.
ARM = "arms must be a position in arm_names or a name of it per round, got"
PLACE = "arms must be from 0 to 1, positions in arm_names, got"
COUNT = "arms must be one per round, of which there are 2, got"
NAMES = "names must be different names, in a list, got"
REWARDS = "rewards must be numbers of shape (rounds, 2), a column per objective, got"
CONTEXTS = "contexts must be numbers of shape (rounds, features) or (rounds, arms, features), got"
CHANCES = (
    "propensities must be one per round, of which there are 2, and NaN where it was not logged, got"
)
MASK = "eligible must be True or False for each of 2 arms in each of 2 rounds, got"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"arms": ["small", "larg"]}, f"{ARM} 'larg' in round 1; did you mean large?"),
        ({"arms": [0.0, 1.0]}, f"{ARM} 0.0 in round 0"),
        ({"arms": [True, False]}, f"{ARM} True in round 0"),
        ({"arms": [[1, 0], [0, 1]]}, f"{ARM} [1, 0] in round 0"),
        ({"arms": [[1], [0, 1]]}, f"{ARM} [1] in round 0"),
        ({"arms": "small"}, f"{ARM} 'small'"),
        ({"arms": None}, f"{ARM} None"),
        ({"arms": np.array(1)}, f"{ARM} array(1)"),
        ({"arms": [0, 2]}, f"{PLACE} 2 in round 1"),
        ({"arms": [-1, 0]}, f"{PLACE} -1 in round 0"),
        (
            {"arms": [7, 9], "arm_names": [7, 9]},
            f"{PLACE} 7 in round 0; for names write [arm_names.index(name) for name in arms]",
        ),
        ({"arms": ["small"]}, f"{COUNT} 1"),
        ({"arms": [0]}, f"{COUNT} 1"),
        ({"arm_names": 2}, f"arm_{NAMES} 2"),
        ({"arm_names": ["a", "a"]}, f"arm_{NAMES} 'a' twice"),
        ({"arm_names": [["a"], ["b"]]}, f"arm_{NAMES} [['a'], ['b']]: unhashable type: 'list'"),
        (
            {"objectives": None},
            "objectives must be different names or Objectives, in a list, got None",
        ),
        ({"rewards": [0.5, 1.0]}, f"{REWARDS} shape (2,)"),
        ({"rewards": 0.5}, f"{REWARDS} shape ()"),
        ({"rewards": {"quality": [1.0]}}, f"{REWARDS} {{'quality': [1.0]}}"),
        ({"contexts": [1.0, 2.0]}, f"{CONTEXTS} shape (2,)"),
        ({"contexts": [{"age": 3}, {"age": 4}]}, f"{CONTEXTS} [{{'age': 3}}, {{'age': 4}}]"),
        ({"contexts": None}, f"{CONTEXTS} None"),
        ({"contexts": [[1.0]]}, "contexts must be 2 rows, as rewards are, got shape (1, 1)"),
        (
            {"contexts": np.zeros((2, 3, 1))},
            "contexts must be 2 arms in every round, got shape (2, 3, 1)",
        ),
        ({"propensities": None}, f"{CHANCES} None"),
        ({"propensities": 0.5}, f"{CHANCES} shape ()"),
        ({"propensities": [0.5, 0.0]}, "propensities must be in (0, 1], got 0.0 in round 1"),
        ({"eligible": [["small"], ["small", "large"]]}, f"{MASK} rows of different lengths"),
        ({"eligible": [[0], [1]]}, f"{MASK} shape (2, 1)"),
        ({"eligible": [["small", "large"]] * 2}, f"{MASK} numbers or names of type <U5"),
        ({"eligible": [[0.5, np.nan]] * 2}, f"{MASK} numbers or names of type float64"),
        (
            {"eligible": [[1, 0], [1, 0]]},
            "eligible must be true of every arm that was played, got others",
        ),
        (
            {"times": ["2020"] * 2},
            "times must be one per round, in seconds since 1970, got ['2020', '2020']",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(change, said):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
        made(**change)
    assert str(caught.value) == f"Feedback.{said}"


def test_a_mask_may_be_zeros_and_ones():
    log = made(eligible=[[1, 0], [1, 1]])
    assert log.eligible.dtype == bool
    assert log.eligible.tolist() == [[True, False], [True, True]]
