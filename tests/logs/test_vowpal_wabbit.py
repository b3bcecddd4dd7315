"""Vowpal Wabbit itself reads the dsjson that we write, learns from it, and is not disturbed by what is ours in it."""

import json

import numpy as np
import pytest

from mobandits.logs import Feedback, dsjson

vowpalwabbit = pytest.importorskip("vowpalwabbit")


def wabbit(path, *options):
    """What `vw --dsjson -d path` predicts, line by line, and says."""
    predictions = path.with_suffix(".predictions")
    arguments = [
        "--dsjson",
        "-d",
        str(path),
        "-p",
        str(predictions),
        "-P",
        "1",
        "--cb_explore_adf",
        *options,
    ]
    workspace = vowpalwabbit.Workspace(arg_list=arguments, enable_logging=True)
    workspace.finish()
    laws = [
        {int(action): float(p) for action, p in (one.split(":") for one in line.split(","))}
        for line in predictions.read_text().split()
    ]
    said = workspace.get_log()
    assert not [line for line in said if "warn" in line.lower() or "error" in line.lower()], said
    return laws, said


def number(said, name):
    return next(float(line.split("=")[1]) for line in said if line.startswith(name))


def log_of(rounds=1500, *, own=False, restricted=False, seed=0):
    """Uniform decisions between three arms; the first objective depends on the context, the second is its opposite."""
    rng = np.random.default_rng(seed)
    eligible = rng.random((rounds, 3)) < 0.7 if restricted else np.ones((rounds, 3), bool)
    eligible[np.arange(rounds), rng.integers(3, size=rounds)] = True
    arms = np.array([rng.choice(np.flatnonzero(row)) for row in eligible])
    if own:
        contexts = rng.random((rounds, 3, 2))
        means = contexts[:, :, 0] - contexts[:, :, 1]
    else:
        contexts = np.eye(3)[rng.integers(3, size=rounds)]
        means = contexts  # arm k is good in the k-th context
    paid = means[np.arange(rounds), arms]
    log = Feedback(
        contexts, arms, np.column_stack([paid, -paid]), 1.0 / eligible.sum(axis=1), ["a", "b c", ("d", 1)], ["q", "c"],
        eligible if restricted else None,
    )  # fmt: skip
    return log, np.where(eligible, means, -np.inf)


@pytest.mark.long
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("restricted", [False, True])
def test_it_learns_what_the_log_can_teach(tmp_path, own, restricted):
    log, means = log_of(own=own, restricted=restricted)
    best = means.argmax(axis=1)
    for objective, right in (("q", True), ("c", False)):
        path = tmp_path / f"{objective}.dsjson"
        dsjson.write(log, path, objective=objective)
        laws, said = wabbit(path, "--epsilon", "0", *([] if own else ["-q", "CA"]))
        assert number(said, "number of examples") == len(log)
        assert all(
            len(law) == (3 if log.eligible is None else log.eligible[t].sum())
            for t, law in enumerate(laws)
        )
        chosen = [_arm(log, t, max(law, key=law.get)) for t, law in enumerate(laws)]
        agreement = np.mean([a == b for a, b in list(zip(chosen, best, strict=True))[-500:]])
        assert agreement > 0.9 if right else agreement < 0.5


def _arm(log, t, index):
    return index if log.eligible is None else int(np.flatnonzero(log.eligible[t])[index])


def test_it_takes_the_labels_as_they_are_meant(tmp_path):
    contexts, rewards = [[0.5], [0.25], [1.0], [2.0]], [[0.75], [-0.5], [np.nan], [1.0]]
    log = Feedback(contexts, [1, 0, 1, 0], rewards, [0.25, 0.5, 0.5, np.nan], ["a", "b"], ["q"])
    dsjson.write(log, tmp_path / "log.dsjson")
    _, said = wabbit(tmp_path / "log.dsjson")
    labels = [
        line.split()[4] for line in said if line[:1] in "0123456789n-" and len(line.split()) == 7
    ]
    assert labels == ["1:-0.75:0.25", "0:0.5:0.5", "unknown", "unknown"]


def test_what_is_ours_makes_no_difference(tmp_path):
    log, _ = log_of(500, restricted=True, seed=1)
    ours, bare = tmp_path / "ours.dsjson", tmp_path / "bare.dsjson"
    dsjson.write(log, ours, weights={"q": 0.75, "c": 0.25})
    lines = [json.loads(line) for line in ours.read_text().splitlines()]
    bare.write_text(
        "".join(
            json.dumps({k: v for k, v in line.items() if k != "mobandits"}) + "\n" for line in lines
        )
    )
    (mine, said), (theirs, also) = wabbit(ours, "-q", "CA"), wabbit(bare, "-q", "CA")
    assert mine == theirs
    assert number(said, "average loss") == number(also, "average loss") < 0.0
    assert dsjson.read(bare).rewards[:, 0].tolist() == (log.rewards @ [0.75, 0.25]).tolist()


NAMES = [
    "",
    "a|b:c d",
    "é\n\t\0\"'\\",
    "_multi",
    "3",
    3,
    0.5,
    True,
    None,
    ("a", ("b", 1)),
    "x" * 1000,
    "{",
    "null",
]


@pytest.mark.parametrize("own", [False, True])
def test_names_and_numbers_of_all_kinds(tmp_path, own):
    values = [0.0, -0.0, 1e-300, 5e-324, 1e3, -1e3, 1 / 3]
    contexts = np.tile(values, (4, len(NAMES), 1)) if own else np.tile(values, (4, 1))
    log = Feedback(
        contexts,
        [0, 5, 7, 12],
        [[1.0], [-1e-300], [0.1], [1e3]],
        [1.0, 1e-3, 0.5, 1 / 3],
        NAMES,
        ["q"],
    )
    dsjson.write(log, tmp_path / "log.dsjson")
    laws, said = wabbit(tmp_path / "log.dsjson")
    assert [len(law) for law in laws] == [len(NAMES)] * 4
    assert number(said, "number of examples") == 4
    assert dsjson.read(tmp_path / "log.dsjson").arm_names == tuple(NAMES)
