"""`mobandits identify`: from a file to a certificate, and mistakes in one line."""

from pathlib import Path

import numpy as np
import pytest

import mobandits as mob
from mobandits.cli import program as cli
from mobandits.policies import RandomChoice

LEVEL = np.array([[0.9, 0.6], [0.5, 0.9], [0.1, 0.1]])


def rewards_of(arms, rng):
    return (rng.random((len(arms), 2)) < LEVEL[arms]).astype(int)


@pytest.fixture
def stream(tmp_path):
    rng = np.random.default_rng(0)
    arms = rng.integers(3, size=900)
    rows = [
        f"{'abc'[arm]},{click},{stay}"
        for arm, (click, stay) in zip(arms, rewards_of(arms, rng), strict=True)
    ]
    path = tmp_path / "stream.csv"
    path.write_text("\n".join(["arm,click,stay", *rows]) + "\n")
    return str(path)


def test_every_column_but_the_arm_is_an_objective(stream, capsys):
    assert cli.call(["identify", stream, "--delta", "0.05"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "inside (2): b, a",
        "outside (1): c",
        "undecided (0): none",
        "900 rounds; wrong with probability 0.05 at most",
    ]


def test_columns_and_ranges(stream, capsys):
    columns = ["--column=arm=arm", "--column=rewards=click"]
    assert cli.call(["identify", stream, *columns, "--objective=click:minimise=true"]) == 0
    assert "inside (1): c" in capsys.readouterr().out
    assert cli.call(["identify", stream, *columns, "--sigma=click=50"]) == 0
    assert "undecided (3): " in capsys.readouterr().out


def test_the_log_of_an_agent(tmp_path, capsys):
    rng = np.random.default_rng(1)
    asked = {"arms": ["a", "b", "c"], "features": 0, "objectives": ["click", "stay"]}
    with mob.Agent(RandomChoice(), **asked, log=tmp_path / "agent.db") as agent:
        for _ in range(300):
            decision = agent.decide([])
            arm = "abc".index(decision.arm)
            agent.learn(decision.id, rewards_of(np.array([arm]), rng)[0])
    assert cli.call(["identify", str(tmp_path / "agent.db"), "--epsilon", "0.4"]) == 0
    said = capsys.readouterr().out
    assert "outside (1): c" in said
    assert "300 rounds" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--delta", "1"], "error: delta must be below 1, got 1.0"),
        (["--epsilon", "-1"], "error: epsilon must be at least 0, got -1.0"),
        (["--sigma", "x=1"], "error: sigma must name objectives, click, stay, got 'x'"),
        (["--sigma", "click"], "error: --sigma must be OBJECTIVE=NUMBER, got 'click'"),
        (
            ["--objective", "click:low=0,high=0.5"],
            "error: rewards of click must lie in [0, 0.5], or have another range or a sigma, got 1",
        ),
    ],
)
def test_mistakes_are_one_line(stream, capsys, options, message):
    assert cli.call(["identify", stream, *options]) == 2
    assert capsys.readouterr().err.splitlines() == [message]


def test_a_file_without_the_column(stream, capsys):
    path = Path(stream)
    path.write_text(path.read_text().replace("arm,", "item,", 1))
    assert cli.call(["identify", stream]) == 2
    said = capsys.readouterr().err
    assert said.splitlines() == [f"error: {stream} must have a column 'arm', got item, click, stay"]
