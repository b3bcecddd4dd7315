"""`mobandits evaluate` on logs that are read in pieces: the answers of the log in memory."""

import json

import numpy as np
import polars as pl
import pytest

from mobandits import Agent
from mobandits.errors import LogError, LogWarning
from mobandits.evaluation import (
    ConstantTarget,
    Feedback,
    StoredProbabilities,
    Uniform,
    command_arguments,
    compare,
)
from mobandits.evaluation.command import evaluate_file
from mobandits.evaluation.command_arguments import CommandLog
from mobandits.evaluation.front import front
from mobandits.logs import LogStream, ParquetTable, read, stream
from mobandits.policies import MolUcb
from mobandits.spec import recipe_named

MEANINGS = {"arm": "item", "rewards": ["click", "cost"], "context": ["x", "y"], "propensity": "p"}
COLUMNS = ("arm=item", "rewards=click,cost", "context=x,y", "propensity=p", "minimise=cost")
UCB = "mol-ucb:scale=0.3,check=false"


def table_of(rows=240):
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=rows) for name in ("x", "y")}
    columns["item"] = rng.choice(["red", "blue"], rows)
    columns["p"] = np.full(rows, 0.5)
    columns["click"] = rng.random(rows) + 0.2 * columns["x"]
    columns["cost"] = rng.random(rows)
    # Probabilities of a policy that plays both alike.
    columns["even"] = np.full(rows, 0.5)
    return pl.DataFrame(columns)


@pytest.fixture
def folder(tmp_path):
    """A table as text, and as Parquet files of uneven sizes."""
    table = table_of()
    table.write_csv(tmp_path / "log.csv")
    parts = tmp_path / "parts"
    parts.mkdir()
    table[:100].write_parquet(parts / "a.parquet")
    table[100:100].write_parquet(parts / "b.parquet")
    table[100:].write_parquet(parts / "c.parquet")
    return tmp_path


def numbers_of(out):
    return pl.read_csv(out / "values.csv", schema_overrides={"low": pl.Float64, "high": pl.Float64})


@pytest.mark.long
def test_a_folder_of_pieces_has_the_numbers_of_the_log_in_memory(folder):
    agent = Agent(MolUcb(scale=0.1), arms=["blue", "red"], features=2, objectives=["click", "cost"])
    agent.learn_log(folder / "log.csv", **{**MEANINGS, "minimise": ()})
    agent.save(folder / "router.agent")
    specs = {
        "even": "uniform",
        "red": "arm:red",
        "learned": UCB,
        "now": f"agent:{folder / 'router.agent'}",
    }
    for out, place, chunk in (
        ("whole", "log.csv", 0),
        ("cut", "log.csv", 70),
        ("all", "parts", 90),
    ):
        given = CommandLog(str(folder / place), COLUMNS[:-1], chunk=chunk)
        page = evaluate_file(given, folder / out, specs, recipe_named, deploy="learned")
        assert page.exists()

    wanted = numbers_of(folder / "whole")
    summary = json.loads((folder / "whole" / "evaluation.json").read_text())
    for out in ("cut", "all"):
        found = numbers_of(folder / out)
        for name in found.columns:
            if found[name].dtype == pl.Float64:
                np.testing.assert_allclose(found[name], wanted[name], rtol=1e-9)
            else:
                assert found[name].equals(wanted[name])

        same = json.loads((folder / out / "evaluation.json").read_text())
        for key in ("rounds", "arms", "objectives", "missing"):
            assert same["log"][key] == summary["log"][key]

        table = pl.read_csv(folder / out / "front.csv", infer_schema_length=0)
        assert table["front_share"].null_count() == len(table)


def test_parquet_tables_are_logs(folder):
    whole = read(folder / "log.csv", **MEANINGS, minimise=["cost"])
    parts = folder / "parts"
    for place in (parts, parts / "*.parquet"):
        found = read(place, **MEANINGS, minimise=["cost"])
        assert found.digest == whole.digest
        pieces = list(stream(place, chunk=7, **MEANINGS, minimise=["cost"]))
        assert max(map(len, pieces)) <= 7
        assert (
            np.concatenate([piece.rewards for piece in pieces]).tolist() == whole.rewards.tolist()
        )

    with pytest.raises(LogError, match="must have a column 'click2'"):
        read(parts, **{**MEANINGS, "rewards": ["click2"]})
    with pytest.raises(LogError, match="cannot be read as Parquet"):
        read(folder / "none.parquet", **MEANINGS)


