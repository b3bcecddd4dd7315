"""`mobandits evaluate`: names become targets, a folder comes out, mistakes are one line."""

import dataclasses
import html
import json
import re

import numpy as np
import polars as pl
import pytest
from logs_for_tests import make_log
from worlds import linear_world

from mobandits import Agent, Objective
from mobandits.evaluation import (
    ConstantTarget,
    LoggingPolicy,
    Uniform,
    command_arguments,
    compare,
    comparison,
    dominance,
)
from mobandits.evaluation.command import evaluate_file
from mobandits.evaluation.command_arguments import (
    CommandLog,
    estimator_named,
    named_specs,
    split_name,
    target_named,
)
from mobandits.logs import read
from mobandits.policies import MolUcb, RandomChoice, WithFloor
from mobandits.spec import build


def recipe_named(name):
    return build("policies", name, "--policy")


@pytest.fixture
def log(monkeypatch):
    """What any file holds."""
    found, _ = linear_world().log(1500, 0)
    monkeypatch.setattr(command_arguments, "read", lambda path, **columns: found)
    return found


@pytest.mark.long
def test_the_folder_holds_values_diagnostics_figures_and_a_page(program, log, tmp_path):
    out = tmp_path / "deep" / "out"
    names = ("uniform", "logging", "arm:b", "random-choice")
    status, said, err = program(
        "evaluate", "x.jsonl", *(f"--policy={name}" for name in names), "--out", out
    )
    assert (status, said) == (0, f"{out / 'report.html'}\n")
    assert err.splitlines()[-1] == "evaluate: 4 of 4 policies"
    values = pl.read_csv(out / "values.csv")
    assert values.columns == [
        "policy",
        "estimator",
        "objective",
        "value",
        "standard_error",
        "low",
        "high",
    ]
    assert values.height == 4 * 3 * 2
    assert values["policy"].unique(maintain_order=True).to_list() == list(names)
    assert (values["low"] < values["value"]).all()
    uniform = values.filter(pl.col("policy") == "uniform").drop("policy")
    assert values.filter(pl.col("policy") == "random-choice").drop("policy").equals(uniform)
    figures = sorted(path.name for path in (out / "figures").iterdir())
    assert figures == ["front.png", "front.svg", "values.png", "values.svg"]
    page = (out / "report.html").read_text()
    assert all(f">{name}<" in page for name in names)
    assert not re.search(r'(src|href)="(?!data:|#)', page)


@pytest.mark.long
def test_policies_may_have_names_of_their_own(program, log, tmp_path):
    given = ("all alike=uniform", "b=arm:b", "logging")
    status, _, err = program(
        "evaluate", "x", *(f"--policy={one}" for one in given), "--out", tmp_path
    )
    assert (status, err.splitlines()[-1]) == (0, "evaluate: 3 of 3 policies")
    values = pl.read_csv(tmp_path / "values.csv")
    assert values["policy"].unique(maintain_order=True).to_list() == ["all alike", "b", "logging"]
    kept = json.loads((tmp_path / "evaluation.json").read_text())["policies"]
    assert [one["target"] for one in kept.values()] == [
        "Uniform()",
        "ConstantTarget(arm='b')",
        "LoggingPolicy()",
    ]


@pytest.mark.parametrize(
    ("policy", "name", "spec"),
    [
        ("mol-ucb", "mol-ucb", "mol-ucb"),
        ("mol-ucb:scale=0.3", "mol-ucb:scale=0.3", "mol-ucb:scale=0.3"),
        ("arm:a=b", "arm:a=b", "arm:a=b"),
        ("short = mol-ucb:scale=0.3,penalty=2", "short", "mol-ucb:scale=0.3,penalty=2"),
        ("x=arm:a=b", "x", "arm:a=b"),
    ],
)
def test_a_name_comes_before_the_first_equals_sign_and_holds_no_colon(policy, name, spec):
    assert split_name(policy) == (name, spec)


