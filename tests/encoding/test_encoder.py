"""Encoders: rows and tables give the same bits, what was saved is the same, and mistakes are named."""

import copy
import json
import math
import pickle
from datetime import UTC, date, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import columns as twins

from mobandits.encoding import Boolean, Category, Date, Encoder, Hashed, Number, Text

TEXTS = [
    "the cat sat on the mat",
    "a dog ran over the hill",
    "the dog sat near the cat",
    "hills and mats and dogs",
    None,
    "cats ran",
]
TABLE = {
    "age": [31.0, 42.5, None, 18.0, 77.25, 31.0],
    "visits": [1, 2, 3, 4, 5, 6],
    "city": ["Rome", "Paris", None, "Rome", "Oslo", "Paris"],
    "user": ["u1", "u2", "u3", None, "u5", "u6"],
    "member": [True, False, True, None, True, False],
    "when": [datetime(2026, 1, d, 3 * d, 7 * d) for d in range(1, 6)] + [None],
    "prompt": TEXTS,
}
KINDS = {
    "age": Number(),
    "visits": Number(standardise=False),
    "city": Category(),
    "user": Hashed(8),
    "member": Boolean(),
    "when": Date(age=True),
    "prompt": Text(dimensions=3, buckets=1024),
}
ENCODER = Encoder.fit(TABLE, KINDS)
ROWS = [dict(zip(TABLE, values, strict=True)) for values in zip(*TABLE.values(), strict=True)]


def same_bits(one, other):
    return one.shape == other.shape and one.tobytes() == other.tobytes()


def missing_or(values):
    return st.none() | values


NUMBERS = missing_or(st.floats(-1e12, 1e12))
WHOLE = missing_or(st.integers(-(2**62), 2**62))
CITIES = missing_or(st.sampled_from(["Rome", "Paris", "Oslo", "Bonn", " Rome "]))
MOMENTS = missing_or(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)))
WORDS = missing_or(
    st.lists(st.sampled_from(["cat", "dog", "the", "mat", "zebra", "a", "é"]), max_size=9).map(
        " ".join
    )
)
TYPED = st.fixed_dictionaries(
    {
        "age": NUMBERS,
        "visits": WHOLE,
        "city": CITIES,
        "user": missing_or(st.text()),
        "member": missing_or(st.booleans()),
        "when": MOMENTS,
        "prompt": WORDS | missing_or(st.text()),
    }
)
MIXED = st.fixed_dictionaries(
    {
        "age": NUMBERS | WHOLE | st.just(math.nan) | st.sampled_from(["3", " 4.5e2 ", "", " "]),
        "visits": st.sampled_from([np.float32(0.1), np.int64(7), -0.0, "8", 2**70]),
        "city": CITIES | st.integers() | st.booleans() | st.just(3.0),
        "user": missing_or(st.text() | st.integers()),
        "member": st.sampled_from([None, "yes", "FALSE", 1, 0.0, np.bool_(True), ""]),
        "when": MOMENTS
        | st.dates()
        | st.floats(-1e9, 1e9)
        | st.sampled_from(["2026-01-31", "2026-02-28T23:59:59Z", np.datetime64("2024-02-29"), ""])
        | st.just(datetime(2026, 3, 29, 1, 30, tzinfo=UTC)),
        "prompt": WORDS,
    }
)
SCHEMA = {
    "age": pl.Float64,
    "visits": pl.Int64,
    "city": pl.String,
    "user": pl.String,
    "member": pl.Boolean,
    "when": pl.Datetime("us"),
    "prompt": pl.String,
}


@pytest.mark.long
@given(st.lists(TYPED, min_size=1, max_size=8))
def test_rows_lists_and_frames_give_the_same_bits(rows):
    one_by_one = np.array([ENCODER.encode(row) for row in rows])
    frame = pl.DataFrame(rows, schema=SCHEMA)
    assert same_bits(ENCODER.encode_table(rows), one_by_one)
    assert same_bits(ENCODER.encode_table(frame), one_by_one)
    assert same_bits(ENCODER.encode_table(frame.select(reversed(frame.columns))), one_by_one)
    assert same_bits(ENCODER.encode_table(frame[:1])[0], ENCODER.encode(frame[:1]))


