"""Other processes find inner functions translated: only while their sources are the same, and their files whole."""

import json
import os
import subprocess
import sys

import pytest

from mobandits.compiling.backend import INTERPRETED, mode
from mobandits.compiling.translations import CHECKSUM, read, write

pytestmark = pytest.mark.skipif(
    INTERPRETED or mode() != "optimised", reason="only the optimised backend keeps translations"
)

FILES = {
    "constants.py": "FACTOR = 3.0\n",
    "helper.py": """
from constants import FACTOR

from mobandits.compiling.compiled import kernel


@kernel
def positive(x):
    if x < 0.0:
        raise ValueError("negative")
    return x


@kernel
def scaled(x):
    return FACTOR * positive(x)
""",
    "parts.py": """
from helper import scaled

from mobandits.compiling.compiled import compiled


@compiled
class Above:
    shift: float

    def of(self, x):
        return scaled(x) + self.shift


@compiled
class Below:
    shift: float

    def of(self, x):
        return scaled(x) - self.shift
""",
    "loops.py": "def apply(part, x):\n    return part.of(x)\n",
    "main.py": """
import json
import sys

import loops
import parts
from numba.core import event

from mobandits.compiling.compiled import compile_loop

made = []


class Listener(event.Listener):
    def on_start(self, event):
        made.append(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event):
        pass


event.register("numba:compile", Listener())
part = getattr(parts, sys.argv[1])(1.0)
loop = compile_loop(loops.apply, part)
found = loop(part, 2.0)
try:
    loop(part, -2.0)
except ValueError as error:
    refusal = str(error)
ours = [name for name in made if name in ("of", "positive", "scaled")]
print(json.dumps([found, refusal, ours]))
""",
}


@pytest.fixture
def play(tmp_path):
    """What a process finds by one of two parts: the result, the error of a negative number, what it translates."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    def run(part):
        done = subprocess.run(
            [sys.executable, "main.py", part],
            cwd=tmp_path,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    run.folder = tmp_path
    return run


def translations(folder):
    return sorted(folder.glob("cache/**/*.inner"))


def test_another_loop_finds_what_it_shares(play):
    everything = ["of", "scaled", "positive"]
    assert play("Above") == [7.0, "negative", everything]
    assert play("Above") == [7.0, "negative", []]
    assert play("Below") == [5.0, "negative", ["of"]]

    constants = play.folder / "constants.py"
    constants.write_text("FACTOR = 2.0\n")  # two files away from what is kept
    assert play("Below") == [3.0, "negative", everything]


def test_what_is_damaged_is_translated_again(play):
    play("Above")
    kept = translations(play.folder)
    assert kept
    for path in kept:
        path.write_bytes(path.read_bytes()[:-1])

    assert play("Below") == [5.0, "negative", ["of", "scaled", "positive"]]
    # Whole ones again.
    assert play("Below")[2] == []
    shared = [path for path in kept if ".scaled-" in path.name]
    assert all(read(path) is not None for path in shared)


def test_a_file_is_read_whole_or_not_at_all(tmp_path):
    path = tmp_path / "kept.inner"
    assert read(path) is None
    write(path, b"code")
    assert read(path) == b"code"
    content = path.read_bytes()
    for size in range(len(content)):
        path.write_bytes(content[:size])
        assert read(path) is None
    path.write_bytes(content[:CHECKSUM] + b"mode")
    assert read(path) is None
    assert [each.name for each in tmp_path.iterdir()] == ["kept.inner"]


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path):
    path = tmp_path / "missing" / "kept.inner"
    write(path, b"code")
    assert read(path) is None
