"""`mobandits tune`: names become candidates, a line each comes out, mistakes are one line."""

import re

import pytest
from false_claims import log_of

from mobandits import cli
from mobandits.evaluation import command, tune
from mobandits.evaluation.tune_command import result_lines, tune_file, weights_named
from mobandits.spec import recipe_named

POLICIES = ("logging", "learned=mol-ucb:scale=0.1,order={name=weighted,weights=[1.0,0.5]}", "arm:c")
WEIGHTS = ("--weight=quality=1", "--weight=thrift=0.5")


@pytest.fixture
def log(monkeypatch):
    """What any file holds: the last arm pays by the sign of a feature."""
    found = log_of(0, rounds=1500, gain=0.5)
    monkeypatch.setattr(command, "read", lambda path, **columns: found)
    return found


@pytest.fixture
def program(capsys):
    def call(*arguments):
        status = cli.call([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return call


def test_it_prints_what_tune_finds(program, log):
    given = [f"--policy={policy}" for policy in POLICIES]
    status, out, err = program("tune", "x.jsonl", *given, *WEIGHTS, "--seed=3")
    candidates = tune_file("x.jsonl", POLICIES, recipe_named, weights=["quality=1", "thrift=0.5"])
    tuned = tune(
        {name: one.target for name, one in candidates.candidates.items()},
        log,
        weights=[1.0, 0.5],
        seed=3,
    )
    assert status == 0
    assert out.splitlines() == result_lines(tuned)
    assert err.splitlines()[-1] == "tune: 3 of 3 candidates"
    *lines, answer = out.splitlines()
    assert [line.partition(":")[0] for line in lines if line[0] != " "] == [
        "logging",
        "learned",
        "arm",
    ]
    assert answer.startswith("learned is surely better than logging: by ")
    assert re.search(r"gain in weighted sum 0\.\d+ \(0\.\d+ to 0\.\d+\), p = ", lines[1])


def test_without_weights_the_pareto_order_decides(program, log):
    given = [f"--policy={policy}" for policy in POLICIES]
    status, out, _ = program("tune", "x.jsonl", *given, "--margin=0.2")
    assert status == 0
    assert "gain in" not in out
    assert out.splitlines()[-1].startswith("learned is surely better than logging: better in one")


def test_weights_have_names():
    assert weights_named(["a=b=2"]) == {"a=b": 2.0}
    with pytest.raises(ValueError, match=r"^--weight must be OBJECTIVE=NUMBER, got 'quality'$"):
        weights_named(["quality"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policy=uniform"], "recipes must be at least two"),
        (["--policy=uniform", "--policy=mol-uct"], "did you mean mol-ucb?"),
        (["--policy=uniform", "--policy=arm:d"], "--policy: an arm must be one of a, b, c"),
        (["--policy=uniform", "--policy=logging", "--weight=speed=1"], "weights: an objective"),
        (["--policy=uniform", "--policy=logging", "--weight=1"], "weights: an objective must be"),
        (["--policy=uniform", "--policy=logging", "--weight=quality"], "OBJECTIVE=NUMBER"),
        (["--policy=uniform", "--policy=logging", "--level=2"], "level must be below 1"),
    ],
)
def test_mistakes_are_one_line(program, log, arguments, message):
    status, out, err = program("tune", "x.jsonl", *arguments)
    assert (status, out) == (2, "")
    assert message in err.splitlines()[-1]