@pytest.mark.long
def test_the_numbers_are_those_of_compare(log, tmp_path):
    out = tmp_path / "out"
    specs = named_specs(["uniform", "arm:a"])
    options = {"estimators": ["snips", "dr"], "level": 0.9, "seed": 3}
    evaluate_file(CommandLog("x"), out, specs, recipe_named, **options)
    found = compare(
        log, {"uniform": Uniform(), "arm:a": ConstantTarget("a")}, ["snips", "dr"], seed=3
    )
    kept = json.loads((out / "evaluation.json").read_text())
    assert kept["options"] == {"level": 0.9, "folds": 5, "clip": None, "seed": 3}
    assert kept["log"]["rounds"] == 1500
    assert kept["shown"] == "dr"
    for (name, estimator), one in found.estimates.items():
        said = kept["policies"][name]["estimates"][estimator]
        np.testing.assert_allclose(said["value"], one.value)
        np.testing.assert_allclose(said["covariance"], one.covariance)
        assert said["warnings"] == list(one.warnings)
    (pair,) = kept["dominance"]
    verdict = dominance(found["uniform", "dr"], found["arm:a", "dr"], level=0.9)
    assert (pair["first"], pair["second"], pair["decision"]) == (
        "uniform",
        "arm:a",
        verdict.decision,
    )
    assert pair["p_incomparable"] == pytest.approx(verdict.p_incomparable)
    assert found.table(0.9).equals(pl.read_csv(out / "values.csv"))


@pytest.mark.long
def test_the_same_seed_writes_the_same_bytes(log, tmp_path):
    for name in ("one", "two"):
        specs = named_specs(["uniform", "logging"])
        evaluate_file(CommandLog("x"), tmp_path / name, specs, recipe_named, seed=1)
    files = [
        path.relative_to(tmp_path / "one")
        for path in (tmp_path / "one").rglob("*")
        if path.is_file()
    ]
    assert len(files) == 9
    assert all(
        (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
        for file in files
    )


def test_what_is_not_known_is_null_and_a_dash(monkeypatch, tmp_path):
    found = make_log(1, objectives=1)
    monkeypatch.setattr(command_arguments, "read", lambda path, **columns: found[found.arms == 0])
    specs = named_specs(["arm:a", "arm:b"])
    page = evaluate_file(CommandLog("x"), tmp_path, specs, recipe_named, estimators=["replay"])
    kept = json.loads((tmp_path / "evaluation.json").read_text())
    assert kept["policies"]["arm:b"]["estimates"]["replay"]["value"] == [None]
    text = page.read_text()
    assert "few rounds" in text
    assert '<td class="number">–</td>' in text
    assert not (tmp_path / "figures" / "front.png").exists()  # one objective has no front


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--policy", "unifrm"],
            r"--policy: 'unifrm' is unknown; did you mean uniform\? It must be one of .*uniform",
        ),
        (["--policy", "arm:z"], r"--policy: an arm must be one of a, b, c, d, got 'z'"),
        (
            ["--policy", "uniform", "--estimator", "ipw"],
            r"--estimator: .* is unknown; did you mean ips\?",
        ),
        (["--policy", "uniform", "--level", "1"], r"--level must be below 1, got 1.0"),
        (["--policy", "uniform", "--clip", "0"], r"Ips.clip must be above 0, got 0.0"),
        (["--policy", "uniform", "--folds", "1"], r"--folds"),
        (
            ["--policy", "uniform", "--column", "arms=x"],
            r"--column: a meaning: .*; did you mean arm\? It must be one of arm, ",
        ),
        (["--policy", "uniform", "--column", "arm"], r"--column must be meaning=column, got 'arm'"),
        (
            ["--policy", "pfi-rls"],
            r"target 'pfi-rls': PfiRls needs arms whose features never change",
        ),
        (["--policy", "x=unifrm"], r"--policy: 'unifrm' is unknown; did you mean uniform\?"),
        (["--policy", "x="], r"--policy must be SPEC or NAME=SPEC, got 'x='"),
        (
            ["--policy", "x=uniform", "--policy", "x=arm:b"],
            r"--policy must have distinct names, got 'x' twice",
        ),
        ([], r"Missing option '--policy'"),
    ],
)
def test_mistakes_are_one_line(program, log, tmp_path, arguments, message):
    status, out, err = program("evaluate", "x.jsonl", *arguments, "--out", tmp_path)
    assert (status, out) == (2, "")
    last = err.splitlines()[-1]
    assert last.startswith("error: ")
    assert re.search(message, last)


