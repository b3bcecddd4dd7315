"""`mobandits tune`: names become candidates, a line each comes out, mistakes are one line."""

import re

import pytest
from false_claims import log_of
from test_budget_tuning import uniform_log

from mobandits.evaluation import command_arguments, tune
from mobandits.evaluation.command import tune_file
from mobandits.evaluation.command_arguments import CommandLog, numbers_named
from mobandits.spec import recipe_named

POLICIES = ("logging", "learned=mol-ucb:scale=0.1,order={name=weighted,weights=[1.0,0.5]}", "arm:c")
WEIGHTS = ("--weight=quality=1", "--weight=thrift=0.5")


@pytest.fixture
def log(monkeypatch):
    """What any file holds: the last arm pays by the sign of a feature."""
    found = log_of(0, rounds=1500, gain=0.5)
    monkeypatch.setattr(command_arguments, "read", lambda path, **columns: found)
    return found


def test_it_prints_what_tune_finds(program, log):
    given = [f"--policy={policy}" for policy in POLICIES]
    status, out, err = program("tune", "x.jsonl", *given, *WEIGHTS, "--seed=3")
    candidates = tune_file(
        CommandLog("x.jsonl"), POLICIES, recipe_named, weights=["quality=1", "thrift=0.5"]
    )
    tuned = tune(
        {name: one.target for name, one in candidates.candidates.items()},
        log,
        weights=[1.0, 0.5],
        seed=3,
    )
    assert status == 0
    assert out.splitlines() == tuned.lines()
    assert err.splitlines()[-1] == "tune: 3 of 3 candidates"
    *lines, answer = out.splitlines()
    assert [line.partition(":")[0] for line in lines if line[0] != " "] == [
        "logging",
        "learned",
        "arm",
    ]
    assert answer.startswith("learned is significantly better than logging: by ")
    assert re.search(r"gain in weighted sum 0\.\d+ \(0\.\d+ to 0\.\d+\), p = ", lines[1])


def test_without_weights_the_pareto_order_decides(program, log):
    given = [f"--policy={policy}" for policy in POLICIES]
    status, out, _ = program("tune", "x.jsonl", *given, "--margin=0.2")
    assert status == 0
    assert "gain in" not in out
    assert out.splitlines()[-1].startswith(
        "learned is significantly better than logging: better in one"
    )


def test_weights_have_names():
    assert numbers_named("--weight", ["a=b=2"]) == {"a=b": 2.0}
    with pytest.raises(ValueError, match=r"^--weight must be OBJECTIVE=NUMBER, got 'quality'$"):
        numbers_named("--weight", ["quality"])


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


# --- for a budget


@pytest.fixture
def paid(monkeypatch):
    """What any file holds: three arms of different price."""
    found = uniform_log(3, 90)
    monkeypatch.setattr(command_arguments, "read", lambda path, **columns: found)
    return found


def test_a_budget_prints_what_tune_finds(program, paid):
    status, out, err = program("tune", "x.jsonl", "--budget", "cost=0.3", "--seed=2")
    assert status == 0
    assert out == f"{tune(paid, budget={'cost': 0.3}, seed=2)}\n"
    assert err.splitlines()[-1] == "tune: 5 of 5 steps"
    given = tune_file(CommandLog("x.jsonl"), [], recipe_named, budgets=["cost=0.3"], seed=2)
    assert out == f"{given}\n"


def test_a_learner_a_loss_and_a_level(program, paid):
    learner = "mol-ucb:scale=0.1"
    options = ("--within=0.1", "--level=0.9", "--horizon=700", "--fallback=mixture")
    status, out, _ = program("tune", "x.jsonl", f"--policy={learner}", *options)
    expected = tune(
        paid,
        within=0.1,
        level=0.9,
        horizon=700,
        fallback="mixture",
        learner=recipe_named(learner),
    )
    assert (status, out) == (0, f"{expected}\n")
    assert "(90 %)" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--budget=speed=1"], "budget: an objective must be one of cost, quality, got 'speed'"),
        (["--budget=cost=-1"], "budget of 'cost' must be above 0, got -1.0"),
        (["--budget=cost=nan"], "budget of 'cost' must be a finite number, got nan"),
        (["--budget=cost"], "--budget must be OBJECTIVE=NUMBER, got 'cost'"),
        (["--budget=cost=1", "--budget=cost=2"], "--budget must name each objective once"),
        (["--budget=cost=0.01"], "must be at least what the cheapest arm costs, 0."),
        (["--budget=cost=1", "--within=0.1"], "either budget or within, got both"),
        (["--within=-1"], "within must be at least 0, got -1.0"),
        (["--budget=cost=1", "--margin=0.1"], "--margin must be left out with a budget"),
        (["--budget=cost=1", "--fallback=arm"], "fallback must be one of mixture, got 'arm'"),
        (
            ["--budget=cost=1", "--policy=mol-ucb", "--policy=mol-ts"],
            "--policy must be at most one with a budget, which is the learner, got 2",
        ),
        (["--budget=cost=1", "--chunk=50"], "--chunk must be 0 or left out with a budget"),
        (["--budget=cost=1", "--write=x.json"], "--write must be a file with the ending .toml"),
        (["--budget=cost=1", "--write=no/x.toml"], "--write must be a file in a folder that exists"),
        ([], "--policy or --budget must be given"),
        (["--policy=mol-ucb", "--write=x.toml"], "--write must go with --budget or --within"),
        (["--policy=mol-ucb", "--horizon=9"], "--horizon must go with --budget or --within, got 9"),
    ],
)  # fmt: skip
def test_mistakes_with_budgets_are_one_line(program, paid, arguments, message):
    status, out, err = program("tune", "x.jsonl", *arguments)
    assert (status, out) == (2, "")
    assert message in err.splitlines()[-1]


def test_a_log_without_propensities_is_refused(program, tmp_path):
    rows = [f"{'ab'[i % 2]},{i % 3},{1 + i % 2},0.5" for i in range(60)]
    file = tmp_path / "log.csv"
    file.write_text("\n".join(["item,click,cost,age", *rows]) + "\n")
    columns = ["arm=item", "rewards=click,cost", "context=age", "minimise=cost"]
    given = [f"--column={column}" for column in columns]
    status, _, err = program("tune", file, *given, "--budget=cost=1.5")
    assert status == 2
    assert "--column propensity=NAME must be given for tune" in err.splitlines()[-1]
