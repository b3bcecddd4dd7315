"""Logs become Feedback: every reward in the row of its decision, compared with a slow and obvious twin."""

import random
import tracemalloc

import numpy as np
import polars as pl
import pytest
from stores import DESCRIPTION, decide, learn, reread, written

from mobandits.logs import Feedback, LogError, Store, read, scan
from mobandits.logs.feedback import together

OBJECTIVES = [
    {"name": "quality", "minimise": False},
    {"name": ("cost", "USD"), "minimise": True},
    "speed",
]
NAMES = ("quality", ("cost", "USD"), "speed")


def history(rng, *, shared):
    """Events as an agent logs them: arms come and go, rewards arrive late, in part, or never."""
    names, present, events, rewards = ["a", "b"], ["a", "b"], [], {}
    number, features = 0, rng.randrange(3)
    for _ in range(rng.randrange(30)):
        act = rng.choice(["decide", "decide", "learn", "learn", "add", "remove"])
        if act == "add" and len(present) < 5:
            name = rng.choice([one for one in "abcdef" if one not in present])
            names += [name] * (name not in names)
            present = [*present, name]
            events.append({"kind": "add", "arm": name, "like": None})
        elif act == "remove" and len(present) > 1:
            gone = rng.choice(present)
            present = [one for one in present if one != gone]
            events.append({"kind": "remove", "arm": gone})
        elif act == "decide":
            number += rng.randint(1, 3)
            eligible = (
                rng.sample(present, rng.randint(1, len(present))) if rng.random() < 0.3 else None
            )
            context = [
                [rng.uniform(-2, 2) for _ in range(features)]
                for _ in range(1 if shared else len(present))
            ]
            event = {"kind": "decide", "id": number, "time": number / 3, "context": context}
            if eligible is not None:
                event["eligible"] = [names.index(one) for one in eligible]
            arm = names.index(rng.choice(eligible or present))
            events.append(
                event | {"arm": arm, "propensity": rng.choice([None, rng.uniform(0.1, 1.0)])}
            )
            rewards[number] = {name: rng.uniform(-2, 2) for name in NAMES}
        elif act == "learn" and rewards:
            decision = rng.choice(list(rewards))
            left = rewards[decision]
            names_told = rng.sample(sorted(left, key=str), rng.randint(0, len(left)))
            told = {name: left.pop(name) for name in names_told}
            if told:
                events.append({"kind": "learn", "id": decision, "rewards": told})
    return events


def twin(events):
    """The same, one event after the other."""
    ever = ["a", "b"] + [event["arm"] for event in events if event["kind"] == "add"]
    ever = list(dict.fromkeys(ever))
    present, rows = ["a", "b"], []
    for event in events:
        if event["kind"] == "add":
            present.append(event["arm"])
        elif event["kind"] == "remove":
            present.remove(event["arm"])
        elif event["kind"] == "decide":
            eligible = {ever[place] for place in event.get("eligible", [])} or set(present)
            table = (
                dict(zip(present, event["context"], strict=True))
                if len(event["context"]) > 1
                else event["context"]
            )
            rows.append([event, list(present), table, [name in eligible for name in ever], {}])
        else:
            next(row for row in rows if row[0]["id"] == event["id"])[4].update(event["rewards"])
    signs = {"quality": 1.0, ("cost", "USD"): -1.0, "speed": 1.0}
    return ever, [
        {
            "id": event["id"],
            "arm": event["arm"],
            "propensity": np.nan if event["propensity"] is None else event["propensity"],
            "rewards": [signs[name] * told[name] if name in told else np.nan for name in NAMES],
            "eligible": mask,
            "present": present,
            "context": table,
        }
        for event, present, table, mask, told in rows
    ]