def test_a_file_that_cannot_be_read_is_one_line(program, monkeypatch, tmp_path):
    def read(path):
        raise ValueError(f"{path} is no log")

    monkeypatch.setattr(command_arguments, "read", read)
    status, _, err = program("evaluate", "x.jsonl", "--policy", "uniform", "--out", tmp_path)
    assert (status, err.splitlines()[-1]) == (2, "error: x.jsonl is no log")


@pytest.mark.long
def test_columns_of_a_table_are_named(program, log, monkeypatch, tmp_path):
    heard = {}
    monkeypatch.setattr(
        command_arguments, "read", lambda path, **columns: heard.update(columns) or log
    )
    status, _, err = program(
        "evaluate", "x.csv", "--policy=uniform", "--column=arm=item", "--out", tmp_path
    )
    assert (status, heard) == (2, {})
    assert "--column must name arm and rewards of a table, such as " in err
    assert err.endswith(", got arm\n")
    named = ("--column=arm=item", "--column=rewards=click,revenue", "--column=propensity=p")
    assert (
        program(
            "evaluate", "x.csv", "--policy=uniform", *named, "--estimator=ips", "--out", tmp_path
        )[0]
        == 0
    )
    assert heard == {"arm": "item", "rewards": ["click", "revenue"], "propensity": "p"}


def test_names_become_targets():
    log = make_log(0)
    assert target_named("uniform", log, recipe_named) == Uniform()
    assert target_named("logging", log, recipe_named) == LoggingPolicy()
    assert target_named("arm:c", log, recipe_named) == ConstantTarget("c")
    assert target_named("random-choice", log, recipe_named) == RandomChoice()


def test_clip_goes_to_those_that_clip():
    said = [
        repr(estimator_named(name, 5.0))
        for name in ("ips", "snips", "dr", "switch-dr", "dm", "replay")
    ]
    bounds = [
        "Ips(clip=5.0)",
        "Snips(clip=5.0)",
        "DoublyRobust(clip=5.0)",
        "SwitchDr(threshold=5.0)",
    ]
    assert said == [*bounds, "DirectMethod()", "Replay()"]
    assert repr(estimator_named("switch-dr", None)) == "SwitchDr(threshold=10.0)"


@pytest.fixture
def computed(monkeypatch):
    """The targets whose evaluation began."""
    begun = []
    original = comparison.probabilities_of

    def probabilities_of(target, *given):
        begun.append(target)
        return original(target, *given)

    monkeypatch.setattr(comparison, "probabilities_of", probabilities_of)
    return begun


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--policy", "pfi-rls"],
            r"target 'pfi-rls': PfiRls needs arms whose features never change",
        ),
        (["--policy", "mol-ucb:scale=-1"], r"MolUcb.scale must be above 0, got -1.0"),
        (["--policy", "arm:e"], r"--policy: an arm must be one of a, b, c, d, got 'e'"),
        (["--folds", "2000"], r"folds must be at most the number of rounds, 1500, got 2000"),
        (
            ["--estimator", "ips", "--estimator", "ips"],
            r"estimators must be some, each once, got Ips\(\), Ips\(\)",
        ),
    ],
)
def test_what_cannot_be_computed_is_refused_before_anything_is(
    program, log, computed, tmp_path, arguments, message
):
    given = ["--policy", "uniform", "--policy", "random-choice", *arguments]
    status, _, err = program("evaluate", "x.jsonl", *given, "--out", tmp_path / "out")
    assert status == 2
    assert re.search(message, err.splitlines()[-1])
    assert computed == []


