"""Tables of text: what the columns mean is said once, what is wrong in a cell is said by column and row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits.logs import LogError, csv, read, scan
from mobandits.logs.feedback import together

TABLE = """item,age,height,click,cost,p,at,junk
red,31,1.5,1,0.5,0.25,10,x
blue,42,1.75,0,,0.75,11.5,"a,b
c"
red, 7 ,1e-3,,2,,,
"""
MEANING = {
    "arm": "item",
    "context": ["height", "age"],
    "rewards": {"clicks": "click", "cost": "cost"},
    "propensity": "p",
}


@pytest.fixture
def path(tmp_path):
    (tmp_path / "log.csv").write_text(TABLE)
    return tmp_path / "log.csv"


def test_a_table_becomes_decisions(path):
    log = read(path, **MEANING, time="at", minimise=["cost"])
    assert log.arm_names == ("red", "blue")
    assert log.objective_names == ("clicks", "cost")
    assert log.arms.tolist() == [0, 1, 0]
    assert log.contexts.tolist() == [[1.5, 31.0], [1.75, 42.0], [1e-3, 7.0]]
    assert np.array_equal(log.rewards, [[1.0, -0.5], [0.0, np.nan], [np.nan, -2.0]], equal_nan=True)
    assert np.array_equal(log.propensities, [0.25, 0.75, np.nan], equal_nan=True)
    assert np.array_equal(log.times, [10.0, 11.5, np.nan], equal_nan=True)
    assert log.eligible is None
    assert log.ids is None


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_a_table_in_memory_is_the_same_log(library, path):
    frames = pytest.importorskip(library)
    frame = frames.read_csv(path)
    columns = {**MEANING, "time": "at", "minimise": ["cost"]}
    assert read(frame, **columns).digest == read(path, **columns).digest


def test_what_need_not_be_there(path):
    log = csv.read(path, arm="item", rewards=["click"])
    assert log.contexts.shape == (3, 0)
    assert log.objective_names == ("click",)
    assert np.isnan(log.propensities).all()
    assert log.times is None


def test_arms_that_are_named_beforehand(tmp_path):
    (tmp_path / "log.csv").write_text("a;r\n3;1\n1;0\n")
    log = csv.read(tmp_path / "log.csv", arm="a", rewards=["r"], arms=[1, 2, 3], separator=";")
    assert log.arm_names == (1, 2, 3)
    assert log.arms.tolist() == [2, 0]


def test_a_row_of_features_for_every_arm(tmp_path):
    (tmp_path / "log.csv").write_text("arm,ax,ay,bx,by,r\na,1,2,3,4,1\nb,5,6,7,8,0\n")
    log = csv.read(
        tmp_path / "log.csv",
        arm="arm",
        rewards=["r"],
        context={"a": ["ax", "ay"], "b": ["bx", "by"]},
    )
    assert log.contexts.tolist() == [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]
    with pytest.raises(LogError, match="context must have columns for every arm, got none for 'b'"):
        csv.read(tmp_path / "log.csv", arm="arm", rewards=["r"], context={"a": ["ax", "ay"]})
    with pytest.raises(LogError, match="all input arrays must have the same shape"):
        csv.read(
            tmp_path / "log.csv", arm="arm", rewards=["r"], context={"a": ["ax", "ay"], "b": ["bx"]}
        )


@pytest.mark.long
@pytest.mark.parametrize("chunk", [1, 2, 7, 1000])
def test_chunks(tmp_path, chunk):
    rng = np.random.default_rng(0)
    table = rng.random((500, 3))
    rows = [f"{'abc'[i % 3]},{','.join(map(repr, row.tolist()))}" for i, row in enumerate(table)]
    (tmp_path / "log.csv").write_text("\n".join(["arm,x,r,p", *rows]))
    chunks = list(
        scan(
            tmp_path / "log.csv",
            arm="arm",
            context=["x"],
            rewards=["r"],
            propensity="p",
            chunk=chunk,
        )
    )
    assert max(map(len, chunks)) <= chunk
    log = together(chunks)
    assert np.array_equal(np.column_stack([log.contexts, log.rewards, log.propensities]), table)
    assert log.arms.tolist() == [i % 3 for i in range(500)]


@pytest.mark.long
@settings(max_examples=30)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_are_exactly_those_in_the_text(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("csv") / "log.csv"
    path.write_text("a,r\n" + "".join(f"x,{value!r}\n" for value in values))
    assert csv.read(path, arm="a", rewards=["r"]).rewards[:, 0].tolist() == values


@pytest.mark.long
@pytest.mark.parametrize(
    ("column", "value", "meaning", "said"),
    [
        ("age", "old", {}, r"column 'age', row 2 must be a finite number, got 'old'"),
        ("age", "", {}, r"column 'age', row 2 must be a finite number, got (None|'')"),
        ("click", "inf", {}, r"column 'click', row 2 must be a finite number, got 'inf'"),
        ("click", "NaN", {}, r"column 'click', row 2 must be a finite number, got 'NaN'"),
        ("cost", "1e400", {}, r"column 'cost', row 2 must be a finite number, got '1e400'"),
        ("cost", "9" * 400, {}, r"column 'cost', row 2 must be a finite number"),
        ("p", "0", {}, r"column 'p', row 2 must be in \(0, 1\], got 0.0"),
        ("p", "1.5", {}, r"column 'p', row 2 must be in \(0, 1\], got 1.5"),
        ("at", "noon", {"time": "at"}, r"column 'at', row 2 must be a finite number, got 'noon'"),
        (
            "item",
            "green",
            {"arms": ["red", "blue"]},
            r"column 'item', row 2 must be one of red, blue, got 'green'",
        ),
        ("item", "", {}, r"column 'item', row 2 must be one of red, got (None|'')"),
    ],
)
@pytest.mark.parametrize("chunk", [1, 100])
def test_a_bad_cell_is_named(tmp_path, column, value, meaning, said, chunk):
    names = TABLE.partition("\n")[0].split(",")
    rows = [["red", "1", "1", "1", "1", "1", "1", "x"] for _ in range(3)]
    rows[1][names.index(column)] = value
    path = tmp_path / "log.csv"
    path.write_text("\n".join(",".join(row) for row in [names, *rows]))
    with pytest.raises(LogError, match=said) as error:
        list(scan(path, chunk=chunk, **MEANING, **meaning))
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"arm": "colour"}, "must have a column 'colour', got item, age, height"),
        ({"context": ["weight"]}, "must have a column 'weight'"),
        ({"arm": "itm"}, r"must have a column 'itm'; did you mean item\? It has item, age, "),
        ({"rewards": {}}, "rewards must name at least one column, got none"),
        (
            {"minimise": ["price"]},
            r"minimise must name rewards, which are clicks, cost, got 'price'$",
        ),
        (
            {"minimise": ["costs"]},
            r"minimise: 'costs' is unknown; did you mean cost\? It must name rewards, ",
        ),
        ({"arms": [1, "1"]}, r"arms must have different texts, got 1, '1'"),
        ({"chunk": 0}, "chunk must be an integer of at least 1"),
    ],
)
def test_bad_meanings(path, changed, said):
    with pytest.raises(ValueError, match=said):
        list(scan(path, **{**MEANING, **changed}))


def test_one_column_needs_no_list(path):
    one = read(path, arm="item", context="age", rewards="cost", minimise="cost")
    listed = read(path, arm="item", context=["age"], rewards=["cost"], minimise=["cost"])
    assert one.objective_names == listed.objective_names == ("cost",)
    assert one.contexts.tolist() == listed.contexts.tolist()
    assert np.array_equal(one.rewards, listed.rewards, equal_nan=True)


def test_another_separator_is_recognised(path):
    path.write_text(path.read_text().replace(",", ";"))
    with pytest.raises(LogError, match=r"got item;age;.*; cells must be separated by ','$"):
        read(path, **MEANING)
    assert len(read(path, **MEANING, separator=";")) > 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"item,age,height,click,cost,p\n",
        b"\xff\xfe\x00",
        b"item,age\nred,1,2,3\n",
        b'item,"age\nred',
        b"\0" * 100,
    ],
)
def test_files_that_are_no_such_table(tmp_path, data):
    (tmp_path / "log.csv").write_bytes(data)
    with pytest.raises(LogError, match=r"log\.csv"):
        read(tmp_path / "log.csv", **MEANING)


@pytest.mark.long
def test_damaged_files_are_refused_or_read_and_nothing_else(path):
    whole, rng, refused = path.read_bytes(), np.random.default_rng(0), 0
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        for data in (bytes(damaged), whole[:place]):
            path.write_bytes(data)
            try:
                read(path, **MEANING)
            except LogError:
                refused += 1
    assert refused > 0.5 * len(whole)
