"""`mobandits evaluate LOG --column context=age,city:category`: columns of any kind, by an encoder."""

import json

import numpy as np
import polars as pl
import pytest

from mobandits.cli import program as cli
from mobandits.encoding import Encoder
from mobandits.evaluation import Uniform, command_arguments, compare
from mobandits.logs import read
from mobandits.policies import MolUcb

CONTEXT = "age,city:category,visits:raw"
COLUMNS = ["arm=item", "rewards=click", "propensity=p", f"context={CONTEXT}"]


@pytest.fixture
def log(tmp_path):
    """A file whose contexts are text, numbers and gaps."""
    rng = np.random.default_rng(0)
    n = 200
    frame = pl.DataFrame(
        {
            "item": rng.choice(["red", "blue"], n),
            "age": rng.uniform(18, 80, n).round(1),
            "city": rng.choice(["Rome", "Paris", "Oslo"], n),
            "visits": rng.integers(0, 9, n),
            "click": rng.integers(0, 2, n),
            "p": np.full(n, 0.5),
        }
    )
    path = tmp_path / "log.csv"
    frame.with_columns(age=pl.when(pl.int_range(n) > 3).then("age")).write_csv(path)
    return path


def evaluate(path, *columns, out="out"):
    pairs = [f"--column={pair}" for pair in columns]
    return cli.call(
        ["evaluate", str(path), "--policy=uniform", *pairs, "--out", str(path.parent / out)]
    )


@pytest.mark.long
def test_columns_of_several_kinds(log, capsys):
    assert evaluate(log, *COLUMNS) == 0
    summary = json.loads((log.parent / "out" / "evaluation.json").read_text())
    encoder = Encoder.fit(log, CONTEXT)
    assert summary["log"]["encoder"] == str(encoder)
    assert "age missing" in encoder.names
    page = (log.parent / "out" / "report.html").read_text()
    assert "How columns became features" in page
    assert "city other" in page
    feedback = read(log, arm="item", rewards=["click"], propensity="p", context=encoder)
    wanted = compare(feedback, {"uniform": Uniform()}, folds=5, seed=0)
    given = summary["policies"]["uniform"]["estimates"]
    for estimator in wanted.estimators:
        value = wanted["uniform", estimator].value.tolist()
        np.testing.assert_allclose(given[estimator]["value"], value, rtol=1e-12)


def test_what_is_deployed_takes_the_same_columns(log):
    encoder = Encoder.fit(log, CONTEXT)
    feedback = read(log, arm="item", rewards=["click"], propensity="p", context=encoder)
    found = compare(feedback, {"ucb": MolUcb(scale=0.3, check=False)}, "ips", folds=2)
    agent = found.agent("ucb")
    assert agent.core.encoder == encoder
    row = pl.read_csv(log).row(0, named=True)
    columns = {name: row[name] for name in encoder.columns}
    assert agent.decide(columns).context.tolist() == [encoder.encode(columns).tolist()]


@pytest.mark.long
def test_plain_columns_are_numbers_as_before(log):
    assert command_arguments.columns_named(["context=age,visits"]) == {"context": ["age", "visits"]}
    assert evaluate(log, *COLUMNS[:3], "context=visits") == 0
    summary = json.loads((log.parent / "out" / "evaluation.json").read_text())
    assert "encoder" not in summary["log"]


@pytest.mark.parametrize(
    ("context", "message"),
    [
        (
            "context=age,city:categry",
            "its kind: 'categry' is unknown; did you mean category. It must be one of number, ",
        ),
        ("context=age,town:category", "table must have the column 'town'"),
        ("context=city:number", "column 'city', row 1: expected a number, got '"),
    ],
)
def test_mistakes_are_one_line(log, capsys, context, message):
    assert evaluate(log, *COLUMNS[:3], context) == 2
    _, err = capsys.readouterr()
    lines = err.strip().splitlines()
    assert len(lines) == 1
    with pytest.raises(ValueError, match=message):
        raise ValueError(lines[0])
    assert not (log.parent / "out").exists()


def test_tune_takes_columns_as_evaluate_does(log, capsys):
    pairs = [f"--column={pair}" for pair in COLUMNS]
    policies = ["--policy=uniform", "--policy=arm:red"]
    assert cli.call(["tune", str(log), *policies, *pairs]) == 0
    assert "arm:red" in capsys.readouterr().out
