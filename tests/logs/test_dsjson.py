"""dsjson: what we write comes back as it was, what others write is read, what is damaged is refused by line."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_strategies import NAMES
from stores import decide, learn, written

from mobandits.logs import Feedback, LogError, LogWarning, dsjson, read, scan

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
LACKING = DOUBLES | st.just(np.nan)
DIFFERENT = st.lists(NAMES, min_size=1, max_size=3).filter(
    lambda names: len(set(names)) == len(names)
)


def arrays(draw, values, *shape):
    """An array of random values."""
    size = int(np.prod(shape))
    return np.array(draw(st.lists(values, min_size=size, max_size=size))).reshape(shape)


@st.composite
def logs(draw):
    arms, objectives = draw(DIFFERENT), draw(DIFFERENT)
    n, features, k = draw(st.integers(1, 5)), draw(st.integers(0, 2)), len(arms)
    shape = (n, features) if draw(st.booleans()) else (n, k, features)
    played, eligible = arrays(draw, st.integers(0, k - 1), n), None
    if draw(st.booleans()):
        eligible = arrays(draw, st.booleans(), n, k)
        eligible[range(n), played] = True
    return Feedback(
        arrays(draw, DOUBLES, *shape).astype(float),
        played,
        arrays(draw, LACKING, n, len(objectives)),
        arrays(draw, st.floats(0.0, 1.0, exclude_min=True) | st.just(np.nan), n),
        arms,
        objectives,
        eligible,
        arrays(draw, st.integers(-(2**63), 2**63 - 1), n).astype(np.int64)
        if draw(st.booleans())
        else None,
        arrays(draw, LACKING, n) if draw(st.booleans()) else None,
    )


def equal(a, b):
    """The same log: a mask that allows everything is no mask."""
    for log in (a, b):
        assert log.eligible is None or log.eligible.shape == (len(log), len(log.arm_names))
    everything = [
        np.ones((len(a), len(a.arm_names)), bool) if log.eligible is None else log.eligible
        for log in (a, b)
    ]
    assert np.array_equal(*everything)
    assert (a.arm_names, a.objective_names) == (b.arm_names, b.objective_names)
    for name in ("contexts", "arms", "rewards", "propensities", "ids", "times"):
        mine, other = getattr(a, name), getattr(b, name)
        assert (mine is None) == (other is None), name
        if mine is not None:
            assert mine.shape == other.shape, name
            assert mine.dtype == other.dtype, name
            assert np.array_equal(mine, other, equal_nan=mine.dtype.kind == "f"), name
    return True


@pytest.mark.long
@settings(max_examples=100)
@given(logs(), st.integers(1, 4))
def test_what_is_written_comes_back(tmp_path_factory, log, chunk):
    path = tmp_path_factory.mktemp("dsjson") / "log.dsjson"
    dsjson.write(log, path, weights={log.objective_names[0]: 1.0})
    assert equal(dsjson.read(path), log)
    chunks = list(scan(path, chunk=chunk))
    assert [len(one) for one in chunks[:-1]] == [chunk] * (len(chunks) - 1)
    assert np.array_equal(np.concatenate([one.arms for one in chunks]), log.arms)


LOG = Feedback(
    contexts=[[0.5, 0.1], [0.25, -1.0], [1.0, 2.0]],
    arms=[1, 0, 1],
    rewards=[[0.93, -2.0], [0.5, np.nan], [0.0, 1.0]],
    propensities=[0.25, 0.5, np.nan],
    arm_names=["small", "large"],
    objectives=["quality", "saving"],
    ids=[7, 9, 12],
    times=[1769860800.5, np.nan, 1e300],
)


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_keys_of_a_line(tmp_path):
    dsjson.write(LOG, tmp_path / "log.dsjson", objective="quality")
    first, second, third = lines_of(tmp_path / "log.dsjson")
    assert first == {
        "_label_cost": -0.93,
        "_label_probability": 0.25,
        "_label_Action": 2,
        "_labelIndex": 1,
        "o": [{"EventId": "7", "v": 0.93}],
        "Timestamp": "2026-01-31T12:00:00.500000Z",
        "Version": "1",
        "EventId": "7",
        "a": [2],
        "p": [0.25],
        "c": {
            "Context": [0.5, 0.1],
            "_multi": [{"Arm": {"name": "small"}}, {"Arm": {"name": "large"}}],
        },
        "VWState": {"m": "N/A"},
        "mobandits": {
            "version": 1,
            "index": 1,
            "propensity": 0.25,
            "rewards": {"quality": 0.93, "saving": -2.0},
            "id": 7,
            "time": 1769860800.5,
            "description": {
                "objectives": [
                    {"name": "quality", "minimise": False, "unit": ""},
                    {"name": "saving", "minimise": False, "unit": ""},
                ],
                "defaults": [[None, None], [None, None]],
                "ranges": [[None, None], [None, None]],
            },
        },
    }
    assert "description" not in second["mobandits"]
    assert "Timestamp" not in second
    assert "_label_cost" not in third  # its propensity is not known
    assert "Timestamp" not in third
    assert third["p"] == []


@pytest.mark.parametrize(
    ("options", "costs"),
    [
        ({"objective": "saving"}, [2.0, None, None]),
        ({"weights": {"quality": 1.0, "saving": 0.5}}, [0.07, None, None]),
        ({"weights": {"quality": 2.0, "saving": 0.0}}, [-1.86, -1.0, None]),
        ({"weights": {}}, [0.0, 0.0, None]),
    ],
)
def test_the_cost_is_what_was_asked_for(tmp_path, options, costs):
    dsjson.write(LOG, tmp_path / "log.dsjson", **options)
    found = [line.get("_label_cost") for line in lines_of(tmp_path / "log.dsjson")]
    assert [one is None for one in found] == [one is None for one in costs]
    assert np.allclose(
        [one for one in found if one is not None],
        [one for one in costs if one is not None],
        atol=1e-15,
    )
    assert equal(dsjson.read(tmp_path / "log.dsjson"), LOG)


def test_a_cost_of_nothing_has_no_sign(tmp_path):
    dsjson.write(LOG[[2]], tmp_path / "log.dsjson", weights={"quality": 1.0})
    log = Feedback([[0.0]], [0], [[0.0]], [0.5], ["a"], ["q"])
    dsjson.write(log, tmp_path / "log.dsjson")
    assert '"_label_cost":0.0' in (tmp_path / "log.dsjson").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {},
            "objective or weights must be given, and not both, where objectives are quality, saving",
        ),
        ({"objective": "quality", "weights": {"saving": 1.0}}, "and not both"),
        ({"objective": "speed"}, "objective must be one of quality, saving, got 'speed'"),
        ({"weights": {"speed": 1.0}}, "objective must be one of quality, saving, got 'speed'"),
        ({"weights": {"quality": np.inf}}, "must be a finite number, got inf"),
    ],
)
def test_bad_costs_are_refused_and_nothing_is_written(tmp_path, options, said):
    with pytest.raises(ValueError, match=said):
        dsjson.write(LOG, tmp_path / "log.dsjson", **options)
    assert list(tmp_path.iterdir()) == []


def test_only_eligible_arms_are_examples(tmp_path):
    contexts = np.arange(12.0).reshape(2, 3, 2)
    log = Feedback(
        contexts,
        [2, 0],
        [[1.0], [0.0]],
        [0.5, 0.5],
        ["a", "b", "c"],
        ["q"],
        [[False, True, True], [True] * 3],
    )
    dsjson.write(log, tmp_path / "log.dsjson")
    first, second = lines_of(tmp_path / "log.dsjson")
    assert [one["Arm"]["name"] for one in first["c"]["_multi"]] == ["b", "c"]
    assert [one["Features"] for one in first["c"]["_multi"]] == [[2.0, 3.0], [4.0, 5.0]]
    assert (first["_labelIndex"], first["_label_Action"], second["_labelIndex"]) == (1, 2, 0)
    assert equal(dsjson.read(tmp_path / "log.dsjson"), log)


def test_a_store_becomes_dsjson_a_chunk_at_a_time(tmp_path):
    store = written(tmp_path / "log", [decide(0), decide(1), learn(0), decide(2), learn(2)])
    dsjson.write(scan(store, chunk=1), tmp_path / "log.dsjson", objective="quality")
    assert equal(dsjson.read(tmp_path / "log.dsjson"), read(store))
    assert [line["EventId"] for line in lines_of(tmp_path / "log.dsjson")] == ["0", "1", "2"]


# --- what others write

FIRST = {
    "_label_cost": -1.0,
    "_label_probability": 0.8,
    "_label_Action": 2,
    "_labelIndex": 1,
    "o": [{"v": 1.0}],
    "Timestamp": "2021-07-29T10:00:00.999Z",
    "Version": "1",
    "EventId": "f0c2",
    "a": [2, 1],
    "p": [0.8, 0.2],
    "c": {
        "User": {"age": 31, "city": "Rome", "_tag": "t"},
        "_multi": [{"T": {"price": 2}}, {"T": {"price": 3.5, "new": True}}],
    },
    "VWState": {"m": "x"},
}
SECOND = {
    "_label_cost": 0,
    "_label_probability": 0.5,
    "_label_Action": 1,
    "a": [1, 2, 3],
    "p": [0.5, 0.25, 0.25],
    "c": {
        "User": {"age": 42, "city": "Paris"},
        "_multi": [{"T": {"price": 1}}, {}, {"T": {"new": False}}],
    },
}
THIRD = {"a": [2, 1], "p": [0.6, 0.4], "c": {"User": {"age": None}, "_multi": [{}, {}]}}
THEIRS = [FIRST, SECOND, THIRD]


def write_lines(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_lines_of_others_have_one_objective(tmp_path):
    log = dsjson.read(write_lines(tmp_path / "theirs.json", THEIRS))
    assert log.objective_names == ("reward",)
    assert log.arm_names == (0, 1, 2)
    assert log.arms.tolist() == [1, 0, 1]
    assert log.propensities.tolist() == [0.8, 0.5, 0.6]
    assert np.array_equal(log.rewards, [[1.0], [0.0], [np.nan]], equal_nan=True)
    assert log.eligible.tolist() == [[True, True, False], [True, True, True], [True, True, False]]
    shared = [
        [31.0, 1.0, 0.0],
        [42.0, 0.0, 1.0],
        [0.0, 0.0, 0.0],
    ]  # User.age, User.city=Rome, User.city=Paris
    actions = np.zeros((3, 3, 2))  # T.price, T.new
    actions[0, :2], actions[1, 0] = [[2.0, 0.0], [3.5, 1.0]], [1.0, 0.0]
    expected = [
        [[*s, *row] for row in rows] for s, rows in zip(shared, actions.tolist(), strict=True)
    ]
    assert log.contexts.tolist() == expected


def test_some_of_their_features(tmp_path):
    path = write_lines(tmp_path / "theirs.json", THEIRS)
    log = dsjson.read(path, features=["User.age", "T.price"])
    assert log.contexts.shape == (3, 3, 2)
    assert read(path, features=["User.age"]).contexts.tolist() == [[31.0], [42.0], [0.0]]


def test_lines_without_a_decision_are_passed_over_with_one_warning(tmp_path):
    lines = [{"DanglingReward": 1.0, "EventId": "x"}, THEIRS[0], THEIRS[1] | {"_skipLearn": True}]
    path = write_lines(tmp_path / "theirs.json", lines)
    with pytest.warns(
        LogWarning, match="2 lines without a decision were passed over, the first is line 1"
    ) as said:
        assert len(dsjson.read(path)) == 1
    assert len(said) == 1


def test_blank_lines_are_nothing(tmp_path):
    path = tmp_path / "theirs.json"
    path.write_text("\n" + json.dumps(THEIRS[0]) + "\n  \r\n" + json.dumps(THEIRS[1]))
    assert len(dsjson.read(path)) == 2


def ours(tmp_path):
    dsjson.write(LOG, tmp_path / "ours.dsjson", objective="quality")
    return lines_of(tmp_path / "ours.dsjson")


def own(**changed):
    """A line of ours with other values under its own key."""
    return lambda line: line | {"mobandits": line["mobandits"] | changed}


def examples(**changed):
    """A line of ours with other examples."""
    return lambda line: line | {"c": line["c"] | changed}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda line: 3, "is not dsjson"),
        (lambda line: [], "is not dsjson|passed over"),
        (
            lambda line: {k: v for k, v in line.items() if k != "mobandits"},
            "must be of this program, as the lines before",
        ),
        (lambda line: line | {"mobandits": 3}, "is not dsjson"),
        (
            lambda line: line | {"mobandits": {"version": 1}},
            "'index' is missing|'rewards' is missing",
        ),
        (own(version=2), "mobandits.version must be 1, got 2"),
        (own(index=2), "index must be an integer from 0 to 1, got 2"),
        (own(index=True), "index must be an integer"),
        (own(index=0), "_labelIndex must be mobandits.index = 0, got 1"),
        (own(propensity=1.5), r"propensities must be in \(0, 1\]"),
        (own(propensity="x"), "propensity must be a number, got 'x'"),
        (own(rewards={}), "must have the objectives of the lines before"),
        (own(rewards=3), "is not dsjson"),
        (own(rewards={"quality": 10**400, "saving": 1}), "rewards must be finite"),
        (own(id=2**63), "id must be an integer"),
        (own(time="now"), "time must be a number"),
        (own(arms=["small"]), "arms must be different"),
        (own(arms=["small", "large", 3]), "arms must be text, got 3"),
        (examples(Context=[]), "must have as many features"),
        (examples(Context=[1.0, "x"]), "Context must be a number, got 'x'"),
        (examples(Context=3), "Context must be a list of numbers, got 3"),
        (examples(_multi=[]), "index must be an integer"),
        (examples(_multi=[{"Arm": {"name": "small"}}] * 2), "arms must be different"),
        (
            examples(_multi=[{"Arm": {"name": "small"}, "Features": [1.0]}] * 2),
            "arms must be different",
        ),
        (examples(_multi=[{"Arm": {}}]), "'name' is missing"),
    ],
)
def test_a_line_that_does_not_fit_is_refused_by_number(tmp_path, change, said):
    lines = ours(tmp_path)
    path = write_lines(tmp_path / "bad.dsjson", [lines[1], lines[2], change(lines[0])])
    with pytest.raises(LogError, match=said) as error:
        dsjson.read(path)
    assert str(path) in str(error.value)
    assert "line 3" in str(error.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"c": {"_slots": [], "_multi": []}}, "_slots must not be there"),
        ({"_outcomes": []}, "_outcomes must not be there"),
        ({"c": {"_multi": 3}}, "is not dsjson"),
        ({"c": []}, "is not dsjson"),
        ({"c": {}}, "'_multi' is missing"),
        ({"c": {"_multi": [3, {}]}}, "an example must be a JSON object, got 3"),
        ({"c": {"x": 10**400, "_multi": [{}, {}]}}, "x must be finite"),
        ({"_labelIndex": 2}, "_labelIndex must be an integer from 0 to 1, got 2"),
        ({"_labelIndex": "1"}, "_labelIndex must be an integer"),
        ({"_label_cost": "1"}, "_label_cost must be a number, got '1'"),
        ({"_label_probability": 0}, r"line 1 or before it: .*propensities must be in \(0, 1\]"),
        ({"pdrop": "x"}, "pdrop must be a number"),
        ({"a": [], "_label_Action": None}, "_labelIndex|_label_Action|is not dsjson"),
    ],
)
def test_lines_of_others_that_are_wrong(tmp_path, change, said):
    line = {key: value for key, value in (THEIRS[0] | change).items() if value is not None}
    with pytest.raises(LogError, match=said):
        dsjson.read(write_lines(tmp_path / "bad.json", [line]))


@pytest.mark.long
def test_more_features_than_anyone_means(tmp_path):
    line = THEIRS[0] | {"c": {"x": {str(i): 1 for i in range(10_001)}, "_multi": [{}, {}]}}
    path = write_lines(tmp_path / "wide.json", [line])
    with pytest.raises(
        LogError,
        match=r"line 1 makes it more than 10000 features: choose some with features=\[...\]",
    ):
        dsjson.read(path)
    assert dsjson.read(path, features=["x.3"]).contexts.tolist() == [[1.0]]


def test_pdrop_may_not_vary(tmp_path):
    path = write_lines(
        tmp_path / "x.json", [THEIRS[0] | {"pdrop": 0.5}, THEIRS[1] | {"pdrop": 0.5}]
    )
    assert len(dsjson.read(path)) == 2
    write_lines(path, [THEIRS[0] | {"pdrop": 0.5}, THEIRS[1] | {"pdrop": 0.25}])
    with pytest.raises(LogError, match="line 2 must have the pdrop of the lines before"):
        dsjson.read(path)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[" * 100_000,
        "\x00",
        '{"c":' + "1" * 5000 + "}",
        '{"c":1e400}',
        "nonsense",
        '{"a":NaN,"c":{"_multi":[{}]}}',
    ],
    ids=lambda text: text[:10],
)
def test_text_that_is_no_dsjson(tmp_path, text):
    (tmp_path / "x.json").write_text(text + "\n")
    with pytest.raises(LogError, match="line 1"):
        dsjson.read(tmp_path / "x.json")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["ours", "theirs"])
def test_damaged_files_are_refused_or_read_and_nothing_else(tmp_path, kind):
    """Without checksums a flipped digit is another digit; but there is never another exception."""
    path = tmp_path / "x.dsjson"
    if kind == "ours":
        dsjson.write(LOG, path, objective="quality")
    else:
        write_lines(path, THEIRS)
    whole, rng, refused = path.read_bytes(), np.random.default_rng(0), 0
    for place in range(0, len(whole), 2):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        for data in (bytes(damaged), whole[:place]):
            path.write_bytes(data)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LogWarning)
                try:
                    dsjson.read(path)
                except LogError:
                    refused += 1
    assert refused > 0.5 * len(whole)