@pytest.mark.long
@given(st.lists(MIXED, min_size=1, max_size=8))
def test_values_of_any_kind_give_the_same_bits(rows):
    one_by_one = [ENCODER.encoded(row) for row in rows]
    encoded = ENCODER.encoded_table(rows)
    assert same_bits(encoded.numbers, np.array([each.numbers for each in one_by_one]))
    unseen = {}
    for each in one_by_one:
        for key, count in each.unseen.items():
            unseen[key] = unseen.get(key, 0) + count
    assert encoded.unseen == unseen


def test_a_row_is_what_its_twins_say():
    assert ENCODER.names[0] == "intercept"
    moment = datetime(2025, 12, 31, 23, 59, 30)
    row = {"age": 20.0, "visits": 9, "city": "Oslo", "user": "u9", "member": False}
    row |= {"when": moment, "prompt": "the mat and the dog"}
    features = dict(zip(ENCODER.names, ENCODER.encode(row).tolist(), strict=True))
    of = {
        column: [features[name] for name in ENCODER.names[first:last]]
        for column, _, first, last in ENCODER.layout.steps
    }
    np.testing.assert_allclose(of["age"], twins.standardised(TABLE["age"], 20.0), rtol=1e-13)
    assert of["visits"] == [9.0]
    assert of["city"] == twins.one_hot(TABLE["city"], "Oslo")
    assert of["user"] == twins.hashed("u9", 8)
    assert of["member"] == [0.0, 0.0]
    np.testing.assert_allclose(of["when"][:6], twins.on_circles(moment), atol=1e-15)
    texts = [text for text in TEXTS if text]
    wanted = twins.projected(texts, row["prompt"], 3, 1024)
    np.testing.assert_allclose(of["prompt"], wanted, atol=1e-12)


@given(MOMENTS)
def test_dates_are_what_their_twin_says(moment):
    encoder = Encoder({"when": Date(indicator=False)}, intercept=False)
    features = encoder.encode({"when": moment})
    np.testing.assert_allclose(features, twins.on_circles(moment), rtol=0, atol=1e-15)


def test_the_same_moment_in_every_form():
    encoder = Encoder({"when": Date(age=True, mean=0.0, deviation=2.0, indicator=False)})
    moment = datetime(2026, 1, 31, 12, 0)
    forms = [moment, moment.replace(tzinfo=UTC), "2026-01-31T12:00", "2026-01-31 13:00+01:00"]
    forms += [np.datetime64("2026-01-31T12:00"), moment.replace(tzinfo=UTC).timestamp()]
    rows = np.array([encoder.encode({"when": form}) for form in forms])
    assert (rows == rows[0]).all()
    unit = pl.Series("when", [moment], pl.Datetime("ms"))
    zone = pl.Series("when", [moment.replace(tzinfo=UTC)]).dt.convert_time_zone("Europe/Rome")
    for series in (unit, zone, unit.cast(pl.Datetime("ns"))):
        assert same_bits(encoder.encode_table(pl.DataFrame([series]))[0], rows[0])
    day = encoder.encode({"when": date(2026, 1, 31)})
    assert same_bits(encoder.encode_table({"when": pl.Series([date(2026, 1, 31)])})[0], day)
    assert rows[0, -1] - day[-1] == 0.25


def test_missing_values_are_treated_as_said():
    nothing = dict.fromkeys(TABLE)
    encoded = ENCODER.encoded(nothing)
    found = dict(zip(ENCODER.names, encoded.numbers.tolist(), strict=True))
    set_ones = {name for name, value in found.items() if value}
    assert set_ones == {
        "intercept",
        "age missing",
        "visits",
        "city other",
        "member",
        "member missing",
        "when missing",
    }
    assert found["visits"] == 3.5
    assert found["member"] == 0.6
    assert encoded.unseen == {(name, "missing"): 1 for name in TABLE}


def test_a_table_without_rows():
    for table in (pl.DataFrame(schema=SCHEMA), {name: [] for name in TABLE}):
        encoded = ENCODER.encoded_table(table)
        assert encoded.numbers.shape == (0, len(ENCODER))
        assert encoded.unseen == {}


