"""The command line: exit statuses, one-line errors, resuming."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
import typer

import mobandits
from mobandits.cli import completion
from mobandits.cli import program as cli
from mobandits.cli.program import COMMANDS, guarded
from mobandits.contracts.protocols import Recipe
from mobandits.orders import Lexicographic, Pareto
from mobandits.policies import MolUcb, RandomChoice
from mobandits.simulation.folder import read_folder
from mobandits.simulation.run import run_plan
from mobandits.spec import KINDS, catalogue, load
from mobandits_papers.check_theorems import PAPERS
from mobandits_papers.commands import experiments, papers_with_checks

SPEC = """
rounds = 300
trials = 2
record = 3
metrics = ["reward"]
environment = "linear"
[[policies]]
name = "random-choice"
"""


@dataclass(frozen=True)
class NeedsMore(Recipe):
    def bind(self, shape):
        raise ValueError("this one needs more")


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "s.toml").write_text(SPEC)
    return str(tmp_path / "s.toml")


@pytest.fixture
def program(capsys, monkeypatch):
    """Call the program; the report is drawn by code with tests of its own."""
    written = []
    monkeypatch.setattr("mobandits.cli.console.write_report", lambda *of, **_: written.extend(of))

    def call(*arguments):
        status = cli.call([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out, err

    call.reports = written
    return call


def test_version(program):
    assert program("--version") == (0, f"mobandits {mobandits.__version__}\n", "")


@pytest.mark.long
def test_python_m_is_the_same_program():
    done = subprocess.run(
        [sys.executable, "-m", "mobandits", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"mobandits {mobandits.__version__}\n"


@pytest.mark.long
def test_the_version_is_told_without_loading_what_it_does_not_need():
    code = (
        "import sys; from mobandits.cli import program as cli; cli.call(['--version'])\n"
        "assert 'polars' not in sys.modules, 'polars'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_help_names_every_command(program):
    status, out, _ = program("--help")
    assert status == 0
    assert all(name in out for name in ("demo", "list", "run", "report", "warm"))
    assert program()[0] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_list_prints_a_line_per_name(program, kind):
    status, out, err = program("list", kind)
    names = [line.split("\t")[0] for line in out.splitlines()]
    assert (status, err) == (0, "")
    assert names == sorted(catalogue(kind))
    assert all(re.fullmatch(r"[a-z0-9_/-]+\t\S.*", line) for line in out.splitlines())


def test_run_writes_a_folder_and_resumes(program, spec, tmp_path):
    out = tmp_path / "deep" / "out"
    status, said, err = program("run", spec, "--out", out)
    assert status == 0
    rows, caption, _, values = said.splitlines()
    assert rows == f"{out / 'results.parquet'}: 24 rows"
    assert caption.startswith("Reward at round 300. Means over 2 trials")
    assert values.startswith(" RandomChoice() ")
    assert err.splitlines()[-1] == "s: 600 of 600 rounds"
    table, manifest = read_folder(out)
    assert table["experiment"].unique().to_list() == ["s"]
    assert manifest["status"] == "finished"
    assert program("run", spec, "--out", out)[0] == 0
    assert read_folder(out)[1] == manifest
    assert program("run", spec, "--out", out, "--trials", 3, "--workers", 2)[0] == 0
    assert read_folder(out)[0].filter(pl.col("trial") < 2).equals(table)
    assert program.reports == [out] * 3


def test_options_replace_the_files(program, spec, tmp_path):
    assert (
        program("run", spec, "--out", tmp_path / "o", "--rounds", 20, "--seed", 3, "--trials", 1)[0]
        == 0
    )
    said = read_folder(tmp_path / "o")[1]["specification"]
    assert (said["rounds"], said["seed"], said["trials"]) == (20, 3, 1)


def test_report_draws_again(program, spec, tmp_path):
    program("run", spec, "--out", tmp_path / "o")
    assert program("report", tmp_path / "o")[0] == 0
    assert program.reports == [tmp_path / "o"] * 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["frobnicate"], "No such command 'frobnicate'"),
        (
            ["list", "policy"],
            "KIND: 'policy' is unknown; did you mean policies. It must be one of datasets, ",
        ),
        (["run", "{spec}"], "Missing option '--out'"),
        (["run", "{spec}", "--out", "{out}", "--rounds", "-5"], "Invalid value for '--rounds'"),
        (
            ["run", "{spec}", "--out", "{out}", "--engine", "rays"],
            "--engine: 'rays' is unknown; did you mean ray. It must be one of ray, threads",
        ),
        (
            ["run", "{spec}", "--out", "{out}", "--address", "auto"],
            "--address must be None with engine='threads'",
        ),
        (["run", "none.toml", "--out", "{out}"], "none.toml cannot be read: No such file"),
        (
            ["run", "{spec}", "--out", "{spec}"],
            "s.toml cannot be made a folder: it is a text file; choose another",
        ),
        (
            ["run", "{table}", "--out", "{out}"],
            "own.parquet must be a TOML file such as .*, found a Parquet file",
        ),
        (
            ["run", "{run}", "--out", "{out}"],
            "run must be a TOML file .*, found a folder with manifest.json, as a run",
        ),
        (
            ["demo", "--out", "{spec}"],
            "s.toml cannot be made a folder: it is a text file; choose another folder",
        ),
        (
            ["demo", "--out", "{run}"],
            "run holds a run with experiment = s, now demo: choose another folder",
        ),
        (
            ["demo", "--out", "{full}"],
            "is not empty and has no manifest.json, .* found a folder with thesis.txt; choose another",
        ),
        (
            ["reproduce", "pcz2018/fig2", "--out", "{spec}"],
            "s.toml cannot be made a folder: it is a text file",
        ),
        (
            ["check-theorems", "moglb2019", "--out", "{spec}"],
            "s.toml cannot be made a folder: it is a text file",
        ),
        (
            ["report", "{spec}"],
            "s.toml has no manifest.json, so it is not the folder of a run: found a text file",
        ),
        (["report", "{run}/results.parquet"], "found a Parquet file; give its folder, .*run$"),
        (["report", "{full}"], "found a folder with thesis.txt"),
        (
            ["evaluate", "{spec}", "--policy=uniform", "--out={out}"],
            "line 2 is not dsjson: .*found a text file",
        ),
        (
            ["evaluate", "{run}", "--policy=uniform", "--out={out}"],
            "run must be a log, got a folder with manifest.json, as a run has",
        ),
        (
            ["evaluate", "{table}", "--policy=uniform", "--out={out}"],
            "a Parquet file that it did not write; a table",
        ),
        (
            ["evaluate", "{table}", "--policy=uniform", "--column=arm=a", "--out={out}"],
            "--column must name arm and rewards of a table",
        ),
        (
            ["evaluate", "x", "--policy=uniform", "--out={run}"],
            "--out must be a new .*; found a folder with man",
        ),
        (
            ["evaluate", "x", "--policy=uniform", "--out={full}"],
            "--out must be .*; found a folder with thesis.txt at ",
        ),
        (
            ["evaluate", "x", "--policy=uniform", "--out={spec}"],
            "--out must be .*; found a text file at .*s.toml",
        ),
        (["run", "{spec}", "--out", "{parent}"], "is not empty and has no manifest.json"),
        (["report", "{out}"], "has no manifest.json"),
        (["report"], "Missing argument 'DIR...'"),
        (["compare", "{run}", "--out", "{out}"], "compare takes 2 to 4 runs, got 1"),
        (["compare", "{run}", "{out}", "--out", "{out}"], "out has no manifest.json"),
        (["compare", "{run}", "{run}", "--out", "{full}"], "found a folder with thesis.txt"),
    ],
)
def test_mistakes_are_one_line_and_status_2(program, spec, tmp_path, run, arguments, message):
    """And nothing that was there is changed."""
    paths = {"spec": spec, "out": tmp_path / "out", "run": run, "full": tmp_path / "full"}
    paths["parent"] = tmp_path
    paths["table"] = tmp_path / "own.parquet"
    pl.DataFrame({"arm": ["a"]}).write_parquet(paths["table"])
    paths["full"].mkdir()
    (paths["full"] / "thesis.txt").write_text("one more day")
    before = contents(tmp_path)
    status, out, err = program(*[argument.format(**paths) for argument in arguments])
    assert (status, out) == (2, "")
    assert re.fullmatch("error: .*\n", err)
    assert re.search(message, err.strip())
    assert contents(tmp_path) == before
    assert not paths["out"].exists()


def test_a_store_is_exported(program, spec, tmp_path):
    from mobandits.logs import Store, read  # noqa: PLC0415

    store = tmp_path / "log.db"
    with Store(store) as log:
        log.describe({"arms": ["a", "b"], "objectives": ["click"]})
        for number, time in enumerate([0.5, 4.0]):
            decision = {"kind": "decide", "id": number, "time": time, "context": [[1.0]], "arm": 1}
            log.append(decision | {"propensity": 0.5})

    out = tmp_path / "out.parquet"
    said = f"{out}: 1 decisions\n"
    assert program("export", store, "--out", out, "--before", "1970-01-01T00:00:03") == (
        0,
        said,
        "",
    )
    assert read(out).ids.tolist() == [0]
    for arguments, message in (
        (("export", store, "--out", out), "out.parquet must be a new file"),
        (("export", store, "--out", "x", "--delete"), "must have a snapshot before anything"),
        (("export", store, "--out", "x", "--format", "xml"), "--format must be"),
        (("export", store, "--out", "x", "--agent", "me"), "must have an agent 'me'"),
        (("export", spec, "--out", "x"), "must be a store"),
    ):
        status, said, err = program(*arguments)
        assert (status, said) == (2, "")
        assert message in err
        assert err.count("\n") == 1


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def run(spec, tmp_path):
    """The folder of a finished run."""
    folder = tmp_path / "run"
    run_plan(load(spec).plan(rounds=10, trials=1), out=folder)
    return folder


def test_a_mistake_in_the_file_is_told_with_its_key(program, tmp_path):
    (tmp_path / "s.toml").write_text(SPEC.replace("random-choice", "random-choise"))
    status, _, err = program("run", tmp_path / "s.toml", "--out", tmp_path / "out")
    assert status == 2
    name = "policies[0].name: 'random-choise' is unknown; did you mean random-choice?"
    assert f"s.toml:8: {name} It must be one of annealing-pareto, " in err
    assert not (tmp_path / "out").exists()


def test_other_errors_are_not_hidden(program, spec, tmp_path, monkeypatch):
    def broken(*args, **kwargs):
        raise ValueError("a defect, not a mistake of the user's")

    monkeypatch.setattr("mobandits.simulation.threads.play_trial", broken)
    with pytest.raises(ValueError, match="a defect"):
        program("run", spec, "--out", tmp_path / "out")


@pytest.mark.long
def test_an_interrupted_run_says_how_to_go_on(spec, tmp_path):
    Path(spec).write_text(
        SPEC.replace("rounds = 300", "rounds = 3000000").replace("trials = 2", "trials = 50")
    )
    arguments = [
        sys.executable,
        "-m",
        "mobandits",
        "run",
        spec,
        "--out",
        tmp_path / "o",
        "--workers",
        "1",
    ]
    child = subprocess.Popen(
        arguments, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    )
    while not (tmp_path / "o" / "manifest.json").exists():
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    err = child.communicate(timeout=120)[1]
    assert child.returncode == 130
    # None of them is finished yet.
    kept = "no trial was finished, so nothing is kept; run the same command again"
    assert err.splitlines()[-1] == f"interrupted: {kept}"
    assert "Traceback" not in err


def test_an_interruption_anywhere_is_status_130(program, monkeypatch):
    def interrupted(kind):
        raise KeyboardInterrupt

    monkeypatch.setattr("mobandits.spec.catalogue", interrupted)
    assert program("list", "policies") == (130, "", "interrupted: run the same command again\n")


def test_a_terminal_gets_a_table_and_a_bar(program, spec, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    status, out, _ = program("list", "orders")
    assert status == 0
    assert "lexicographic" in out
    assert "\t" not in out
    status, out, err = program("run", spec, "--out", tmp_path / "o")
    assert status == 0
    assert "rounds" not in err


def test_warm_says_what_it_compiled(program, monkeypatch):
    recipes = {"random-choice": RandomChoice, "moc-mab": NeedsMore}
    monkeypatch.setattr("mobandits.spec.catalogue", lambda kind: recipes)
    status, out, err = program("warm")
    assert (status, out) == (0, "")
    assert err.splitlines() == [
        "moc-mab: policy 'NeedsMore()': this one needs more",
        "random-choice: compiled",
    ]


def test_warm_compiles_what_agents_call(program, monkeypatch):
    monkeypatch.setattr(
        "mobandits.spec.catalogue",
        lambda kind: {"random-choice": RandomChoice, "moc-mab": NeedsMore},
    )
    assert program("warm", "--agents", "random-choice") == (0, "", "random-choice: compiled\n")
    status, _, err = program("warm", "--agents", "moc-mabs")
    assert status == 2
    assert "did you mean moc-mab?" in err


def test_warm_takes_orders(program, monkeypatch):
    asked = []
    recipes = {"mol-ucb": MolUcb, "moc-mab": NeedsMore}
    orders = {"lexicographic": Lexicographic, "pareto": Pareto}
    monkeypatch.setattr(
        "mobandits.spec.catalogue", lambda kind: recipes if kind == "policies" else orders
    )

    def precompile(recipe, order=None):
        asked.append((recipe, order))
        return "compiled" if recipe is MolUcb else "this one needs more"

    monkeypatch.setattr("mobandits.precompile.precompile_agent", precompile)
    status, _, err = program("warm", "--agents")
    assert status == 0
    assert err.splitlines() == [
        "moc-mab: this one needs more",
        "mol-ucb: compiled",
        "mol-ucb, lexicographic: compiled",
        "mol-ucb, pareto: compiled",
    ]
    asked.clear()
    assert program("warm", "--agents", "mol-ucb", "--order", "pareto")[0] == 0
    assert asked == [(MolUcb, None), (MolUcb, Pareto)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--agents", "--order", "paretto"),
            "--order: .* is unknown; did you mean pareto. It must be one of ",
        ),
        (("--order", "pareto"), "--order must come with --agents"),
    ],
)
def test_mistakes_about_orders_to_warm_are_one_line(program, arguments, message):
    status, out, err = program("warm", *arguments)
    assert (status, out) == (2, "")
    assert re.fullmatch(f"error: .*{message}.*\n", err)


def test_demo_passes_its_options_on(program, tmp_path, monkeypatch):
    called = []

    def run(out, **options):
        called.append((out, options.pop("progress")(1, 2), options))
        return out / "report.html"

    monkeypatch.setattr("mobandits_papers.demo.demo.run", run)
    status, out, _ = program("demo", "--out", tmp_path, "--quick")
    assert (status, out) == (0, f"{tmp_path / 'report.html'}\n")
    assert called == [(tmp_path, None, {"quick": True})]


@pytest.mark.long
def test_a_finished_run_is_said_at_once(spec, tmp_path, capsys, monkeypatch):
    """Nothing is played or drawn again; what is not finished, or was edited, is."""
    arguments = ["run", spec, "--out", str(tmp_path / "o")]
    assert cli.call(arguments) == 0
    page = tmp_path / "o" / "report.html"
    before = contents(tmp_path)
    capsys.readouterr()

    def refuse(*_, **__):
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr("mobandits.simulation.run.run_plan", refuse)
        patch.setattr("mobandits.cli.console.write_report", refuse)
        assert cli.call(arguments) == 0
        said = f"finished: 2 trials of 300 rounds; report: {page}\n"
        assert capsys.readouterr() == (said, "")

    assert contents(tmp_path) == before
    page.unlink()
    assert cli.call(arguments) == 0
    assert page.exists()
    assert cli.call([*arguments, "--trials", "3"]) == 0
    assert "24 rows" not in capsys.readouterr().out.splitlines()[-2]
    page.write_text("older")
    os.utime(page, (0, 0))
    assert cli.call([*arguments, "--trials", "3"]) == 0
    assert page.read_text() != "older"


def test_three_mistakes_are_three_lines(program, tmp_path):
    (tmp_path / "s.toml").write_text(
        'rounds = "many"\n'
        'metrics = ["reward", "pareto-regret"]\n'
        'environment = "linear"\n'
        "\n"
        "[[policies]]\n"
        'name = "mol-ts"\n'
        "scale = -1\n"
        "[[policies]]\n"
        'name = "mol-ucb"\n'
        'skale = "two"\n'
        "penalty = true\n"
    )
    status, out, err = program("run", tmp_path / "s.toml", "--out", tmp_path / "out")
    assert (status, out) == (2, "")
    lines = [line.removeprefix(f"error: {tmp_path / 's.toml'}:") for line in err.splitlines()]
    assert [line.partition(":")[0] for line in lines] == ["1", "2", "7", "10", "11"]
    for line, word in zip(lines, ("many", "pareto_regret", "-1", "scale", "True"), strict=True):
        assert word in line


def test_list_without_a_kind_names_them(program):
    status, out, err = program("list")
    assert (status, err) == (0, "")
    assert [line.split("\t")[0] for line in out.splitlines()] == list(KINDS)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(command.name for command in COMMANDS))
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_has_help_with_examples(program, name, option):
    status, out, err = program(name, option)
    assert (status, err) == (0, "")
    assert "Examples:" in out
    assert f"$ mobandits {name}" in out


def test_commands_of_what_is_not_installed_say_what_installs_it(program, monkeypatch):
    own = [command for command in COMMANDS if command.name not in cli.OF_GUESTS]
    monkeypatch.setattr(cli, "COMMANDS", own)
    monkeypatch.setattr(cli, "GROUPS", [])
    for name, extra in cli.OF_GUESTS.items():
        status, _, err = program(name, "--out", "runs")
        assert status == 2
        assert err.startswith(f"error: mobandits {name} needs the extra `{extra}`: ")
        assert f"packages/mobandits-{extra}" in err


@pytest.mark.parametrize(
    "command", [command for command in COMMANDS if command.name in ("run", "reproduce")]
)
def test_an_interruption_names_the_folder_of_finished_trials_only_where_there_are_some(
    command, tmp_path, capsys
):
    def interrupted(**parameters):
        raise KeyboardInterrupt

    folder = tmp_path / "L"
    for has_trials in (False, True):
        if has_trials:
            (folder / "parts").mkdir(parents=True)
            (folder / "parts" / "trial-000000.parquet").touch()
        with pytest.raises(typer.Exit):
            guarded(command._replace(function=interrupted))(out=folder, paper="P", log="L")
        assert (str(folder) in capsys.readouterr().err) == has_trials


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_interruption_is_one_line(command, monkeypatch, capsys):
    def interrupted(**parameters):
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as ended:
        guarded(command._replace(function=interrupted))(
            out="OUT", log="LOG", store="STORE", folder="FOLDER", paper="PAPER"
        )

    assert ended.value.exit_code == 130
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"interrupted: [^{}\n]+run the same command again[^{}\n]*\n|.*\n", err)
    assert "{" not in err


COMMANDS_THAT_LAST = {
    "reproduce": ["reproduce", "moslb2024/fig4", "--out", "{out}", "--workers", "2"],
    "evaluate": [
        *("evaluate", "{log}", "--column=arm=item", "--column=rewards=click", "--out", "{out}"),
        *("--column=context=age", "--column=propensity=p", "--policy=mol-ucb", "--folds=1000"),
    ],
    "check-theorems": ["check-theorems", "mocmab2018", "--out", "{out}"],
}


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS_THAT_LAST)
def test_ctrl_c_ends_the_program_and_what_it_started(tmp_path, name):
    """Twice, as an impatient user does: a thread that is compiling would be waited for."""
    log = tmp_path / "log.csv"
    rows = "".join(f"{'ab'[i % 2]},{i % 3},{i % 7},0.5\n" for i in range(20_000))
    log.write_text(f"item,click,age,p\n{rows}")
    out = tmp_path / "out"
    arguments = [each.format(out=out, log=log) for each in COMMANDS_THAT_LAST[name]]
    child = subprocess.Popen(
        [sys.executable, "-m", "mobandits", *arguments],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    first = child.stderr.readline()  # work has begun with the first line of progress
    assert first.startswith(name), first
    child.send_signal(signal.SIGINT)
    time.sleep(0.5)
    if child.poll() is None:
        child.send_signal(signal.SIGINT)
    said, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert said == ""
    assert err.splitlines()[-1].startswith("interrupted: ")
    assert "run the same command again" in err
    assert "Traceback" not in err


@pytest.mark.long
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_a_script_and_names(shell):
    def completed(**variables):
        done = subprocess.run(
            [sys.executable, "-c", "from mobandits.cli.program import main; main()"],
            env=os.environ | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    script = completed(_MOBANDITS_COMPLETE=f"source_{shell}")
    assert "mobandits" in script
    assert f"complete_{shell}" in script
    line = "mobandits warm mol-"
    names = completed(
        _MOBANDITS_COMPLETE=f"complete_{shell}",
        COMP_WORDS=line,
        COMP_CWORD="2",
        _TYPER_COMPLETE_ARGS=line,
        _TYPER_COMPLETE_FISH_ACTION="get-args",
    )
    assert {"mol-ts", "mol-ucb", "mol-eps-greedy"} <= set(re.findall(r"[a-z-]+", names))


@pytest.mark.parametrize("incomplete", ["", "m", "mol-t"])
def test_names_are_completed(incomplete):
    """The names that shells complete are those of the catalogues, found in another way."""
    expected = {
        completion.policies: catalogue("policies"),
        completion.orders: catalogue("orders"),
        papers_with_checks: PAPERS,
        completion.one_of(*completion.KINDS): KINDS,
        completion.targets: {*catalogue("policies"), "uniform", "logging"},
    }
    for complete, names in expected.items():
        assert complete(incomplete) == sorted(n for n in names if n.startswith(incomplete))


def test_experiments_are_completed():
    known = catalogue("experiments")
    papers = {name.partition("/")[0] for name in known if "/" in name}
    assert set(experiments("")) == papers | {"all"}
    assert experiments("molts2025/f") == sorted(
        name for name in known if name.startswith("molts2025/f")
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["cite", "mol-uc"],
            "name: 'mol-uc' is unknown; did you mean mol-ucb?; see `mobandits list`",
        ),
        (["serve"], "FILE must be given, or --demo"),
        (["serve", "--demo", "--check"], "--demo must go without --check"),
    ],
)
def test_a_mistake_is_told_by_the_rule_that_was_broken(program, arguments, message):
    assert program(*arguments) == (2, "", f"error: {message}\n")


def test_an_order_with_parameters_is_told_in_the_form_of_its_option(program, tmp_path):
    policy = "mol-ucb:scale=0.3,order=weighted:weights=[0.2;0.8]"
    status, _, err = program("evaluate", "x.jsonl", "--policy", policy, "--out", tmp_path / "o")
    assert status == 2
    assert 'order={name="weighted",weights=[0.2,0.8]}' in err
    assert "column 39" not in err
