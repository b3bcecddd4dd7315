"""The notebooks run, are those of their sources, and hold no outputs."""

import doctest
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "notebooks"
# What a reader must see in the outputs of each.
SHOWN = {
    "first-steps": [
        "array([ True,  True, False,  True])",
        "MOL-UCB",
        "image/png",
        "was played with probability",
        "['large', 'large', 'large', 'large', 'large']",
    ],
    "a-papers-figure": ["{1: 1, 2: 6, 4: 10, 8: 14}", "image/png", "lowest-pareto", "reported"],
    "evaluate-and-deploy": ["learned", "warnings: none", "incomparable", "decisions: 3500"],
}


@pytest.fixture(scope="module")
def tool():
    sys.path.insert(0, str(ROOT / "tools"))
    yield importlib.import_module("notebooks")
    sys.path.remove(str(ROOT / "tools"))


def test_every_notebook_is_that_of_its_source(tool):
    pytest.importorskip("nbformat")
    assert tool.not_written() == []
    assert {source.stem for source in tool.sources()} == set(SHOWN)


def test_notebooks_are_committed_without_outputs():
    for path in FOLDER.glob("*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            assert cell.get("outputs", []) == []
            assert cell.get("execution_count") is None


def test_text_stands_between_cells_of_code():
    """A notebook is read: no more than two cells of code follow each other."""
    for path in FOLDER.glob("*.ipynb"):
        kinds = [cell["cell_type"] for cell in json.loads(path.read_text())["cells"]]
        assert kinds[0] == "markdown"
        assert kinds[-1] == "markdown"
        assert not any(kinds[i : i + 3] == ["code"] * 3 for i in range(len(kinds)))


def test_sources_are_cut_into_cells(tool):
    assert doctest.testmod(tool).failed == 0
    source = "ignored\n# %%\n# %matplotlib inline\nx = 1\n\n\n# y\n\n# %% [markdown]\n# Text\n"
    code = ["%matplotlib inline", "x = 1", "", "", "# y"]
    assert tool.cells(source) == [("code", code), ("markdown", ["Text"])]


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("# %% [markdown]\nx = 1\n", "line 2: text must be a comment, got 'x = 1'"),
        ("# %% [raw]\n", "line 1: a mark is '# %%' or .*, got '# %% \\[raw\\]'"),
    ],
)
def test_sources_that_cannot_be_cut_are_refused(tool, source, rule):
    with pytest.raises(ValueError, match=rule):
        tool.cells(source)


@pytest.mark.notebooks
@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_runs(name, tmp_path):
    """In a process and a kernel of its own, as a reader runs it; a cell that fails fails the test."""
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    output = tmp_path / "executed.ipynb"
    tool, source = ROOT / "tools" / "notebooks.py", FOLDER / f"{name}.py"
    command = [sys.executable, str(tool), "--execute", str(source), str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    cells = json.loads(output.read_text())["cells"]
    outputs = [one for cell in cells for one in cell.get("outputs", [])]
    shown = json.dumps(outputs, ensure_ascii=False)
    assert [text for text in SHOWN[name] if text not in shown] == []
    # What goes to standard error is a warning that a reader would have to understand.
    # That an order was compiled is said where nobody has played by it on this machine before.
    errors = [one["text"] for one in outputs if one.get("name") == "stderr"]
    lines = [line for text in errors for line in "".join(text).splitlines()]
    assert [line for line in lines if "was made ready for" not in line] == []
