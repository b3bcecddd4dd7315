"""One objective: the numbers of Open Bandit Pipeline, whose own code computed the file (data/make_obp.py)."""

import json
from pathlib import Path

import numpy as np
import pytest

from mobandits.evaluation import (
    DirectMethod,
    DoublyRobust,
    Feedback,
    Ips,
    Replay,
    Snips,
    SwitchDr,
    compare,
    evaluate,
)

THEIRS = json.loads((Path(__file__).parent / "data" / "obp.json").read_text())
OURS = {
    "ips": Ips(),
    "ips, clipped": Ips(clip=THEIRS["clip"]),
    "snips": Snips(),
    "dm": DirectMethod(),
    "dr": DoublyRobust(),
    "dr, clipped": DoublyRobust(clip=THEIRS["clip"]),
    "switch-dr": SwitchDr(threshold=THEIRS["threshold"]),
    "replay": Replay(),
}
CASES = [(target, name) for target, values in THEIRS["values"].items() for name in values]


def their_log():
    kept = THEIRS["log"]
    arms, rewards = np.array(kept["arms"]), np.array(kept["rewards"])[:, None]
    log = Feedback(
        np.ones((len(arms), 1)), arms, rewards, kept["propensities"], range(4), ("reward",)
    )
    return log, np.array(kept["predictions"])[:, :, None]


@pytest.mark.parametrize(("target", "name"), CASES)
def test_one_objective_is_theirs_to_1e_9(target, name):
    log, predictions = their_log()
    ours = evaluate(log, np.array(THEIRS["targets"][target]), OURS[name], model=predictions)
    assert ours.value[0] == pytest.approx(THEIRS["values"][target][name], rel=0, abs=1e-9)


def test_the_file_tells_all_estimators_apart():
    for values in THEIRS["values"].values():
        assert len({round(value, 9) for value in values.values()}) == len(values)
    assert {name for _, name in CASES} == set(OURS)


def test_every_objective_is_what_it_would_be_alone():
    log, predictions = their_log()
    twice = Feedback(
        log.contexts,
        log.arms,
        np.hstack([log.rewards, -3.0 * log.rewards]),
        log.propensities,
        range(4),
        ("r", "s"),
    )
    both = np.concatenate([predictions, -3.0 * predictions], axis=2)
    target = np.array(THEIRS["targets"]["random"])
    alone, joint = (
        compare(one, {"t": target}, list(OURS.values()), model=model)
        for one, model in ((log, predictions), (twice, both))
    )
    for key, estimate in alone.estimates.items():
        value, error = estimate.value[0], estimate.standard_error[0]
        np.testing.assert_allclose(joint[key].value, [value, -3.0 * value], rtol=1e-12)
        np.testing.assert_allclose(
            joint[key].covariance, error**2 * np.array([[1, -3], [-3, 9]]), rtol=1e-9
        )
