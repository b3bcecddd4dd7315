"""Long tables of prompts: what is read, and what is refused in one line."""

import re

import pytest

from mobandits.datasets.routing_csv import read_routing_csv
from mobandits.datasets.routing_files import judges_of_file

HEAD = "prompt_id,model,prompt,quality_a,quality_b,cost,words"
ROWS = [
    "2,small,hello,0.5,0.25,0.1,7",
    "2,large,hello,0.75,1,2,7",
    "1,large,you,0.5,0.5,3,9",
    "1,small,you,0,0,0,9",
]


def written(tmp_path, *rows, head=HEAD):
    path = tmp_path / "prompts.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    return path


def test_rows_are_answers_of_prompts(tmp_path):
    table, names, numbers = read_routing_csv(written(tmp_path, *ROWS))
    assert (table.prompts, table.models) == (("hello", "you"), ("small", "large"))
    assert table.judges == ("quality_a", "quality_b")
    assert table.grades.tolist() == [[[0.5, 0.25], [0.75, 1.0]], [[0.0, 0.0], [0.5, 0.5]]]
    assert table.dollars.tolist() == [[0.1, 2.0], [0.0, 3.0]]
    assert (names, numbers.tolist()) == (("words",), [[7.0], [9.0]])


def test_texts_and_numbers_may_be_left_out(tmp_path):
    head = "model,cost,quality,prompt_id"
    table, names, numbers = read_routing_csv(written(tmp_path, "a,1,0.5,x", head=head))
    assert (table.prompts, names, numbers.shape) == (("",), (), (1, 0))


@pytest.mark.parametrize(
    ("rows", "head", "message"),
    [
        ([], HEAD, "must have rows below its header, got none"),
        (ROWS[:3], HEAD, "prompt '1' must have one row of model 'small', got 0"),
        ([*ROWS, ROWS[0]], HEAD, "prompt '2' must have one row of model 'small', got 2"),
        (["1,a,x,nan,1,1,1"], HEAD, "column quality_a, row 1 must be a finite number, got 'nan'"),
        (["1,a,x,1,1,,1"], HEAD, "column cost, row 1 must be a finite number of at least 0, got"),
        (["1,a,x,1,1,-1,1"], HEAD, "must be a finite number of at least 0, got '-1'"),
        (["1,a,x,1,1,1,mmlu"], HEAD, "column words, row 1 must be a finite number, got 'mmlu'"),
        ([ROWS[0], ROWS[1][:-1] + "8"], HEAD, "prompt '2' must have one value of words in all"),
        (["1,a,0.5,1"], "prompt_id,model,grade,cost", "a column that begins with quality, got"),
        (["1,a,0.5,1"], "prompt_id,model,quality,price", "must have the column cost, got"),
        (["1,0.5,1"], "prompt_id,quality,cost", "must have the column model, got"),
    ],
)
def test_mistakes_name_file_column_and_row(tmp_path, rows, head, message):
    path = written(tmp_path, *rows, head=head)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        read_routing_csv(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_judges_of_lines_begin_with_reward(tmp_path):
    path = tmp_path / "prompts.jsonl"
    path.write_text('\n{"arms": {"a": {"reward_x": 1, "cost": 2, "reward": 0}}}\n')
    assert judges_of_file(path) == ["reward_x", "reward"]
    for text in ("", "no JSON", "[]", '{"arms": {}}', '{"arms": {"a": 1}}', '{"arms": {"a": {}}}'):
        path.write_text(text)
        assert judges_of_file(path) == ["reward"]
    assert judges_of_file(tmp_path / "none") == ["reward"]