@pytest.mark.parametrize("shared", [True, False])
def test_a_store_is_read_as_its_slow_twin_reads_it(tmp_path, monkeypatch, shared):
    decisions = 0
    for seed in range(40):
        rng = random.Random(seed)
        events = history(rng, shared=shared)
        chunk = rng.randint(1, 5)
        monkeypatch.setattr("mobandits.logs.store.frames.BLOCK", rng.choice([3, 8, 100]))
        with Store(tmp_path / str(seed), "buffered") as store:
            store.describe({"arms": ["a", "b"], "objectives": OBJECTIVES})
            store.extend(events)
        chunks = list(scan(store.path, chunk=chunk))
        ever, rows = twin(events)
        assert sum(map(len, chunks)) == len(rows)
        assert all(1 <= len(one) <= chunk for one in chunks)
        if rows:
            compare(together(chunks), ever, rows, shared=shared)
        decisions += len(rows)
    assert decisions > 100


def compare(log, ever, rows, *, shared):
    assert log.arm_names == tuple(ever)
    assert log.objective_names == NAMES
    assert log.ids.tolist() == [row["id"] for row in rows]
    assert log.times.tolist() == [row["id"] / 3 for row in rows]
    assert log.arms.tolist() == [row["arm"] for row in rows]
    assert np.array_equal(log.rewards, [row["rewards"] for row in rows], equal_nan=True)
    assert np.array_equal(log.propensities, [row["propensity"] for row in rows], equal_nan=True)
    mask = np.ones((len(log), len(ever)), bool) if log.eligible is None else log.eligible
    assert mask.tolist() == [row["eligible"] for row in rows]
    for row, context in zip(rows, log.contexts, strict=True):
        if (
            shared or context.ndim == 1
        ):  # one arm's own row is a row for all, where there was never another
            assert context.tolist() == row["context"][0]
        else:
            table = (
                row["context"]
                if isinstance(row["context"], dict)
                else {row["present"][0]: row["context"][0]}
            )
            for name, values in zip(ever, context.tolist(), strict=True):
                assert values == table.get(name, [0.0] * len(values))


def test_all_arms_at_all_times_need_no_mask(tmp_path):
    assert read(written(tmp_path / "log", [decide(0), learn(0)])).eligible is None


@pytest.mark.parametrize(
    ("description", "said"),
    [
        ({}, "must name its objectives in its description, got None"),
        ({"objectives": []}, "must name its objectives"),
        ({"objectives": [{"minimise": True}]}, "must have objectives with a name"),
        ({"objectives": [{"name": "q", "minimise": 1}]}, "must have objectives with a name"),
        ({"objectives": ["q"]}, r"Feedback.arms must be from 0 to -1"),
    ],
)
def test_a_store_that_does_not_say_what_it_is_about(tmp_path, description, said):
    path = written(tmp_path / "log", [decide(0)], description)
    with pytest.raises(LogError, match=said):
        read(path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([decide(1), decide(0)], "event 2: ids of decisions must increase, got 0"),
        (
            [decide(0), {"kind": "learn", "id": 0, "rewards": {"speed": 1.0}}],
            "which are 'quality', 'cost'; got speed",
        ),
        ([decide(0) | {"arm": 2}], "event 1 or soon after: Feedback.arms must be from 0 to 1"),
        (
            [decide(0) | {"context": [[1.0]]}, decide(1)],
            r"as many features in every decision, got \[1, 2\]",
        ),
        (
            [decide(0) | {"context": [[1.0, 2.0]] * 3}],
            "event 1 or soon after: context must have a row for each of 2 arms",
        ),
        (
            [decide(0) | {"eligible": [1]}],
            "Feedback.eligible must be true of every arm that was played",
        ),
        (
            [decide(0) | {"eligible": [0, 7]}],
            r"eligible must be positions of arms that are present, got \[0, 7\]",
        ),
        (
            [{"kind": "remove", "arm": "small"}, decide(0)],
            "Feedback.eligible must be true of every arm",
        ),
    ],
)
def test_events_that_do_not_go_together_are_refused_when_read(tmp_path, given, said):
    path = written(tmp_path / "log", given)
    assert len(reread(path)) == len(given)
    with pytest.raises(LogError, match=said):
        read(path)


