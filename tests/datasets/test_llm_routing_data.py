"""The raw table: counts, ranges, an independent reading, and what happens to damaged or missing files."""

import json
import shutil
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from mobandits.datasets import llm_routing
from mobandits.errors import MissingExtraError
from mobandits.support.optional import how_to_install

FOLDER = "pareto_bandit/data/examples"
MODELS = {
    "llama-3.1-8b-instruct": "meta-llama/llama-3.1-8b-instruct",
    "mistral-large-2512": "mistralai/mistral-large-2512",
    "gemini-2.5-pro": "google/gemini-2.5-pro",
}


def folder():
    try:
        return Path(metadata.distribution("paretobandit").locate_file(FOLDER))
    except metadata.PackageNotFoundError:
        return None


needs_data = pytest.mark.skipif(folder() is None, reason="the extra `data` is not installed")


@pytest.fixture(scope="module")
def table():
    return llm_routing()


@needs_data
def test_counts(table):
    assert table.columns == [
        "split",
        "source",
        "prompt",
        *(f"{v}_{m}" for v in ("quality", "cost") for m in MODELS),
    ]
    assert table["split"].to_list() == ["val"] * 1785 + ["test_holdout"] * 1824
    assert table["prompt"].n_unique() == 3609
    assert table.null_count().sum_horizontal().item() == 0


@needs_data
def test_ranges(table):
    quality = table.select("^quality_.*$").to_numpy()
    costs = table.select("^cost_.*$").to_numpy()
    assert (quality.min(), quality.max()) == (0.0, 1.0)
    assert (costs.min(), costs.max()) == (3.8e-06, 0.16010125)
    assert np.all(costs.argmin(axis=1) == 0)  # the first model is always the cheapest
    conflict = quality[:, 0] < quality.max(axis=1)
    assert abs(conflict.mean() - 2 / 3) < 0.01


@needs_data
def test_every_value_is_as_recorded(table):
    lines = [
        line
        for name in ("val", "test_holdout")
        for line in (folder() / f"{name}.jsonl").read_bytes().split(b"\n")
    ]
    raw = [json.loads(line) for line in lines if line]
    for name in ("prompt", "source"):
        assert table[name].to_list() == [row[name] for row in raw]
    for short, name in MODELS.items():
        assert table[f"quality_{short}"].to_list() == [row["arms"][name]["reward"] for row in raw]
        assert table[f"cost_{short}"].to_list() == [row["arms"][name]["cost"] for row in raw]


@needs_data
def test_the_package_is_not_imported(table):
    assert not table.is_empty()
    assert "pareto_bandit" not in sys.modules


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the installed package, found before the real one."""
    shutil.copytree(folder(), tmp_path / FOLDER)
    info = tmp_path / "paretobandit-0.1.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: paretobandit\nVersion: 0.1.1\n")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / FOLDER


@needs_data
def test_a_faithful_copy_is_read(copy, table):
    assert copy == folder()
    assert llm_routing().equals(table)


@needs_data
@pytest.mark.parametrize("split", ["val", "test_holdout"])
def test_a_damaged_file_is_refused(copy, split):
    path = copy / f"{split}.jsonl"
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"reward": 1.0', b'"reward": 0.9', 1))
    assert path.read_bytes() != content
    with pytest.raises(
        ValueError, match=rf"^paretobandit's {split}.jsonl must be the published file of .* rows"
    ) as error:
        llm_routing()
    assert "\n" not in str(error.value)
    assert str(error.value).endswith("pip install --force-reinstall paretobandit==0.1.1")


@needs_data
def test_a_lost_file_is_refused(copy):
    (copy / "test_holdout.jsonl").unlink()
    with pytest.raises(ValueError, match=r"test_holdout\.jsonl must be .* in 0 bytes"):
        llm_routing()


def test_missing_extra(monkeypatch):
    def nothing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", nothing)
    with pytest.raises(MissingExtraError) as error:
        llm_routing()
    assert (
        str(error.value) == f"datasets.llm_routing needs the extra `data`: {how_to_install('data')}"
    )
    assert isinstance(error.value, ImportError)