@pytest.mark.long
def test_lacking_propensities_are_refused_before_anything_is_computed(
    program, log, computed, monkeypatch, tmp_path
):
    lacking = dataclasses.replace(log, propensities=np.full(len(log), np.nan))
    monkeypatch.setattr(command_arguments, "read", lambda path, **columns: lacking)
    given = ["--policy", "random-choice", "--out", tmp_path / "out", "--estimator", "dm"]
    status, _, err = program("evaluate", "x.jsonl", *given, "--estimator", "dr")
    assert status == 2
    assert "Feedback.propensities must be known in every round" in err.splitlines()[-1]
    assert computed == []
    assert program("evaluate", "x.jsonl", *given)[0] == 0
    assert (
        program(
            "evaluate",
            "x.jsonl",
            "--policy=logging",
            "--out",
            tmp_path / "again",
            "--estimator=ips",
        )[0]
        == 0
    )


@pytest.mark.long
def test_a_finished_evaluation_is_kept_and_a_killed_one_goes_on(
    program, log, monkeypatch, tmp_path
):
    out = tmp_path / "out"
    assert program("evaluate", "x.jsonl", "--policy", "uniform", "--out", out)[0] == 0
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    status, _, err = program("evaluate", "x.jsonl", "--policy", "logging", "--out", out)
    assert (status, len(err.splitlines())) == (2, 1)
    assert (
        "--out must be a new folder, an empty one or that of an evaluation without its page" in err
    )
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before

    def killed(*given):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pl.DataFrame, "write_csv", killed)
        assert (
            program("evaluate", "x.jsonl", "--policy", "uniform", "--out", tmp_path / "killed")[0]
            == 130
        )
    assert (
        program("evaluate", "x.jsonl", "--policy", "uniform", "--out", tmp_path / "killed")[0] == 0
    )


@pytest.mark.long
def test_a_table_without_propensities_is_refused_by_the_name_of_its_option(program, log, tmp_path):
    given = ["x.csv", "--column=arm=item", "--column=rewards=click", "--out", tmp_path / "out"]
    status, _, err = program("evaluate", *given, "--policy=uniform")
    assert status == 2
    said = (
        "--column propensity=NAME must be given for ips, snips, dr, got none; "
        "--propensities estimated fits them, --estimator dm and replay need none"
    )
    assert err.splitlines()[-1].endswith(said)
    assert not (tmp_path / "out").exists()
    assert program("evaluate", *given, "--policy=logging")[0] == 0
    given[-1] = tmp_path / "other"
    assert program("evaluate", *given, "--policy=uniform", "--estimator=dm")[0] == 0


def test_a_store_is_known_by_its_content(tmp_path):
    from mobandits.logs import Store  # noqa: PLC0415

    rng = np.random.default_rng(0)
    with Store(tmp_path / "log.csv") as store:
        store.describe({"arms": ["a", "b"], "objectives": ["q"]})
        for i in range(200):
            arm = int(rng.integers(2))
            store.append({"kind": "decide", "id": i, "arm": arm, "propensity": 0.5})
            store.append({"kind": "learn", "id": i, "rewards": {"q": float(arm)}})
        # While an agent has it open.
        out = tmp_path / "out"
        options = {"estimators": ["snips"]}
        specs = named_specs(["arm:a", "arm:b"])
        evaluate_file(CommandLog(store.path), out, specs, recipe_named, **options)
    values = pl.read_csv(out / "values.csv")["value"].to_list()
    np.testing.assert_allclose(values, [0.0, 1.0], atol=1e-12)


def write_costs(path, objectives):
    """The log of an agent: arm b is better, and costs more."""
    rng = np.random.default_rng(0)
    with Agent(
        WithFloor(MolUcb(), epsilon=0.5),
        arms=["a", "b", "c"],
        features=1,
        objectives=objectives,
        seed=1,
        propensity="exact",
        log=path,
    ) as agent:
        for _ in range(150):
            decision = agent.decide([1.0])
            place = "abc".index(decision.arm)
            noise = rng.random(2)
            rewards = {"quality": place + noise[0], "cost": 2.0 * place + 1.0 + noise[1]}
            agent.learn(decision.id, rewards)