def test_stored_probabilities_are_policies_of_a_command(folder):
    columns = ("rewards=click,cost", "propensity=p", "minimise=cost")
    given = CommandLog(str(folder / "parts" / "*.parquet"), columns)
    table = given.opened(["even"])
    assert isinstance(table, ParquetTable)
    target = command_arguments.target_named("column:even", next(iter(table)), recipe_named)
    found = compare(table, {"even": target}, ["ips", "snips"])
    log = read(folder / "log.csv", **MEANINGS, minimise=["cost"])
    wanted = compare(log, {"even": Uniform()}, ["ips", "snips"])
    for key, estimate in wanted.estimates.items():
        np.testing.assert_allclose(found[key].value, estimate.value, rtol=1e-9)
        np.testing.assert_allclose(found[key].covariance, estimate.covariance, rtol=1e-9)

    assert front(found)["front_share"].null_count() == 2
    with pytest.raises(ValueError, match="column:NAME must go with a Parquet table"):
        CommandLog(str(folder / "log.csv"), COLUMNS).opened(["even"])
    with pytest.raises(
        ValueError, match="or nothing but rewards, propensity and minimise, got rewards"
    ):
        CommandLog(str(folder / "parts"), ("rewards=click",)).opened()


def test_a_large_file_is_read_in_pieces(folder, monkeypatch):
    given = CommandLog(str(folder / "log.csv"), COLUMNS)
    assert not given.is_in_pieces
    monkeypatch.setattr(command_arguments, "memory", lambda: 1000.0)
    assert given.is_in_pieces
    assert CommandLog(str(folder / "parts"), COLUMNS).is_in_pieces
    assert CommandLog(str(folder / "parts" / "*.parquet"), COLUMNS).is_in_pieces
    assert not CommandLog(str(folder / "log.csv"), COLUMNS, chunk=0).is_in_pieces
    assert not CommandLog("postgresql://localhost/bandits").is_in_pieces


def test_what_needs_every_round_says_how_to_go_on(program, folder):
    arguments = [f"--column={pair}" for pair in COLUMNS]
    for option, rule in (("--any-time", "--any-time must have"), ("--map=bins", "--map must have")):
        status, _, err = program(
            "evaluate",
            folder / "log.csv",
            *arguments,
            "--policy=uniform",
            "--chunk=50",
            option,
            "--out",
            folder / "out",
        )
        assert status != 0
        assert rule in " ".join(err.split())
        assert "--chunk 0" in err


def test_a_table_without_arms_knows_no_other_policies(folder):
    """A probability of the arm that was played would be 1, whatever was played."""
    table = ParquetTable(folder / "parts", ["click"], "p", ["p"])
    with pytest.raises(ValueError, match="must be LoggingPolicy"):
        compare(table, {"even": Uniform()}, ["ips"])
    found = compare(table, {"logged": StoredProbabilities("p")}, ["ips"])
    click = table_of()["click"]
    np.testing.assert_allclose(found["logged", "ips"].value, click.mean())


def test_the_name_of_a_file_is_no_pattern(folder):
    table = table_of()
    table.write_parquet(folder / "a[1].parquet")
    table.with_columns(click=pl.lit(0.0)).write_parquet(folder / "a1.parquet")
    found = read(folder / "a[1].parquet", **MEANINGS)
    np.testing.assert_allclose(found.rewards[:, 0], table["click"])


def test_files_of_a_folder_may_differ_a_little_or_are_refused(folder):
    table = table_of()
    parts = folder / "parts"
    numbers = table[100:].with_columns(cost=pl.lit(1), other=pl.lit("x"))
    numbers.write_parquet(parts / "c.parquet")
    found = read(parts, **MEANINGS)
    assert set(found.rewards[100:, 1].tolist()) == {1.0}
    table[100:].drop("cost").write_parquet(parts / "c.parquet")
    with pytest.raises(LogError, match="cannot be read as Parquet"):
        read(parts, **MEANINGS)


def test_columns_of_parquet_tables_have_kinds(folder):
    columns = ("arm=item", "rewards=click", "context=x,item:category", "propensity=p")
    whole = CommandLog(str(folder / "log.csv"), columns).read()
    found = CommandLog(str(folder / "parts"), columns).read()
    np.testing.assert_allclose(found.contexts, whole.contexts)


def test_a_short_first_piece_does_not_say_which_reward_is_common():
    """One round of a rare reward, before all others."""
    rare = np.zeros((2000, 1))
    rare[::100] = 1.0
    log = Feedback(np.ones((2000, 1)), np.zeros(2000, int), rare, np.ones(2000), "ab", ["click"])
    pieces = LogStream(lambda: iter([log[:1], log[1:]]))
    targets = {"a": ConstantTarget("a")}
    whole, found = (compare(each, targets, ["ips"])["a", "ips"] for each in (log, pieces))
    assert found.warnings == whole.warnings
    assert any("few events" in each for each in whole.warnings)


def test_pieces_that_no_one_asked_for_are_told_of(folder, monkeypatch):
    monkeypatch.setattr(command_arguments, "memory", lambda: 1000.0)
    with pytest.warns(LogWarning, match="is read in pieces.*--chunk 0 reads it whole"):
        CommandLog(str(folder / "log.csv"), COLUMNS).opened()