def test_what_the_fit_has_not_seen_is_counted():
    rows = [ROWS[0] | {"city": "Bonn", "prompt": "zebra"}, ROWS[1] | {"city": "Kyiv"}, ROWS[0]]
    assert ENCODER.encoded_table(rows).unseen == {("city", "unknown"): 2, ("prompt", "unknown"): 1}


def test_the_order_of_columns_and_rows_does_not_matter():
    other_way = {name: TABLE[name][::-1] for name in reversed(TABLE)}
    again = Encoder.fit(other_way, KINDS)
    without_text = [n for n in range(len(ENCODER)) if "prompt" not in ENCODER.names[n]]
    row = dict(reversed(ROWS[0].items()))
    assert again.names == ENCODER.names
    assert same_bits(again.encode(row)[without_text], ENCODER.encode(ROWS[0])[without_text])
    np.testing.assert_allclose(again.encode(row), ENCODER.encode(row), atol=1e-12)


def test_what_was_written_is_the_same():
    text = json.dumps(ENCODER.data, allow_nan=False)
    again = Encoder.from_data(json.loads(text))
    assert again == ENCODER
    assert again.data == ENCODER.data
    assert same_bits(again.encode_table(ROWS), ENCODER.encode_table(ROWS))
    for copied in (copy.deepcopy(ENCODER), pickle.loads(pickle.dumps(ENCODER))):
        assert copied == ENCODER
        assert hash(copied) == hash(ENCODER)
    assert Encoder.fit(TABLE, KINDS, intercept=False) != ENCODER
    assert Encoder.fit(TABLE, {"age": Number()}) != ENCODER


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("columns", 0, 1, "class"), "agent", "must name a kind of columns"),
        (("columns", 0, 1, "class"), [], "must name a kind of columns"),
        (("columns", 0, 0), 3, "columns must be different names"),
        (("columns", 1, 0), "age", "columns must be different names"),
        (("columns",), {}, "columns must be a list"),
        (("columns", 0, 1, "with", "mean", "value"), "31", "must be of type"),
        (("columns", 0, 1, "with", "deviation", "value"), 0.0, "deviation must be above 0"),
        (("columns", 6, 1, "with", "weights", "array"), [1.0], "Text.weights must be finite"),
        (("columns", 6, 1, "with", "known", "array"), [3, 2], "Text.known must be buckets"),
        (("columns", 3, 1, "with", "buckets", "value"), 10**9, "at most 512"),
        (("intercept",), 1, "Encoder.intercept must be True or False"),
        (("other",), 1, "encoder must have intercept and columns"),
    ],
)
def test_forged_data_is_refused(path, value, message):
    data = json.loads(json.dumps(ENCODER.data))
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=message):
        Encoder.from_data(data)


BAD = [
    ("age", "abc", "expected a number, got 'abc'"),
    ("age", math.inf, "expected a finite number, got inf"),
    ("age", True, "expected a number, got True"),
    ("age", 10**400, "expected a number, got 1"),
    ("age", "nan", "expected a number, got 'nan'"),
    ("age", "1_000", "expected a number, got '1_000'"),
    ("city", ["Rome"], "expected text, a number or a boolean, got ['Rome']"),
    ("member", "perhaps", "expected true or false, got 'perhaps'"),
    ("member", 2, "expected true or false, got 2"),
    ("when", "31 January", "expected a date such as 2026-01-31T12:30, got '31 January'"),
    ("when", 1e300, "expected a date, got 1e+300"),
    ("when", True, "expected a date, got True"),
    ("prompt", 7, "expected text, got 7"),
]


@pytest.mark.parametrize(("column", "value", "problem"), BAD)
def test_a_wrong_value_is_named(column, value, problem):
    row = ROWS[0] | {column: value}
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
        ENCODER.encode(row)
    assert str(caught.value).startswith(f"column '{column}': {problem}")
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        ENCODER.encode_table([*ROWS, row])
    assert str(caught.value).startswith(f"column '{column}', row 7: {problem}")
    assert len(str(caught.value)) <= 200


