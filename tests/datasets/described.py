"""Whether a table is what its description says."""

import polars as pl

from mobandits.datasets.tables import dtype, rule


def as_described(about, table):
    assert table.schema == pl.Schema({column.name: dtype(column) for column in about.columns})
    if isinstance(about.rows, int):
        assert table.height == about.rows
    for column in about.columns:
        values = table[column.name]
        assert values.null_count() == 0
        assert not column.values or values.is_in(column.values).all(), rule(column)
        assert column.least is None or values.min() >= column.least
