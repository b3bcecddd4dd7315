"""Files of prompts with the answers of several models: read as by a plain twin, or refused in one line."""

import json
import math
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits.datasets.routing_files import RoutingTable, parsed_routing, read_routing_file

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
GRADES = st.one_of(st.integers(-5, 5), st.floats(-1e6, 1e6))
COSTS = st.one_of(st.integers(0, 5), st.floats(0.0, 1e3))
GOOD = {"prompt": "2+2?", "arms": {"a": {"reward": 1, "cost": 0.5}, "b": {"reward": 0, "cost": 0}}}


def written(*lines):
    path = Path(tempfile.mkdtemp()) / "prompts.jsonl"
    path.write_text(
        "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    )
    return path


@st.composite
def files(draw):
    """The lines of a file, with models in any order in each, and the judges of all."""
    models = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    judges = draw(st.lists(st.sampled_from(["reward", "judge b", "j.c"]), min_size=1, unique=True))
    lines = []
    for _ in range(draw(st.integers(1, 4))):
        arms = {}
        for model in draw(st.permutations(models)):
            answer = {judge: draw(GRADES) for judge in judges}
            arms[model] = {**answer, "cost": draw(COSTS), "near_best": draw(st.booleans())}
        lines.append({"prompt": draw(st.text()), "arms": arms, "more": [1, None]})
    return lines, judges


@pytest.mark.long
@settings(max_examples=80, deadline=None)
@given(files(), st.booleans())
def test_a_file_is_read_as_by_a_plain_twin(given_file, ascii_only):
    lines, judges = given_file
    content = "\n".join(json.dumps(line, ensure_ascii=ascii_only) for line in lines) + "\n\n"
    table = parsed_routing(content.encode("utf-8", "surrogatepass"), "f", judges)
    assert table.prompts == tuple(line["prompt"] for line in lines)
    assert table.models == tuple(lines[0]["arms"])
    for i, line in enumerate(lines):
        for m, model in enumerate(table.models):
            answer = line["arms"][model]
            assert table.dollars[i, m] == answer["cost"]
            assert table.grades[i, m].tolist() == [answer[judge] for judge in judges]


def refusal(content):
    """The message about a file; None where it was read."""
    try:
        table = parsed_routing(content, "f")
    except ValueError as error:
        return str(error)
    assert isinstance(table, RoutingTable)
    return None


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.binary(max_size=80), st.text(max_size=80).map(str.encode)))
def test_whatever_a_file_has_is_read_or_refused(content):
    refused = refusal(content)
    assert refused is None or (refused.startswith("f") and "\n" not in refused)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["prompt", "arms", "reward", "cost", "x"]), inner),
    ),
    max_leaves=8,
)


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(JSON, JSON)
def test_any_json_is_read_or_refused(one, other):
    for value in (one, {**GOOD, "arms": one}, {**GOOD, "arms": {"a": one, "b": other}}):
        refused = refusal(json.dumps(value).encode())
        assert refused is None or ("\n" not in refused and len(refused) < 500)


def answer(**fields):
    return {"prompt": "x", "arms": {"a": {"reward": 1, "cost": 0.5, **fields}}}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 1 must be an object of JSON: "),
        ("[" * 100_000, "line 1 must be an object of JSON: nested too deeply"),
        ("3", "line 1 must be an object of JSON, got 3"),
        ({"arms": {}}, "line 1: prompt must be text, got None"),
        ({"prompt": "x"}, r"line 1: arms must be \{model: answer\}, got None"),
        ({"prompt": "x", "arms": {}}, r"line 1: arms must be \{model: answer\}, got \{\}"),
        ({"prompt": "x", "arms": {"a": 3}}, r"arms\['a'\] must have the column cost, got 3"),
        (answer(cost=-1), "cost must be a finite number of at least 0, got -1"),
        (answer(cost="1"), "cost must be a finite number of at least 0, got '1'"),
        (answer(cost=True), "cost must be a finite number of at least 0, got True"),
        (answer(reward=None), "reward must be a finite number, got None"),
        (answer(reward=10**400), "reward must be a finite number, got 1000"),
        (
            '{"prompt":"x","arms":{"a":{"reward":NaN,"cost":1}}}',
            "must be a finite number, got 'NaN'",
        ),
        ('{"prompt":"x","arms":{"a":{"reward":1e999,"cost":1}}}', "a finite number, got inf"),
        ('{"prompt":"x","arms":{"a":{},"a":{}}}', "the name 'a' comes twice"),
        ({**GOOD, "source": 3}, "source must be text, got 3"),
    ],
)
def test_what_is_refused(line, said):
    with pytest.raises(ValueError, match=said) as error:
        read_routing_file(written(line))
    assert "\n" not in str(error.value)


def test_lines_name_the_file_and_have_the_same_models(tmp_path):
    fewer = {**GOOD, "arms": {"a": GOOD["arms"]["a"]}}
    path = written(GOOD, "", fewer)
    with pytest.raises(
        ValueError, match="line 3: arms must be those of the first line, 'a', 'b', got 'a'"
    ):
        read_routing_file(path)
    with pytest.raises(ValueError, match="must have a line per prompt, got none"):
        read_routing_file(written(""))
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        read_routing_file(tmp_path / "missing")
    with pytest.raises(ValueError, match="cannot be read: Is a directory"):
        read_routing_file(tmp_path)
    (tmp_path / "latin").write_bytes(b'{"prompt": "\xe9"}')
    with pytest.raises(ValueError, match="must be text in UTF-8, got other bytes at 12"):
        read_routing_file(tmp_path / "latin")


def test_judges_are_columns_also_inside_of_objects():
    line = {
        "prompt": "x",
        "arms": {"a": {"by": {"one": 0.25, "two": 0.75}, "by.one": 9, "cost": 1}},
    }
    assert read_routing_file(written(line), ["by.two"]).grades.tolist() == [[[0.75]]]
    assert read_routing_file(written(line), ["by.one"]).grades.tolist() == [[[9.0]]]
    with pytest.raises(ValueError, match=r"the column by\.three, got \['by', 'by\.one', 'cost'\]"):
        read_routing_file(written(line), ["by.three"])
    for judges in ([], ["a", "a"], "reward", [3]):
        with pytest.raises(ValueError, match="judges must be different columns, at least one"):
            read_routing_file(written(line), judges)
    with pytest.raises(ValueError, match="judges must not have the column cost"):
        read_routing_file(written(line), ["cost"])


def test_models_in_another_order():
    table = read_routing_file(written(GOOD))
    turned = table.of_models(["b", "a"])
    assert turned.models == ("b", "a")
    assert np.array_equal(turned.dollars, table.dollars[:, ::-1])
    assert np.array_equal(turned.grades, table.grades[:, ::-1])
    with pytest.raises(ValueError, match="models must be 'a', 'c', got 'a', 'b'"):
        table.of_models(["a", "c"])
    assert math.isclose(turned.dollars.sum(), 0.5)
