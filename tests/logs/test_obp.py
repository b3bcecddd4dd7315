"""The Open Bandit Pipeline's dictionary, there and back."""

import numpy as np
import pytest
from hypothesis import given
from test_dsjson import equal, logs

from mobandits.logs import Feedback, LogError, obp

# What Open Bandit Pipeline reads.
KEYS = {"n_rounds", "n_actions", "action", "position", "reward", "pscore", "context"}
KEYS |= {"action_context"}

LOG = Feedback(
    [[1.0, 2.0], [3.0, 4.0]],
    [0, 1],
    [[0.5, np.nan], [0.25, 1.0]],
    [0.5, 0.25],
    ["a", "b"],
    ["q", "c"],
)


def test_one_objective_at_a_time():
    given = obp.to_dict(LOG, "q")
    assert set(given) >= KEYS
    assert (given["n_rounds"], given["n_actions"], given["position"]) == (2, 2, None)
    assert given["reward"].tolist() == [0.5, 0.25]
    assert given["pscore"].tolist() == [0.5, 0.25]
    assert given["action"].tolist() == [0, 1]
    assert given["context"].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert given["action_context"].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    again = obp.from_dict(given)
    assert again.objective_names == ("q",)
    assert again.rewards.tolist() == [[0.5], [0.25]]


def test_all_objectives():
    given = obp.to_dict(LOG)
    assert given["reward"].shape == (2, 2)
    assert equal(obp.from_dict(given), LOG)


@pytest.mark.long
@given(logs())
def test_what_is_given_comes_back(log):
    known = np.isnan(log.propensities)
    if known.any() and not known.all():
        with pytest.raises(
            LogError, match="propensities must be known in all rounds or in none, got none in"
        ):
            obp.to_dict(log)
    else:
        given = obp.to_dict(log)
        assert given["context"].shape[0] == given["n_rounds"]
        assert given["context"].ndim == 2
        assert equal(obp.from_dict(given), log)


def test_a_dictionary_of_others():
    given = {
        "n_actions": 3,
        "action": np.array([2, 0]),
        "reward": np.array([1, 0]),
        "pscore": None,
        "position": [0, 0],
    }
    log = obp.from_dict(given | {"context": np.ones((2, 1)), "action_context": np.eye(3)})
    assert log.arm_names == (0, 1, 2)
    assert log.objective_names == ("reward",)
    assert log.arms.tolist() == [2, 0]
    assert np.isnan(log.propensities).all()
    named = obp.from_dict(
        given | {"context": np.ones((2, 1))}, arm_names="xyz", objectives=["click"]
    )
    assert (named.arm_names, named.objective_names) == (("x", "y", "z"), ("click",))


GIVEN = {"n_actions": 2, "action": [0], "reward": [1.0], "pscore": [0.5], "context": [[1.0]]}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"action": None}, "feedback must have action"),
        ({"reward": None}, "feedback must have reward"),
        ({"position": [0, 1]}, "feedback must have one position"),
        ({"action": [2]}, "does not fit together: Feedback.arms must be from 0 to 1"),
        (
            {"action": [0.5]},
            "does not fit together: Feedback.arms must be a position in arm_names or a name of it",
        ),
        ({"pscore": [0.0]}, r"does not fit together: Feedback.propensities must be in \(0, 1\]"),
        ({"pscore": [0.5, 0.5]}, "does not fit together: Feedback.propensities"),
        ({"context": [[np.nan]]}, "does not fit together: Feedback.contexts must be finite"),
        ({"context": [[1.0], [2.0]]}, "does not fit together"),
        ({"context": "x"}, "does not fit together"),
        ({"n_actions": "two"}, "does not fit together"),
    ],
)
def test_what_does_not_fit_is_refused(changed, said):
    with pytest.raises(LogError, match=said):
        obp.from_dict(GIVEN | changed)


def test_what_it_has_no_place_for():
    with pytest.raises(
        LogError, match="reward of 'c' must be observed in all rounds: choose those; got none in 1"
    ):
        obp.to_dict(LOG, "c")
    with pytest.raises(LogError, match="objective must be one of q, c, got 'speed'"):
        obp.to_dict(LOG, "speed")