def costs_of(folder):
    """{policy: its cost and the ends, as the folder has them}."""
    values = pl.read_csv(folder / "values.csv").filter(pl.col("objective") == "cost")
    return {row[0]: row[1:] for row in values.select("policy", "value", "low", "high").rows()}


@pytest.mark.long
def test_costs_of_an_agent_are_shown_in_their_own_direction(program, tmp_path):
    store = tmp_path / "agent.db"
    write_costs(store, ["quality", Objective("cost", minimise=True, unit="USD", low=0, high=9)])
    out = tmp_path / "out"
    given = ["--policy=arm:c", "--policy=arm:b", "--policy=arm:a", "--estimator=snips"]
    status, _, err = program("evaluate", store, *given, "--out", out)
    assert status == 0, err

    # Files and tables have the objective's own direction.
    log = read(store)
    found = compare(log, {"b": ConstantTarget("b"), "a": ConstantTarget("a")}, ["snips"])
    value, low, high = costs_of(out)["arm:a"]
    assert value == pytest.approx(-found["a", "snips"].value[1])
    assert 0.0 < low < value < high
    in_table = found.table().filter(policy="a", objective="cost")
    assert in_table["value"].item() == pytest.approx(value)
    assert in_table["low"].item() < value < in_table["high"].item()
    kept = json.loads((out / "evaluation.json").read_text())
    assert kept["log"]["objectives"][1] == {"name": "cost", "minimise": True, "unit": "USD"}
    assert kept["policies"]["arm:a"]["estimates"]["snips"]["value"][1] == pytest.approx(value)

    # A cost lies between its own ends on the page.
    page = html.unescape((out / "report.html").read_text())
    said = re.search(r"Lowest cost: arm:a, (\S+) \[(\S+),\s(\S+)\]; then (\S+), ", page)
    assert [float(number) for number in said.groups()[:3]] == pytest.approx(
        [value, low, high], abs=0.01
    )
    assert said[4] == "arm:b"
    assert "all to be maximised except cost, which is to be minimised" in page
    assert '<th scope="col" class="number">cost, USD<br>(less is better)</th>' in page


@pytest.mark.long
def test_the_page_again_and_that_of_an_older_folder(program, tmp_path):
    store = tmp_path / "agent.db"
    write_costs(store, ["quality", Objective("cost", minimise=True)])
    out = tmp_path / "out"
    given = ["--policy=arm:b", "--policy=arm:a", "--estimator=snips"]
    assert program("evaluate", store, *given, "--out", out)[0] == 0
    page = out / "report.html"
    before = page.read_text()
    assert program("report", out)[0] == 0
    assert page.read_text() == before

    # The numbers of other formats mean something else.
    summary = json.loads((out / "evaluation.json").read_text())
    (out / "evaluation.json").write_text(json.dumps(summary | {"format": 1}))
    status, _, err = program("report", out)
    assert status == 2
    assert "format must be 2, got 1: run mobandits evaluate again" in err


def test_costs_of_a_table_are_named_by_a_column(program, tmp_path):
    rng = np.random.default_rng(0)
    items = rng.choice(["a", "b"], 200)
    costs = np.where(items == "a", 1.0, 2.0) + rng.random(200)
    table = pl.DataFrame({"item": items, "cost": costs, "p": np.full(200, 0.5)})
    table.write_csv(tmp_path / "log.csv")
    columns = ["arm=item", "rewards=cost", "propensity=p", "minimise=cost"]
    given = [f"--column={pair}" for pair in columns]
    given += ["--policy=arm:b", "--policy=arm:a", "--estimator=snips"]
    status, _, err = program("evaluate", tmp_path / "log.csv", *given, "--out", tmp_path / "out")
    assert status == 0, err
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Lowest cost: arm:a, 1." in page
    assert "all to be minimised" in page
    assert "Sorted by cost, lowest first." in page
    rows = re.findall(r'<th scope="row">arm:(?:<wbr>)?(.)</th><td class="number">(\d)', page)
    assert rows[:2] == [("a", "1"), ("b", "2")]
    assert costs_of(tmp_path / "out")["arm:a"][0] > 0.0
