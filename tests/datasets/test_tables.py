"""Tables of a user's own: read like a slow twin, and every mistake named by file, column and row."""

import csv
import gzip
import io
import math
import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits.datasets import Column
from mobandits.datasets.tables import header, indicators, scan_table

COLUMNS = (
    Column("name", "text", "who"),
    Column("kind", "text", "what", values=("a", "b,c")),
    Column("count", "integer", "how many", least=0),
    Column("size", "number", "how large"),
    Column("flag", "integer", "whether", values=(0, 1)),
)
GOOD = 'extra,flag,size,count,kind,name\n,1,0.5,3,a,x\n,0,-1e3,0,"b,c","y ""z"""\n'


@pytest.fixture
def written(tmp_path):
    def write(content, name="mine.csv"):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / name

    return write


def slow_twin(text, columns, separator=","):
    """Rows as tuples, or (column, row) of the first value that is not allowed, by rows and then by columns."""
    rows = []
    for number, entry in enumerate(csv.DictReader(io.StringIO(text), delimiter=separator), 1):
        row = []
        for column in columns:
            value = entry[column.name]
            try:
                value = {"text": str, "integer": int, "number": float}[column.kind](value)
                wrong = value == "" or (column.kind == "number" and not math.isfinite(value))
            except ValueError:
                return column.name, number
            if wrong or (column.values and value not in column.values):
                return column.name, number
            if column.least is not None and value < column.least:
                return column.name, number
            row.append(value)
        rows.append(tuple(row))
    return rows


def test_columns_in_any_order_typed(written):
    table = scan_table(written(GOOD), COLUMNS).collect()
    assert table.columns == ["name", "kind", "count", "size", "flag"]
    assert table.dtypes == [pl.String, pl.String, pl.Int64, pl.Float64, pl.Int64]
    assert (
        table.rows()
        == [("x", "a", 3, 0.5, 1), ('y "z"', "b,c", 0, -1000.0, 0)]
        == slow_twin(GOOD, COLUMNS)
    )
    assert header(written(GOOD))[:2] == ["extra", "flag"]


def test_gzipped_and_tab_separated_files(written):
    text = GOOD.replace('"b,c"', "b;c").replace(",", "\t").replace("b;c", "b,c")
    path = written(gzip.compress(text.encode()), "mine.tsv.gz")
    assert (
        scan_table(path, COLUMNS, "\t")
        .collect()
        .equals(scan_table(written(GOOD), COLUMNS).collect())
    )


values = {
    "name": st.sampled_from(["x", "Ä", "1", ""]),
    "kind": st.sampled_from(["a", "b,c"]) | st.sampled_from(["a", "b,c", "b", "", "A"]),
    "count": st.sampled_from(["0", "12"])
    | st.sampled_from(["-1", "2.5", "1e3", "", "x", "9223372036854775807"]),
    "size": st.sampled_from(["0", "-2.5e-3"])
    | st.sampled_from(["1", "nan", "inf", "", "x", "1,5"]),
    "flag": st.sampled_from(["0", "1"]) | st.sampled_from(["2", "-1", "true"]),
}


@pytest.mark.long
@settings(max_examples=150)
@given(st.lists(st.fixed_dictionaries(values), min_size=1, max_size=5))
def test_any_table_is_read_as_by_the_twin_or_refused_at_the_same_place(tmp_path_factory, rows):
    file = tmp_path_factory.mktemp("tables") / "mine.csv"
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, list(values), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    expected = slow_twin(file.read_text(encoding="utf-8"), COLUMNS)
    if isinstance(expected, list):
        assert scan_table(file, COLUMNS).collect().rows() == expected
    else:
        with pytest.raises(
            ValueError,
            match=rf"^{re.escape(str(file))}: column {expected[0]}, row {expected[1]} must",
        ):
            scan_table(file, COLUMNS)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (",0.5,", ",big,", ": column size, row 1 must be a finite number, got 'big'"),
        (",0,-1e3", ",3,-1e3", ": column flag, row 2 must be one of 0, 1, got '3'"),
        (",3,a", ",-3,a", ": column count, row 1 must be an integer of at least 0, got '-3'"),
        (",3,a", ",3.0,a", ": column count, row 1 must be an integer of at least 0, got '3.0'"),
        (",3,a", ",,a", ": column count, row 1 must be an integer of at least 0, got None"),
        (",a,x", ",z,x", ": column kind, row 1 must be one of a, b,c, got 'z'"),
        (",a,x\n", ",a\n", ": column name, row 1 must be a text, got None"),
        (",a,x\n", ",a,x,more\n", " must have 6 fields in every row, got 7 in row 1"),
        (
            "size",
            "sizes",
            " must have the column size, got 'extra', 'flag', 'sizes', 'count', 'kind', 'name'",
        ),
        (GOOD[GOOD.index("\n") + 1 :], "", " must have rows below its header, got none"),
        (GOOD, "", " empty CSV"),
        (
            GOOD,
            "<html>not found</html>\n",
            " must have the column name, got '<html>not found</html>'",
        ),
    ],
)
def test_mistakes_are_named(written, old, new, message):
    assert old in GOOD
    path = written(GOOD.replace(old, new))
    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}{message}')}[^\n]*$"):
        scan_table(path, COLUMNS)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD.encode().replace(b"x", b"\xff\xfe"), "must be text in UTF-8"),
        (gzip.compress(GOOD.encode() * 1000)[:-30], "cannot be read"),
        (b"\x1f\x8bnot gzip at all", ""),
        (b"\x00\xff" * 500, ""),
    ],
)
def test_files_that_are_no_tables(written, content, message):
    path = written(content)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}[^\n]*{message}[^\n]*$"):
        scan_table(path, COLUMNS)


def test_folders_patterns_and_addresses_are_no_files(tmp_path, written):
    written(GOOD)
    for path in (tmp_path, tmp_path / "*.csv", "https://localhost/mine.csv"):
        with pytest.raises(
            ValueError, match=r"cannot be read: (Is a directory|No such file or directory)$"
        ):
            scan_table(path, COLUMNS)


def test_indicators_equal_their_twin():
    words = ["b", "a", "c", "a"]
    expected = [[float(word == value) for value in ("b", "c")] for word in words]
    assert indicators(pl.DataFrame({"w": words}), "w", ("a", "b", "c")).tolist() == expected
