"""What every data set promises: a description that says all, a table that is as described, errors of one line."""

import re

import pytest
from described import as_described

from mobandits import datasets
from mobandits.datasets import About, Column, DataSet, RecordedObjective
from mobandits.spec import catalogue

ALL = [
    datasets.__dict__[name]
    for name in datasets.__all__
    if isinstance(datasets.__dict__[name], DataSet)
]
NEEDS_A_FILE = [one for one in ALL if one.about.name not in ("llm_routing", "breast_cancer")]
every = pytest.mark.parametrize("data_set", ALL, ids=lambda one: one.about.name)


def test_the_list_is_the_catalogue():
    assert set(catalogue("datasets").values()) == set(ALL)
    assert len(ALL) == 7


@every
def test_descriptions_are_complete(data_set):
    about = data_set.about
    assert getattr(datasets, about.name) is data_set
    assert (
        type(data_set).__doc__.partition("\n")[0] == about.title
    )  # the line of `mobandits list datasets`
    texts = ("title", "arms", "propensities", "licence", "source", "obtain", "derived")
    assert all(len(getattr(about, text)) > 3 and "\n" not in getattr(about, text) for text in texts)
    names = [column.name for column in about.columns]
    assert len(set(names)) == len(names) > 5
    assert about.objectives
    assert all(part.meaning for part in (*about.columns, *about.objectives))
    assert isinstance(about.rows, int) or re.search(r"\d", about.rows)


@every
def test_descriptions_print_all_they_say(data_set):
    about, text = data_set.about, str(data_set.about)
    said = [
        about.name,
        about.title,
        about.arms,
        about.propensities,
        about.licence,
        about.source,
        about.obtain,
    ]
    said += [about.derived, *(f"{goal.name}: {goal.meaning}" for goal in about.objectives)]
    said += [
        f"{about.rows:,}" if isinstance(about.rows, int) else about.rows,
        *{c.meaning for c in about.columns},
    ]
    assert [part for part in said if part not in text] == []
    assert max(len(line) for line in text.splitlines()) < 200
    assert about.name in repr(data_set)


def test_minimised_objectives_and_units_are_told():
    about = About(
        *(
            "toy",
            "A toy.",
            1234,
            (Column("a", "number", "one", "metres"), Column("b", "number", "one", "metres")),
        ),
        *(
            "two",
            (RecordedObjective("price", "what it costs", "EUR", minimise=True),),
            "none",
            "ours",
            "us",
            "ask",
            "nothing",
        ),
    )
    assert "  rows          1,234\n" in str(about)
    assert "price: what it costs, in EUR; less is better" in str(about)
    assert str(about).endswith("  columns\n    number   a to b: one, in metres")


@pytest.mark.parametrize("data_set", NEEDS_A_FILE, ids=lambda one: one.about.name)
def test_absent_files_are_told_in_one_line(data_set, tmp_path):
    readers = [data_set, data_set.load]
    readers += [getattr(data_set, name) for name in ("feedback", "scan") if hasattr(data_set, name)]
    for read in readers:
        with pytest.raises(
            ValueError, match=r"^[^\n]*none\.csv cannot be read: No such file or directory$"
        ):
            read(tmp_path / "none.csv")


@pytest.mark.parametrize("name", ["llm_routing", "breast_cancer"])
def test_installed_tables_are_as_described(name):
    about = getattr(datasets, name).about
    as_described(about, getattr(datasets, name)())
