"""Named columns to numbers: rows per second of a table, and a single row; beside scikit-learn's transformers."""

import harness

harness.one_thread()

from datetime import datetime, timedelta  # noqa: E402

import numpy as np  # noqa: E402
import polars as pl  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: E402

from mobandits.encoding import Boolean, Category, Date, Encoder, Hashed, Number, Text  # noqa: E402

ROWS = 100_000
CITIES = [f"city {i}" for i in range(20)]
WORDS = [f"word{i}" for i in range(2000)]
START = datetime(2026, 1, 1)


def table(rows, seed=0):
    """Mixed columns: one cell in fifty is missing."""
    rng = np.random.default_rng(seed)
    minutes = rng.integers(0, 500_000, rows).tolist()
    frame = pl.DataFrame(
        {
            "age": rng.uniform(18, 80, rows),
            "length": rng.integers(1, 5000, rows),
            "city": rng.choice(CITIES, rows),
            "user": [f"user {i}" for i in rng.integers(0, 20_000, rows)],
            "member": rng.random(rows) < 0.3,
            "when": [START + timedelta(minutes=minute) for minute in minutes],
        }
    )
    is_there = pl.Series(rng.random(rows) > 0.02)
    return frame.with_columns(
        age=pl.when(is_there).then("age"), city=pl.when(is_there).then("city")
    )


def texts(rows, seed=1):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, 12)) for _ in range(rows)]


KINDS = {
    "age": Number(),
    "length": Number(),
    "city": Category(),
    "user": Hashed(64),
    "member": Boolean(),
    "when": Date(),
}


def case_of_table(name, encoder, frame):
    encoder.encode_table(frame[:100])
    times = harness.in_turn(
        {"ours": lambda: encoder.encode_table(frame)}, operations={"ours": len(frame)}
    )
    per_second = 1e6 / min(times["ours"])
    return harness.own_row(f"{name}: a row of {len(frame):,}", times["ours"]), per_second


def against_scikit_learn(frame):
    """Numbers and categories only, which both have; the same columns in the end."""
    full = frame.with_columns(pl.col("city").fill_null("none"), pl.col("age").fill_null(40.0))
    encoder = Encoder.fit(full, "age,length,city:category", intercept=False)
    columns = full.select("age", "length", "city")
    theirs = ColumnTransformer(
        [
            ("numbers", StandardScaler(), ["age", "length"]),
            ("city", OneHotEncoder(sparse_output=False), ["city"]),
        ]
    ).fit(columns)
    others = encoder.names.index("city other")
    ours = np.delete(encoder.encode_table(columns), others, axis=1)
    np.testing.assert_allclose(ours, theirs.transform(columns), atol=1e-9)
    times = harness.interleaved(
        lambda: theirs.transform(columns),
        lambda: encoder.encode_table(columns),
        operations=(len(frame), len(frame)),
    )
    case = f"two numbers and a category: a row of {len(frame):,}"
    return harness.row(case, "scikit-learn ColumnTransformer", times[0], "Encoder", times[1])


def main():
    frame = table(ROWS)
    encoder = Encoder.fit(frame, KINDS)
    with_text = frame.with_columns(prompt=pl.Series(texts(ROWS)))
    text_kinds = {**KINDS, "prompt": Text(dimensions=32)}
    text_encoder = Encoder.fit(with_text[:5000], text_kinds)
    mixed, mixed_rate = case_of_table("six kinds without text", encoder, frame)
    full, full_rate = case_of_table("with text of 12 words", text_encoder, with_text)
    rows = [mixed, full, against_scikit_learn(frame)]
    for name, one, columns in (
        ("a single dictionary, six kinds without text", encoder, frame),
        ("a single dictionary, with text", text_encoder, with_text),
    ):
        row = columns.row(17, named=True)
        assert one.encode(row).tobytes() == one.encode_table(columns[17:18])[0].tobytes()
        times = harness.in_turn({"ours": lambda one=one, row=row: one.encode(row)})
        rows.append(harness.own_row(name, times["ours"]))
    notes = [
        f"{len(encoder)} features without text, {len(text_encoder)} with it.",
        f"{mixed_rate:,.0f} mixed rows per second, {full_rate:,.0f} with text.",
        "A row by itself and in a table gives the same bits.",
    ]
    harness.write("encoder", "Named columns to numbers", rows, notes)


if __name__ == "__main__":
    main()