def test_nothing_to_read(tmp_path):
    written(tmp_path / "empty", [])
    assert list(scan(tmp_path / "empty")) == []
    with pytest.raises(LogError, match="empty must have at least one decision, got none"):
        read(tmp_path / "empty")
    for name in ("nowhere", "nowhere.parquet", "nowhere.jsonl"):
        with pytest.raises(LogError, match=f"{name} cannot be read: No such file"):
            read(tmp_path / name)
    with pytest.raises(LogError, match=r"nowhere\.csv cannot be read as CSV"):
        read(tmp_path / "nowhere.csv", arm="a", rewards=["r"])
    (tmp_path / "folder").mkdir()
    with pytest.raises(LogError, match="folder must be a log, got an empty folder"):
        read(tmp_path / "folder")
    with pytest.raises(ValueError, match="chunk must be an integer of at least 1, got 0"):
        scan(tmp_path / "empty", chunk=0)


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("linear.toml", b"rounds = 100\n", "a text file"),
        ("x.agent", b"mobandits agent\n\0\0", "the file of an agent"),
        ("photo", bytes(range(256)), "a binary file"),
    ],
)
def test_another_file_is_named_for_what_it_is(tmp_path, name, content, found):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(
        LogError,
        match=f"{name}, line 1 is not dsjson: .*; found {found}, and a log is a store, ",
    ):
        read(tmp_path / name)


def test_a_table_of_ones_own_is_not_called_damaged(tmp_path):
    path = tmp_path / "own.parquet"
    pl.DataFrame({"arm": ["a", "b"], "click": [1, 0]}).write_parquet(path)
    with pytest.raises(LogError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path} must be a file of `mobandits export`, got a Parquet file that it did not write; "
        "a table of your own needs the names of its columns"
    )
    path.write_text("arm,click")
    with pytest.raises(LogError, match="got a text file that it did not write"):
        read(path)


@pytest.mark.parametrize("name", ["x.jsonl", "log"])
def test_columns_are_of_tables(tmp_path, name):
    written(tmp_path / "log", [decide(0)])
    with pytest.raises(ValueError, match=f"arm, rewards must go with a .csv file, got .*{name}"):
        read(tmp_path / name, arm="item", rewards=["click"])


def test_memory_follows_the_chunk_and_not_the_log(tmp_path):
    """Peaks of Python's and NumPy's memory for a store and one four times as long."""
    peaks = []
    for pairs in (2000, 8000):
        with Store(tmp_path / str(pairs), "buffered") as store:
            store.describe(DESCRIPTION | {"features": 20})
            for i in range(pairs):
                store.extend([decide(i, context=[[float(i)] * 20]), learn(i)])
        tracemalloc.start()
        assert sum(len(chunk) for chunk in scan(store.path, chunk=100)) == pairs
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


def test_chunks_of_different_logs_do_not_go_together():
    log = Feedback([[1.0]], [0], [[0.5]], [0.5], ["a", "b"], ["q"])
    other = Feedback([[1.0]], [0], [[0.5]], [0.5], ["a", "c"], ["q"])
    timed = Feedback([[1.0]], [0], [[0.5]], [0.5], ["a", "b"], ["q"], times=[0.0])
    with pytest.raises(
        ValueError, match=r"Feedback.arm_names must be the same in all chunks, got \('a', 'c'\)"
    ):
        together([log, other])
    with pytest.raises(
        ValueError,
        match=r"Feedback.eligible, ids, times, ranks, sessions must be in all chunks or in none",
    ):
        together([log, timed])
    with pytest.raises(ValueError, match="chunks must be at least one log, got none"):
        together([])


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("ids", [0.5], r"Feedback.ids must be an integer per round"),
        ("ids", [1, 2], "Feedback.ids must be an integer per round"),
        ("times", [np.inf], "Feedback.times must be finite or NaN"),
        ("times", [[0.0]], "Feedback.times must be one per round"),
    ],
)
def test_optional_fields_are_checked(field, value, said):
    with pytest.raises(ValueError, match=said):
        Feedback([[1.0]], [0], [[0.5]], [0.5], ["a"], ["q"], **{field: value})


def test_rows_of_optional_fields_go_with_their_rounds():
    log = Feedback(
        [[1.0], [2.0]],
        [0, 0],
        [[0.5], [0.25]],
        [0.5, 0.5],
        ["a"],
        ["q"],
        ids=[3, 4],
        times=[0.0, np.nan],
    )
    assert log[1:].ids.tolist() == [4]
    assert np.isnan(log[[1]].times).all()
    assert log[:1].eligible is None