def test_wrong_values_of_typed_columns_are_named():
    encoder = Encoder.fit({"age": [1.0, 2.0]})
    with pytest.raises(ValueError, match="column 'age', row 2: expected a finite number, got -inf"):
        encoder.encode_table(pl.DataFrame({"age": [1.0, -math.inf]}))
    with pytest.raises(ValueError, match=r"column 'age', row 2: expected a number, got 'x{90}"):
        encoder.encode_table({"age": pl.Series(["1", "x" * 5000])})
    with pytest.raises(ValueError, match="column 'age', row 1: expected a number, got False"):
        encoder.encode_table(pl.DataFrame({"age": [False]}))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"age": 1}, "row must have the column 'city', got 'age'"),
        ({"age": 1, "town": "Rome"}, "row must have the column 'city', got 'age', 'town'"),
        (
            {"age": 1, "city": "a", "citty": 1},
            r"no column 'citty'; did you mean city\?; it has 'age'",
        ),
        ({}, "row must have the column 'age', got none"),
        ([1.0, 2.0], "row must be a dictionary"),
        ("Rome", "row must be a dictionary"),
    ],
)
def test_wrong_columns_are_named(row, message):
    encoder = Encoder.fit({"age": [1.0, 2.0], "city": ["Rome", "Rome"]})
    with pytest.raises(ValueError, match=message):
        encoder.encode(row)
    if isinstance(row, dict) and row and "citty" not in row:
        with pytest.raises(ValueError, match=message.replace("row", "row 1")):
            encoder.encode_table([row])
        with pytest.raises(ValueError, match=message.replace("row", "table")):
            encoder.encode_table(pl.DataFrame([row]))


def test_tables_may_have_more_columns_than_were_fitted():
    rows = [{"age": 1.0, "city": "Rome", "note": "x"}, {"age": 2.0, "city": "Oslo", "note": None}]
    encoder = Encoder.fit(rows, "age,city:category")
    wanted = np.stack([encoder.encode({"age": row["age"], "city": row["city"]}) for row in rows])
    ragged = [rows[0], {"city": "Oslo", "age": 2.0}]
    table = {name: [row[name] for row in rows] for name in ("note", "city", "age")}
    for source in (rows, ragged, table, pl.DataFrame(rows)):
        assert same_bits(encoder.encode_table(source), wanted)
    with pytest.raises(ValueError, match="row 2 must have the column 'city', got 'age', 'note'"):
        encoder.encode_table([rows[0], {"age": 2.0, "note": "x"}])


def test_kinds_are_inferred():
    table = {
        "age": [1, 2, None],
        "text number": ["1", "2.5", None],
        "switch": [True, None, False],
        "word": ["yes", "no", "yes"],
        "day": ["2026-01-31", None, "2026-02-01"],
        "moment": [datetime(2026, 1, 1), None, None],
        "city": ["Rome", "Paris", "Rome"],
        "prompt": [
            "what is the largest city of Italy",
            "who wrote the Iliad",
            "tell me a joke now",
        ],
    }
    kinds = {name: kind.NAME for name, kind in Encoder.fit(table).columns.items()}
    assert kinds == {
        "age": "number",
        "text number": "number",
        "switch": "boolean",
        "word": "boolean",
        "day": "date",
        "moment": "date",
        "city": "category",
        "prompt": "text",
    }
    users = {"user": [f"user{i}" for i in range(100)]}
    assert Encoder.fit(users).columns["user"] == Hashed(64)
    with pytest.raises(ValueError, match="column 'x': expected at least one value"):
        Encoder.fit({"x": [None, ""]})
    with pytest.raises(ValueError, match="column 'x', row 2: expected text"):
        Encoder.fit({"x": ["a", {"b": 1}]})


def test_the_most_frequent_categories_have_features():
    kind = Encoder.fit({"c": list("aabbbcdd")}, {"c": Category(most=2)}).columns["c"]
    assert kind.values == ("a", "b")
    assert Category([3, True, "x"]).values == ("3", "true", "x")


def test_short_texts():
    encoder = Encoder(
        "age, visits:raw,city:category:5,user:hashed:9,prompt:text:4,when:date,m:boolean"
    )
    assert encoder.columns == {
        "age": Number(),
        "visits": Number(standardise=False),
        "city": Category(most=5),
        "user": Hashed(9),
        "prompt": Text(dimensions=4),
        "when": Date(),
        "m": Boolean(),
    }
    assert Encoder({"age": "number", "p": "text:4"}) == Encoder({"age": Number(), "p": Text(4)})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            "age:numbre",
            "its kind: 'numbre' is unknown; did you mean number. It must be one of number, ",
        ),
        ("age:number:3", "expected a whole number after a colon, of category, hashed, text only"),
        ("age,age", "columns must be different names"),
        ("", "columns must be different names"),
        ({}, "must have at least one column"),
        ({3: Number()}, "names that are text, got 3"),
        ({"a": 3}, "column 'a': expected an object such as Number"),
        ({"a": Number}, "column 'a': expected an object such as Number"),
        (["age"], "must be {column: kind}"),
    ],
)
def test_wrong_declarations(columns, message):
    with pytest.raises(ValueError, match=message):
        Encoder(columns)


def test_features_have_different_names():
    row = {"a": [1.0, None], "a missing": [1.0, 2.0]}
    with pytest.raises(ValueError, match="different names, got 'a missing' twice"):
        Encoder.fit(row)
    with pytest.raises(ValueError, match="got 'intercept' twice"):
        Encoder.fit({"intercept": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Number(deviation=0.0), "Number.deviation must be above 0"),
        (lambda: Number(mean=math.inf), "Number.mean must be a finite number"),
        (lambda: Category("abc"), "Category.values must be a list"),
        (lambda: Category([1, "1"]), "Category.values must be different"),
        (lambda: Category([None]), "must not be missing"),
        (lambda: Hashed(1), "at least 2"),
        (lambda: Hashed(513), "at most 512"),
        (lambda: Date(parts=("hours",)), "Date.parts must be some of hour, weekday, yearday"),
        (lambda: Date(parts=()), "must name a part"),
        (lambda: Boolean(share=2.0), "Boolean.share must be at most 1"),
        (lambda: Text(dimensions=0), "Text.dimensions must be an integer of at least 1"),
        (lambda: Text(known=[1]), "all that is fitted, or nothing"),
    ],
)
def test_wrong_kinds(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_what_is_not_fitted_cannot_encode():
    encoder = Encoder("age,city:category")
    assert not encoder.is_fitted
    with pytest.raises(
        ValueError, match=r"must be fitted, and column 'age' is not; write Encoder\.fit"
    ):
        encoder.encode({"age": 1, "city": "Rome"})
    fitted = encoder.fitted({"age": [1, 2], "city": ["Rome", "Oslo"], "more": [1, 2]})
    assert fitted.columns["city"].values == ("Oslo", "Rome")
    assert "not fitted" in str(encoder)


def test_numbers_that_are_too_large_to_standardise():
    with pytest.raises(ValueError, match="column 'x': expected numbers of which the squares"):
        Encoder.fit({"x": [1e308, -1e308]})
    assert Encoder.fit({"x": [5.0, 5.0]}).columns["x"].deviation == 1.0


def test_features_are_told_in_words():
    row = ROWS[0] | {"age": 812.0, "city": "Bonn", "when": datetime(2026, 1, 31, 12, 30)}
    words = ENCODER.describe(ENCODER.encode(row))
    assert words["age"] == "812"
    assert (words["city"], words["member"], words["prompt"]) == ("other", "true", None)
    assert words["when"] == "12:30, Saturday, day 31"
    nothing = ENCODER.describe(ENCODER.encode(dict.fromkeys(TABLE)))
    assert [nothing[name] for name in ("age", "city", "user", "member", "when")] == [
        "missing",
        "other",
        "missing",
        "missing",
        "missing",
    ]


def test_the_encoder_says_what_it_does():
    text = str(ENCODER)
    assert text.splitlines()[0].endswith(f"{len(ENCODER)} features, with an intercept)")
    assert "user#0" in text
    assert "prompt~3" in text
    assert 'unknown or missing: "other"' in text
    assert text.count("\n") == 2 + len(TABLE)


# --- tables of others, and files


class Frame:
    """What a table of pandas offers, without the package."""

    def __init__(self, columns):
        self._columns = {name: np.asarray(values) for name, values in columns.items()}
        self.columns = list(columns)

    def __getitem__(self, name):
        return self._columns[name]

    def __len__(self):
        return len(next(iter(self._columns.values())))


def test_tables_of_other_libraries():
    rows = [row | {"when": "2026-01-31"} for row in ROWS]
    columns = {name: [row[name] for row in rows] for name in TABLE}
    frame = Frame(
        {"visits": columns.pop("visits"), **{k: np.array(v, object) for k, v in columns.items()}}
    )
    assert same_bits(ENCODER.encode_table(frame), ENCODER.encode_table(rows))
    assert same_bits(ENCODER.encode_table(pl.LazyFrame(rows)), ENCODER.encode_table(rows))


def test_files(tmp_path):
    frame = pl.DataFrame(TABLE).with_columns(arm=pl.lit("a"))
    path = tmp_path / "log.csv"
    frame.write_csv(path)
    assert Encoder.fit(path, KINDS).names == ENCODER.names
    found = ENCODER.encode_table(path)
    assert same_bits(found, ENCODER.encode_table(ROWS))
    path.write_text(path.read_text().replace("42.5", "old"))
    with pytest.raises(ValueError, match="column 'age', row 2: expected a number, got 'old'"):
        ENCODER.encode_table(str(path))
    with pytest.raises(ValueError, match="cannot be read as CSV"):
        ENCODER.encode_table(tmp_path / "none.csv")


def test_dsjson(tmp_path):
    path = tmp_path / "log.dsjson"
    lines = [
        {"c": {"User": {"age": 31, "city": "Rome"}, "_multi": [{}]}},
        {"o": [{"EventId": "7", "v": 0.5}]},
        {"c": {"User": {"age": 42}, "X": [0.5], "_multi": [{}]}},
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    encoder = Encoder.fit(path, ["User.age", "User.city"])
    assert encoder.names == ("intercept", "User.age", "User.city=Rome", "User.city other")
    assert encoder.encode_table(path).tolist() == [[1, -1, 1, 0], [1, 1, 0, 1]]
    assert set(Encoder.fit(path).columns) == {"User.age", "User.city", "X.0"}
    path.write_text("{")
    with pytest.raises(ValueError, match="line 1 must be JSON"):
        encoder.encode_table(path)


@pytest.mark.parametrize("table", [3, None, [1.0], {"age": [1], "x": [1, 2]}])
def test_what_is_no_table(table):
    with pytest.raises(ValueError, match=r"table must (be|have columns of one length)"):
        Encoder.fit(table)


@pytest.mark.long
def test_large_decompositions_agree_with_dense_ones():
    """Above the size where the sparse solver takes over, on texts of few words."""
    rng = np.random.default_rng(3)
    names = [f"word{i}" for i in range(40)]
    texts = [" ".join(rng.choice(names, 4)) for _ in range(500)]
    kind = Encoder.fit({"t": texts}, {"t": Text(dimensions=4, buckets=1024, pairs=True)}).columns[
        "t"
    ]
    assert len(kind.known) > 400
    products = kind.components.T @ kind.components
    np.testing.assert_allclose(products, np.eye(4), atol=1e-9)
    assert (kind.components[np.abs(kind.components).argmax(0), np.arange(4)] > 0).all()
    for text in texts[:3]:
        wanted = twins.projected(texts, text, 4, 1024)
        found = Encoder({"t": kind}, intercept=False).encode({"t": text})
        np.testing.assert_allclose(found, wanted, atol=1e-8)


def test_texts_that_span_little():
    kind = Text(dimensions=3)
    encoder = Encoder.fit({"t": ["one word"] * 4}, {"t": kind}, intercept=False)
    assert encoder.encode({"t": "one word"}).tolist() == [0.0] * 3
    assert np.isfinite(encoder.encode({"t": "word"})).all()


def test_dates_before_the_epoch_and_the_last_one():
    encoder = Encoder({"when": Date(indicator=False)}, intercept=False)
    first = datetime(1, 1, 1)
    last = datetime.max - timedelta(microseconds=999999)
    for moment in (first, last, datetime(1969, 12, 31, 23, 59)):
        np.testing.assert_allclose(
            encoder.encode({"when": moment}), twins.on_circles(moment), atol=1e-15
        )
